//! Searches: what is found, the proof of it, and what a grant keeps out of it.

mod forgetting;
mod meaning;
mod refusals;
mod words;

use serde_json::{Value, json};

use crate::app::TestApp;
use crate::fixtures::{gmail, line};

/// A mail with something to find in it.
fn letter(id: &str, subject: &str, body: &str) -> Value {
    line(&json!({ "id": id, "subject": subject, "body": body, "received_at": "2026-03-01T09:00:00Z" }))
}

/// Mail that may change, with these fields searched by words and by meaning.
fn searchable(fields: &[&str]) -> Value {
    let mut source = gmail();
    source["streams"][0]["semantics"] = json!("mutable_state");
    source["streams"][0]["query"]["search"] = json!({ "lexical_fields": fields, "semantic_fields": fields });
    source
}

/// Mail in one account, under a grant of all of it.
async fn mailbox(letters: &[Value]) -> (TestApp, String) {
    let app = TestApp::start().await;
    app.source(&searchable(&["subject", "body"])).await;
    app.connection("gmail", "cin_work").await;
    app.ingest("cin_work", "messages", letters).await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    (app, token)
}

/// The ids of a search's hits, best first.
async fn found(app: &TestApp, token: &str, query: &str) -> Vec<String> {
    let (status, body) = app.get(token, &format!("/v1/search{query}")).await;
    assert_eq!(status, 200, "{query}: {body}");
    keys(&body)
}

fn keys(body: &Value) -> Vec<String> {
    let hits = body["data"].as_array().expect("hits");
    hits.iter().map(|hit| hit["record_key"].as_str().expect("a key").to_owned()).collect()
}
