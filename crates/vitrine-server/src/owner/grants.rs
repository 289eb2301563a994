//! `/v1/owner/grants`: who may read what.

use std::sync::Arc;

use axum::extract::{OriginalUri, State};
use http::StatusCode;
use serde_json::{Map, Value};
use vitrine_contract::List;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::owner::Issued;

use super::params::{NoQuery, Segments};
use super::selection::Selection;
use super::shown::{self, GrantShown};
use super::whole_list;
use crate::app::App;
use crate::auth::AsOwner;
use crate::body::Json;
use crate::failure::Failure;

pub(crate) async fn list<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    _: NoQuery,
    OriginalUri(uri): OriginalUri,
) -> Result<axum::Json<List<GrantShown>>, Failure> {
    Ok(whole_list(&uri, shown::grants(&app.owner(), &app.clock).await?))
}

pub(crate) async fn give<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    _: NoQuery,
    Json(body): Json<Map<String, Value>>,
) -> Result<(StatusCode, axum::Json<Issued>), Failure> {
    let issued = match Selection::read(body)? {
        Selection::Grant(request) => app.owner().give_grant(&request).await?,
        Selection::Package(request) => app.owner().give_package(&request).await?,
    };
    Ok((StatusCode::CREATED, axum::Json(issued)))
}

pub(crate) async fn show<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    _: NoQuery,
    Segments(id): Segments<String>,
) -> Result<axum::Json<GrantShown>, Failure> {
    Ok(axum::Json(shown::grant(&app.owner(), &app.clock, &id).await?))
}

pub(crate) async fn revoke<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    _: NoQuery,
    Segments(id): Segments<String>,
) -> Result<StatusCode, Failure> {
    let grant = shown::grant(&app.owner(), &app.clock, &id).await?;
    app.owner().revoke(&grant.grant.grant_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
