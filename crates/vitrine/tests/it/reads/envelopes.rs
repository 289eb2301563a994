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
async fn an_answer_says_how_far_its_data_reaches() {
    let app = TestApp::with_mail().await;
    let mut late = crate::fixtures::mail("w9", 9);
    late["emitted_at"] = json!("2026-06-01T12:00:00Z");
    app.ingest("cin_work", "messages", &[late]).await;
    let whole = app.grant(json!({ "connections": ["cin_work", "cin_home"] })).await;
    let span = json!([{ "name": "messages", "time_range": { "until": "2026-03-05T00:00:00Z" } }]);
    let early = app.grant(json!({ "connections": ["cin_work"], "streams": span })).await;
    let reached = async |token: &str, query: &str| {
        app.get(token, &format!("{RECORDS}?{query}")).await.1["meta"]["freshness"].clone()
    };
    let home = json!({ "connection_id": "cin_home", "captured_at": "2026-04-01T00:00:00Z" });
    let work = json!({ "connection_id": "cin_work", "captured_at": "2026-06-01T12:00:00Z" });
    for query in ["limit=1", "filter[thread_id]=none", "changes_since=beginning"] {
        let mut told = reached(&whole, query).await.as_array().unwrap().clone();
        told.sort_by_key(|entry| entry["connection_id"].to_string());
        assert_eq!(told, [home.clone(), work.clone()], "{query}");
    }
    let found = app.get(&whole, "/v1/search?q=nothing-like-it").await.1;
    let counted = app.get(&whole, "/v1/streams/messages/aggregate?metric=count").await.1;
    for freshness in [&found["meta"]["freshness"], &counted["meta"]["freshness"]] {
        assert_eq!(*freshness, json!([home, work]));
    }
    // Of several streams, the one that reaches furthest tells.
    for (id, at) in [("early", "2026-01-01T00:00:00Z"), ("late", "2026-07-01T00:00:00.5Z")] {
        let label = json!({ "key": id, "data": { "id": id, "name": id }, "emitted_at": at });
        assert_eq!(app.ingest("cin_work", "labels", &[label]).await["records_accepted"], 1);
        let found = app.get(&whole, "/v1/search?q=nothing-like-it").await.1;
        let furthest = at.max("2026-06-01T12:00:00Z");
        let work = json!({ "connection_id": "cin_work", "captured_at": furthest });
        assert_eq!(found["meta"]["freshness"], json!([home, work]), "{id}");
    }
    let narrowed = json!([{ "connection_id": "cin_work", "captured_at": "2026-04-01T00:00:00Z" }]);
    for query in ["filter[thread_id]=none", "limit=1"] {
        assert_eq!(reached(&early, query).await, narrowed, "{query}");
    }
    let (_, schema) = app.get(&early, "/v1/schema").await;
    assert_eq!(schema["connectors"][0]["streams"][0]["record_count"], 3, "no filter was taken for the grant");
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
    assert_eq!(stream["expand_capabilities"], json!([]), "attachments are not granted");
    let (_, compact) = app.get(&token, "/v1/schema?view=compact").await;
    let stream = &compact["connectors"][0]["streams"][0];
    assert_eq!(stream["expand_capabilities"], json!([]));
    let (_, all) = app.get(&app.owner, "/v1/schema").await;
    for stream in all["connectors"][0]["streams"].as_array().unwrap() {
        assert!(stream["views"].is_array() && stream["expand_capabilities"].is_array(), "{stream}");
    }
    assert_eq!(stream["fields"]["size"], "t=integer r=gte|lt a=sum|min|max sort");
    assert!(stream["fields"].get("body").is_none(), "{stream}");
    for flag in ["t", "eq", "r", "lex", "sem", "a", "sort"] {
        assert!(compact["legend"][flag].is_string(), "{flag}");
    }
    assert_eq!(app.code(&token, "/v1/schema?view=compact&detail=full").await, "invalid_request");
}
