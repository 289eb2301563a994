//! A body or line that is no message. The library answers a body as one of another media type, in words; whoever sent
//! JSON-RPC is better served with an error of that protocol.

use std::convert::Infallible;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::model::ErrorCode;
use serde_json::{Value, json};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Whether a request claims to be JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.trim_start().to_ascii_lowercase().starts_with("application/json")
}

/// The error for what is no message, whether it is `broken` JSON or something else.
pub(crate) fn error(broken: bool) -> Value {
    if broken {
        of(ErrorCode::PARSE_ERROR, "The message is not JSON.")
    } else {
        of(ErrorCode::INVALID_REQUEST, "This is not one JSON-RPC 2.0 message. Send requests one by one.")
    }
}

/// The error for a message that is too long to be read.
pub(crate) fn too_long() -> Value {
    of(ErrorCode::INVALID_REQUEST, "The message is too long.")
}

fn of(code: ErrorCode, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } })
}

/// The library's refusal of a JSON body, as an error of the protocol; anything else as it is.
pub(crate) async fn explained(response: Response<BoxBody<Bytes, Infallible>>) -> Response<BoxBody<Bytes, Infallible>> {
    if response.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(said) = body.collect().await;
    // Only what cannot be parsed has a place in the text.
    let broken = String::from_utf8_lossy(&said.to_bytes()).contains(" at line ");
    let error = error(broken);
    parts.status = StatusCode::BAD_REQUEST;
    parts.headers.insert(header::CONTENT_TYPE, JSON);
    Response::from_parts(parts, Full::new(error.to_string().into()).boxed())
}
