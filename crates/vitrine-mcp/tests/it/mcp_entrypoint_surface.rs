//! Scenarios of the second requirement document.

use serde_json::json;

use crate::fake::Fake;
use crate::host::{Host, none, quoted_after};

const TOOLS: [&str; 6] = ["schema", "query_records", "aggregate", "search", "fetch", "read_record_field"];

#[tokio::test]
async fn client_lists_mcp_tools() {
    let host = Host::connect(Fake::person()).await;
    let names: Vec<&str> = host.tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, TOOLS);
}

#[tokio::test]
async fn client_inspects_data_tool_selector_arguments() {
    let host = Host::connect(Fake::person()).await;
    for tool in &host.tools {
        let schema = serde_json::to_value(&*tool.input_schema).unwrap();
        assert_eq!(schema["properties"]["connection_id"]["type"], "string", "{}", tool.name);
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
        assert!(!schema["required"].to_string().contains("connection_id"));
        assert!(!schema.to_string().contains("connector_instance_id"));
    }
    let arguments = json!({"stream": "messages", "connector_instance_id": "cin_work"});
    host.refused("query_records", arguments, "invalid_request").await;
}

#[tokio::test]
async fn normal_read_tool_is_invoked() {
    let host = Host::connect(Fake::person()).await;
    host.ok("query_records", json!({"stream": "messages", "connection_id": "cin_home"})).await;
    assert_eq!(host.calls.all(), ["records messages cin_home"]);
    let outside = host.call("query_records", json!({"stream": "messages", "connection_id": "cin_other"})).await;
    assert_eq!(outside.code(), "connection_not_granted");
    assert_eq!(host.calls.count(), 2, "a refusal is not retried");
}

#[tokio::test]
async fn normal_tool_list_is_generated_in_tests() {
    let host = Host::connect(Fake::person()).await;
    assert_eq!(host.tools.len(), 6);
    assert!(serde_json::to_string(&host.tools).unwrap().len() <= 12_000);
    assert!(host.tools.iter().all(|tool| TOOLS.contains(&tool.name.as_ref())));
}

#[tokio::test]
async fn client_requests_global_schema_discovery() {
    let mut fake = Fake { package: true, ..Fake::default() };
    for n in 0..50 {
        fake.connection(&format!("cin_{n:02}"), &format!("source{}", n % 10), &format!("Account number {n}"));
    }
    for n in 0..200 {
        fake.stream(&format!("source{}", n % 10), &format!("stream_{n:03}"), &["id", "body", "received_at"], &[]);
    }
    let host = Host::connect(fake).await;
    let index = host.ok("schema", none()).await;
    assert!(index.text.chars().count() <= 10_000, "{}", index.text.chars().count());
    let structured = index.structured.to_string();
    assert!(structured.chars().count() <= 10_000, "{}", structured.chars().count());
    for n in 0..200 {
        let name = format!("stream_{n:03}");
        assert!(index.text.contains(&name) && structured.contains(&name), "{name}");
    }
    for n in 0..50 {
        let id = format!("cin_{n:02}");
        assert!(index.text.contains(&id) && structured.contains(&id), "{id}");
    }
    assert!(index.text.contains("schema({\"stream\""));
    assert_eq!(host.calls.count(), 1);
}

#[tokio::test]
async fn client_requests_stream_scoped_schema_discovery() {
    let mut fake = Fake::person();
    fake.stream("notebook", "messages", &["id", "pinned"], &[]);
    let host = Host::connect(fake).await;
    let rows = host.ok("schema", json!({"stream": "messages"})).await;
    for expected in ["gmail", "notebook", "cin_work", "cin_home", "cin_notes", "subject[", "pinned[", "group_by"] {
        assert!(rows.text.contains(expected), "{expected}: {}", rows.text);
    }
    assert_eq!(rows.structured["data"]["stream_count"], 2);
}

#[tokio::test]
async fn client_narrows_a_shared_stream_to_one_connection() {
    let host = Host::connect(Fake::person()).await;
    let row = host.ok("schema", json!({"stream": "messages", "connection_id": "cin_home"})).await;
    for expected in [
        "connection_id: cin_home",
        "\"Home Gmail\"",
        "connector_key gmail",
        "stream messages",
        "subject[t=string eq",
        "projection with fields: yes",
        "sort: received_at",
        "count: none, exact",
        "expand: attachments",
        "search modes: lexical",
        "aggregate: count",
        "a=group_by",
    ] {
        assert!(row.text.contains(expected), "{expected}: {}", row.text);
    }
    assert!(!row.text.contains("cin_work"));
    let connectors = &row.structured["data"]["connectors"];
    assert_eq!(connectors.as_array().unwrap().len(), 1);
    assert_eq!(connectors[0]["granted_connections"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn client_uses_compact_schema_flags() {
    let host = Host::connect(Fake::person()).await;
    let row = host.ok("schema", json!({"stream": "messages"})).await;
    for flag in ["t= ", "eq ", "r= ", "lex ", "sem ", "a= ", "sort "] {
        assert!(row.text.lines().any(|line| line.starts_with("legend:") && line.contains(flag)), "{flag}");
    }
    assert!(row.structured["data"]["legend"]["r="].is_string());
}

#[tokio::test]
async fn client_requests_exhaustive_schema() {
    let host = Host::connect(Fake::person()).await;
    let refused = host.refused("schema", json!({"detail": "full"}), "invalid_request").await;
    assert!(refused.text.contains("schema(stream, connection_id, detail: \"full\")"));
    host.refused("schema", json!({"detail": "full", "connection_id": "cin_work"}), "invalid_request").await;
}

#[tokio::test]
async fn client_requests_scoped_exhaustive_schema() {
    let host = Host::connect(Fake::person()).await;
    let shared = host.call("schema", json!({"stream": "messages", "detail": "full"})).await;
    assert_eq!(shared.code(), "ambiguous_schema_detail");
    assert_eq!(shared.structured["error"]["retry_with"], "connection_id");
    assert!(shared.text.contains("cin_work") && shared.text.contains("cin_home"));

    let full = host.ok("schema", json!({"stream": "messages", "connection_id": "cin_work", "detail": "full"})).await;
    let document = &full.structured["data"];
    assert_eq!(document["object"], "schema");
    assert!(document.get("data").is_none() && document.get("streams").is_none());
    let connector = &document["connectors"][0];
    assert_eq!(document["connectors"].as_array().unwrap().len(), 1);
    assert_eq!(connector["granted_connections"].as_array().unwrap().len(), 1);
    assert_eq!(connector["streams"].as_array().unwrap().len(), 1);
    assert_eq!(connector["streams"][0]["field_capabilities"]["subject"]["schema"]["type"], "string");
    assert!(full.text.contains("subject["));
    host.ok("schema", json!({"stream": "notes", "detail": "full"})).await;
}

#[tokio::test]
async fn client_sees_paged_or_incremental_results() {
    let host = Host::connect(Fake::person()).await;
    let arguments = json!({"stream": "messages", "connection_id": "cin_work", "limit": 5, "count": "exact"});
    let page = host.ok("query_records", arguments).await;
    assert_eq!(quoted_after(&page.text, "next_cursor:").as_deref(), Some("at:5"));
    assert_eq!(page.structured["data"]["next_cursor"], "at:5");
    assert!(page.text.contains("count: 41 (exact)"));
    let changes = json!({"stream": "messages", "connection_id": "cin_home", "changes_since": "beginning"});
    let changes = host.ok("query_records", changes).await;
    assert_eq!(quoted_after(&changes.text, "next_changes_since:").as_deref(), Some("at:3"));
    assert_eq!(changes.structured["data"]["next_changes_since"], "at:3");
}

#[tokio::test]
async fn client_searches_with_a_connection_scope() {
    let host = Host::connect(Fake::person()).await;
    let hits = host.ok("search", json!({"query": "zebra", "connection_id": "cin_notes"})).await;
    assert_eq!(hits.structured["results"].as_array().unwrap().len(), 1);
    assert_eq!(host.calls.all(), ["search * cin_notes"]);
    assert!(!hits.text.contains("source mix"));
}

#[tokio::test]
async fn client_fetches_a_document_from_a_search_result() {
    let host = Host::connect(Fake::person()).await;
    let hits = host.ok("search", json!({"query": "zebra"})).await;
    let id = hits.structured["results"][0]["id"].clone();
    let document = host.ok("fetch", json!({"id": id})).await;
    let keys: Vec<&String> = document.structured.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["id", "title", "text", "url", "metadata"]);
    assert_eq!(document.text, document.structured.to_string());
    assert_eq!(document.structured["id"], id);
    assert_eq!(document.structured["title"], "Minutes");
    let metadata = &document.structured["metadata"];
    assert_eq!(metadata["connection_id"], "cin_work");
    assert_eq!(metadata["display_name"], "Work Gmail");
    assert_eq!(metadata["authored_at"], "2026-03-12T09:41:00Z");
}

#[tokio::test]
async fn client_fetches_a_projected_document() {
    let host = Host::connect(Fake::person()).await;
    let document = host.ok("fetch", json!({"id": "cin_work/messages:w07", "fields": ["sender"]})).await;
    assert!(document.text.contains("team@work.example"));
    assert!(!document.text.contains("Quarterly") && !document.text.contains("Dear all"));
    assert_eq!(document.structured["title"], "Work Gmail · messages · 2026-05-01 00:00");
    assert_eq!(document.structured["metadata"]["connection_id"], "cin_work");
}

#[tokio::test]
async fn client_queries_projected_records() {
    let host = Host::connect(Fake::person()).await;
    let arguments = json!({"stream": "messages", "connection_id": "cin_home", "fields": ["subject"]});
    let page = host.ok("query_records", arguments).await;
    for row in page.structured["data"]["data"].as_array().unwrap() {
        let names: Vec<&String> = row["data"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["subject"]);
        assert!(row["id"].is_string() && row["connection_id"] == "cin_home", "its identity stands around them");
    }
    assert!(!page.text.contains("mum@home"));
}
