//! The adapter as a process: on standard input and output, and behind the door of `/mcp`.

use serde_json::{Value, json};

use crate::app::TestApp;
use crate::binary::{Binary, Home};

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
    assert_eq!(binary.run(&["mcp", "--grant", "grt_nothing"]).code, 78);
}
