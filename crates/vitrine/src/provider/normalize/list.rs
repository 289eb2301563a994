//! What stands around rows: whether more follow, and how to go on.

use serde_json::value::RawValue;
use vitrine_contract::record::{ConnectionFreshness, Links, List, ListMeta, Tag};
use vitrine_contract::request::ReadRequest;
use vitrine_contract::{Count, Warning, route};

use super::Read;
use super::members::Members;

const NEXT_CURSOR: &[&str] = &["next_cursor"];
const WARNINGS: &[&str] = &["warnings"];
const FRESHNESS: &[&str] = &["freshness"];

/// A page of `rows` that were read already. A cursor means that more follow, unless the provider
/// says otherwise.
pub(super) fn page<T, M>(members: &Members<'_>, asked: &ReadRequest, rows: Vec<T>, meta: M) -> List<T, M> {
    let next_cursor = members.text(NEXT_CURSOR);
    let has_more = members.read(&["has_more"]).unwrap_or(next_cursor.is_some());
    let links = members.object(&["links"]);
    let link = |name| links.as_ref().and_then(|links| links.text(&[name]));
    List {
        object: Tag::default(),
        url: members.text(&["url"]).unwrap_or_else(|| route::path(asked)),
        has_more,
        next_cursor: next_cursor.filter(|_| has_more),
        next_changes_since: members.text(&["next_changes_since"]),
        data: rows,
        links: Links {
            this: link("self").unwrap_or_else(|| route::path_and_query(asked)),
            next: link("next").filter(|_| has_more),
        },
        meta,
        resume: None,
    }
}

/// Reads each row.
pub(super) fn rows<T>(rows: Vec<&RawValue>, read: impl Fn(&RawValue) -> Read<T>) -> Read<Vec<T>> {
    rows.into_iter().map(read).collect()
}

pub(super) fn meta(members: &Members<'_>) -> ListMeta {
    let meta = members.object(&["meta"]);
    ListMeta {
        count: meta.as_ref().and_then(|meta| meta.read::<Count>(&["count"])).unwrap_or_default(),
        warnings: meta.as_ref().map(warnings).unwrap_or_default(),
        freshness: meta.as_ref().map(freshness).unwrap_or_default(),
    }
}

pub(super) fn warnings(members: &Members<'_>) -> Vec<Warning> {
    members.each(WARNINGS)
}

pub(super) fn freshness(members: &Members<'_>) -> Vec<ConnectionFreshness> {
    members.each(FRESHNESS)
}

#[cfg(test)]
mod tests {
    use vitrine_contract::request::StreamsRequest;

    use super::*;

    fn read(body: &str) -> List<(), ListMeta> {
        let members = Members::of_answer(body).unwrap();
        page(&members, &ReadRequest::Streams(StreamsRequest::default()), Vec::new(), meta(&members))
    }

    #[test]
    fn a_cursor_says_that_more_follow() {
        assert!(read(r#"{"next_cursor":"c"}"#).has_more);
        assert!(!read(r#"{"next_cursor":null}"#).has_more);
        assert!(!read(r#"{"next_cursor":""}"#).has_more);
        assert_eq!(read(r#"{"has_more":false,"next_cursor":"c"}"#).next_cursor, None);
        assert!(read(r#"{"has_more":true}"#).has_more);
    }

    #[test]
    fn what_is_left_out_is_filled_in() {
        let list = read(r#"{"meta":{"count":{"kind":"exact","value":3},"warnings":[7,{"code":"odd"}]}}"#);
        assert_eq!((list.url.as_str(), list.links.this.as_str()), ("/v1/streams", "/v1/streams"));
        assert_eq!(list.meta.count, Count::Exact { value: 3 });
        assert_eq!(list.meta.warnings.len(), 1);
    }
}
