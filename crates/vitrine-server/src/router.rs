//! Which path leads where.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;
use vitrine_contract::{ApiError, ErrorCode};
use vitrine_engine::keeping::Keeper;

use crate::app::App;
use crate::auth::{Doors, mcp_door, open_door, resource_door};
use crate::drain::drain;
use crate::envelope::{envelope, panicked};
use crate::failure::Failure;
use crate::{health, mcp, metadata, oauth, owner, pages, resource};

/// The whole server.
pub fn router<S: Keeper>(app: App<S>) -> Router {
    let app = Arc::new(app);
    let mcp = mcp::mount(&app);
    router_with_mcp(app, mcp)
}

/// The whole server with `mcp` in the adapter's place: behind its door, and seeing paths without
/// the prefix `/mcp`. It finds the [`Caller`](vitrine_engine::Caller) and the
/// [`RequestId`](crate::RequestId) among a request's extensions.
pub fn router_with_mcp<S: Keeper>(app: Arc<App<S>>, mcp: Router) -> Router {
    let doors = Doors::new(Arc::clone(&app));
    Router::new()
        .merge(open().with_state(Arc::clone(&app)))
        .nest_service(
            "/v1",
            v1().with_state(Arc::clone(&app)).layer(from_fn_with_state(Arc::clone(&doors), resource_door::<S>)),
        )
        .nest_service(
            "/oauth",
            authorization()
                .with_state(Arc::clone(&app))
                .fallback(nothing_here)
                .layer(from_fn_with_state(Arc::clone(&doors), open_door::<S>)),
        )
        .nest_service("/mcp", mcp.layer(from_fn_with_state(doors, mcp_door::<S>)))
        .fallback(nothing_here)
        .layer(RequestBodyTimeoutLayer::new(app.limits.idle_timeout))
        .layer(from_fn_with_state(app.limits.idle_timeout, drain))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(app, envelope::<S>))
}

/// What needs no token.
fn open<S: Keeper>() -> Router<Arc<App<S>>> {
    Router::new()
        .route("/healthz", get(health::healthz::<S>))
        .route(metadata::RESOURCE_PATH, get(metadata::resource::<S>))
        .route(metadata::MCP_PATH, get(metadata::mcp::<S>))
        .route(oauth::metadata::PATH, get(oauth::metadata::describe::<S>))
        .route("/oauth/authorize", get(oauth::authorize::authorize::<S>))
        .merge(pages::routes())
        .method_not_allowed_fallback(wrong_method)
}

/// The authorization server's endpoints, the one for browsers aside.
fn authorization<S: Keeper>() -> Router<Arc<App<S>>> {
    Router::new()
        .route("/register", post(oauth::register::register::<S>))
        .route("/par", post(oauth::par::push::<S>))
        .route("/device_authorization", post(oauth::device::start::<S>))
        .route("/token", post(oauth::token::exchange::<S>))
        .route("/introspect", post(oauth::introspect::introspect::<S>))
        .route("/revoke", post(oauth::revoke::revoke::<S>))
        .method_not_allowed_fallback(wrong_method)
}

/// The owner's endpoints stand here one by one; every other path is for the route table of the
/// read contract, which knows all reads.
fn v1<S: Keeper>() -> Router<Arc<App<S>>> {
    let read = resource::read::<S>;
    Router::new()
        .route("/ingest/{stream}", post(owner::ingest::take::<S>))
        .route("/blobs/{blob_id}", get(read).put(owner::blobs::put::<S>))
        .route("/streams/{stream}/records/{id}", get(read).delete(owner::records::delete::<S>))
        .route("/owner/sources", get(owner::sources::list::<S>).post(owner::sources::register::<S>))
        .route("/owner/connections", get(owner::connections::list::<S>).post(owner::connections::add::<S>))
        .route(
            "/owner/connections/{id}",
            get(owner::connections::show::<S>)
                .patch(owner::connections::rename::<S>)
                .delete(owner::connections::remove::<S>),
        )
        .route("/owner/grants", get(owner::grants::list::<S>).post(owner::grants::give::<S>))
        .route("/owner/grants/{id}", get(owner::grants::show::<S>).delete(owner::grants::revoke::<S>))
        .route("/owner/packages/{id}", get(owner::packages::show::<S>).delete(owner::packages::revoke::<S>))
        .route("/owner/ledger", get(owner::ledger::list::<S>))
        .method_not_allowed_fallback(wrong_method)
        .fallback(read)
}

async fn nothing_here() -> Failure {
    ApiError::new(ErrorCode::NotFound, "There is nothing at this path. Reads are under /v1, MCP is at /mcp.").into()
}

/// Axum adds the `Allow` header to what this answers.
async fn wrong_method() -> Failure {
    Failure::wrong_method()
}
