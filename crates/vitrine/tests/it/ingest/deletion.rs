use std::path::Path;

use serde_json::json;

use crate::app::TestApp;
use crate::fixtures::{gone, mail};

const MESSAGES: &str = "/v1/streams/messages/records";

#[tokio::test]
async fn a_delete_line_removes_its_record() {
    let app = TestApp::with_mail().await;
    let result = app.ingest("cin_work", "messages", &[gone("w1"), mail("w4", 4), gone("w4")]).await;
    assert_eq!(result["records_accepted"], 3);
    assert_eq!(app.code(&app.owner, &format!("{MESSAGES}/w1")).await, "not_found");
    assert_eq!(app.code(&app.owner, &format!("{MESSAGES}/w4")).await, "not_found");
    let again = app.ingest("cin_work", "messages", &[gone("w1")]).await;
    assert_eq!((&again["records_accepted"], &again["records_unchanged"]), (&json!(1), &json!(0)));
}

#[tokio::test]
async fn a_record_is_deleted_by_id() {
    let app = TestApp::with_mail().await;
    let (_, never) = app.get(&app.owner, &format!("{MESSAGES}/never?connection_id=cin_work")).await;
    let path = format!("{MESSAGES}/w1?connection_id=cin_work");
    for wrong in [
        format!("{MESSAGES}/w1?connection_id=cin_home"),
        format!("{MESSAGES}/w1?connection_id=nope"),
        "/v1/streams/nope/records/w1?connection_id=cin_work".to_owned(),
    ] {
        assert_eq!(app.call("DELETE", &app.owner, &wrong).await.code(), "not_found", "{wrong}");
    }
    assert_eq!(app.call("DELETE", &app.owner, &format!("{MESSAGES}/w1")).await.code(), "invalid_request");
    let deleted = app.call("DELETE", &app.owner, &path).await;
    assert_eq!((deleted.status, deleted.body.len()), (204, 0));
    let (status, body) = app.get(&app.owner, &path).await;
    assert_eq!((status, &body["error"]["message"]), (404, &never["error"]["message"]));
    assert_eq!(app.call("DELETE", &app.owner, &path).await.code(), "not_found");
    assert_eq!(app.ids(&app.owner, &format!("{MESSAGES}?connection_id=cin_work")).await, ["w3", "w2"]);
}

/// Whether any file of a directory holds the bytes.
fn stands_in(directory: &Path, text: &str) -> bool {
    std::fs::read_dir(directory).unwrap().any(|entry| {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

#[tokio::test]
async fn deleted_text_is_nowhere_in_the_store() {
    let app = TestApp::with_mail().await;
    let mut secret = mail("secret", 5);
    secret["data"]["subject"] = "xyzzy-subject".into();
    secret["data"]["sender"] = "xyzzy-sender".into();
    secret["data"]["body"] = "xyzzy-body ".repeat(5_000).into();
    app.ingest("cin_work", "messages", &[secret]).await;
    assert!(stands_in(app.directory(), "xyzzy-body"), "the search finds what is there");
    let path = format!("{MESSAGES}/secret?connection_id=cin_work");
    assert_eq!(app.call("DELETE", &app.owner, &path).await.status, 204);
    for text in ["xyzzy-subject", "xyzzy-sender", "xyzzy-body"] {
        assert!(!stands_in(app.directory(), text), "{text} is still in the store");
    }
}
