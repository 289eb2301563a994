//! The owner's endpoints.

pub(crate) mod blobs;
pub(crate) mod connections;
pub(crate) mod grants;
pub(crate) mod ingest;
pub(crate) mod ledger;
pub(crate) mod packages;
mod params;
pub(crate) mod records;
mod selection;
pub mod shown;
pub(crate) mod sources;

use axum::Json;
use http::Uri;
use vitrine_contract::List;
use vitrine_contract::record::{Links, ListMeta, Tag};

/// A list that fits one page.
fn whole_list<T>(uri: &Uri, data: Vec<T>) -> Json<List<T>> {
    Json(List {
        object: Tag::default(),
        url: uri.path().to_owned(),
        has_more: false,
        next_cursor: None,
        next_changes_since: None,
        data,
        links: Links { this: uri.path().to_owned(), next: None },
        meta: ListMeta::default(),
        resume: None,
    })
}
