use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::*;

fn read(body: &Value) -> SearchList {
    let request = SearchRequest { q: "x".into(), ..Default::default() };
    hits(&body.to_string(), &ReadRequest::Search(request.clone()), &request).unwrap()
}

fn one(hit: &Value) -> Hit {
    read(&json!({ "data": [hit] })).data.remove(0)
}

fn name(hit: &Hit) -> (&str, &str, &str) {
    (&hit.connection_id, &hit.stream, &hit.record_key)
}

fn window(changes: &Value) -> Value {
    let mut window = json!({
        "field_path": "body", "text": "a né b", "start_chars": 10, "end_chars": 16, "match_start_chars": 12,
        "match_end_chars": 14, "total_chars": 40, "complete": false,
    });
    for (name, value) in changes.as_object().unwrap() {
        window[name] = value.clone();
    }
    window
}

#[test]
fn hits_stand_under_any_of_three_names() {
    for place in ["data", "results", "hits"] {
        let list = read(&json!({ place: [{ "stream": "m", "id": "1" }], "next_cursor": "c" }));
        assert_eq!((list.data.len(), list.has_more), (1, true), "{place}");
    }
    assert_eq!(read(&json!({ "data": { "results": [{ "stream": "m", "id": "1" }] } })).data.len(), 1, "in an envelope");
    let request = SearchRequest::default();
    assert!(hits("{}", &ReadRequest::Search(request.clone()), &request).is_err());
}

#[test]
fn every_way_to_name_a_record_is_understood() {
    let json = r#"{"v":1,"kind":"record","connection_id":"c","stream":"m","record_id":"1"}"#;
    let uri = format!("pdpp://record/{}", URL_SAFE_NO_PAD.encode(json));
    for hit in [
        json!({ "connection_id": "c", "stream": "m", "record_key": "1" }),
        json!({ "connector_instance_id": "c", "stream": "m", "record_id": "1" }),
        json!({ "connection_id": "c", "stream": "m", "id": 1 }),
        json!({ "record_uri": uri }),
        json!({ "record_uri": "pdpp://record/c%2Fm%3A1", "title": "T" }),
        json!({ "id": uri }),
        json!({ "id": "c/m:1" }),
        json!({ "id": "c/m:1", "stream": "m", "connection_id": "c" }),
        json!({ "record_uri": uri, "stream": "x", "connection_id": "y" }),
        json!({ "id": "https://a.example/1", "record_uri": uri }),
        json!({ "connection_id": "c", "stream": "m", "record_key": "1", "record_uri": "pdpp://record/x%2Fy%3A2" }),
    ] {
        assert_eq!(name(&one(&hit)), ("c", "m", "1"), "{hit}");
    }
}

#[test]
fn hits_that_name_no_record_are_left_out_and_counted() {
    let list = read(&json!({ "data": [{ "title": "?" }, 7, { "stream": "m", "id": "1" },
        { "stream": "m", "id": "x".repeat(3_000) }, { "id": "pdpp://field-window/x" }, { "url": "PDPP://x" }] }));
    assert_eq!(list.data.len(), 1);
    assert_eq!(list.meta.warnings[0].detail, json!({ "left_out": 5 }));
}

#[test]
fn a_hit_that_is_no_record_keeps_its_id_as_it_stands() {
    let url = "https://a.example/1";
    for (hit, known) in [
        (json!({ "id": url, "url": url, "title": "T" }), ("", "", url)),
        (json!({ "url": url, "title": "T" }), ("", "", url)),
        (json!({ "connection_id": "c", "stream": "m", "record_key": "x/y", "title": "T" }), ("c", "m", "x/y")),
        (json!({ "connection_id": "c", "stream": "m", "record_key": "x/y:z", "title": "T" }), ("c", "m", "x/y:z")),
        (json!({ "connection_id": "c", "id": "x/m:z", "title": "T" }), ("c", "", "x/m:z")),
        (json!({ "stream": "m", "id": "a..b", "title": "T" }), ("", "m", "a..b")),
        (json!({ "stream": "m n", "id": "1", "title": "T" }), ("", "", "1")),
        (json!({ "id": 1, "title": "T" }), ("", "", "1")),
    ] {
        let mut evident = hit.clone();
        evident["match_windows"] = json!([window(&json!({}))]);
        let read = one(&evident);
        assert_eq!((name(&read), read.title.as_str()), (known, "T"), "{hit}");
        assert_eq!(read.record_url, hit["url"].as_str().unwrap_or_default());
        assert!(read.match_windows.is_empty(), "no call could read on");
    }
}

#[test]
fn hits_from_elsewhere_are_left_out_and_counted() {
    let body = json!({ "data": [
        { "connection_id": "c", "stream": "m", "id": "1" },
        { "connection_id": "other", "stream": "m", "id": "2" },
        { "stream": "m", "id": "3" },
        { "connection_id": "c", "stream": "n", "id": "4" },
    ] });
    let ids = |request: SearchRequest| {
        let list = hits(&body.to_string(), &ReadRequest::Search(request.clone()), &request).unwrap();
        let left_out = list.meta.warnings.first().map(|warning| warning.detail["left_out"].as_u64().unwrap());
        (list.data.into_iter().map(|hit| hit.record_key).collect::<Vec<_>>().join(" "), left_out)
    };
    let (connection_id, streams) = (Some("c".to_owned()), vec!["m".to_owned()]);
    assert_eq!(ids(SearchRequest { connection_id, ..Default::default() }), ("1 3 4".to_owned(), Some(1)));
    assert_eq!(ids(SearchRequest { streams, ..Default::default() }), ("1 2 3".to_owned(), Some(1)));
    assert_eq!(ids(SearchRequest::default()), ("1 2 3 4".to_owned(), None));
}

#[test]
fn a_time_of_writing_goes_before_a_time_of_capture_by_any_name() {
    for name in ["authored_at", "sent_at", "received_at", "created_at"] {
        let hit = json!({ "display_name": "Work", "stream": "m", "id": "1", "emitted_at": "2026-09-09T00:00:00Z",
            name: "2026-02-03T04:05:06Z" });
        let hit = one(&hit);
        assert_eq!(hit.title, "Work · m · 2026-02-03 04:05", "{name}");
        assert_eq!(hit.authored_at.as_deref(), Some("2026-02-03T04:05:06Z"), "{name}");
    }
    assert_eq!(one(&json!({ "stream": "m", "id": "1", "sent_at": "soon" })).authored_at, None);
}

#[test]
fn a_uri_is_no_title() {
    let uri = "pdpp://record/c%2Fm%3A1";
    assert_eq!(one(&json!({ "record_uri": uri, "title": uri })).title, "m");
    assert_eq!(one(&json!({ "record_uri": uri, "title": "T" })).title, "T");
}

#[test]
fn evidence_keeps_only_what_its_positions_prove() {
    for place in ["match_windows", "evidence_excerpts"] {
        let hit = one(&json!({ "stream": "m", "id": "1", place: [window(&json!({}))] }));
        assert_eq!(hit.match_windows[0].text, "a né b");
        assert_eq!(hit.matched_fields, ["body"]);
    }
    let kept = |changes: Value| {
        let hit = one(&json!({ "stream": "m", "id": "1", "match_windows": [window(&changes)] }));
        !hit.match_windows.is_empty()
    };
    assert!(kept(json!({ "total_chars": null, "complete": null })));
    assert!(kept(json!({ "start_chars": 0, "end_chars": 6, "match_start_chars": 0, "match_end_chars": 6,
        "total_chars": 6, "complete": true })));
    for broken in [
        json!({ "text": null }),
        json!({ "text": "a <b>né</b> b" }),
        json!({ "end_chars": 17 }),
        json!({ "end_chars": 4 }),
        json!({ "start_chars": null }),
        json!({ "match_start_chars": null }),
        json!({ "match_start_chars": 9 }),
        json!({ "match_end_chars": 17 }),
        json!({ "match_end_chars": 12 }),
        json!({ "total_chars": 15 }),
        json!({ "complete": true }),
        json!({ "start_chars": -1 }),
    ] {
        assert!(!kept(broken.clone()), "{broken}");
    }
}

#[test]
fn nothing_is_claimed_that_the_provider_did_not_say() {
    let meta = read(&json!({ "hits": [] })).meta;
    assert_eq!((meta.count, meta.count_accuracy.as_str(), meta.recall.complete), (None, "not_counted", false));
    let meta = read(&json!({ "hits": [], "meta": { "count": 3 } })).meta;
    assert_eq!((meta.count, meta.count_accuracy.as_str()), (Some(3), "estimated"));
}

#[test]
fn a_hit_without_a_title_or_url_gets_one() {
    let hit = one(&json!({ "display_name": "Work", "stream": "m", "id": "a:b", "emitted_at": "2026-03-12T09:41:30Z" }));
    assert_eq!(hit.title, "Work · m · 2026-03-12 09:41");
    assert_eq!(hit.record_url, "/v1/streams/m/records/a:b");
}

#[test]
fn the_contracts_own_page_comes_back_as_it_is() {
    let body = json!({
        "object": "list", "url": "/v1/search/hybrid", "has_more": true, "next_cursor": "c",
        "data": [{
            "object": "search_result", "connection_id": "c", "connector_key": "gmail", "display_name": "Work",
            "stream": "m", "record_key": "[\"a\",\"b\"]", "record_url": "/v1/streams/m/records/x",
            "emitted_at": "2026-03-12T09:41:30Z", "authored_at": "2026-03-12T09:41:00Z", "title": "Lease",
            "matched_fields": ["subject", "body"], "match_windows": [window(&json!({}))],
            "score": { "kind": "fusion", "order": "descending", "value": 0.016_393_442_622_950_82 },
            "retrieval_sources": ["lexical", "semantic"],
        }],
        "links": { "self": "/v1/search/hybrid?q=x", "next": "/v1/search/hybrid?q=x&cursor=c" },
        "meta": {
            "count": 9, "count_accuracy": "lower_bound",
            "recall": { "complete": false, "ranking_scope": "candidate_window", "truncated": true },
            "relaxed": true, "index": { "covered": 1, "total": 2 },
            "warnings": [{ "code": "limit_clamped", "message": "Lowered.", "detail": { "max_limit": 100 } }],
        },
    });
    assert_eq!(serde_json::to_string(&read(&body)).unwrap(), body.to_string());
}
