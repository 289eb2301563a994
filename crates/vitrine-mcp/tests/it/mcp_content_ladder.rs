//! Scenarios of the fourth requirement document.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::fake::Fake;
use crate::host::{Host, args, contents, written_call};

#[tokio::test]
async fn search_hit_has_a_truncated_text_field() {
    let host = Host::connect(Fake::person()).await;
    let hits = host.ok("search", json!({"query": "zebra", "connection_id": "cin_work"})).await;
    for expected in ["\"cin_work/messages:long\"", "\"body\"", "truncated", "read_record_field({"] {
        assert!(hits.text.contains(expected), "{expected}: {}", hits.text);
    }
    let result = &hits.structured["results"][0];
    assert_eq!(result["match"]["field_path"], "body");
    assert_eq!(result["match"]["complete"], false);
    let (tool, arguments) = args(&result["read"]);
    assert!(hits.text.len() < 2_000);
    let window = host.ok(tool, arguments).await;
    assert!(window.structured["window"]["text"].as_str().unwrap().contains("zebra clause"));

    let long = |n| json!({"id": n, "body": format!("{} needle {}", "hay ".repeat(900), "hay ".repeat(900))});
    for (rows, foreign) in [(5, false), (10, false), (25, false), (25, true)] {
        let host = Host::connect(Fake { foreign, ..Fake::single((0..rows).map(long).collect()) }).await;
        let hits = host.ok("search", json!({"query": "needle"})).await;
        let results = hits.structured["results"].as_array().unwrap();
        assert!(results.len() >= 5, "{}", results.len());
        let ladder = hits.structured["content_ladder"]["records"].as_array().unwrap();
        for (result, rung) in results.iter().zip(ladder) {
            assert_eq!(result["read"], rung["field_windows"][0]["read"], "{rows} hits, {} shown", results.len());
            assert_eq!(rung["binary_fields"], json!([]));
        }
    }
}

#[tokio::test]
async fn content_only_client_follows_a_field_read_hint() {
    let host = Host::connect(Fake::person()).await;
    for (tool, arguments) in [
        ("search", json!({"query": "zebra"})),
        ("query_records", json!({"stream": "messages", "connection_id": "cin_work", "filter": {"id": "long"}})),
    ] {
        let shown = host.ok(tool, arguments).await;
        let mut call = written_call(&shown.text, "read_record_field").unwrap();
        call["limit_chars"] = json!(500);
        let window = host.ok("read_record_field", call).await;
        let on = written_call(&window.text[window.text.find("next: ").unwrap()..], "read_record_field").unwrap();
        let next = host.ok("read_record_field", on).await;
        assert_eq!(next.structured["window"]["start_chars"], window.structured["window"]["end_chars"]);
        let back = written_call(&next.text[next.text.find("previous: ").unwrap()..], "read_record_field").unwrap();
        let previous = host.ok("read_record_field", back).await;
        assert_eq!(previous.structured["window"]["end_chars"], next.structured["window"]["start_chars"]);
    }
}

#[tokio::test]
async fn invalid_selector_combination() {
    let host = Host::connect(Fake::person()).await;
    for extra in [json!({"offset_chars": 1}), json!({"q": "zebra"}), json!({"before_chars": 1})] {
        let mut arguments = json!({"id": "cin_work/messages:long", "field_path": "body", "cursor": "x"});
        arguments.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let refused = host.refused("read_record_field", arguments, "invalid_window").await;
        assert!(refused.text.contains("exclusive"), "{}", refused.text);
    }
    for arguments in [
        json!({"offset_chars": 1, "q": "zebra"}),
        json!({"before_chars": 4}),
        json!({"q": ""}),
        json!({"limit_chars": 0}),
        json!({"limit_chars": 16_385}),
        json!({"offset_chars": -1}),
        json!({"q": "a", "after_chars": 8_193}),
    ] {
        let mut whole = json!({"id": "cin_work/messages:long", "field_path": "body"});
        whole.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        host.refused("read_record_field", whole, "invalid_window").await;
    }
    for cursor in ["x", "e30", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", &"A".repeat(20_000)] {
        let arguments = json!({"id": "cin_work/messages:long", "field_path": "body", "cursor": cursor});
        host.refused("read_record_field", arguments, "invalid_cursor").await;
    }
    host.refused("read_record_field", json!({"field_path": "body"}), "invalid_request").await;
    let both = json!({"id": "cin_work/messages:long", "stream": "messages", "record_id": "long", "field_path": "body"});
    host.refused("read_record_field", both, "invalid_request").await;
}

#[tokio::test]
async fn tool_schema_is_inspected() {
    let host = Host::connect(Fake::person()).await;
    let tool = host.tools.iter().find(|tool| tool.name == "read_record_field").unwrap();
    let input = serde_json::to_value(&*tool.input_schema).unwrap();
    let mut names: Vec<&String> = input["properties"].as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(
        names,
        [
            "after_chars",
            "before_chars",
            "connection_id",
            "cursor",
            "field_path",
            "id",
            "limit_chars",
            "offset_chars",
            "q",
            "record_id",
            "stream"
        ]
    );
    assert_eq!(input["required"], json!(["field_path"]));
    let output = serde_json::to_value(tool.output_schema.as_deref().unwrap()).unwrap();
    for part in ["record", "field", "window", "error"] {
        assert_eq!(output["properties"][part]["type"], "object");
    }
    let parts = json!({"connection_id": "cin_notes", "stream": "notes", "record_id": "n1", "field_path": "text"});
    let window = host.ok("read_record_field", parts).await;
    assert_eq!(window.structured["record"]["id"], "cin_notes/notes:n1");
    assert_eq!(window.structured["field"], json!({"path": "text", "type": "string", "text_like": true}));
}

#[tokio::test]
async fn resource_aware_client_reads_a_linked_field_window() {
    let host = Host::connect(Fake::person()).await;
    let arguments = json!({"id": "cin_work/messages:long", "field_path": "body", "limit_chars": 700});
    let tool = host.ok("read_record_field", arguments).await;
    let (resource, meta) = contents(&host.read(tool.meta["dev.pdpp/resource_uri"].as_str().unwrap()).await.unwrap());
    assert_eq!(resource, tool.structured);
    let (next, next_meta) = contents(&host.read(meta["dev.pdpp/next_uri"].as_str().unwrap()).await.unwrap());
    assert_eq!(next["window"]["start_chars"], 700);
    let (back, _) = contents(&host.read(next_meta["dev.pdpp/previous_uri"].as_str().unwrap()).await.unwrap());
    assert_eq!(back["window"]["text"], resource["window"]["text"]);
    let templates = host.client.list_all_resource_templates().await.unwrap();
    let uris: Vec<&str> = templates.iter().map(|template| template.uri_template.as_str()).collect();
    assert_eq!(uris, ["pdpp://record/{handle}", "pdpp://field-window/{handle}", "pdpp://stream/{name}"]);
    let (stream, _) = contents(&host.read("pdpp://stream/notes").await.unwrap());
    assert_eq!(stream["data"]["connectors"][0]["streams"][0]["name"], "notes");
}

#[tokio::test]
async fn handle_points_outside_active_grant() {
    let wide = Host::connect(Fake::person()).await;
    let tool = wide.ok("read_record_field", json!({"id": "cin_work/messages:long", "field_path": "body"})).await;
    let cursor = tool.structured["window"]["next_cursor"].clone();
    let uri = tool.meta["dev.pdpp/resource_uri"].as_str().unwrap();

    let mut narrow = Fake::person();
    narrow.connections.retain(|connection| connection.id != "cin_work");
    let narrow = Host::connect(narrow).await;
    let arguments = json!({"id": "cin_work/messages:long", "field_path": "body", "cursor": cursor});
    assert_eq!(narrow.call("read_record_field", arguments).await.code(), "connection_not_granted");
    assert_eq!(narrow.call("fetch", json!({"id": "cin_work/messages:long"})).await.code(), "connection_not_granted");
    assert!(narrow.read(uri).await.unwrap_err().to_string().contains("connection_not_granted"));
    let elsewhere = json!({"id": "cin_notes/notes:n1", "field_path": "text", "cursor": cursor});
    narrow.refused("read_record_field", elsewhere, "invalid_cursor").await;
}

#[tokio::test]
async fn large_body_would_exceed_output_budget() {
    for foreign in [false, true] {
        let host = Host::connect(Fake { foreign, ..Fake::person() }).await;
        let document = host.ok("fetch", json!({"id": "cin_work/messages:long"})).await;
        let preview = document.structured["text"].as_str().unwrap();
        assert_eq!(preview.chars().count(), 4_000);
        let hint = &document.structured["metadata"]["content_ladder"]["records"][0]["field_windows"][0];
        assert_eq!(hint["field_path"], "body");
        assert_eq!(hint["preview_status"], "truncated");
        let (tool, arguments) = args(&hint["read"]);
        let window = host.ok(tool, arguments).await;
        assert_eq!(window.structured["window"]["start_chars"], 4_000);
    }
}

#[tokio::test]
async fn record_contains_a_large_binary_field() {
    let bytes: Vec<u8> = (0..=255_u8).cycle().take(9_000).collect();
    let encoded = STANDARD.encode(&bytes);
    let marker = &encoded[8..40];
    let row = json!({"id": "1", "body": "see attached", "photo": {"blob_id": "blb_9", "mime_type": "image/png",
        "size_bytes": 77, "sha256": "cd"}, "raw": encoded, "nested": {"deep": [encoded]}});
    for foreign in [false, true] {
        let host = Host::connect(Fake { foreign, ..Fake::single(vec![row.clone()]) }).await;
        let page = host.ok("query_records", json!({"stream": "things"})).await;
        let document = host.ok("fetch", json!({"id": "cin_one/things:t000"})).await;
        let ladders = [
            &page.structured["content_ladder"]["records"][0],
            &document.structured["metadata"]["content_ladder"]["records"][0],
        ];
        for (ladder, outcome) in ladders.into_iter().zip([&page, &document]) {
            let binary = ladder["binary_fields"].as_array().unwrap();
            let photo = binary.iter().find(|field| field["field_path"] == "photo").unwrap();
            assert_eq!(photo["mime_type"], "image/png");
            assert_eq!(photo["size_bytes"], 77);
            assert_eq!(photo["sha256"], "cd");
            assert_eq!(photo["preview_status"], "binary-only");
            let url = "http://127.0.0.1:7663/v1/blobs/blb_9?connection_id=cin_one";
            assert_eq!(photo["export"], json!({"method": "GET", "url": url}));
            assert!(outcome.text.contains(url));
            let raw = binary.iter().find(|field| field["field_path"] == "raw").unwrap();
            assert_eq!(raw["size_bytes"], 9_000);
            assert!(!outcome.text.contains(marker) && !outcome.structured.to_string().contains(marker));
        }
        let window = host.call("read_record_field", json!({"id": "cin_one/things:t000", "field_path": "raw"})).await;
        assert_eq!(window.code(), "field_not_text");
    }
}
