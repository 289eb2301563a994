//! A body or line that is no message. The library answers a body as one of another media type, in words; whoever sent
//! JSON-RPC is better served with an error of that protocol.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf, Bytes};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body::Body;
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

/// The error for what is no message, under its id where it is a request that has one.
pub(crate) fn error(body: &[u8]) -> Value {
    let Ok(message) = serde_json::from_slice::<Value>(body) else {
        return of(&Value::Null, ErrorCode::PARSE_ERROR, "The message is not JSON.");
    };
    let id = id_of(&message);
    if !id.is_null() && message["jsonrpc"] == "2.0" && message["method"].is_string() {
        return of(
            &id,
            ErrorCode::INVALID_PARAMS,
            "`params` is not of the form that this method takes. It is an object.",
        );
    }
    of(&id, ErrorCode::INVALID_REQUEST, "This is not one JSON-RPC 2.0 message. Send requests one by one.")
}

/// The id of a request; nothing where it is none, or is an answer, whose id is of somebody else's request.
fn id_of(message: &Value) -> Value {
    let is_answer = ["result", "error"].iter().any(|name| message.get(name).is_some());
    match message.get("id") {
        Some(id @ (Value::String(_) | Value::Number(_))) if !is_answer => id.clone(),
        _ => Value::Null,
    }
}

/// The error for a message that is too long to be read.
pub(crate) fn too_long() -> Value {
    of(&Value::Null, ErrorCode::INVALID_REQUEST, "The message is too long.")
}

fn of(id: &Value, code: ErrorCode, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// What has come of a body, which the library reads and does not give back. Its pieces are shared, not copied.
#[derive(Clone, Default)]
pub(crate) struct Heard(Arc<Mutex<Vec<Bytes>>>);

impl Heard {
    /// The same body, each piece of which is kept on its way.
    pub(crate) fn listen<B: Body>(&self, body: B) -> impl Body<Data = Bytes, Error = B::Error> + use<B> {
        let heard = self.clone();
        body.map_frame(move |frame| {
            frame.map_data(|mut piece| {
                let piece = piece.copy_to_bytes(piece.remaining());
                heard.0.lock().unwrap_or_else(PoisonError::into_inner).push(piece.clone());
                piece
            })
        })
    }

    /// The body, if the library could make no message of it.
    pub(crate) fn refused<T>(&self, response: &Response<T>) -> Option<Vec<u8>> {
        (response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE).then(|| self.whole())
    }

    fn whole(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).concat()
    }

    /// The library's refusal of a JSON body, as an error of the protocol; anything else as it is.
    pub(crate) fn explain(
        &self,
        response: Response<BoxBody<Bytes, Infallible>>,
    ) -> Response<BoxBody<Bytes, Infallible>> {
        let Some(body) = self.refused(&response) else { return response };
        let (mut parts, _) = response.into_parts();
        parts.status = StatusCode::BAD_REQUEST;
        parts.headers.insert(header::CONTENT_TYPE, JSON);
        Response::from_parts(parts, Full::new(error(&body).to_string().into()).boxed())
    }
}
