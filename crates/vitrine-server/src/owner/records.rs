//! `DELETE /v1/streams/{stream}/records/{id}`.

use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use vitrine_contract::{ApiError, ErrorCode};
use vitrine_engine::ingest::Incoming;
use vitrine_engine::keeping::{Keeper, Outcome, Target};

use super::params::{OfConnection, Segments};
use crate::app::App;
use crate::auth::AsOwner;
use crate::failure::Failure;

pub(crate) async fn delete<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    Segments((stream, id)): Segments<(String, String)>,
    OfConnection(connection_id): OfConnection,
) -> Result<StatusCode, Failure> {
    let catalog = app.store.catalog().await?;
    let known = catalog.connection(&connection_id).is_some_and(|connection| connection.stream(&stream).is_some());
    if !known {
        return Err(not_there());
    }
    let gone = Incoming::Delete { id, emitted_at: app.clock.now() };
    let outcomes = app.store.write(&Target { connection_id, stream }, &[gone]).await?;
    match outcomes.as_slice() {
        [Outcome::Accepted] => Ok(StatusCode::NO_CONTENT),
        _ => Err(not_there()),
    }
}

fn not_there() -> Failure {
    ApiError::new(ErrorCode::NotFound, "There is no such record. Use an id that a list returned, and its connection.")
        .into()
}
