use serde_json::{Value, json};

use crate::app::TestApp;

fn numbers(entries: &[Value]) -> Vec<u64> {
    entries.iter().map(|entry| entry["seq"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn the_owner_asks_who_read_what() {
    let app = TestApp::with_mail().await;
    let desk = app.grant(json!({ "connections": ["cin_work"] })).await;
    let answer = app.post(&app.owner, "/v1/owner/grants", &json!({ "client_name": "Phone", "package": true })).await;
    let phone = answer.json()["access_token"].as_str().unwrap().to_owned();
    for day in 0..4 {
        for id in ["w1", "w2"] {
            app.get(&desk, &format!("/v1/streams/messages/records/{id}")).await;
        }
        app.get(&phone, "/v1/streams/messages/records?connection_id=cin_home").await;
        assert!(day == 3 || !app.ledger("").await.is_empty());
        app.clock.advance(24 * 3600);
    }
    let all = app.ledger("").await;
    assert_eq!(all.len(), 12);
    for (query, count) in [
        ("client_id=local:desk", 8),
        ("client_id=local:phone", 4),
        ("client_id=local:none", 0),
        ("record_id=w1", 4),
        ("record_id=w1&stream=messages&connection_id=cin_work", 4),
        ("record_id=w1&connection_id=cin_home", 0),
        ("record_id=h1&client_id=local:phone", 4),
        ("record_id=h1&client_id=local:desk", 0),
        ("stream=messages", 12),
        ("stream=attachments", 0),
        ("connection_id=cin_home", 4),
        ("since=2026-06-02T00:00:00Z&until=2026-06-04T00:00:00Z", 6),
        ("since=2026-06-05", 0),
        ("until=2026-06-01", 0),
    ] {
        assert_eq!(app.ledger(query).await.len(), count, "{query}");
    }

    let mut walked = Vec::new();
    let mut path = "/v1/owner/ledger?client_id=local:desk&limit=3".to_owned();
    loop {
        let (_, page) = app.get(&app.owner, &path).await;
        walked.extend(page["data"].as_array().unwrap().clone());
        assert_eq!(page["has_more"], !page["next_cursor"].is_null());
        let Some(next) = page["links"]["next"].as_str() else { break };
        path = next.to_owned();
    }
    walked.reverse();
    assert_eq!(numbers(&walked), numbers(&app.ledger("client_id=local:desk").await));

    let request = TestApp::request("GET", &app.owner, "/v1/owner/ledger?record_id=w1");
    let export = app.send(request.header("accept", "application/x-ndjson").body("".into()).unwrap()).await;
    assert_eq!(export.header("content-type"), "application/x-ndjson");
    let text = String::from_utf8(export.body).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.reverse();
    assert_eq!(lines, app.ledger("record_id=w1").await);
    for wrong in ["limit=0", "since=soon", "cursor=x", "surprise=1", "stream=a&stream=b"] {
        assert_eq!(app.call("GET", &app.owner, &format!("/v1/owner/ledger?{wrong}")).await.status, 400, "{wrong}");
    }
}
