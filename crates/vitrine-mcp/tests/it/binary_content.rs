//! Encoded bytes are kept out of every channel, wherever they hide.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::fake::Fake;
use crate::host::Host;

#[tokio::test]
async fn short_fields_declared_as_encoded_are_binary_too() {
    let mut fake = Fake::single(vec![json!({"id": "1", "thumb": STANDARD.encode([7, 200, 31].repeat(9))})]);
    let schema = json!({"type": "string", "contentEncoding": "base64", "contentMediaType": "image/gif"});
    fake.streams.lock().unwrap()[0].fields.push(("thumb".into(), "string".into(), schema));
    fake.foreign = true;
    let host = Host::connect(fake).await;
    let page: Value = host.ok("query_records", json!({"stream": "things"})).await.structured;
    let hint = &page["content_ladder"]["records"][0]["binary_fields"][0];
    assert_eq!((&hint["field_path"], &hint["mime_type"]), (&json!("thumb"), &json!("image/gif")));
    assert!(page["data"]["data"][0]["data"].get("thumb").is_none());
}

#[tokio::test]
async fn a_window_of_json_reads_around_encoded_bytes() {
    let encoded = STANDARD.encode((0..=255_u8).cycle().take(6_000).collect::<Vec<u8>>());
    let row = json!({"id": "1", "body": {"before": "first words", "bytes": encoded, "after": "last words"}});
    let host = Host::connect(Fake::single(vec![row])).await;
    let mut arguments = json!({"id": "cin_one/things:t000", "field_path": "body"});
    let mut seen = String::new();
    loop {
        let window = host.ok("read_record_field", arguments.clone()).await;
        assert!(!window.text.contains(&encoded[..40]) && !window.structured.to_string().contains(&encoded[..40]));
        seen += window.structured["window"]["text"].as_str().unwrap();
        match window.structured["window"]["next_cursor"].as_str() {
            Some(cursor) => arguments["cursor"] = json!(cursor),
            None => break,
        }
    }
    assert!(seen.starts_with("{\"before\":\"first words\"") && seen.ends_with("\"after\":\"last words\"}"), "{seen}");
}
