//! Several messages in one body. Only the revision of 2025-03-26 has them: its servers must take them, and later ones need not.

use std::convert::Infallible;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full};
use serde_json::Value;

/// Each message costs what a request of its own would.
const MAX_MESSAGES: usize = 32;

/// Whether a body may hold several messages. That revision has no header for itself.
pub(crate) fn may_come(headers: &HeaderMap) -> bool {
    headers.get("mcp-protocol-version").is_none_or(|revision| revision == "2025-03-26")
}

/// The messages of a body that holds several.
pub(crate) fn messages(body: &[u8]) -> Option<Vec<Value>> {
    let messages: Vec<Value> = serde_json::from_slice(body).ok()?;
    (1..=MAX_MESSAGES).contains(&messages.len()).then_some(messages)
}

/// The answers, in one body. Notifications have none.
pub(crate) async fn gather(
    responses: Vec<Response<BoxBody<Bytes, Infallible>>>,
) -> Response<BoxBody<Bytes, Infallible>> {
    let mut answers = Vec::new();
    for response in responses.into_iter().filter(|response| response.status() != StatusCode::ACCEPTED) {
        let Ok(body) = response.into_body().collect().await;
        answers.push(body.to_bytes());
    }
    let mut response = Response::new(Empty::new().boxed());
    if answers.is_empty() {
        *response.status_mut() = StatusCode::ACCEPTED;
        return response;
    }
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let body = [b"[".as_slice(), &answers.join(b",".as_slice()), b"]"].concat();
    response.map(|_| Full::new(body.into()).boxed())
}
