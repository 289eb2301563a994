//! Copies of a store, made and put back by the real binary.

mod exports;
mod full_disk;
mod restores;

use std::path::Path;

use serde_json::{Value, json};

use crate::binary::Binary;
use crate::fixtures::{attachment, line, mail};
use crate::wire;

/// Mail of every script and size, attachments, a blob of several parts, a grant and its token.
async fn furnished() -> (Binary, String) {
    let binary = Binary::with_accounts();
    let mut lines: Vec<String> = (0..150).map(|n| mail(&format!("m{n}"), 1 + n % 28).to_string()).collect();
    let long = "Zeile für Zeile 漢字 \u{1F600} \\ \" ".repeat(2_000);
    lines.push(line(&json!({ "id": "long", "received_at": "2026-03-01T00:00:00Z", "body": long })).to_string());
    lines.push(
        r#"{"key":"a/b","data":{"id":"a/b","received_at":"2026-03-02T00:00:00Z","size":12345678901234567890,"extra":1.50e3},"emitted_at":"2026-04-01T00:00:00.123456Z"}"#
            .to_owned(),
    );
    let file = binary.file("mail.ndjson", &lines.join("\n"));
    binary.json(&["ingest", "--connection", "cin_work", "--stream", "messages", &file]);
    let file = binary.file("attachments.ndjson", &attachment("a1", "m1", "b1").to_string());
    binary.json(&["ingest", "--connection", "cin_work", "--stream", "attachments", &file]);
    let served = binary.serve();
    let blob = "0123456789".repeat(20_000);
    let put = "/v1/blobs/b1?connection_id=cin_work";
    assert_eq!(wire::request(served.address, "PUT", put, &binary.owner_token(), &blob).await.0, 200);
    let issued = binary.json(&["grant", "create", "--client", "Agent", "--connection", "cin_work"]);
    (binary, issued["access_token"].as_str().unwrap().to_owned())
}

/// Everything a token may read, as text.
async fn everything(binary: &Binary, token: &str) -> Vec<String> {
    let served = binary.serve();
    let mut rows = Vec::new();
    for stream in ["messages", "attachments"] {
        let mut path = format!("/v1/streams/{stream}/records?limit=100&connection_id=cin_work");
        loop {
            let request = format!(
                "GET {path} HTTP/1.1\r\nhost: vitrine\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\r\n"
            );
            let answer = wire::exchange(served.address, request.as_bytes()).await;
            let (_, body) = answer.split_once("\r\n\r\n").expect("an answer");
            let list: Value = serde_json::from_str(body).expect("a list");
            rows.push(raw_rows(body));
            match list["links"]["next"].as_str() {
                Some(next) => next.clone_into(&mut path),
                None => break,
            }
        }
    }
    rows
}

/// The rows of a page as they stand, since a parsed number might hide a difference.
fn raw_rows(body: &str) -> String {
    let start = body.find("\"data\":[").expect("rows");
    let end = body.rfind(",\"links\":").expect("links");
    body[start..end].to_owned()
}

/// The names in a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
