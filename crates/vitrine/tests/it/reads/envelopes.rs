use serde_json::{Value, json};

use super::RECORDS;
use crate::app::TestApp;

#[tokio::test]
async fn every_answer_names_its_request_and_version() {
    let app = TestApp::with_mail().await;
    let mut seen = std::collections::BTreeSet::new();
    for (method, path) in [
        ("GET", "/v1/schema"),
        ("HEAD", "/v1/schema"),
        ("GET", RECORDS),
        ("GET", "/v1/streams/messages/records/nope"),
        ("GET", "/v1/nothing"),
        ("POST", "/v1/schema"),
        ("GET", "/v1/owner/grants"),
        ("GET", "/healthz"),
    ] {
        for token in [&app.owner, ""] {
            let answer = app.call(method, token, path).await;
            let id = answer.header("request-id").to_owned();
            assert!(id.starts_with("req_") && id.len() > 12, "{method} {path}: {id}");
            assert!(seen.insert(id), "{method} {path}: each request has its own");
            assert_eq!(answer.header("pdpp-version"), "2026-04-06");
            assert_eq!(answer.header("cache-control"), "no-store");
        }
    }
}

#[tokio::test]
async fn every_list_has_one_envelope() {
    let app = TestApp::with_mail().await;
    for path in [
        RECORDS,
        "/v1/streams/messages/records?limit=1",
        "/v1/streams/messages/records?changes_since=beginning",
        "/v1/streams",
        "/v1/owner/sources",
        "/v1/owner/connections",
        "/v1/owner/grants",
    ] {
        let (status, list) = app.get(&app.owner, path).await;
        assert_eq!(status, 200, "{path}");
        assert_eq!(list["object"], "list", "{path}");
        assert_eq!(list["url"], path.split('?').next().unwrap());
        assert!(list["data"].is_array() && list["meta"]["warnings"].is_array(), "{path}: {list}");
        assert_eq!(list["meta"]["count"], json!({ "kind": "none" }), "{path}");
        let more = list["has_more"].as_bool().expect("has_more");
        assert_eq!(list["next_cursor"].is_string(), more, "{path}");
        assert_eq!(list["links"]["next"].is_string(), more, "{path}");
        assert!(list["links"]["self"].as_str().is_some_and(|link| link.starts_with("/v1/")), "{path}");
        assert!(list.as_object().is_some_and(|list| list.contains_key("next_cursor")), "{path}");
    }
    let (_, first) = app.get(&app.owner, &format!("{RECORDS}?limit=3")).await;
    let (_, last) = app.get(&app.owner, first["links"]["next"].as_str().unwrap()).await;
    assert_eq!((&last["has_more"], &last["next_cursor"]), (&json!(false), &Value::Null));
}

#[tokio::test]
async fn the_schema_tells_what_a_grant_can_do() {
    let app = TestApp::with_mail().await;
    let streams = json!([{ "name": "messages", "fields": ["id", "subject", "size", "received_at"] }]);
    let token = app.grant(json!({ "source": "gmail", "streams": streams })).await;
    let (_, full) = app.get(&token, "/v1/schema").await;
    assert_eq!(
        (&full["object"], &full["connector_count"], &full["stream_count"]),
        (&json!("schema"), &json!(1), &json!(1))
    );
    assert_eq!(full["bearer"]["token_kind"], "client");
    let connections = full["connectors"][0]["granted_connections"].as_array().unwrap();
    let ids: Vec<&Value> = connections.iter().map(|connection| &connection["connection_id"]).collect();
    assert_eq!(ids, ["cin_home", "cin_work"]);
    let stream = &full["connectors"][0]["streams"][0];
    let fields = &stream["field_capabilities"];
    assert_eq!(fields["size"]["range_filter"]["operators"], json!(["gte", "lt"]));
    assert_eq!(fields["size"]["aggregation"]["sum"], true);
    assert_eq!(fields["subject"]["granted"], true);
    assert_ne!(fields["body"]["granted"], true, "{fields}");
    assert!(stream.get("expand_capabilities").is_none_or(|list| list == &json!([])), "attachments are not granted");
    let (_, compact) = app.get(&token, "/v1/schema?view=compact").await;
    let stream = &compact["connectors"][0]["streams"][0];
    assert_eq!(stream["fields"]["size"], "t=integer r=gte|lt a=sum|min|max sort");
    assert!(stream["fields"].get("body").is_none(), "{stream}");
    for flag in ["t", "eq", "r", "lex", "sem", "a", "sort"] {
        assert!(compact["legend"][flag].is_string(), "{flag}");
    }
    assert_eq!(app.code(&token, "/v1/schema?view=compact&detail=full").await, "invalid_request");
}
