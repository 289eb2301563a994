//! Bytes kept beside records, read over HTTP.

use http::header::{CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG};
use http::{HeaderMap, Method, StatusCode};
use vitrine_contract::read_api::Answer;
use vitrine_contract::request::{BlobRequest, ByteRange, ReadRequest};
use vitrine_contract::{Blob, BlobRef};

use super::exchange::Exchange;

pub(super) async fn read(exchange: &Exchange, request: &BlobRequest) -> Answer<Blob> {
    let (method, range) = match request.range {
        None => (Method::GET, None),
        Some(ByteRange::Nothing) => (Method::HEAD, None),
        Some(ByteRange::From(first, last)) => {
            (Method::GET, Some(format!("bytes={first}-{}", last.map(|last| last.to_string()).unwrap_or_default())))
        }
        Some(ByteRange::Last(count)) => (Method::GET, Some(format!("bytes=-{count}"))),
    };
    let answer = exchange.bytes(method, &ReadRequest::Blob(request.clone()), range).await?;
    let part = content_range(&answer.headers).filter(|_| answer.status == StatusCode::PARTIAL_CONTENT);
    let text = |name| answer.headers.get(name).and_then(|value| value.to_str().ok());
    let size_bytes = match part {
        Some((_, size)) => size,
        None => text(CONTENT_LENGTH).and_then(|length| length.parse().ok()).or(Some(answer.body.len() as u64)),
    };
    let info = BlobRef {
        blob_id: request.blob_id.clone(),
        mime_type: text(CONTENT_TYPE).map(str::to_owned),
        size_bytes,
        sha256: text(ETAG).and_then(digest),
    };
    // A provider that knows no ranges answers with the whole, and `start` says so.
    Ok(Blob { info, start: part.map_or(0, |(start, _)| start), bytes: answer.body, origin: None })
}

/// The first byte and the size of the whole, from `bytes 2-4/10`.
fn content_range(headers: &HeaderMap) -> Option<(u64, Option<u64>)> {
    let (range, size) = headers.get(CONTENT_RANGE)?.to_str().ok()?.strip_prefix("bytes ")?.split_once('/')?;
    Some((range.split_once('-')?.0.parse().ok()?, size.parse().ok()))
}

/// The digest, when it is what the entity tag holds.
fn digest(etag: &str) -> Option<String> {
    let tag = etag.strip_prefix('"')?.strip_suffix('"')?;
    (tag.len() == 64 && tag.bytes().all(|b| b.is_ascii_hexdigit())).then(|| tag.to_owned())
}
