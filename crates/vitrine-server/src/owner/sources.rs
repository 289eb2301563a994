//! `/v1/owner/sources`: the kinds of places records come from.

use std::sync::Arc;

use axum::Json;
use axum::extract::{OriginalUri, State};
use http::StatusCode;
use vitrine_contract::List;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::owner::SourceShown;

use super::params::NoQuery;
use super::whole_list;
use crate::app::App;
use crate::auth::AsOwner;
use crate::body::Text;
use crate::failure::Failure;

pub(crate) async fn list<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    _: NoQuery,
    OriginalUri(uri): OriginalUri,
) -> Result<Json<List<SourceShown>>, Failure> {
    Ok(whole_list(&uri, app.owner().sources().await?))
}

/// Takes the declaration as text, because that text is kept.
pub(crate) async fn register<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    _: NoQuery,
    Text(declaration): Text,
) -> Result<(StatusCode, Json<SourceShown>), Failure> {
    let source = app.owner().register_source(&declaration).await?;
    Ok((StatusCode::CREATED, Json(source)))
}
