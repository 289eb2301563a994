use serde_json::json;

use super::RECORDS;
use crate::app::{TestApp, ids};
use crate::fixtures::{attachment, mail};

#[tokio::test]
async fn a_record_is_read_by_its_id() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "source": "gmail" })).await;
    let (_, page) = app.get(&token, RECORDS).await;
    for row in page["data"].as_array().unwrap() {
        let id = row["id"].as_str().unwrap();
        assert_eq!(app.get(&token, &format!("{RECORDS}/{id}")).await, (200, row.clone()));
    }
    let (_, narrowed) = app.get(&token, &format!("{RECORDS}/w1?fields=subject")).await;
    assert_eq!(narrowed["data"], json!({ "subject": "Subject w1" }));
    assert_eq!(app.code(&token, &format!("{RECORDS}/nope")).await, "not_found");
}

#[tokio::test]
async fn a_record_held_by_two_connections_needs_one_named() {
    let app = TestApp::with_mail().await;
    app.ingest("cin_work", "messages", &[mail("both", 5)]).await;
    app.ingest("cin_home", "messages", &[mail("both", 6)]).await;
    let token = app.grant(json!({ "source": "gmail" })).await;
    for rest in ["", "/field-window?field=subject"] {
        let (status, body) = app.get(&token, &format!("{RECORDS}/both{rest}")).await;
        let error = &body["error"];
        assert_eq!((status, &error["code"]), (409, &json!("ambiguous_connection")));
        assert_eq!((&error["retry_with"], &error["available_connection_count"]), (&json!("connection_id"), &json!(2)));
        for candidate in error["available_connections"].as_array().unwrap() {
            assert_eq!((&candidate["has_stream"], &candidate["connector_key"]), (&json!(true), &json!("gmail")));
            assert!(candidate["grant_id"].is_string());
        }
    }
    let (_, one) = app.get(&token, &format!("{RECORDS}/both?connection_id=cin_home")).await;
    assert_eq!(one["data"]["size"], 6);
}

#[tokio::test]
async fn expansion_brings_related_records_along() {
    let app = TestApp::with_mail().await;
    let files: Vec<_> = (0..4).map(|n| attachment(&format!("a{n}"), "w1", "b")).collect();
    app.ingest("cin_work", "attachments", &files).await;
    app.ingest("cin_home", "attachments", &[attachment("other", "w1", "b")]).await;
    let token = app.grant(json!({ "source": "gmail" })).await;
    let (_, record) = app.get(&token, &format!("{RECORDS}/w1?expand=attachments")).await;
    let related = &record["expanded"]["attachments"];
    assert_eq!((&related["object"], &related["has_more"], ids(related).len()), (&json!("list"), &json!(true), 2));
    let (_, record) = app.get(&token, &format!("{RECORDS}/w1?expand[]=attachments&expand_limit[attachments]=5")).await;
    let related = &record["expanded"]["attachments"];
    assert_eq!((&related["has_more"], ids(related).len()), (&json!(false), 4));
    let (_, page) = app.get(&token, &format!("{RECORDS}?expand=attachments&connection_id=cin_work")).await;
    let rows = page["data"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["expanded"]["attachments"]["data"].is_array()));
    for query in ["expand=nope", "expand_limit[attachments]=1", "expand=attachments&expand_limit[attachments]=0"] {
        assert_eq!(app.code(&token, &format!("{RECORDS}?{query}")).await, "invalid_expand", "{query}");
    }
    assert_eq!(app.code(&token, "/v1/streams/labels/records?expand=attachments").await, "invalid_expand");
    let alone = app.grant(json!({ "source": "gmail", "streams": [{ "name": "messages" }] })).await;
    let code = app.code(&alone, &format!("{RECORDS}?expand=attachments")).await;
    assert!(["invalid_expand", "grant_stream_not_allowed"].contains(&code.as_str()), "{code}");
}
