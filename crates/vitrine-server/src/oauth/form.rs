//! Form bodies, bounded.

use std::sync::Arc;

use axum::extract::{FromRequest, Request};
use bytes::BytesMut;
use http::header::CONTENT_TYPE;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::oauth::OAuthError;
use vitrine_engine::oauth::params::Params;

use super::answer::Refusal;
use crate::app::App;
use crate::body::read_bounded;

/// Room for `authorization_details` and as much again.
const FORM_BYTES: usize = 256 * 1024;

/// The parameters of a form body.
pub(crate) struct Form(pub(crate) Params);

impl<S: Keeper> FromRequest<Arc<App<S>>> for Form {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &Arc<App<S>>) -> Result<Self, Refusal> {
        Ok(Self(Params::read(pairs(request, FORM_BYTES).await?)?))
    }
}

/// Names and values of a form body of at most `limit` bytes.
pub(crate) async fn pairs(request: Request, limit: usize) -> Result<Vec<(String, String)>, Refusal> {
    let (parts, body) = request.into_parts();
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded"))
    {
        return Err(OAuthError::request("Send a form: application/x-www-form-urlencoded.").into());
    }
    let mut whole = BytesMut::new();
    read_bounded(&parts.headers, body, limit, |chunk| whole.extend_from_slice(chunk)).await?;
    Ok(form_urlencoded::parse(&whole).into_owned().collect())
}
