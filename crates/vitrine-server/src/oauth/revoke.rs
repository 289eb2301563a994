//! `POST /oauth/revoke`: a token ends (RFC 7009).

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde_json::json;
use vitrine_engine::keeping::Keeper;

use super::answer::{Refusal, unkept};
use super::clients;
use super::form::Form;
use crate::app::App;

pub(crate) async fn revoke<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    headers: HeaderMap,
    Form(params): Form,
) -> Result<Response, Refusal> {
    let client = clients::named(&headers, &params)?.is_some();
    let client = if client { Some(clients::authenticated(&app, &headers, &params).await?) } else { None };
    let client_id = client.as_ref().map(|client| client.client_id.as_str());
    app.authority().revoke_token(params.need("token")?, client_id).await?;
    Ok(unkept(StatusCode::OK, json!({})))
}
