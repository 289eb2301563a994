//! Whether the server is there, and which store it serves.

use std::sync::Arc;

use axum::extract::State;
use axum::response::IntoResponse;
use sha2::{Digest, Sha256};
use vitrine_contract::hexadecimal;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::port::Store;

use crate::app::App;

/// The header in which a server names its store.
pub const STORE_HEADER: &str = "vitrine-store";

/// A name by which a store and its copies are told from all others, and which tells nothing else.
pub fn store_name(store: &impl Store) -> String {
    let digest = Sha256::new_with_prefix("vitrine store name").chain_update(store.cursor_key()).finalize();
    hexadecimal::encode(&digest[..16])
}

pub(crate) async fn healthz<S: Keeper>(State(app): State<Arc<App<S>>>) -> impl IntoResponse {
    ([(STORE_HEADER, store_name(&*app.store))], "ok")
}
