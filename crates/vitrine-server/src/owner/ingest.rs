//! `POST /v1/ingest/{stream}`: records in, line by line as they arrive.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use vitrine_contract::ApiError;
use vitrine_engine::ingest::{IngestResult, IngestSession};
use vitrine_engine::keeping::{Keeper, Target};

use super::params::{OfConnection, Segments};
use crate::app::App;
use crate::auth::AsOwner;
use crate::body::next_chunk;
use crate::failure::Failure;

pub(crate) async fn take<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    Segments(stream): Segments<String>,
    OfConnection(connection_id): OfConnection,
    headers: HeaderMap,
    mut body: Body,
) -> Result<Json<IngestResult>, Failure> {
    if !is_ndjson(&headers) {
        return Err(ApiError::invalid("Content-Type", "Send one JSON object a line, as `application/x-ndjson`.").into());
    }
    let mut session = IngestSession::start(&*app.store, Target { connection_id, stream }).await?;
    while let Some(chunk) = next_chunk(&mut body).await? {
        session.push(&chunk).await?;
    }
    Ok(Json(session.finish().await?))
}

fn is_ndjson(headers: &HeaderMap) -> bool {
    let named = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = named.split(';').next().unwrap_or_default().trim();
    ["application/x-ndjson", "application/ndjson"].iter().any(|known| essence.eq_ignore_ascii_case(known))
}
