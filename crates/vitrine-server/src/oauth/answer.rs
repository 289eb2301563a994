//! Answers of the authorization server: JSON that nobody keeps.

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, PRAGMA, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde_json::Value;
use vitrine_engine::oauth::{OAuthCode, OAuthError};

use crate::failure::Failure;

/// An error on its way to a client.
#[derive(Debug)]
pub(crate) struct Refusal(pub(crate) OAuthError);

impl From<OAuthError> for Refusal {
    fn from(error: OAuthError) -> Self {
        Self(error)
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self(OAuthError::request(failure.0.message))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.code.status()).unwrap_or(StatusCode::BAD_REQUEST);
        let mut response = unkept(status, self.0.to_body());
        if self.0.code == OAuthCode::InvalidClient {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"vitrine\""));
        }
        response
    }
}

/// JSON that no cache may keep.
pub(crate) fn unkept(status: StatusCode, body: Value) -> Response {
    let headers = [(CACHE_CONTROL, "no-store"), (PRAGMA, "no-cache")];
    (status, headers, Json(body)).into_response()
}
