//! What every response carries, and the one place that writes an error's body.

use std::any::Any;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{self, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue};
use vitrine_contract::{ApiError, ErrorCode};
use vitrine_engine::keeping::Keeper;
use vitrine_engine::token::fresh_id;

use crate::app::App;
use crate::auth::RESOURCE_METADATA;
use crate::failure::Failure;
use crate::pace::RETRY_AFTER;

/// The revision of the protocol that is spoken here.
pub const PDPP_VERSION: &str = "2026-04-06";

const VERSION_HEADER: HeaderName = HeaderName::from_static("pdpp-version");
const REQUEST_ID_HEADER: HeaderName = HeaderName::from_static("request-id");

/// The id of the request under way; handlers and mounted services find it among its extensions.
#[derive(Debug, Clone)]
pub struct RequestId(pub Arc<str>);

pub(crate) async fn envelope<S: Keeper>(State(app): State<Arc<App<S>>>, mut request: Request, next: Next) -> Response {
    let id = RequestId(fresh_id("req", &app.random).into());
    let method = request.method().clone();
    request.extensions_mut().insert(id.clone());
    let mut response = match speaks_our_version(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refused) => refused.into_response(),
    };
    if let Some(Failure(error)) = response.extensions_mut().remove() {
        write_error(*error, &id, &mut response);
    }
    let headers = response.headers_mut();
    headers.insert(VERSION_HEADER, HeaderValue::from_static(PDPP_VERSION));
    if let Ok(value) = HeaderValue::from_str(&id.0) {
        headers.insert(REQUEST_ID_HEADER, value);
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    // Neither path nor query: both may hold what a person would rather not see in a log.
    tracing::debug!(request_id = %id.0, %method, status = response.status().as_u16(), "answered");
    response
}

/// The answer to a request that made a handler panic.
pub(crate) fn panicked(_: Box<dyn Any + Send>) -> Response {
    tracing::error!("a handler panicked");
    Failure::from(ApiError::internal()).into_response()
}

fn speaks_our_version(headers: &HeaderMap) -> Result<(), Failure> {
    if headers.get_all(VERSION_HEADER).iter().all(|asked| asked == PDPP_VERSION) {
        return Ok(());
    }
    let message = format!("This server speaks PDPP-Version {PDPP_VERSION}. Send that, or leave the header out.");
    Err(ApiError::new(ErrorCode::UnsupportedVersion, message).param("PDPP-Version").into())
}

fn write_error(mut error: ApiError, id: &RequestId, response: &mut Response) {
    error.request_id = Some(id.0.to_string());
    let challenge = error
        .extra
        .get(RESOURCE_METADATA)
        .and_then(|url| url.as_str())
        .and_then(|url| HeaderValue::from_str(&format!("Bearer {RESOURCE_METADATA}=\"{url}\"")).ok());
    let wait = error.extra.get(RETRY_AFTER).and_then(serde_json::Value::as_u64);
    let body = error.to_body().to_string();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    if let Some(challenge) = challenge {
        headers.insert(WWW_AUTHENTICATE, challenge);
    }
    if let Some(wait) = wait {
        headers.insert(header::RETRY_AFTER, wait.into());
    }
    *response.body_mut() = Body::from(body);
}
