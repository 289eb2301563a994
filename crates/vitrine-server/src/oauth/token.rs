//! `POST /oauth/token`: codes and refresh tokens become access tokens.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use vitrine_engine::keeping::Keeper;

use super::answer::{Refusal, unkept};
use super::clients;
use super::form::Form;
use crate::app::App;

pub(crate) async fn exchange<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    headers: HeaderMap,
    Form(params): Form,
) -> Result<Response, Refusal> {
    let client = clients::authenticated(&app, &headers, &params).await?;
    let granted = app.authority().exchange(&params, &client).await?;
    Ok(unkept(StatusCode::OK, granted.to_body()))
}
