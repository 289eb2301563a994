//! Request bodies, bounded in size and in patience.

use std::error::Error;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use bytes::{Bytes, BytesMut};
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, StatusCode};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tower_http::timeout::TimeoutError;
use vitrine_contract::{ApiError, ErrorCode};
use vitrine_engine::keeping::Keeper;

use crate::app::App;
use crate::failure::Failure;

/// A body of JSON: an object, since a list would pass for a struct's fields in order.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Keeper> FromRequest<Arc<App<S>>> for Json<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App<S>>) -> Result<Self, Failure> {
        let Text(text) = Text::from_request(request, app).await?;
        let object: Map<String, Value> = serde_json::from_str(&text).map_err(|error| not_json(&error))?;
        T::deserialize(Value::Object(object)).map(Json).map_err(|error| not_json(&error).into())
    }
}

/// A body of text, as long as JSON may be.
pub(crate) struct Text(pub(crate) String);

impl<S: Keeper> FromRequest<Arc<App<S>>> for Text {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Arc<App<S>>) -> Result<Self, Failure> {
        let (parts, body) = request.into_parts();
        let mut whole = BytesMut::new();
        read_bounded(&parts.headers, body, app.limits.json_bytes, |chunk| whole.extend_from_slice(chunk)).await?;
        let text = String::from_utf8(whole.into());
        text.map(Text).map_err(|_| ApiError::new(ErrorCode::InvalidRequest, "The body is not UTF-8.").into())
    }
}

/// Hands a body's chunks on until it ends, or until it is longer than `limit`.
pub(crate) async fn read_bounded(
    headers: &HeaderMap,
    mut body: Body,
    limit: usize,
    mut take: impl FnMut(&[u8]),
) -> Result<(), Failure> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit as u64) {
        return Err(too_large(limit));
    }
    let mut left = limit;
    while let Some(chunk) = next_chunk(&mut body).await? {
        left = left.checked_sub(chunk.len()).ok_or_else(|| too_large(limit))?;
        take(&chunk);
    }
    Ok(())
}

/// The next bytes of a body; none at its end.
pub(crate) async fn next_chunk(body: &mut Body) -> Result<Option<Bytes>, Failure> {
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(|error| broken(&error))?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

fn broken(error: &axum::Error) -> Failure {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.is::<TimeoutError>() {
            let message = "The body stopped arriving. Send it again without a pause.";
            return Failure::own(StatusCode::REQUEST_TIMEOUT, "request_timeout", message);
        }
        cause = error.source();
    }
    ApiError::new(ErrorCode::InvalidRequest, "The body broke off before its end. Send it again.").into()
}

fn too_large(limit: usize) -> Failure {
    let message = format!("The body is longer than {limit} bytes, the most that is taken here.");
    ApiError::new(ErrorCode::PayloadTooLarge, message).into()
}

/// Serde's own words name keys and types, and may quote a value: only what the owner sent.
fn not_json(error: &serde_json::Error) -> ApiError {
    ApiError::new(ErrorCode::InvalidRequest, format!("The body cannot be read: {error}."))
}
