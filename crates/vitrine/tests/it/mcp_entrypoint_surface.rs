//! The adapter as a process: on standard input and output, and behind the door of `/mcp`.

use std::future::ready;

use serde_json::{Value, json};

use crate::app::TestApp;
use crate::binary::{Binary, Home};
use crate::provider::fake::{Fake, call, response};

/// Requests as a client on stdio sends them, and the answers in order.
fn talk(binary: &Binary, arguments: &[&str], requests: &[Value]) -> Vec<Value> {
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let lines: Vec<String> = [hello, ready].iter().chain(requests).map(Value::to_string).collect();
    let ran = binary.run_with_input(arguments, &format!("{}\n", lines.join("\n")));
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect("only messages on stdout")).collect()
}

#[test]
fn recommended_setup_is_presented_to_an_operator() {
    let home = Home::new();
    let all = home.json(&["setup"]);
    let clients: Vec<&str> = all.as_array().unwrap().iter().map(|shown| shown["client"].as_str().unwrap()).collect();
    assert_eq!(clients.len(), 10);
    for client in clients {
        let (plain, advanced) = (home.run(&["setup", client]), home.run(&["setup", client, "--advanced"]));
        assert_eq!((plain.code, advanced.code), (0, 0), "{plain:?} {advanced:?}");
        let recommended = plain.stdout.trim_end();
        assert!(advanced.stdout.starts_with(recommended), "the recommended way goes first: {advanced:?}");
        for shown in [recommended, &advanced.stdout] {
            let shown = shown.to_lowercase();
            for word in ["profile", "toolset", "subscri", "owner", "bearer", "token", "developer tools"] {
                assert!(!shown.contains(word), "{client}: {word} in {shown}");
            }
        }
        let shown = home.json(&["setup", client]);
        let ways = [shown["entry"].is_object(), shown["steps"].is_array()];
        assert_eq!(ways.iter().filter(|way| **way).count(), 1, "one way: {shown}");
        assert!(shown["advanced"].is_null(), "{shown}");
    }
}

#[tokio::test]
async fn local_stdio_setup_is_configured() {
    let binary = Binary::with_accounts();
    let help = binary.run(&["mcp", "--help"]);
    assert!(help.code == 0 && !help.stdout.to_lowercase().contains("profile"), "{help:?}");
    binary.json(&["grant", "create", "--client", "Agent", "--connection", "cin_work"]);
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let schema =
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "schema", "arguments": {} } });
    let answers = talk(&binary, &["mcp"], &[list.clone(), schema]);
    let answered = |id: i64| answers.iter().find(|answer| answer["id"] == id).expect("an answer").clone();
    assert_eq!(answered(2)["result"]["structuredContent"]["data"]["connectors"][0]["connector_key"], "gmail");

    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    let served = app.mcp(&token, &list).await.json();
    assert_eq!(answered(1)["result"]["tools"], served["result"]["tools"], "both transports offer the same tools");
}

#[tokio::test]
async fn owner_bearer_reaches_mcp_setup() {
    let binary = Binary::with_accounts();
    binary.json(&["grant", "create", "--client", "Agent", "--connection", "cin_work"]);
    for name in ["PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE"] {
        let ran = binary.run_in_environment(&["mcp"], &[(name, "vto_secret")]);
        assert_eq!(ran.code, 77, "{ran:?}");
        assert!(ran.stdout.is_empty() && ran.stderr.contains(name) && !ran.stderr.contains("vto_secret"), "{ran:?}");
    }
    let app = TestApp::start().await;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let refused = app.mcp(&app.owner, &list).await;
    assert_eq!((refused.status, refused.code().as_str()), (403, "owner_token_refused"));
}

#[test]
fn the_adapter_asks_which_of_several_grants() {
    let binary = Binary::with_accounts();
    let none = binary.run(&["mcp"]);
    assert!(none.code == 78 && none.stderr.contains("grant create"), "{none:?}");
    binary.json(&["grant", "create", "--client", "One", "--connection", "cin_work"]);
    let two = binary.json(&["grant", "create", "--client", "Two"]);
    let package = two["grant_package_id"].as_str().expect("a package").to_owned();
    let several = binary.run(&["mcp"]);
    assert!(several.code == 78 && several.stderr.contains(&package), "{several:?}");
    assert_eq!(binary.run(&["mcp", "--grant", &package]).code, 0);
}

#[test]
fn the_adapter_names_a_grant_that_is_not_there() {
    let binary = Binary::with_accounts();
    let create = |client: &str| {
        let issued = binary.json(&["grant", "create", "--client", client, "--connection", "cin_work"]);
        issued["grants"][0]["grant_id"].as_str().expect("a grant").to_owned()
    };
    let (active, ended) = (create("One"), create("Two"));
    binary.json(&["grant", "revoke", &ended]);
    for (grant, why) in [("grt_nothing", "no grant or package `grt_nothing`"), (&ended, "was revoked")] {
        let refused = binary.run(&["mcp", "--grant", grant]);
        assert_eq!(refused.code, 78, "{refused:?}");
        for word in [grant, why, &format!("--grant {active}   One")] {
            assert!(refused.stderr.contains(word), "{word}: {refused:?}");
        }
    }
}

#[test]
fn a_token_in_place_of_a_grant_is_not_repeated() {
    let binary = Binary::with_accounts();
    for token in ["vto_secret-one", "vtc_secret-two", "vtp_secret-three"] {
        let refused = binary.run(&["mcp", "--grant", token]);
        assert_eq!(refused.code, 78, "{refused:?}");
        assert!(!refused.stderr.contains("secret") && refused.stderr.contains("looks like a token"), "{refused:?}");
    }
}

/// Five hits of each connection, whatever the limit: without titles, and captured long after they were written.
async fn provider_of_untitled_hits() -> Fake {
    let hit = |connection: &str, n: usize| {
        let window = json!({ "field_path": "body", "text": "the lease", "start_chars": 4, "end_chars": 13,
            "match_start_chars": 8, "match_end_chars": 13, "total_chars": 90, "complete": false });
        json!({ "connection_id": connection, "connector_key": "gmail", "display_name": format!("Mail of {connection}"),
            "stream": "messages", "record_key": format!("{connection}-{n}"), "sent_at": "2026-02-03T04:05:06Z",
            "emitted_at": "2026-09-09T00:00:00Z", "match_windows": [window] })
    };
    let hits = move |limit: usize| -> Vec<Value> {
        (0..limit.min(5)).flat_map(|n| ["work", "home", "old"].map(|connection| hit(connection, n))).collect()
    };
    Fake::answering(move |path| {
        let limit = path.split("limit=").nth(1).and_then(|rest| rest.split('&').next()?.parse().ok());
        let body = json!({ "data": hits(limit.unwrap_or(25)), "has_more": true, "next_cursor": "more" });
        ready(response(200, "application/json", body.to_string()))
    })
    .await
}

#[tokio::test]
async fn client_searches_without_a_connection_scope() {
    let provider = provider_of_untitled_hits().await;
    for limit in [1, 2, 4, 7] {
        let result = call(&provider, "search", json!({ "query": "lease", "limit": limit })).await;
        let results = result["structuredContent"]["results"].as_array().unwrap();
        assert!(!results.is_empty() && results.len() <= limit, "{} of {limit}", results.len());
        for hit in results {
            for key in ["connection_id", "connector_key", "display_name", "stream", "record_id"] {
                assert!(hit[key].is_string(), "{key}");
            }
            let label = hit["display_name"].as_str().unwrap();
            assert_eq!(
                hit["title"],
                format!("{label} · messages · 2026-02-03 04:05"),
                "an identity, by when it was sent"
            );
            assert_ne!(hit["title"], hit["evidence_preview"]);
        }
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(!text.contains("**") && !text.contains(">>>") && !text.contains("2026-09-09"), "{text}");
        if limit > 2 {
            assert!(text.contains("source mix: \"Mail of work\" "), "{text}");
        }
    }
}

#[tokio::test]
async fn client_omits_connection_identity_on_a_multi_source_package() {
    let connections: Vec<Value> = (0..33)
        .map(|n| {
            json!({ "connection_id": format!("cin_{n}"), "connector_key": "gmail", "display_name": format!("Mail {n}"),
                "grant_id": format!("grt_{n}"), "has_stream": n == 30 })
        })
        .collect();
    let error = json!({ "type": "conflict_error", "code": "ambiguous_connection", "message": "Say which.",
        "available_connections": connections });
    let provider = Fake::saying(409, "application/json", json!({ "error": error }).to_string()).await;
    for (tool, arguments) in [
        ("query_records", json!({ "stream": "notes" })),
        ("aggregate", json!({ "stream": "notes", "metric": "count" })),
        ("fetch", json!({ "id": "notes:n1" })),
        ("read_record_field", json!({ "id": "notes:n1", "field_path": "text" })),
    ] {
        let before = provider.seen().len();
        let result = call(&provider, tool, arguments).await;
        let asked = provider.seen().split_off(before).into_iter().map(|seen| seen.path_and_query);
        let reads: Vec<String> = asked.filter(|path| !path.starts_with("/v1/schema")).collect();
        assert_eq!(reads.len(), 1, "nothing else is read: {reads:?}");
        let error = &result["structuredContent"]["error"];
        assert_eq!((&error["code"], &error["retry_with"]), (&json!("ambiguous_connection"), &json!("connection_id")));
        assert_eq!((&error["available_connection_count"], &error["truncated"]), (&json!(33), &json!(true)));
        let listed = error["available_connections"].as_array().unwrap();
        assert_eq!(
            (listed.len(), &listed[0]["connection_id"]),
            (12, &json!("cin_30")),
            "those with the stream go first"
        );
        assert!(listed.iter().all(|one| one["grant_id"].is_string() && one["connector_key"].is_string()));
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("connection_id \"cin_30\"") && text.contains("call schema"), "{text}");
    }
}
