//! Scenarios of the third requirement document.

use serde_json::{Value, json};

use crate::fake::Fake;
use crate::host::{Host, quoted_after};

#[tokio::test]
async fn multi_source_search_returns_self_contained_ids() {
    let host = Host::connect(Fake::person()).await;
    let hits = host.ok("search", json!({"query": "zebra"})).await;
    let results = hits.structured["results"].as_array().unwrap();
    let ids: Vec<&str> = results.iter().map(|result| result["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["cin_work/messages:long", "cin_notes/notes:n1"]);
    for (result, id) in results.iter().zip(ids) {
        assert!(hits.text.contains(&format!("id \"{id}\"")), "{}", hits.text);
        assert_eq!(result["connection_id"].as_str(), id.split('/').next());
    }
}

#[tokio::test]
async fn single_handle_search_to_fetch_journey_on_a_multi_source_grant() {
    let host = Host::connect(Fake::person()).await;
    let hits = host.ok("search", json!({"query": "zebra"})).await;
    let id = quoted_after(&hits.text, " id ").unwrap();
    let document = host.ok("fetch", json!({"id": id})).await;
    assert_eq!(host.calls.all(), ["search * -", "record messages cin_work"]);
    let shown: Value = serde_json::from_str(&document.text).unwrap();
    assert_eq!(shown["id"], id.as_str());
}

#[tokio::test]
async fn legacy_id_semantics_are_preserved() {
    let host = Host::connect(Fake::person()).await;
    assert_eq!(host.call("fetch", json!({"id": "notes:n1"})).await.code(), "ambiguous_connection");
    let document = host.ok("fetch", json!({"id": "notes:n1", "connection_id": "cin_notes"})).await;
    assert_eq!(document.structured["id"], "cin_notes/notes:n1");
    assert_eq!(host.calls.all(), ["record notes -", "record notes cin_notes"]);
}

#[tokio::test]
async fn conflicting_connection_handles_are_rejected() {
    let host = Host::connect(Fake::person()).await;
    let arguments = json!({"id": "cin_notes/notes:n1", "connection_id": "cin_work"});
    let refused = host.refused("fetch", arguments, "conflicting_connection_id").await;
    assert!(refused.text.contains("Pass the id alone"));
    let arguments = json!({"id": "cin_notes/notes:n1", "connection_id": "cin_work", "field_path": "text"});
    host.refused("read_record_field", arguments, "conflicting_connection_id").await;
    host.ok("fetch", json!({"id": "cin_notes/notes:n1", "connection_id": "cin_notes"})).await;
}

#[tokio::test]
async fn malformed_self_contained_ids_are_rejected_before_the_rs() {
    let host = Host::connect(Fake::person()).await;
    for id in [
        "",
        "n1",
        "/notes:n1",
        "cin_notes/:n1",
        "cin_notes/notes:",
        "cin_notes/notes",
        "a/b/notes:n1",
        "cin_notes/notes:a/b",
        "../notes:n1",
        "cin_notes/..:n1",
        "cin_notes/notes:..",
        "cin_notes/notes:a\\b",
        "pdpp://record/",
        "pdpp://record/bm90IGpzb24",
        "pdpp://record/..%2Fnotes%3An1",
        "pdpp://stream/notes",
    ] {
        host.refused("fetch", json!({"id": id}), "invalid_id").await;
        host.refused("read_record_field", json!({"id": id, "field_path": "text"}), "invalid_id").await;
    }
}

#[tokio::test]
async fn search_surfaces_fetch_handles_in_text() {
    let host = Host::connect(Fake::person()).await;
    let hits = host.ok("search", json!({"query": "zebra"})).await;
    for expected in [
        "\"cin_work/messages:long\"",
        "\"Minutes\"",
        "\"Work Gmail\"",
        "(gmail)",
        "messages",
        "the zebra clause",
        "Pass an id as it is to fetch",
    ] {
        assert!(hits.text.contains(expected), "{expected}: {}", hits.text);
    }
    assert!(!hits.text.contains("connection_id \""), "the id already names the connection");
    assert!(!hits.text.contains("\"results\""));
}

#[tokio::test]
async fn search_text_remains_bounded() {
    let rows =
        (0..100).map(|n| json!({"id": n, "body": format!("{} needle {}", "hay ".repeat(900), "hay ".repeat(900))}));
    let host = Host::connect(Fake::single(rows.collect())).await;
    let first = host.ok("search", json!({"query": "needle", "limit": 100})).await;
    assert!(first.text.chars().count() <= 10_000);
    assert_eq!(first.structured["data"]["meta"]["count"], 100);
    let shown = first.structured["results"].as_array().unwrap().len();
    assert_eq!(first.structured["data"]["result_count"], shown);
    assert_eq!(first.structured["data"]["next_cursor"], format!("at:{shown}"));
}
