use serde_json::{Value, json};

use super::RECORDS;
use crate::app::TestApp;
use crate::fixtures::{gmail, label, line, mail};

/// An error without what differs from one request to the next.
async fn failure(app: &TestApp, token: &str, path: &str) -> (u16, Value) {
    let (status, mut body) = app.get(token, path).await;
    body["error"].as_object_mut().expect("an error").remove("request_id");
    (status, body)
}

fn fields_of(record: &Value) -> Vec<&str> {
    record["data"].as_object().expect("data").keys().map(String::as_str).collect()
}

#[tokio::test]
async fn only_granted_streams_answer() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "connections": ["cin_work"], "streams": [{ "name": "messages" }] })).await;
    assert_eq!(app.get(&token, RECORDS).await.0, 200);
    for (there, nowhere) in [
        ("/v1/streams/labels", "/v1/streams/nope"),
        ("/v1/streams/labels/records", "/v1/streams/nope/records"),
        ("/v1/streams/labels/records/l1", "/v1/streams/nope/records/l1"),
        ("/v1/streams/labels/aggregate?metric=count", "/v1/streams/nope/aggregate?metric=count"),
    ] {
        let hidden = failure(&app, &token, there).await;
        assert_eq!(hidden, failure(&app, &token, nowhere).await, "{there}");
        assert_eq!((hidden.0, &hidden.1["error"]["code"]), (403, &json!("grant_stream_not_allowed")));
    }
    let (_, streams) = app.get(&token, "/v1/streams").await;
    assert_eq!(streams["data"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_span_over_all_streams_covers_those_that_have_a_time() {
    let app = TestApp::with_mail().await;
    let granted = async |request: Value| {
        let token = app.grant(request).await;
        let (_, streams) = app.get(&token, "/v1/streams").await;
        let names = streams["data"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned());
        (names.collect::<Vec<_>>(), app.ids(&token, RECORDS).await)
    };
    let since = json!({ "connections": ["cin_work"], "since": "2026-03-02T00:00:00Z" });
    assert_eq!(granted(since).await, (vec!["messages".to_owned()], vec!["w3".to_owned(), "w2".to_owned()]));
    let named = json!({ "connections": ["cin_work"], "since": "2026-03-02T00:00:00Z", "streams": [{ "name": "labels" }],
                        "client_name": "Desk" });
    assert_eq!(app.post(&app.owner, "/v1/owner/grants", &named).await.status, 400);
}

#[tokio::test]
async fn a_stream_is_granted_once() {
    let app = TestApp::with_mail().await;
    let twice = json!([{ "name": "messages", "fields": ["subject"] }, { "name": "messages", "fields": ["body"] }]);
    let request = json!({ "client_name": "Desk", "connections": ["cin_work"], "streams": twice });
    let answer = app.post(&app.owner, "/v1/owner/grants", &request).await;
    assert_eq!(answer.status, 400);
    assert!(answer.json()["error"]["message"].as_str().unwrap().contains("named twice"), "{:?}", answer.json());
}

#[tokio::test]
async fn only_granted_connections_answer() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    for path in [RECORDS, "/v1/schema", "/v1/streams", "/v1/streams/messages/records/w1"] {
        let hidden = failure(&app, &token, &format!("{path}?connection_id=cin_home")).await;
        assert_eq!(hidden, failure(&app, &token, &format!("{path}?connection_id=cin_nope")).await, "{path}");
        assert_eq!((hidden.0, &hidden.1["error"]["code"]), (403, &json!("connection_not_granted")));
    }
    assert_eq!(app.ids(&token, RECORDS).await, ["w3", "w2", "w1"]);
}

#[tokio::test]
async fn only_granted_fields_are_returned() {
    let app = TestApp::with_mail().await;
    let streams = json!([{ "name": "messages", "fields": ["id", "subject", "received_at"] }]);
    let token = app.grant(json!({ "connections": ["cin_work"], "streams": streams })).await;
    let (_, page) = app.get(&token, RECORDS).await;
    for record in page["data"].as_array().unwrap() {
        assert_eq!(fields_of(record), ["id", "subject", "received_at"]);
    }
    for path in [
        "?fields=body",
        "?filter[sender]=ada@example.org",
        "?sort=size",
        "/w1?fields=id,body",
        "/w1/field-window?field=body",
    ] {
        assert_eq!(app.code(&token, &format!("{RECORDS}{path}")).await, "field_not_granted", "{path}");
    }
    let grouped = "/v1/streams/messages/aggregate?metric=count&group_by=sender";
    assert_eq!(app.code(&token, grouped).await, "field_not_granted");
    assert!(!app.get(&token, "/v1/schema?view=compact").await.1.to_string().contains("\"body\""));
}

#[tokio::test]
async fn required_fields_are_always_granted() {
    let app = TestApp::with_mail().await;
    let streams = json!([{ "name": "messages", "fields": ["subject"] }]);
    let token = app.grant(json!({ "connections": ["cin_work"], "streams": streams })).await;
    let (_, record) = app.get(&token, &format!("{RECORDS}/w1")).await;
    assert_eq!(fields_of(&record), ["id", "subject", "received_at"]);
}

#[tokio::test]
async fn a_time_window_includes_its_start_and_not_its_end() {
    let app = TestApp::with_mail().await;
    let span = json!({ "since": "2026-03-01T09:00:00Z", "until": "2026-03-03T10:00:00+01:00" });
    let streams = json!([{ "name": "messages", "time_range": span }]);
    let token = app.grant(json!({ "connections": ["cin_work"], "streams": streams })).await;
    assert_eq!(app.ids(&token, RECORDS).await, ["w2", "w1"]);
    assert_eq!(app.code(&token, &format!("{RECORDS}/w3")).await, "not_found");
    assert_eq!(app.code(&token, &format!("{RECORDS}/w1")).await, "");
}

#[tokio::test]
async fn a_filter_cannot_reach_past_the_window() {
    let app = TestApp::with_mail().await;
    let streams = json!([{ "name": "messages", "time_range": { "since": "2026-03-02T00:00:00Z" } }]);
    let token = app.grant(json!({ "connections": ["cin_work"], "streams": streams })).await;
    let wide = "filter[received_at][gte]=2020-01-01T00:00:00Z";
    assert_eq!(app.ids(&token, &format!("{RECORDS}?{wide}")).await, ["w3", "w2"]);
    let before = "filter[received_at][lt]=2026-03-02T00:00:00Z";
    assert!(app.ids(&token, &format!("{RECORDS}?{before}")).await.is_empty());
}

#[tokio::test]
async fn a_record_list_limits_a_grant() {
    let app = TestApp::with_mail().await;
    let streams = json!([{ "name": "messages", "resources": ["w1", "w3", "nope"] }]);
    let token = app.grant(json!({ "connections": ["cin_work"], "streams": streams })).await;
    let (_, page) = app.get(&token, &format!("{RECORDS}?count=exact")).await;
    assert_eq!(crate::app::ids(&page), ["w3", "w1"]);
    assert_eq!(page["meta"]["count"]["value"], 2);
    let (_, sum) = app.get(&token, "/v1/streams/messages/aggregate?metric=sum&field=size").await;
    assert_eq!((&sum["value"], &sum["filtered_record_count"]), (&json!(4), &json!(2)));
    assert_eq!(app.code(&token, &format!("{RECORDS}/w2")).await, "not_found");
}

#[tokio::test]
async fn a_record_outside_the_grant_seems_not_to_exist() {
    let app = TestApp::with_mail().await;
    let streams = json!([{ "name": "messages", "time_range": { "since": "2026-03-02T00:00:00Z" } }]);
    let token = app.grant(json!({ "connections": ["cin_work"], "streams": streams })).await;
    for rest in ["", "/field-window?field=body", "?fields=id"] {
        let never = failure(&app, &token, &format!("{RECORDS}/never{rest}")).await;
        assert_eq!(never.0, 404);
        for hidden in ["w1", "h1"] {
            assert_eq!(failure(&app, &token, &format!("{RECORDS}/{hidden}{rest}")).await, never, "{hidden}{rest}");
        }
    }
}

#[tokio::test]
async fn counts_speak_only_of_what_is_granted() {
    let app = TestApp::with_mail().await;
    let mut late = mail("late", 1);
    late["emitted_at"] = "2026-05-30T00:00:00Z".into();
    app.ingest("cin_work", "messages", &[late]).await;
    let streams = json!([{ "name": "messages", "time_range": { "since": "2026-03-02T00:00:00Z" } }]);
    let token = app.grant(json!({ "connections": ["cin_work"], "streams": streams })).await;
    let (_, schema) = app.get(&token, "/v1/schema").await;
    let connector = &schema["connectors"][0];
    assert_eq!(connector["streams"][0]["record_count"], 2);
    assert_eq!(connector["streams"][0]["last_updated"], "2026-04-01T00:00:00Z");
    assert_eq!(connector["granted_connections"][0]["freshness"]["captured_at"], "2026-04-01T00:00:00Z");
    let (_, stream) = app.get(&token, "/v1/streams/messages").await;
    assert_eq!(stream["record_count"], 2);
    let (_, page) = app.get(&token, &format!("{RECORDS}?count=exact&limit=1")).await;
    assert_eq!(page["meta"]["count"], json!({ "kind": "exact", "value": 2 }));
    let (_, count) = app.get(&token, "/v1/streams/messages/aggregate?metric=count").await;
    assert_eq!(count["value"], 2);
}

#[tokio::test]
async fn a_later_declaration_never_widens_a_grant() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    let mut wider = gmail();
    wider["declaration_version"] = "2026-12-01".into();
    wider["streams"][2]["schema"]["properties"]["color"] = json!({ "type": "string" });
    let mut stream = wider["streams"][2].clone();
    stream["name"] = "drafts".into();
    wider["streams"].as_array_mut().unwrap().push(stream);
    app.source(&wider).await;
    app.ingest("cin_work", "labels", &[line(&json!({ "id": "l1", "name": "Red", "color": "red" }))]).await;
    app.ingest("cin_work", "drafts", &[label("d1", "Draft")]).await;
    let (_, record) = app.get(&token, "/v1/streams/labels/records/l1").await;
    assert_eq!(fields_of(&record), ["id", "name"]);
    assert_eq!(app.code(&token, "/v1/streams/labels/records?fields=color").await, "field_not_granted");
    assert_eq!(app.code(&token, "/v1/streams/drafts/records").await, "grant_stream_not_allowed");
    let fresh = app.grant(json!({ "connections": ["cin_work"] })).await;
    assert_eq!(app.get(&fresh, "/v1/streams/labels/records/l1").await.1["data"]["color"], "red");
    assert_eq!(app.ids(&fresh, "/v1/streams/drafts/records").await, ["d1"]);
}

#[tokio::test]
async fn the_owner_reads_through_the_same_gate() {
    let app = TestApp::with_mail().await;
    let everything = app.grant(json!({ "source": "gmail" })).await;
    for path in [
        RECORDS,
        "/v1/streams/messages/records?order=asc&limit=2",
        "/v1/streams/messages/records/w1",
        "/v1/streams/messages/records/w1/field-window?field=body&q=body",
        "/v1/streams/messages/aggregate?metric=sum&field=size&group_by=sender",
    ] {
        let (status, mut owners) = app.get(&app.owner, path).await;
        let (_, mut clients) = app.get(&everything, path).await;
        for body in [&mut owners, &mut clients] {
            // Each walk has a seal of its own.
            body.as_object_mut().unwrap().retain(|name, _| !["next_cursor", "links"].contains(&name.as_str()));
        }
        assert_eq!((status, owners), (200, clients), "{path}");
    }
    assert_eq!(app.code(&app.owner, &format!("{RECORDS}?fields=nope")).await, "unknown_field");
}
