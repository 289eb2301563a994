//! A declaration is taken whole or not at all.

use serde_json::{Value, json};

use crate::app::{Answer, TestApp};
use crate::binary::{Binary, fixture};
use crate::fixtures::{gmail, label, mail};

const MESSAGES: usize = 0;
const LABELS: usize = 2;

/// Mail's declaration with a change.
fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut declaration = gmail();
    change(&mut declaration);
    declaration
}

/// Mail's declaration with a change to one stream.
fn with_stream(stream: usize, change: impl FnOnce(&mut Value)) -> Value {
    changed(|declaration| change(&mut declaration["streams"][stream]))
}

/// Checks that each of these is refused, with a rule that can be looked up.
async fn refused(declarations: impl IntoIterator<Item = Value>) {
    let app = TestApp::start().await;
    for declaration in declarations {
        let answer = register(&app, &declaration).await;
        let error = &answer.json()["error"];
        assert_eq!((answer.status, &error["code"]), (400, &json!("invalid_request")), "{error} for {declaration}");
        assert!(error["rule"].is_string(), "{error}");
    }
    let (_, sources) = app.get(&app.owner, "/v1/owner/sources").await;
    assert_eq!(sources["data"], json!([]));
}

async fn register(app: &TestApp, declaration: &Value) -> Answer {
    app.post(&app.owner, "/v1/owner/sources", declaration).await
}

#[test]
fn a_declaration_is_registered() {
    let binary = Binary::new();
    let added = binary.json(&["source", "add", &fixture("gmail.json")]);
    assert_eq!(added["connector_key"], "gmail");
    assert_eq!(added["source_id"], "https://registry.pdpp.dev/connectors/gmail");
    assert_eq!(added["streams"], json!(["attachments", "labels", "messages"]));
    assert_eq!(binary.json(&["source", "list"]), json!([added]));
}

#[tokio::test]
async fn the_older_manifest_form_is_accepted() {
    let app = TestApp::start().await;
    let mut manifest = json!({
        "connector_id": "https://registry.pdpp.dev/connectors/gmail",
        "connector_key": "gmail",
        "display_name": "Gmail",
        "version": "2026-11-01",
    });
    manifest["streams"] = gmail()["streams"].clone();
    let old = register(&app, &manifest).await;
    assert_eq!(old.status, 201, "{:?}", old.json());
    let new = register(&app, &gmail()).await;
    assert_eq!(old.json(), new.json());
}

#[tokio::test]
async fn a_bad_declaration_is_refused_whole() {
    let app = TestApp::start().await;
    let bad = with_stream(LABELS, |stream| stream["cursor_field"] = "changed_at".into());
    let answer = register(&app, &bad).await;
    let error = &answer.json()["error"];
    assert_eq!(answer.status, 400);
    assert_eq!(error["stream"], "labels");
    assert!(error["rule"].is_string(), "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("labels") && message.contains("changed_at"), "{message}");
    assert_eq!(app.get(&app.owner, "/v1/owner/sources").await.1["data"], json!([]));
}

#[tokio::test]
async fn a_schema_must_be_valid_json_schema() {
    refused([
        with_stream(LABELS, |stream| stream["schema"]["properties"]["name"] = json!({ "type": "strnig" })),
        with_stream(LABELS, |stream| stream["schema"]["required"] = json!("id")),
        with_stream(LABELS, |stream| stream["schema"] = json!("object")),
        with_stream(LABELS, |stream| stream["schema"]["properties"]["name"] = json!({ "pattern": "(" })),
    ])
    .await;
}

#[tokio::test]
async fn keys_and_times_name_declared_fields() {
    refused([
        with_stream(LABELS, |stream| stream["primary_key"] = json!(["nope"])),
        with_stream(LABELS, |stream| stream["primary_key"] = json!([])),
        with_stream(LABELS, |stream| stream["cursor_field"] = json!("nope")),
        with_stream(LABELS, |stream| stream["consent_time_field"] = json!("nope")),
    ])
    .await;
}

#[tokio::test]
async fn views_name_declared_fields() {
    refused([with_stream(MESSAGES, |stream| stream["views"][0]["fields"] = json!(["id", "nope"]))]).await;
}

#[tokio::test]
async fn relationships_name_declared_streams() {
    refused([
        with_stream(MESSAGES, |stream| stream["relationships"][0]["stream"] = json!("nope")),
        with_stream(MESSAGES, |stream| stream["relationships"][0]["foreign_key"] = json!("nope")),
    ])
    .await;
}

#[tokio::test]
async fn expansions_name_relationships() {
    refused([
        with_stream(MESSAGES, |stream| stream["query"]["expand"][0]["name"] = json!("nope")),
        with_stream(MESSAGES, |stream| stream["query"]["expand"][0]["default_limit"] = json!(6)),
    ])
    .await;
}

#[tokio::test]
async fn query_capabilities_name_declared_fields() {
    refused([
        with_stream(MESSAGES, |stream| stream["query"]["exact_filters"] = json!(["nope"])),
        with_stream(MESSAGES, |stream| stream["query"]["range_filters"] = json!({ "nope": ["gte"] })),
        with_stream(MESSAGES, |stream| stream["query"]["range_filters"] = json!({ "size": ["near"] })),
        with_stream(MESSAGES, |stream| stream["query"]["search"]["lexical_fields"] = json!(["nope"])),
        with_stream(MESSAGES, |stream| stream["query"]["aggregations"]["sum"] = json!(["nope"])),
        with_stream(MESSAGES, |stream| stream["query"]["aggregations"]["group_by_time"] = json!(["nope"])),
    ])
    .await;
}

#[tokio::test]
async fn names_are_safe() {
    let long = "a".repeat(65);
    for name in ["", "a/b", "..", "a..b", "a b", "é", "-a", &long] {
        refused([
            with_stream(LABELS, |stream| stream["name"] = json!(name)),
            changed(|declaration| declaration["connector_key"] = json!(name)),
        ])
        .await;
    }
}

#[tokio::test]
async fn stream_names_are_unique() {
    refused([with_stream(LABELS, |stream| stream["name"] = json!("attachments"))]).await;
}

#[tokio::test]
async fn scalar_fields_filter_by_default() {
    let app = TestApp::with_mail().await;
    app.ingest("cin_work", "labels", &[label("l1", "One"), label("l2", "Two")]).await;
    let path = "/v1/streams/labels/records";
    assert_eq!(app.ids(&app.owner, &format!("{path}?filter[name]=Two")).await, ["l2"]);
    assert_eq!(app.ids(&app.owner, &format!("{path}?filter[unread]=1")).await.len(), 2);
    let unlisted = app.code(&app.owner, "/v1/streams/messages/records?filter[subject]=x").await;
    assert_eq!(unlisted, "invalid_filter", "messages list their filters");
}

#[tokio::test]
async fn a_grant_keeps_the_declaration_it_was_issued_from() {
    let app = TestApp::with_mail().await;
    app.grant(json!({ "source": "gmail" })).await;
    let newer = changed(|declaration| {
        declaration["declaration_version"] = "2027-01-01".into();
        declaration["streams"][LABELS]["description"] = "As they are today.".into();
    });
    app.source(&newer).await;
    app.grant(json!({ "source": "gmail" })).await;
    let (_, grants) = app.get(&app.owner, "/v1/owner/grants").await;
    let versions: Vec<&Value> =
        grants["data"].as_array().unwrap().iter().map(|grant| &grant["source_declaration"]["version"]).collect();
    assert_eq!(versions, ["2027-01-01", "2026-11-01"]);
    for text in ["As they are today.", "Labels as they are now."] {
        let retained = std::fs::read_dir(app.directory()).unwrap().any(|entry| {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            bytes.windows(text.len()).any(|window| window == text.as_bytes())
        });
        assert!(retained, "{text}");
    }
}

#[tokio::test]
async fn capabilities_follow_the_current_declaration() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    let path = "/v1/streams/messages/records?filter[subject]=Subject%20w2";
    assert_eq!(app.code(&token, path).await, "invalid_filter");
    let filterable = with_stream(MESSAGES, |stream| {
        stream["query"]["exact_filters"].as_array_mut().unwrap().push("subject".into());
    });
    app.source(&filterable).await;
    app.ingest("cin_work", "messages", &[mail("w4", 4)]).await;
    assert_eq!(app.ids(&token, path).await, ["w2"]);
}
