//! `GET /oauth/authorize`: a browser brings a client's request, and is led to the owner's decision.

use std::sync::Arc;

use axum::extract::{OriginalUri, State};
use axum::response::{IntoResponse, Redirect, Response};
use vitrine_engine::keeping::Keeper;
use vitrine_engine::oauth::OAuthError;
use vitrine_engine::oauth::ask::{Ask, AskRefused};
use vitrine_engine::oauth::client::OAuthClient;
use vitrine_engine::oauth::params::Params;

use super::clients;
use crate::app::App;
use crate::pages::{self, PageFault, Visitor};

pub(crate) async fn authorize<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    visitor: Visitor,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, PageFault> {
    let pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let params = Params::read(pairs)?;
    // Nothing is kept, looked up or redirected for somebody who could not approve it anyway.
    if !visitor.is_owner() {
        let back = uri.path_and_query().map_or("/", |path| path.as_str());
        return Ok(pages::signin::show(&app, &visitor, back));
    }
    let client = clients::known(&app, params.need("client_id")?).await?;
    let opened = match asked(&app, &params, &client).await {
        Ok(ask) => {
            let (redirect_uri, state) = (ask.redirect_uri.clone(), ask.state.clone());
            let opened = app.authority().open(ask, client).await;
            opened.map_err(|error| AskRefused::Client { redirect_uri, state, error })
        }
        Err(refused) => Err(refused),
    };
    match opened {
        Ok(secret) => Ok(Redirect::to(&pages::consent::path(&secret)).into_response()),
        Err(AskRefused::Page(error)) => Err(error.into()),
        Err(AskRefused::Client { redirect_uri, state, error }) => {
            let back = app.authority().refusal(&redirect_uri, state.as_deref(), &error);
            Ok(Redirect::to(&back).into_response())
        }
    }
}

async fn asked<S: Keeper>(app: &App<S>, params: &Params, client: &OAuthClient) -> Result<Ask, AskRefused> {
    match params.get("request_uri") {
        Some(pushed) => {
            let ask = app.authority().take_pushed(pushed, &client.client_id).await;
            let known = |ask: &Ask| client.may_redirect_to(&ask.redirect_uri);
            let gone = || OAuthError::request("The client no longer has that redirect address.");
            ask.and_then(|ask| if known(&ask) { Ok(ask) } else { Err(gone()) }).map_err(AskRefused::Page)
        }
        None => Ask::read(params, client, &app.public_url),
    }
}
