//! What every list has around its rows.

use vitrine_contract::record::{Links, List, Tag};
use vitrine_contract::request::{ReadRequest, RecordsRequest, SearchRequest};
use vitrine_contract::{Warning, limits, route};

/// The list around the rows that answer a request.
pub(super) fn around<T, M>(asked: &ReadRequest, data: Vec<T>, next_cursor: Option<String>, meta: M) -> List<T, M> {
    let next = next_cursor.as_deref().and_then(|cursor| continued(asked, cursor));
    List {
        object: Tag::default(),
        url: route::path(asked),
        has_more: next_cursor.is_some(),
        next_cursor,
        next_changes_since: None,
        data,
        links: Links { this: route::path_and_query(asked), next: next.as_ref().map(route::path_and_query) },
        meta,
        resume: None,
    }
}

/// The request that reads on from a cursor.
fn continued(asked: &ReadRequest, cursor: &str) -> Option<ReadRequest> {
    let cursor = Some(cursor.to_owned());
    match asked {
        ReadRequest::Records(request) => Some(ReadRequest::Records(RecordsRequest { cursor, ..request.clone() })),
        ReadRequest::Search(request) => Some(ReadRequest::Search(SearchRequest { cursor, ..request.clone() })),
        _ => None,
    }
}

/// The rows to read, and whether that is less than was asked for.
pub(super) fn limit(asked: Option<u64>) -> (usize, Vec<Warning>) {
    let asked = asked.unwrap_or(limits::DEFAULT_LIMIT.into());
    let most = u64::from(limits::MAX_LIMIT);
    let warnings =
        (asked > most).then(|| Warning::limit_clamped("limit", asked, limits::MAX_LIMIT)).into_iter().collect();
    (usize::try_from(asked.min(most)).unwrap_or(1), warnings)
}
