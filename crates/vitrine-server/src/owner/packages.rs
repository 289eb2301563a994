//! `/v1/owner/packages`: grants that were given together.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use vitrine_engine::keeping::Keeper;

use super::params::{NoQuery, Segments};
use super::shown::{self, PackageShown};
use crate::app::App;
use crate::auth::AsOwner;
use crate::failure::Failure;

pub(crate) async fn show<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    _: NoQuery,
    Segments(id): Segments<String>,
) -> Result<Json<PackageShown>, Failure> {
    Ok(Json(shown::package(&app.owner(), &app.clock, &id).await?))
}

pub(crate) async fn revoke<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    _: NoQuery,
    Segments(id): Segments<String>,
) -> Result<StatusCode, Failure> {
    let package = shown::package(&app.owner(), &app.clock, &id).await?;
    app.owner().revoke(&package.grant_package_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
