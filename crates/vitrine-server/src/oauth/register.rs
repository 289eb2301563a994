//! `POST /oauth/register`: clients introduce themselves (RFC 7591).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use bytes::BytesMut;
use http::StatusCode;
use serde_json::{Map, Value};
use vitrine_engine::keeping::Keeper;
use vitrine_engine::oauth::{OAuthCode, OAuthError};

use super::answer::{Refusal, unkept};
use crate::app::App;
use crate::body::read_bounded;

const METADATA_BYTES: usize = 64 * 1024;

pub(crate) async fn register<S: Keeper>(State(app): State<Arc<App<S>>>, request: Request) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    let mut whole = BytesMut::new();
    read_bounded(&parts.headers, body, METADATA_BYTES, |chunk| whole.extend_from_slice(chunk)).await?;
    let metadata: Map<String, Value> = serde_json::from_slice(&whole)
        .map_err(|_| OAuthError::new(OAuthCode::InvalidClientMetadata, "The body must be a JSON object."))?;
    let registered = app.authority().register(&metadata).await?;
    Ok(unkept(StatusCode::CREATED, registered.to_body()))
}
