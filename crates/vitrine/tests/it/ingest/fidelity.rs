use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::app::TestApp;
use crate::fixtures::{attachment, slack};

const MESSAGES: &str = "/v1/streams/messages/records";

#[tokio::test]
async fn any_json_comes_back_as_it_went_in() {
    let app = TestApp::with_mail().await;
    let nested = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let long = format!("\"{}\"", "é😀\\n".repeat(1_000_000));
    let values = [
        "1e308",
        "-1e-308",
        "9223372036854775808",
        "18446744073709551617",
        "-0.0",
        "0.1",
        "1.0",
        "1E5",
        "null",
        "true",
        "\"\\u0000\"",
        "\"\\ud83d\\ude00\"",
        "{}",
        "[]",
        "{\"a\":{\"b\":[1,2,{\"c\":null}]}}",
        &nested,
        &long,
    ];
    for (n, value) in values.iter().enumerate() {
        let line = format!(
            "{{\"key\":\"v{n}\",\"emitted_at\":\"2026-03-01T00:00:00Z\",\"data\":{{\"id\":\"v{n}\",\
             \"received_at\":\"2026-03-01T00:00:00Z\",\"headers\":{{\"x\":{value}}}}}}}"
        );
        let result = app.ingest_text("cin_work", "messages", line).await.json();
        let shown: String = value.chars().take(40).collect();
        assert_eq!(result["records_accepted"], 1, "{shown}: {result}");
        let answer = app.call("GET", &app.owner, &format!("{MESSAGES}/v{n}")).await;
        let text = String::from_utf8(answer.body).unwrap();
        let same_text = text.contains(&format!("\"x\":{value}"));
        let sent: Value = serde_json::from_str(value).unwrap();
        let back: Value = serde_json::from_str(&text).unwrap();
        assert!(same_text || back["data"]["headers"]["x"] == sent, "{shown}");
        if value.parse::<f64>().is_ok() {
            assert!(same_text, "{shown}: a number keeps its digits");
        }
    }
}

#[tokio::test]
async fn any_key_has_a_safe_id() {
    let app = TestApp::with_mail().await;
    let keys = [
        "a/b",
        "a\\b",
        "..",
        "a..b",
        "a b",
        " ",
        "a\u{0}b",
        "a\nb",
        "\u{202e}abc",
        "日本",
        "é",
        "e\u{301}",
        "%2F",
        "a:b",
        "<x@y>",
        "[\"a\"]",
        &"k".repeat(200),
        &"k".repeat(201),
        &"k".repeat(4_000),
    ];
    for key in keys {
        let data = json!({ "id": key, "received_at": "2026-03-01T00:00:00Z", "subject": key });
        let line = json!({ "key": key, "data": data, "emitted_at": "2026-03-01T00:00:00Z" });
        let first = app.ingest("cin_home", "messages", std::slice::from_ref(&line)).await;
        assert_eq!(first["records_accepted"], 1, "{key:?}: {first}");
        assert_eq!(app.ingest("cin_home", "messages", &[line]).await["records_unchanged"], 1, "{key:?}");
    }
    let endless =
        json!({ "key": "k".repeat(5_000), "data": { "id": "k".repeat(5_000) }, "emitted_at": "2026-03-01T00:00:00Z" });
    let refused = app.ingest("cin_home", "messages", &[endless]).await;
    assert_eq!(refused["rejections"][0]["code"], "invalid_record_identity");
    let (_, page) = app.get(&app.owner, &format!("{MESSAGES}?connection_id=cin_home&limit=100")).await;
    let rows = page["data"].as_array().unwrap();
    let mut ids = BTreeSet::new();
    for row in rows {
        let id = row["id"].as_str().unwrap();
        assert!(ids.insert(id), "{id:?} stands for two keys");
        assert!(vitrine_contract::ident::is_record_id(id), "{id:?}");
        let path = format!("{MESSAGES}/{}?connection_id=cin_home", vitrine_contract::route::encode_segment(id));
        let (status, record) = app.get(&app.owner, &encode_uri(&path)).await;
        assert_eq!((status, &record["data"]["id"]), (200, &row["data"]["id"]), "{id:?}");
    }
    let originals: BTreeSet<&str> = rows.iter().map(|row| row["data"]["id"].as_str().unwrap()).collect();
    assert!(keys.iter().all(|key| originals.contains(key)));
}

/// Bytes beyond ASCII as a URI writes them.
fn encode_uri(path: &str) -> String {
    path.bytes()
        .map(|byte| if byte.is_ascii() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[tokio::test]
async fn a_compound_key_is_a_json_array() {
    let app = TestApp::start().await;
    app.source(&slack()).await;
    app.connection("slack", "cin_chat").await;
    let data = json!({ "channel": "C1", "ts": "17.5", "text": "hello", "sent_at": "2026-03-01T00:00:00Z" });
    let line = json!({ "key": ["C1", "17.5"], "data": data, "emitted_at": "2026-03-01T00:00:00Z" });
    app.ingest("cin_chat", "messages", &[line]).await;
    assert_eq!(app.ids(&app.owner, MESSAGES).await, [r#"["C1","17.5"]"#]);
    let path = format!("{MESSAGES}/%5B%22C1%22,%2217.5%22%5D");
    assert_eq!(app.get(&app.owner, &path).await.1["data"]["text"], "hello");
}

#[tokio::test]
async fn a_blob_comes_back_with_its_digest() {
    let app = TestApp::with_mail().await;
    let bytes: Vec<u8> = (0..=255u8).cycle().take(3 * 1024 * 1024 + 7).collect();
    let path = "/v1/blobs/blob-1?connection_id=cin_work";
    let request = TestApp::request("PUT", &app.owner, path).header("content-type", "application/pdf");
    let stored = app.send(request.body(bytes.clone().into()).unwrap()).await;
    let info = stored.json();
    assert_eq!(
        (stored.status, &info["blob_id"], &info["mime_type"]),
        (200, &json!("blob-1"), &json!("application/pdf"))
    );
    assert_eq!(info["size_bytes"], bytes.len());
    let sha256 = info["sha256"].as_str().unwrap();
    assert_eq!(sha256.len(), 64);
    app.ingest("cin_work", "attachments", &[attachment("a1", "w1", "blob-1")]).await;
    let read = app.call("GET", &app.owner, "/v1/blobs/blob-1").await;
    assert_eq!((read.status, read.header("content-type")), (200, "application/pdf"));
    assert!(read.body == bytes, "byte for byte");
    assert_eq!(read.header("etag"), format!("\"{sha256}\""));
    assert_eq!(read.header("content-length"), bytes.len().to_string());
    let nowhere = app.call_with("PUT", &app.owner, "/v1/blobs/b?connection_id=nope", "x").await;
    assert_eq!((nowhere.status, nowhere.code().as_str()), (404, "not_found"));
    let unsafe_id = app.call_with("PUT", &app.owner, "/v1/blobs/a%2Fb?connection_id=cin_work", "x").await;
    assert_eq!((unsafe_id.status, unsafe_id.code().as_str()), (400, "invalid_id"));
}
