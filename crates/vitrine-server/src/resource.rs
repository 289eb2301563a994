//! Reads under a grant: one handler, because the contract's route table knows them all.

mod blob;
mod range;

use std::sync::Arc;

use axum::extract::{OriginalUri, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::header::ALLOW;
use http::{HeaderMap, Method};
use vitrine_contract::request::ReadRequest;
use vitrine_contract::{ErrorCode, ReadApi, route};
use vitrine_engine::Caller;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::ledger::Via;

use crate::app::App;
use crate::failure::Failure;

pub(crate) async fn read<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    OriginalUri(uri): OriginalUri,
    method: Method,
    headers: HeaderMap,
    Extension(caller): Extension<Caller>,
) -> Result<Response, Failure> {
    let request = route::parse(uri.path(), uri.query().unwrap_or_default());
    if !matches!(method, Method::GET | Method::HEAD) {
        return match request {
            Err(error) if error.code == ErrorCode::NotFound => Err(error.into()),
            _ => Ok(([(ALLOW, "GET,HEAD")], Failure::wrong_method()).into_response()),
        };
    }
    let reader = app.reader(caller, Via::Rest);
    Ok(match request? {
        ReadRequest::Schema(request) => Json(reader.schema(&request).await?).into_response(),
        ReadRequest::Streams(request) => Json(reader.streams(&request).await?).into_response(),
        ReadRequest::Stream(request) => Json(reader.stream(&request).await?).into_response(),
        ReadRequest::Records(request) => Json(reader.records(&request).await?).into_response(),
        ReadRequest::Record(request) => Json(reader.record(&request).await?).into_response(),
        ReadRequest::FieldWindow(request) => Json(reader.field_window(&request).await?).into_response(),
        ReadRequest::Aggregate(request) => Json(reader.aggregate(&request).await?).into_response(),
        ReadRequest::Search(request) => Json(reader.search(&request).await?).into_response(),
        ReadRequest::Blob(request) => blob::answer(reader, request, &method, &headers).await?,
    })
}
