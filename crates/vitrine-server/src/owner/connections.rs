//! `/v1/owner/connections`: the configured accounts.

use std::sync::Arc;

use axum::extract::{OriginalUri, State};
use http::StatusCode;
use serde::Deserialize;
use vitrine_contract::{ApiError, ErrorCode, List};
use vitrine_engine::keeping::Keeper;
use vitrine_engine::owner::ConnectionShown;

use super::params::{NoQuery, Segments};
use super::whole_list;
use crate::app::App;
use crate::auth::AsOwner;
use crate::body::Json;
use crate::failure::Failure;

/// An account to configure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewConnection {
    #[serde(alias = "source")]
    connector_key: String,
    #[serde(alias = "name")]
    display_name: String,
    #[serde(default)]
    connection_id: Option<String>,
}

/// A change to an account.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Relabelled {
    #[serde(alias = "name")]
    display_name: String,
}

pub(crate) async fn list<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    _: NoQuery,
    OriginalUri(uri): OriginalUri,
) -> Result<axum::Json<List<ConnectionShown>>, Failure> {
    Ok(whole_list(&uri, app.owner().connections().await?))
}

pub(crate) async fn add<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    _: NoQuery,
    Json(new): Json<NewConnection>,
) -> Result<(StatusCode, axum::Json<ConnectionShown>), Failure> {
    let NewConnection { connector_key, display_name, connection_id } = new;
    let added = app.owner().add_connection(&connector_key, &display_name, connection_id.as_deref()).await?;
    Ok((StatusCode::CREATED, axum::Json(added)))
}

pub(crate) async fn show<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    _: NoQuery,
    Segments(id): Segments<String>,
) -> Result<axum::Json<ConnectionShown>, Failure> {
    let found = app.owner().connections().await?.into_iter().find(|connection| connection.connection_id == id);
    found.map(axum::Json).ok_or_else(|| {
        let message = "There is no such connection. GET /v1/owner/connections lists them.";
        ApiError::new(ErrorCode::NotFound, message).into()
    })
}

pub(crate) async fn rename<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    _: NoQuery,
    Segments(id): Segments<String>,
    Json(Relabelled { display_name }): Json<Relabelled>,
) -> Result<axum::Json<ConnectionShown>, Failure> {
    Ok(axum::Json(app.owner().rename_connection(&id, &display_name).await?))
}

pub(crate) async fn remove<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    _: NoQuery,
    Segments(id): Segments<String>,
) -> Result<StatusCode, Failure> {
    app.owner().remove_connection(&id).await?;
    Ok(StatusCode::NO_CONTENT)
}
