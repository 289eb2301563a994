//! Scenarios of the first requirement document.

use serde_json::json;

use crate::fake::Fake;
use crate::host::{Host, none};

fn listed(host: &Host) -> String {
    serde_json::to_string(&json!({ "tools": host.tools })).unwrap()
}

#[tokio::test]
async fn client_initializes_the_mcp_server() {
    let host = Host::connect(Fake::person()).await;
    let info = host.client.peer_info().unwrap();
    let instructions = info.instructions.clone().unwrap();
    let first: String = instructions.chars().take(512).collect();
    for word in ["Start with schema", "connection_id", "filter", "page with", "narrow", "limit"] {
        assert!(first.contains(word), "{word} not in: {first}");
    }
    assert!(!instructions.to_lowercase().contains("owner token"));
    assert!(!instructions.to_lowercase().contains("bearer"));
}

#[tokio::test]
async fn client_lists_tools() {
    let host = Host::connect(Fake::person()).await;
    let descriptions: Vec<String> =
        host.tools.iter().map(|tool| tool.description.as_deref().unwrap().to_owned()).collect();
    for tool in &descriptions {
        for sentence in tool.split(". ").filter(|part| part.len() > 40 && !part.contains("GET /v1/")) {
            let repeats = descriptions.iter().filter(|other| other.contains(sentence)).count();
            assert_eq!(repeats, 1, "repeated: {sentence}");
        }
    }
    assert_eq!(listed(&host).matches("ambiguous_connection").count(), 0);
}

#[tokio::test]
async fn tool_descriptions_remain_routable() {
    let host = Host::connect(Fake::person()).await;
    for tool in &host.tools {
        let description = tool.description.as_deref().unwrap();
        assert!(description.contains("Read-only"), "{description}");
        assert!(description.contains("GET /v1/"), "{description}");
        let points_on = if tool.name == "schema" { "Call it first" } else { "schema" };
        assert!(description.contains(points_on), "{description}");
        let annotations = tool.annotations.as_ref().unwrap();
        assert_eq!(annotations.read_only_hint, Some(true));
        assert_eq!(annotations.destructive_hint, Some(false));
        assert_eq!(annotations.idempotent_hint, Some(true));
        assert_eq!(annotations.open_world_hint, Some(false));
    }
}

#[tokio::test]
async fn default_tool_list_is_generated_in_tests() {
    let host = Host::connect(Fake::person()).await;
    let bytes = serde_json::to_vec(&host.client.list_tools(None).await.unwrap()).unwrap().len();
    assert!(bytes <= 12_000, "{bytes}");
    assert!(host.client.peer_info().unwrap().instructions.is_some());
    assert!(!listed(&host).contains("subscription"));
}

#[tokio::test]
async fn read_tool_descriptions_mention_structured_output() {
    let host = Host::connect(Fake::person()).await;
    for tool in &host.tools {
        let description = tool.description.as_deref().unwrap().to_lowercase();
        assert!(description.contains("structured output"), "{description}");
        assert!(!description.contains("hidden"), "{description}");
        let guided = ["page", "narrow", "aggregat"].iter().any(|word| description.contains(word));
        assert!(guided, "{description}");
    }
}

/// The budgets are explicit: compact by default, full where one stream is named, bounded in both channels.
#[tokio::test]
async fn full_result_budget_redesign_is_needed() {
    let rows = (0..100).map(|n| json!({"id": n, "body": "long text ".repeat(5_000)})).collect();
    let host = Host::connect(Fake::single(rows)).await;
    let page = host.ok("query_records", json!({"stream": "things", "limit": 100})).await;
    assert_eq!(page.structured["data"]["has_more"], true);
    host.ok("schema", none()).await;
    host.ok("schema", json!({"stream": "things", "detail": "full"})).await;
}

#[tokio::test]
async fn client_requests_expand_on_a_stream_with_advertised_expand_capabilities() {
    let host = Host::connect(Fake::person()).await;
    let arguments = json!({"stream": "messages", "connection_id": "cin_work", "limit": 1, "expand": ["attachments"]});
    let page = host.ok("query_records", arguments).await;
    assert_eq!(host.calls.all(), ["schema messages cin_work", "records messages cin_work"]);
    let related = &page.structured["data"]["data"][0]["expanded"]["attachments"];
    assert_eq!(related["data"][0]["id"], "a1");
    assert!(page.text.contains("chart.png"));
}

#[tokio::test]
async fn client_requests_expand_on_a_stream_with_no_expand_capabilities() {
    let host = Host::connect(Fake::person()).await;
    for (tool, arguments) in [
        ("query_records", json!({"stream": "notes", "connection_id": "cin_notes", "expand": ["x"]})),
        ("query_records", json!({"stream": "notes", "connection_id": "cin_notes", "expand_limit": {"x": 2}})),
        ("fetch", json!({"id": "cin_notes/notes:n1", "expand": ["x"]})),
    ] {
        let refused = host.call(tool, arguments).await;
        assert_eq!(refused.code(), "invalid_expand");
        let message = refused.structured["error"]["message"].as_str().unwrap();
        assert!(message.contains("`notes`") && message.contains("GET /v1/schema"), "{message}");
    }
    assert!(host.calls.all().iter().all(|call| call.starts_with("schema ")));
}

#[tokio::test]
async fn schema_advertisement_matches_enforcement() {
    let fake = Fake::person();
    let streams = fake.streams.clone();
    let host = Host::connect(fake).await;
    let arguments = json!({"stream": "notes", "connection_id": "cin_notes", "expand": ["notes"]});
    assert_eq!(host.call("query_records", arguments.clone()).await.code(), "invalid_expand");
    for stream in streams.lock().unwrap().iter_mut() {
        stream.expand = vec!["notes".to_owned()];
    }
    host.ok("query_records", arguments).await;
}
