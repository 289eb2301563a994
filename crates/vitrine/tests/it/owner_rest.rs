//! The owner's endpoints, beyond what the scenarios tell.

use serde_json::{Value, json};

use crate::app::{PUBLIC_URL, TestApp};
use crate::fixtures::{gmail, slack};

#[tokio::test]
async fn sources_are_registered_and_listed() {
    let app = TestApp::start().await;
    let added = app.post(&app.owner, "/v1/owner/sources", &gmail()).await;
    let shown = json!({
        "connector_key": "gmail",
        "source_id": "https://registry.pdpp.dev/connectors/gmail",
        "streams": ["attachments", "labels", "messages"],
    });
    assert_eq!((added.status, added.json()), (201, shown.clone()));
    let (_, list) = app.get(&app.owner, "/v1/owner/sources").await;
    let envelope = json!({
        "object": "list", "url": "/v1/owner/sources", "has_more": false, "next_cursor": null, "data": [shown],
        "links": { "self": "/v1/owner/sources", "next": null }, "meta": { "count": { "kind": "none" }, "warnings": [] },
    });
    assert_eq!(list, envelope);
}

#[tokio::test]
async fn a_refused_declaration_names_its_fault() {
    let app = TestApp::start().await;
    let mut bad = gmail();
    bad["streams"][0]["cursor_field"] = "nope".into();
    let answer = app.post(&app.owner, "/v1/owner/sources", &bad).await;
    let error = &answer.json()["error"];
    assert_eq!((answer.status, &error["code"]), (400, &json!("invalid_request")));
    assert_eq!(error["stream"], "messages");
    assert!(error["rule"].is_string(), "{error}");
}

#[tokio::test]
async fn connections_live_and_die() {
    let app = TestApp::start().await;
    app.source(&gmail()).await;
    let new = json!({ "source": "gmail", "name": "Work Gmail" });
    let added = app.post(&app.owner, "/v1/owner/connections", &new).await.json();
    let id = added["connection_id"].as_str().unwrap().to_owned();
    assert_eq!(added["display_name"], "Work Gmail");
    let path = format!("/v1/owner/connections/{id}");
    let renamed = app.call_with("PATCH", &app.owner, &path, r#"{"display_name":"Old work"}"#).await;
    assert_eq!((renamed.status, &renamed.json()["display_name"]), (200, &json!("Old work")));
    assert_eq!(app.get(&app.owner, &path).await.1, renamed.json());
    let (_, list) = app.get(&app.owner, "/v1/owner/connections").await;
    assert_eq!(list["data"], json!([renamed.json()]));
    assert_eq!(app.call("DELETE", &app.owner, &path).await.status, 204);
    assert_eq!(app.call("DELETE", &app.owner, &path).await.code(), "not_found");
    assert_eq!(app.code(&app.owner, &path).await, "not_found");
    assert_eq!(app.call_with("PATCH", &app.owner, &path, r#"{"display_name":"X"}"#).await.code(), "not_found");
}

#[tokio::test]
async fn bad_connections_are_refused() {
    let app = TestApp::with_mail().await;
    for body in [
        json!({}),
        json!(["gmail", "X", null]),
        json!({ "connector_key": "nope", "display_name": "X" }),
        json!({ "connector_key": "gmail", "display_name": "" }),
        json!({ "connector_key": "gmail", "display_name": "X", "connection_id": "a/b" }),
        json!({ "connector_key": "gmail", "display_name": "X", "connection_id": "cin_work" }),
        json!({ "connector_key": "gmail", "display_name": "X", "surprise": 1 }),
    ] {
        let answer = app.post(&app.owner, "/v1/owner/connections", &body).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "invalid_request"), "{body}");
    }
    let broken = app.call_with("POST", &app.owner, "/v1/owner/connections", "{").await;
    assert_eq!((broken.status, broken.code().as_str()), (400, "invalid_request"));
    let binary = app.call_with("POST", &app.owner, "/v1/owner/connections", vec![0xff]).await;
    assert_eq!((binary.status, binary.code().as_str()), (400, "invalid_request"));
}

#[tokio::test]
async fn a_grant_is_given_shown_and_ended() {
    let app = TestApp::with_mail().await;
    let request = json!({ "client_name": "Desk", "connections": ["cin_work"] });
    let given = app.post(&app.owner, "/v1/owner/grants", &request).await;
    assert_eq!(given.status, 201);
    let given = given.json();
    let id = given["grants"][0]["grant_id"].as_str().unwrap();
    let path = format!("/v1/owner/grants/{id}");
    let (_, shown) = app.get(&app.owner, &path).await;
    assert_eq!((&shown["grant_id"], &shown["status"]), (&json!(id), &json!("active")));
    assert_eq!(shown["client"]["client_display"]["name"], "Desk");
    assert!(!shown.to_string().contains("access_token"));
    let (_, list) = app.get(&app.owner, "/v1/owner/grants").await;
    assert_eq!(list["data"], json!([shown]));
    assert_eq!(app.call("DELETE", &app.owner, &path).await.status, 204);
    assert_eq!(app.get(&app.owner, &path).await.1["status"], "revoked");
    assert_eq!(app.call("DELETE", &app.owner, "/v1/owner/grants/nope").await.code(), "not_found");
}

#[tokio::test]
async fn a_grant_that_covers_several_connections_names_each() {
    let app = TestApp::with_mail().await;
    let request = json!({ "client_name": "Desk", "source": "gmail" });
    let given = app.post(&app.owner, "/v1/owner/grants", &request).await.json();
    let id = &given["grants"][0]["grant_id"];
    let of = |connection: &str| json!({ "grant_id": id, "connection_id": connection, "connector_key": "gmail" });
    assert_eq!(given["grants"], json!([of("cin_home"), of("cin_work")]));
}

#[tokio::test]
async fn a_grant_is_asked_for_in_authorization_details() {
    let app = TestApp::with_mail().await;
    let detail = json!({
        "type": "https://pdpp.dev/data-access",
        "source": { "kind": "connector", "id": "https://registry.pdpp.dev/connectors/gmail" },
        "streams": [{ "name": "messages", "view": "basic", "instance_ids": ["cin_work"], "necessity": "required",
                      "time_range": { "since": "2026-03-02T00:00:00Z" } }],
        "purpose_code": "https://pdpp.dev/purpose/personal_ai_assistant",
        "access_mode": "continuous",
    });
    let token = app.grant(json!({ "authorization_details": [detail] })).await;
    let (_, page) = app.get(&token, "/v1/streams/messages/records?order=asc").await;
    assert_eq!(page["data"].as_array().map(Vec::len), Some(2));
    assert_eq!(page["data"][0]["data"].as_object().map(serde_json::Map::len), Some(3));
}

#[tokio::test]
async fn a_package_is_shown_and_ended() {
    let app = TestApp::with_mail().await;
    app.source(&slack()).await;
    app.connection("slack", "cin_chat").await;
    let request = json!({ "client_name": "Desk", "package": true });
    let given = app.post(&app.owner, "/v1/owner/grants", &request).await.json();
    let id = given["grant_package_id"].as_str().unwrap();
    assert_eq!(given["grants"].as_array().map(Vec::len), Some(3));
    let path = format!("/v1/owner/packages/{id}");
    let (_, shown) = app.get(&app.owner, &path).await;
    assert_eq!((&shown["grant_package_id"], &shown["status"]), (&json!(id), &json!("active")));
    assert_eq!(shown["grants"].as_array().map(Vec::len), Some(3));
    assert_eq!(app.call("DELETE", &app.owner, &path).await.status, 204);
    assert_eq!(app.get(&app.owner, &path).await.1["status"], "revoked");
    let token = given["access_token"].as_str().unwrap();
    assert_eq!(app.code(token, "/v1/schema").await, "grant_revoked");
    let member = given["grants"][0]["grant_id"].as_str().unwrap();
    assert_eq!(app.code(&app.owner, &format!("/v1/owner/packages/{member}")).await, "not_found");
    assert_eq!(app.call("DELETE", &app.owner, &format!("/v1/owner/grants/{id}")).await.code(), "not_found");
}

#[tokio::test]
async fn impossible_grants_are_refused() {
    let app = TestApp::with_mail().await;
    for body in [
        json!({ "client_name": "Desk" }),
        json!({ "source": "gmail" }),
        json!({ "client_name": "Desk", "source": "nope" }),
        json!({ "client_name": "Desk", "connections": ["nope"] }),
        json!({ "client_name": "Desk", "source": "gmail", "streams": [{ "name": "nope" }] }),
        json!({ "client_name": "Desk", "source": "gmail", "streams": [{ "name": "messages", "fields": ["nope"] }] }),
        json!({ "client_name": "Desk", "source": "gmail", "since": "whenever" }),
        json!({ "client_name": "Desk", "source": "gmail", "surprise": true }),
        json!({ "client_name": "Desk", "source": "gmail", "package": 1 }),
    ] {
        let answer = app.post(&app.owner, "/v1/owner/grants", &body).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "invalid_request"), "{body}");
    }
    assert_eq!(app.get(&app.owner, "/v1/owner/grants").await.1["data"], json!([]));
}

#[tokio::test]
async fn the_protected_resources_describe_themselves() {
    let app = TestApp::start().await;
    let read = async |path: &str| -> Value { app.get("", path).await.1 };
    let root = read("/.well-known/oauth-protected-resource").await;
    let mcp = read("/.well-known/oauth-protected-resource/mcp").await;
    assert_eq!((&root["resource"], &mcp["resource"]), (&json!(PUBLIC_URL), &json!(format!("{PUBLIC_URL}/mcp"))));
    assert_eq!(mcp["pdpp_token_kinds_supported"], json!(["client", "mcp_package"]));
    for document in [root, mcp] {
        assert_eq!(document["authorization_servers"], json!([PUBLIC_URL]));
        assert_eq!(document["bearer_methods_supported"], json!(["header"]));
        assert_eq!(document["pdpp_core_query_base"], format!("{PUBLIC_URL}/v1"));
        for capability in ["lexical_retrieval", "semantic_retrieval", "hybrid_retrieval", "client_filters"] {
            assert!(document["capabilities"][capability]["supported"].is_boolean(), "{capability}");
        }
    }
    assert_eq!(app.call("GET", "", "/healthz").await.body, b"ok");
}
