use serde_json::{Value, json};

use crate::app::TestApp;
use crate::binary::Binary;
use crate::fixtures::{gone, label, line, mail};

const MESSAGES: &str = "/v1/streams/messages/records";

fn counts(result: &Value) -> [u64; 4] {
    ["attempted", "accepted", "unchanged", "rejected"]
        .map(|what| result[format!("records_{what}")].as_u64().expect("a count"))
}

#[tokio::test]
async fn ingest_accounts_for_every_line() {
    let app = TestApp::with_mail().await;
    let text = format!("{}\n\n  \r\n{}\n{}\r\n{{\n{}", mail("a", 1), mail("w1", 1), mail("b", 1), gone("w2"));
    let answer = app.ingest_text("cin_work", "messages", text).await;
    let result = answer.json();
    assert_eq!((answer.status, &result["object"]), (200, &json!("ingest_result")));
    assert_eq!(result["stream"], "messages");
    assert_eq!(counts(&result), [5, 3, 1, 1]);
    assert_eq!(counts(&app.ingest("cin_work", "messages", &[]).await), [0, 0, 0, 0]);
}

#[tokio::test]
async fn a_bad_line_is_rejected_alone() {
    let app = TestApp::with_mail().await;
    let nameless = json!({ "data": { "received_at": "2026-03-01T00:00:00Z" }, "emitted_at": "2026-03-01T00:00:00Z" });
    let untimed = json!({ "key": "x", "data": { "id": "x", "received_at": 7 }, "emitted_at": "2026-03-01T00:00:00Z" });
    let keyless = json!({ "data": mail("k", 1)["data"], "emitted_at": "2026-03-01T00:00:00Z" });
    let bad = [
        ("{\"key\":", "malformed_ndjson"),
        ("7", "malformed_ndjson"),
        (&keyless.to_string(), "invalid_record_identity"),
        (&nameless.to_string(), "invalid_record_identity"),
        (&untimed.to_string(), "invalid_record"),
        (r#"{"key":"x","emitted_at":"2026-03-01T00:00:00Z"}"#, "invalid_record"),
        (r#"{"key":"x","emitted_at":"2026-03-01T00:00:00Z","op":"burn"}"#, "invalid_record"),
    ];
    let pairs = bad.iter().enumerate().map(|(n, (line, _))| format!("{}\n{line}", mail(&format!("good{n}"), 4)));
    let text = pairs.collect::<Vec<_>>().join("\n");
    let result = app.ingest_text("cin_work", "messages", text).await.json();
    assert_eq!(counts(&result), [14, 7, 0, 7]);
    for (n, (line, code)) in bad.iter().enumerate() {
        let rejection = &result["rejections"][n];
        assert_eq!((&rejection["input_index"], &rejection["code"]), (&json!(2 * n + 1), &json!(code)), "{line}");
        assert!(rejection["message"].as_str().is_some_and(|reason| !reason.is_empty()));
    }
    for n in 0..bad.len() {
        assert_eq!(app.get(&app.owner, &format!("{MESSAGES}/good{n}")).await.0, 200);
    }
}

#[tokio::test]
async fn a_byte_order_mark_is_no_part_of_the_first_line() {
    let app = TestApp::with_mail().await;
    for mark in ["\u{feff}", "\u{feff}\n"] {
        let text = format!("{mark}{}\n{}", mail("a", 1), mail("b", 1));
        let result = app.ingest_text("cin_home", "messages", text).await.json();
        assert_eq!(result["records_rejected"], 0, "{result}");
    }
}

#[tokio::test]
async fn sending_again_changes_nothing() {
    let app = TestApp::with_mail().await;
    let (_, feed) = app.get(&app.owner, &format!("{MESSAGES}?changes_since=beginning")).await;
    let bookmark = feed["next_changes_since"].as_str().unwrap();
    let again = app.ingest("cin_work", "messages", &[mail("w1", 1), mail("w2", 2), mail("w2", 2)]).await;
    assert_eq!(counts(&again), [3, 0, 3, 0]);
    assert!(app.ids(&app.owner, &format!("{MESSAGES}?changes_since={bookmark}")).await.is_empty());
}

#[tokio::test]
async fn append_only_records_never_change() {
    let app = TestApp::with_mail().await;
    let result = app.ingest("cin_work", "messages", &[mail("w1", 9), mail("new", 1)]).await;
    assert_eq!(counts(&result), [2, 1, 0, 1]);
    assert_eq!(result["rejections"][0]["code"], "immutable_record");
    assert_eq!(app.get(&app.owner, &format!("{MESSAGES}/w1")).await.1["data"]["size"], 1);
}

#[tokio::test]
async fn mutable_records_are_replaced() {
    let app = TestApp::with_mail().await;
    app.ingest("cin_work", "labels", &[label("l1", "Old"), label("l2", "Other")]).await;
    assert_eq!(counts(&app.ingest("cin_work", "labels", &[label("l1", "New")]).await), [1, 1, 0, 0]);
    let read = "/v1/streams/labels/records";
    assert_eq!(app.get(&app.owner, &format!("{read}/l1")).await.1["data"]["name"], "New");
    assert!(app.ids(&app.owner, &format!("{read}?filter[name]=Old")).await.is_empty());
    let (_, found) = app.get(&app.owner, &format!("{read}?filter[name]=New&count=exact")).await;
    assert_eq!(found["meta"]["count"], json!({ "kind": "exact", "value": 1 }));
}

#[tokio::test]
async fn only_the_owner_ingests() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "source": "gmail" })).await;
    for (method, path) in [
        ("POST", "/v1/ingest/messages?connection_id=cin_work"),
        ("PUT", "/v1/blobs/b?connection_id=cin_work"),
        ("DELETE", "/v1/streams/messages/records/w1?connection_id=cin_work"),
    ] {
        let request = TestApp::request(method, &token, path).header("content-type", "application/x-ndjson");
        let answer = app.send(request.body(mail("new", 1).to_string().into()).unwrap()).await;
        assert_eq!((answer.status, answer.code().as_str()), (403, "owner_token_required"), "{method} {path}");
    }
    assert_eq!(app.code(&token, &format!("{MESSAGES}/new")).await, "not_found");
    assert_eq!(app.code(&token, &format!("{MESSAGES}/w1")).await, "");
}

#[test]
fn the_command_line_ingests_files_and_standard_input() {
    let binary = Binary::with_accounts();
    let load = |file: &str, input: &str| {
        let command = ["ingest", "--connection", "cin_work", "--stream", "messages", file, "--json"];
        binary.run_with_input(&command, input)
    };
    let text = format!("{}\n{}\n", mail("a", 1), mail("b", 2));
    let from_file = load(&binary.file("mail.ndjson", &text), "");
    assert_eq!((from_file.code, counts(&from_file.json())), (0, [2, 2, 0, 0]));
    let from_input = load("-", &format!("{text}{}\n{{", mail("c", 3)));
    assert_eq!((from_input.code, counts(&from_input.json())), (1, [4, 1, 2, 1]));
    assert_eq!(from_input.json()["rejections"][0]["input_index"], 3);
    let worded = binary.run_with_input(
        &["ingest", "--connection", "cin_work", "--stream", "messages", "-"],
        &line(&json!({ "id": "d" })).to_string(),
    );
    assert_eq!(worded.code, 1);
    assert!(worded.stdout.starts_with("1 lines: 0 accepted, 0 unchanged, 1 rejected\n"), "{worded:?}");
}
