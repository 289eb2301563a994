//! `POST /oauth/device_authorization`: a device without a browser asks (RFC 8628).

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde_json::json;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::oauth::device::{DEVICE_SECONDS, POLL_SECONDS};

use super::answer::{Refusal, unkept};
use super::clients;
use super::form::Form;
use crate::app::App;
use crate::pages;

pub(crate) async fn start<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    headers: HeaderMap,
    Form(params): Form,
) -> Result<Response, Refusal> {
    let client = clients::introduced(&app, &headers, &params).await?;
    let codes = app.authority().start_device(&params, client).await?;
    let page = format!("{}{}", app.public_url, pages::device::PATH);
    let body = json!({
        "verification_uri_complete": format!("{page}?user_code={}", codes.user_code),
        "verification_uri": page,
        "device_code": codes.device_code,
        "user_code": codes.user_code,
        "expires_in": DEVICE_SECONDS,
        "interval": POLL_SECONDS,
    });
    Ok(unkept(StatusCode::OK, body))
}
