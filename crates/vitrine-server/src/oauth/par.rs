//! `POST /oauth/par`: a request sent ahead of its browser (RFC 9126).

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde_json::json;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::oauth::OAuthError;
use vitrine_engine::oauth::ask::{Ask, AskRefused, PUSHED_SECONDS};

use super::answer::{Refusal, unkept};
use super::clients;
use super::form::Form;
use crate::app::App;

pub(crate) async fn push<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    headers: HeaderMap,
    Form(params): Form,
) -> Result<Response, Refusal> {
    if params.get("request_uri").is_some() {
        return Err(OAuthError::request("A pushed request cannot name another one.").into());
    }
    let client = clients::introduced(&app, &headers, &params).await?;
    let ask = Ask::read(&params, &client, &app.public_url).map_err(AskRefused::into_error)?;
    let request_uri = app.authority().push(&ask).await?;
    Ok(unkept(StatusCode::CREATED, json!({ "request_uri": request_uri, "expires_in": PUSHED_SECONDS })))
}
