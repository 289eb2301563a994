//! Scenarios of the fifth requirement document.

use serde_json::json;

use crate::fake::Fake;
use crate::host::{Host, args, contents, written_call};

#[tokio::test]
async fn search_hit_has_a_proven_match_window() {
    let host = Host::connect(Fake::person()).await;
    let hits = host.ok("search", json!({"query": "zebra", "connection_id": "cin_work"})).await;
    let result = &hits.structured["results"][0];
    let rung = &hits.structured["content_ladder"]["records"][0];
    let evidence = result["evidence_preview"].as_str().unwrap();
    assert!(evidence.contains("zebra") && evidence.chars().count() <= 160);
    assert_eq!(rung["evidence_preview"], evidence);
    assert_eq!(rung["id"], result["id"]);
    assert!(hits.text.contains(evidence));
    let from = usize::try_from(result["match"]["start_chars"].as_u64().unwrap()).unwrap();
    let body = Fake::person().rows.iter().find(|row| row.id == "long").unwrap().data["body"].clone();
    let exact: String = body.as_str().unwrap().chars().skip(from).take(evidence.chars().count()).collect();
    assert_eq!(exact, evidence, "the excerpt is the field's own characters");

    for limit in [3, 10, 25] {
        let hits = host.ok("search", json!({"query": "report", "limit": limit})).await;
        let results = hits.structured["results"].as_array().unwrap();
        let rungs = hits.structured["content_ladder"]["records"].as_array().unwrap();
        assert!(results.len() >= limit.min(9) && results.len() == rungs.len(), "{}", results.len());
        for (result, rung) in results.iter().zip(rungs) {
            assert_eq!((&rung["id"], &rung["evidence_preview"]), (&result["id"], &result["evidence_preview"]));
            assert!(result["evidence_preview"].as_str().unwrap().contains("report"));
            let window = &rung["field_windows"][0];
            assert_eq!((&window["field_path"], window["read"].is_object()), (&json!("subject"), true));
            // Three hits leave to the ladder what is complete.
            assert!(limit == 3 || result["match"]["field_path"] == "subject" && result["read"] == window["read"]);
        }
    }
}

#[tokio::test]
async fn search_hit_lacks_a_proven_match_window() {
    let host = Host::connect(Fake::person()).await;
    let hits = host.ok("search", json!({"query": "semantic:zebra"})).await;
    assert_eq!(hits.structured["results"].as_array().unwrap().len(), 2);
    assert!(hits.structured.get("content_ladder").is_none());
    assert!(!hits.text.contains("\"body\"") && !hits.text.contains("\"text\"") && !hits.text.contains("read on"));
    assert!(hits.text.contains("id \"cin_work/messages:long\"") && hits.text.contains("to fetch"));
    assert!(hits.structured["results"][0].get("evidence_preview").is_none());
}

#[tokio::test]
async fn host_cannot_read_mcp_resources() {
    let host = Host::connect(Fake::person()).await;
    let hits = host.ok("search", json!({"query": "zebra"})).await;
    host.ok("read_record_field", written_call(&hits.text, "read_record_field").unwrap()).await;
    let document = host.ok("fetch", json!({"id": "cin_work/messages:long"})).await;
    let document: serde_json::Value = serde_json::from_str(&document.text).unwrap();
    let (tool, arguments) = args(&document["metadata"]["content_ladder"]["records"][0]["field_windows"][0]["read"]);
    host.ok(tool, arguments).await;
}

#[tokio::test]
async fn host_can_read_mcp_resources() {
    let host = Host::connect(Fake::person()).await;
    for selector in
        [json!({}), json!({"offset_chars": 50, "limit_chars": 80}), json!({"q": "zebra", "before_chars": 9})]
    {
        let mut arguments = json!({"id": "cin_work/messages:long", "field_path": "body"});
        arguments.as_object_mut().unwrap().extend(selector.as_object().unwrap().clone());
        let tool = host.ok("read_record_field", arguments).await;
        let uri = tool.meta["dev.pdpp/resource_uri"].as_str().unwrap();
        assert!(uri.starts_with("pdpp://field-window/"));
        assert_eq!(contents(&host.read(uri).await.unwrap()).0, tool.structured);
    }
}

#[tokio::test]
async fn agent_inspects_one_small_text_field() {
    let host = Host::connect(Fake::person()).await;
    let window = host.ok("read_record_field", json!({"id": "cin_notes/notes:n1", "field_path": "text"})).await;
    assert!(window.text.contains("\"Buy zebra food\""));
    assert!(window.text.contains("complete, chars 0-14 of 14, has_more: false"), "{}", window.text);
    assert_eq!(window.structured["window"]["complete"], true);
    assert!(window.structured["window"]["next_cursor"].is_null());
    assert!(!window.text.contains("file"));
}

/// The harness holds every result to one text block without a URI: no `resource_link` can stand in it.
#[tokio::test]
async fn hosted_client_reads_one_small_field_window() {
    let host = Host::connect(Fake::person()).await;
    let window = host.ok("read_record_field", json!({"id": "cin_notes/notes:n1", "field_path": "text"})).await;
    assert!(window.text.contains("Buy zebra food"));
    let uri = window.meta["dev.pdpp/resource_uri"].as_str().unwrap();
    assert_eq!(contents(&host.read(uri).await.unwrap()).0["window"]["text"], "Buy zebra food");
}

#[tokio::test]
async fn hosted_client_fetches_projected_small_fields() {
    let host = Host::connect(Fake::person()).await;
    let document = host.ok("fetch", json!({"id": "cin_notes/notes:n1", "fields": ["text"]})).await;
    assert_eq!(document.structured["text"], "Buy zebra food");
    assert_eq!(document.structured["id"], "cin_notes/notes:n1");
    assert!(document.structured["metadata"].get("content_ladder").is_none());
    assert!(document.meta["dev.pdpp/resource_uri"].as_str().unwrap().starts_with("pdpp://record/"));
}

#[tokio::test]
async fn hosted_client_reads_only_visible_search_text() {
    let host = Host::connect(Fake::person()).await;
    let hits = host.ok("search", json!({"query": "zebra"})).await;
    let first = hits.text.lines().next().unwrap();
    for expected in ["\"body\":", "zebra clause", "id \"cin_work/messages:long\"", "read_record_field({"] {
        assert!(first.contains(expected), "{expected}: {first}");
    }
    let evidence = hits.text.find("Buy zebra food").unwrap();
    assert!(evidence < hits.text.find("2 hits").unwrap(), "evidence comes before wrappers");
}

#[tokio::test]
async fn raw_record_uri_remains_accepted_as_a_compatibility_input() {
    let host = Host::connect(Fake::person()).await;
    let plain = host.ok("fetch", json!({"id": "cin_notes/notes:n1"})).await;
    for uri in [plain.meta["dev.pdpp/resource_uri"].as_str().unwrap(), "pdpp://record/cin_notes%2Fnotes%3An1"] {
        assert_eq!(host.ok("fetch", json!({"id": uri})).await.structured, plain.structured);
        assert_eq!(contents(&host.read(uri).await.unwrap()).0, plain.structured);
        let window = host.ok("read_record_field", json!({"id": uri, "field_path": "text"})).await;
        assert!(window.text.contains("\"Buy zebra food\""));
    }
}
