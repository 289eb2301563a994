use serde_json::{Value, json};

use crate::app::{TestApp, ids};
use crate::fixtures::{gone, label, line, slack};

const LABELS: &str = "/v1/streams/labels/records";
const CHAT: &str = "/v1/streams/messages/records";

/// All changes since a bookmark, and the next one.
async fn session(app: &TestApp, token: &str, path: &str, since: &str) -> (Vec<Value>, String) {
    let mut page = format!("{path}?changes_since={since}");
    let mut rows = Vec::new();
    loop {
        let (status, list) = app.get(token, &page).await;
        assert_eq!(status, 200, "{list}");
        rows.extend(list["data"].as_array().unwrap().iter().cloned());
        match list["next_cursor"].as_str() {
            Some(cursor) => page = format!("{path}?changes_since={since}&cursor={cursor}"),
            None => return (rows, list["next_changes_since"].as_str().expect("a bookmark").to_owned()),
        }
    }
}

async fn with_labels() -> (TestApp, String) {
    let app = TestApp::with_mail().await;
    app.ingest("cin_work", "labels", &[label("l1", "One"), label("l2", "Two"), label("l3", "Three")]).await;
    let streams = json!([{ "name": "labels", "fields": ["id", "name"] }]);
    let token = app.grant(json!({ "connections": ["cin_work"], "streams": streams })).await;
    (app, token)
}

/// Four messages, the first two before the end of the grant's time span.
async fn with_chat() -> (TestApp, String) {
    let app = TestApp::start().await;
    app.source(&slack()).await;
    app.connection("slack", "cin_chat").await;
    app.ingest("cin_chat", "messages", &[said("1", 5), said("2", 5), said("3", 20), said("4", 20)]).await;
    let streams = json!([{ "name": "messages", "time_range": { "until": "2026-03-10T00:00:00Z" } }]);
    let token = app.grant(json!({ "connections": ["cin_chat"], "streams": streams })).await;
    (app, token)
}

fn said(ts: &str, day: u32) -> Value {
    let data = json!({ "channel": "C", "ts": ts, "text": "hi", "sent_at": format!("2026-03-{day:02}T00:00:00Z") });
    json!({ "key": ["C", ts], "data": data, "emitted_at": "2026-04-01T00:00:00Z" })
}

fn deleted(ts: &str) -> Value {
    json!({ "key": ["C", ts], "op": "delete", "emitted_at": "2026-05-01T00:00:00Z" })
}

#[tokio::test]
async fn the_changes_feed_shows_what_changed() {
    let (app, token) = with_labels().await;
    let (all, bookmark) = session(&app, &token, LABELS, "beginning").await;
    assert_eq!(all.len(), 3);
    app.ingest("cin_work", "labels", &[label("l1", "Uno"), label("l1", "Ein"), label("l4", "Four")]).await;
    let hidden = line(&json!({ "id": "l2", "name": "Two", "unread": 99 }));
    app.ingest("cin_work", "labels", &[hidden]).await;
    let (changed, next) = session(&app, &token, LABELS, &bookmark).await;
    let mut names: Vec<_> = changed.iter().map(|row| row["data"]["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["Ein", "Four"], "once each, as they are now, and not the one whose hidden field changed");
    assert!(session(&app, &token, LABELS, &next).await.0.is_empty());
    let (owners, _) = session(&app, &app.owner, LABELS, "beginning").await;
    assert_eq!(owners.len(), 4);
}

#[tokio::test]
async fn the_changes_feed_has_tombstones() {
    let (app, token) = with_chat().await;
    let (all, bookmark) = session(&app, &token, CHAT, "beginning").await;
    assert_eq!(all.len(), 2);
    app.ingest("cin_chat", "messages", &[deleted("1"), said("2", 15), said("3", 6), deleted("4")]).await;
    let (changed, _) = session(&app, &token, CHAT, &bookmark).await;
    let told = |id: &str| changed.iter().find(|row| row["id"].as_str().unwrap().contains(id));
    for gone in ["\"1\"", "\"2\""] {
        let row = told(gone).unwrap_or_else(|| panic!("{gone}: {changed:?}"));
        assert_eq!(row["deleted"], true, "{row}");
        assert!(row["deleted_at"].is_string() && row.get("data").is_none(), "{row}");
    }
    assert_eq!(told("\"3\"").map(|row| &row["data"]["text"]), Some(&json!("hi")), "it entered the window");
    assert!(told("\"4\"").is_none(), "it was never seen");
}

#[tokio::test]
async fn what_leaves_and_is_deleted_during_a_session_is_told_once() {
    let (app, token) = with_chat().await;
    let (_, bookmark) = session(&app, &token, CHAT, "beginning").await;
    app.ingest("cin_chat", "messages", &[said("1", 20), said("2", 20)]).await;
    let first = format!("{CHAT}?changes_since={bookmark}&limit=1");
    let (_, page) = app.get(&token, &first).await;
    let told = |page: &Value, ts: &str| {
        let [row] = page["data"].as_array().unwrap().as_slice() else { panic!("{page}") };
        assert!(row["deleted"] == true && row["id"].as_str().unwrap().contains(ts), "{row}");
    };
    told(&page, "\"1\"");
    app.ingest("cin_chat", "messages", &[deleted("2"), deleted("1")]).await;
    let (_, page) = app.get(&token, &format!("{first}&cursor={}", page["next_cursor"].as_str().unwrap())).await;
    told(&page, "\"2\"");
    assert_eq!(page["has_more"], false);
    let (later, _) = session(&app, &token, CHAT, page["next_changes_since"].as_str().unwrap()).await;
    assert!(later.is_empty(), "{later:?}");
}

#[tokio::test]
async fn changes_of_one_session_share_a_horizon() {
    let (app, token) = with_labels().await;
    let (_, first) = app.get(&token, &format!("{LABELS}?changes_since=beginning&limit=1")).await;
    app.ingest("cin_work", "labels", &[label("l9", "Nine"), gone("l3")]).await;
    let mut seen = ids(&first);
    let begun = first["next_cursor"].as_str().unwrap().to_owned();
    let mut page = first;
    while let Some(cursor) = page["next_cursor"].as_str() {
        let path = format!("{LABELS}?changes_since=beginning&limit=1&cursor={cursor}");
        page = app.get(&token, &path).await.1;
        seen.extend(ids(&page));
    }
    assert!(!seen.contains(&"l9".to_owned()), "{seen:?}");
    let bookmark = page["next_changes_since"].as_str().unwrap();
    let (next, _) = session(&app, &token, LABELS, bookmark).await;
    assert!(next.iter().any(|row| row["id"] == "l9"));
    assert_eq!(app.code(&token, &format!("{LABELS}?cursor={bookmark}")).await, "invalid_cursor");
    let other = format!("{LABELS}?changes_since={bookmark}&cursor={begun}");
    assert_eq!(app.code(&token, &other).await, "invalid_cursor");
}

#[tokio::test]
async fn a_pruned_bookmark_has_expired() {
    let (app, token) = with_labels().await;
    let (_, bookmark) = session(&app, &token, LABELS, "beginning").await;
    app.clock.advance(29 * 24 * 3600);
    assert_eq!(app.code(&token, &format!("{LABELS}?changes_since={bookmark}")).await, "");
    app.clock.advance(2 * 24 * 3600);
    let (status, body) = app.get(&token, &format!("{LABELS}?changes_since={bookmark}")).await;
    assert_eq!((status, &body["error"]["code"]), (410, &json!("cursor_expired")));
    assert_eq!(session(&app, &token, LABELS, "beginning").await.0.len(), 3, "one can begin again");
}
