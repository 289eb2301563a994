//! `PUT /v1/blobs/{blob_id}`: bytes that records refer to.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use sha2::{Digest, Sha256};
use vitrine_contract::{ApiError, BlobRef, ErrorCode, hexadecimal, ident};
use vitrine_engine::keeping::Keeper;

use super::params::{OfConnection, Segments};
use crate::app::App;
use crate::auth::AsOwner;
use crate::body::read_bounded;
use crate::failure::Failure;

pub(crate) async fn put<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    Segments(blob_id): Segments<String>,
    OfConnection(connection_id): OfConnection,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<BlobRef>, Failure> {
    if !ident::is_record_id(&blob_id) {
        let message = "A blob id has 1 to 200 visible characters, without `/`, `\\` or `..`.";
        return Err(ApiError::new(ErrorCode::InvalidId, message).param("blob_id").into());
    }
    let catalog = app.store.catalog().await?;
    if catalog.connection(&connection_id).is_none() {
        let message = "There is no such connection. GET /v1/owner/connections lists them.";
        return Err(ApiError::new(ErrorCode::NotFound, message).param("connection_id").into());
    }
    let mut bytes = Vec::new();
    let mut digest = Sha256::new();
    read_bounded(&headers, body, app.limits.blob_bytes, |chunk| {
        digest.update(chunk);
        bytes.extend_from_slice(chunk);
    })
    .await?;
    let mime_type = headers.get(CONTENT_TYPE).and_then(|mime| mime.to_str().ok());
    let info = BlobRef {
        blob_id,
        mime_type: Some(mime_type.unwrap_or("application/octet-stream").to_owned()),
        size_bytes: Some(bytes.len() as u64),
        sha256: Some(hexadecimal::encode(&digest.finalize())),
    };
    app.store.put_blob(&connection_id, &info, &bytes).await?;
    Ok(Json(info))
}
