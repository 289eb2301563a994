//! Bytes kept beside records, whole or in part.

use std::ops::Range;
use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::stream;
use http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_RANGE, RANGE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use vitrine_contract::request::{BlobRequest, ByteRange};
use vitrine_contract::{ApiError, BlobRef, ReadApi};
use vitrine_engine::Ledgered;
use vitrine_engine::keeping::Keeper;

use super::range::{Wanted, wanted};
use crate::failure::Failure;

/// How much of a blob is in memory at once.
const PIECE_BYTES: u64 = 1024 * 1024;

pub(super) async fn answer<S: Keeper>(
    reader: Ledgered<S>,
    request: BlobRequest,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Response, Failure> {
    let described = BlobRequest { range: Some(ByteRange::Nothing), ..request.clone() };
    let info = reader.blob(&described).await?.info;
    let size = info.size_bytes.unwrap_or_default();
    let etag = info.sha256.as_deref().and_then(|sha256| HeaderValue::from_str(&format!("\"{sha256}\"")).ok());
    // RFC 9110 gives `Range` a meaning for GET only.
    let wanted = match headers.get(RANGE).and_then(|range| range.to_str().ok()) {
        Some(range) if method == Method::GET && same_version(headers, etag.as_ref()) => wanted(range, size),
        _ => Wanted::Whole,
    };
    let (status, part) = match wanted {
        Wanted::Whole => (StatusCode::OK, 0..size),
        Wanted::Part(part) => (StatusCode::PARTIAL_CONTENT, part),
        Wanted::Beyond => return Ok(beyond(size)),
    };
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    let out = response.headers_mut();
    describe(&info, out);
    out.insert(CONTENT_LENGTH, HeaderValue::from(part.end - part.start));
    if let Some(etag) = etag {
        out.insert(ETAG, etag);
    }
    if status == StatusCode::PARTIAL_CONTENT
        && let Ok(range) = HeaderValue::from_str(&format!("bytes {}-{}/{size}", part.start, part.end - 1))
    {
        out.insert(CONTENT_RANGE, range);
    }
    if method == Method::GET {
        *response.body_mut() = pieces(reader, request, info, part);
    }
    Ok(response)
}

/// Stored by someone else, shown by a browser: never as a page of this origin.
fn describe(info: &BlobRef, headers: &mut HeaderMap) {
    let mime = info.mime_type.as_deref().and_then(|mime| HeaderValue::from_str(mime).ok());
    headers.insert(CONTENT_TYPE, mime.unwrap_or(HeaderValue::from_static("application/octet-stream")));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
}

fn same_version(headers: &HeaderMap, etag: Option<&HeaderValue>) -> bool {
    headers.get(IF_RANGE).is_none_or(|version| Some(version) == etag)
}

/// Reads a part piece by piece. A blob that is replaced meanwhile breaks the body off, so that
/// nobody takes a mixture for the whole.
fn pieces<S: Keeper>(reader: Ledgered<S>, request: BlobRequest, info: BlobRef, part: Range<u64>) -> Body {
    let source = Arc::new((reader, request, info));
    Body::from_stream(stream::try_unfold(part, move |part| {
        let source = Arc::clone(&source);
        async move {
            if part.is_empty() {
                return Ok(None);
            }
            let (reader, request, info) = &*source;
            let last = part.end.min(part.start + PIECE_BYTES) - 1;
            let range = Some(ByteRange::From(part.start, Some(last)));
            let piece = reader.blob(&BlobRequest { range, ..request.clone() }).await?;
            if piece.info != *info || piece.bytes.len() as u64 != last + 1 - part.start {
                return Err(ApiError::internal());
            }
            Ok(Some((Bytes::from(piece.bytes), last + 1..part.end)))
        }
    }))
}

fn beyond(size: u64) -> Response {
    let message = "The range lies beyond the end. The header `Content-Range` tells the size.";
    let failure = Failure::own(StatusCode::RANGE_NOT_SATISFIABLE, "range_not_satisfiable", message);
    ([(CONTENT_RANGE, format!("bytes */{size}"))], failure).into_response()
}
