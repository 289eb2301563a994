//! `POST /oauth/introspect`: what a token is good for (RFC 7662).

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use vitrine_engine::Caller;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::oauth::client::Authentication;
use vitrine_engine::oauth::inspect::Asker;
use vitrine_engine::oauth::params::Params;
use vitrine_engine::oauth::{OAuthCode, OAuthError};
use vitrine_engine::token::TokenKind;

use super::answer::{Refusal, unkept};
use super::clients;
use super::form::Form;
use crate::app::App;
use crate::auth::bearer;

pub(crate) async fn introspect<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    headers: HeaderMap,
    Form(params): Form,
) -> Result<Response, Refusal> {
    let asker = asker(&app, &headers, &params).await?;
    let body = app.authority().introspect(params.need("token")?, &asker).await?;
    Ok(unkept(StatusCode::OK, body))
}

/// The owner, a client with a secret, or whoever holds the very token.
async fn asker<S: Keeper>(app: &App<S>, headers: &HeaderMap, params: &Params) -> Result<Asker, OAuthError> {
    let stranger = || {
        let message = "Send an owner token, a client's secret, or the token itself as Bearer.";
        OAuthError::new(OAuthCode::InvalidClient, message)
    };
    if let Some(token) = bearer(headers) {
        let caller = Caller::from_token(&*app.store, token, app.clock.now()).await.map_err(|_| stranger())?;
        return match caller.kind() {
            TokenKind::Owner => Ok(Asker::Owner),
            _ if params.get("token") == Some(token) => Ok(Asker::Holder),
            _ => Err(stranger()),
        };
    }
    let client = clients::authenticated(app, headers, params).await.map_err(|_| stranger())?;
    if client.authentication == Authentication::None {
        return Err(stranger());
    }
    Ok(Asker::Client(client.client_id))
}
