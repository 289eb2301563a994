//! The owner's pages: rendered here, complete without scripts, and open to nobody else.

pub(crate) mod connect;
pub(crate) mod consent;
pub(crate) mod device;
mod fault;
mod form;
pub(crate) mod grants;
pub(crate) mod home;
pub(crate) mod layout;
pub(crate) mod ledger;
pub(crate) mod password;
pub(crate) mod signin;
pub(crate) mod style;
mod visitor;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use vitrine_engine::keeping::Keeper;

use crate::app::App;

pub(crate) use fault::PageFault;
pub(crate) use visitor::Visitor;

/// Every page and what it takes.
pub(crate) fn routes<S: Keeper>() -> Router<Arc<App<S>>> {
    Router::new()
        .route("/", get(home::show::<S>))
        .route(signin::PATH, get(signin::page::<S>).post(signin::sign_in::<S>))
        .route("/signout", post(signin::sign_out::<S>))
        .route(password::PATH, get(password::page::<S>).post(password::set::<S>))
        .route(grants::PATH, get(grants::list::<S>))
        .route("/grants/{id}/revoke", post(grants::revoke::<S>))
        .route(ledger::PATH, get(ledger::show::<S>))
        .route(ledger::EXPORT_PATH, get(ledger::download::<S>))
        .route("/consent/{secret}", get(consent::show::<S>).post(consent::decide::<S>))
        .route(connect::PATH, get(connect::show::<S>))
        .route(device::PATH, get(device::page::<S>).post(device::enter::<S>))
        .route(style::PATH, get(style::sheet))
}
