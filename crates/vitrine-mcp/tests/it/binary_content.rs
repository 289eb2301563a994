//! Encoded bytes are kept out of every channel, wherever they hide.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::fake::Fake;
use crate::host::{Host, Outcome};

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

fn declare(fake: &Fake, field: &str) {
    let schema = json!({"type": "string", "contentEncoding": "base64", "contentMediaType": "image/gif"});
    fake.streams.lock().unwrap()[0].fields.push((field.into(), "string".into(), schema));
}

/// Base64 in lines of 76 characters.
fn wrapped(bytes: &[u8], line_break: &str) -> String {
    let encoded = STANDARD.encode(bytes);
    let lines: Vec<&str> = encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    lines.join(line_break)
}

fn bytes(count: usize) -> Vec<u8> {
    (0..=255_u8).cycle().take(count).collect()
}

#[tokio::test]
async fn a_field_declared_as_encoded_is_not_shown_however_short_it_is() {
    for encoded in ["AAAABBBB", "aGk=", &STANDARD.encode([7, 200, 31].repeat(9))] {
        let fake = Fake::single(vec![json!({"id": "1", "thumb": encoded})]).foreign();
        declare(&fake, "thumb");
        let host = Host::connect(fake).await;
        let id = "cin_one/things:t000";
        for (tool, arguments) in [
            ("query_records", json!({"stream": "things"})),
            ("fetch", json!({"id": id})),
            ("read_record_field", json!({"id": id, "field_path": "thumb"})),
            ("read_record_field", json!({"id": id, "field_path": "thumb", "offset_chars": 1, "limit_chars": 2})),
            ("search", json!({"query": &encoded[..4]})),
        ] {
            let shown = host.call(tool, arguments).await;
            assert!(!shown.text.contains(encoded) && !shown.structured.to_string().contains(encoded), "{}", shown.text);
            assert_eq!(shown.code(), if tool == "read_record_field" { "field_not_text" } else { "" });
        }
    }
}

#[tokio::test]
async fn no_part_of_encoded_bytes_is_shown_however_short_it_is() {
    for encoded in [STANDARD.encode(bytes(5_120)), wrapped(&bytes(5_120), "\n"), wrapped(&bytes(600), "\r\n") + "\r\n"]
    {
        let end = encoded.len();
        let host = Host::connect(Fake::single(vec![json!({"body": encoded})])).await;
        for (offset, limit) in
            [(0, 1), (0, 10), (0, 59), (0, 100), (70, 100), (70, 10), (end - 59, 4_096), (end - 8, 3)]
        {
            let arguments = json!({"id": "cin_one/things:t000", "field_path": "body", "offset_chars": offset, "limit_chars": limit});
            assert_eq!(host.call("read_record_field", arguments).await.code(), "field_not_text", "{offset} {limit}");
        }
    }
}

#[tokio::test]
async fn prose_is_read_once_and_a_word_of_it_is_still_shown() {
    let host = Host::connect(Fake::person()).await;
    let arguments = json!({"id": "cin_work/messages:long", "field_path": "body"});
    host.ok("read_record_field", arguments.clone()).await;
    assert_eq!(host.calls.all(), ["field_window messages cin_work"]);
    let mut word = arguments;
    word["limit_chars"] = json!(3);
    assert_eq!(host.ok("read_record_field", word).await.structured["window"]["text"], "The");
}

#[tokio::test]
async fn wrapped_bytes_are_told_from_text_and_counted_exactly() {
    for count in [5_120, 5_119, 5_118, 5_117, 300, 301, 302, 303] {
        let encoded = wrapped(&bytes(count), "\n");
        for text in
            [STANDARD.encode(bytes(count)), encoded.clone(), format!("{encoded}\n"), encoded.replace('\n', "\r\n")]
        {
            for foreign in [false, true] {
                let host = Host::connect(Fake { foreign, ..Fake::single(vec![json!({"body": text})]) }).await;
                let page = host.ok("query_records", json!({"stream": "things"})).await;
                let document = host.ok("fetch", json!({"id": "cin_one/things:t000"})).await;
                for ladder in [&page.structured["content_ladder"], &document.structured["metadata"]["content_ladder"]] {
                    let hint = &ladder["records"][0]["binary_fields"][0];
                    assert_eq!(hint["size_bytes"], count, "{} chars, foreign: {foreign}", text.len());
                }
                assert!(!page.text.contains(&text[..40]) && !document.text.contains(&text[..40]));
            }
        }
    }
}

#[tokio::test]
async fn a_reference_to_a_blob_is_not_read_as_text() {
    let blob = json!({"blob_id": "blb_9", "mime_type": "image/png", "size_bytes": 77, "sha256": "ab".repeat(32)});
    let host = Host::connect(Fake::single(vec![json!({"photo": blob, "body": {"a": [1, 2]}})]).foreign()).await;
    for limit in [4_096, 5] {
        let of = |field: &str| json!({"id": "cin_one/things:t000", "field_path": field, "limit_chars": limit});
        assert_eq!(host.call("read_record_field", of("photo")).await.code(), "field_not_text");
        host.ok("read_record_field", of("body")).await;
    }
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

/// The ranges of characters that a window says it leaves out, the same in both channels.
fn skipped(window: &Outcome) -> Vec<(u64, u64)> {
    let warnings = window.structured["warnings"].as_array().cloned().unwrap_or_default();
    let range = |warning: &Value| {
        assert_eq!(warning["code"], "encoded_bytes_skipped");
        assert!(warning["detail"]["export"]["url"].as_str().unwrap().ends_with("?fields=body&connection_id=cin_one"));
        let chars = |name: &str| warning["detail"][name].as_u64().unwrap();
        let (from, to) = (chars("start_chars"), chars("end_chars"));
        assert!(window.text.contains(&format!("characters {from}-{to}")), "{}", window.text);
        (from, to)
    };
    warnings.iter().map(range).collect()
}

#[tokio::test]
async fn bytes_inside_json_are_on_the_ladder_of_either_back_end() {
    let encoded = STANDARD.encode(bytes(3_000));
    for value in [json!({"x": encoded}), json!({"words": "many words ".repeat(60), "x": encoded})] {
        for foreign in [false, true] {
            let row = json!({"id": "1", "body": value});
            let host = Host::connect(Fake { foreign, ..Fake::single(vec![row]) }).await;
            let page = host.ok("query_records", json!({"stream": "things"})).await;
            let document = host.ok("fetch", json!({"id": "cin_one/things:t000"})).await;
            for (ladder, text) in [
                (&page.structured["content_ladder"], &page.text),
                (&document.structured["metadata"]["content_ladder"], &document.text),
            ] {
                let rung = &ladder["records"][0];
                // Our own store shows no more than the start, where there may be no sign of bytes yet.
                if foreign || value.get("words").is_none() {
                    let [hint] = rung["binary_fields"].as_array().unwrap().as_slice() else { panic!("{rung}") };
                    assert_eq!(
                        (&hint["field_path"], &hint["mime_type"]),
                        (&json!("body"), &json!("application/octet-stream"))
                    );
                    assert!(text.contains(hint["export"]["url"].as_str().unwrap()), "{text}");
                }
                if let Some(field) = rung["field_windows"].get(0) {
                    assert_eq!(field["size_chars"], value.to_string().len(), "of the field as it is read: {rung}");
                }
                assert!(!text.contains(&encoded[..40]));
            }
        }
    }
}

#[tokio::test]
async fn a_window_says_which_bytes_it_leaves_out() {
    let encoded = STANDARD.encode(bytes(3_000));
    let host = Host::connect(Fake::single(vec![json!({"body": {"x": encoded}})])).await;
    let read = async |arguments: Value| {
        let mut all = json!({"id": "cin_one/things:t000", "field_path": "body"});
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        let answer = host.ok("read_record_field", all).await;
        let window = &answer.structured["window"];
        let shown = (window["start_chars"].as_u64().unwrap(), window["text"].as_str().unwrap().to_owned());
        assert_eq!(window["end_chars"].as_u64().unwrap(), shown.0 + shown.1.len() as u64);
        (shown, skipped(&answer), window["next_cursor"].clone(), window["previous_cursor"].clone())
    };
    let (shown, left_out, next, _) = read(json!({})).await;
    assert_eq!((shown, left_out), ((0, "{\"x\":\"".to_owned()), vec![(6, 4_006)]));
    let (shown, left_out, end, previous) = read(json!({"cursor": next})).await;
    assert_eq!((shown, left_out, end), ((4_006, "\"}".to_owned()), vec![], Value::Null));
    let (shown, left_out, ..) = read(json!({"cursor": previous})).await;
    assert_eq!((shown, left_out), ((0, "{\"x\":\"".to_owned()), vec![(6, 4_006)]));
    for offset in [6, 7, 3_000, 3_900, 4_000, 4_005] {
        let (shown, left_out, next, _) = read(json!({"offset_chars": offset})).await;
        assert_eq!(
            (shown, left_out, next),
            ((4_006, "\"}".to_owned()), vec![(offset, 4_006)], Value::Null),
            "{offset}"
        );
    }
    for limit in [7, 20, 300, 1_000] {
        let (mut seen, mut at, mut cursor) = (String::new(), 0, Value::Null);
        for page in 0.. {
            assert!(page <= 4_008 / limit + 2, "no end with a limit of {limit}");
            let mut arguments = json!({"limit_chars": limit});
            if cursor.is_string() {
                arguments["cursor"] = cursor;
            }
            let ((start, text), left_out, next, _) = read(arguments).await;
            for (from, to) in left_out {
                assert!(from == at || from == start + text.len() as u64, "{from} follows neither {at} nor the text");
                at = at.max(to);
            }
            at = at.max(start + text.len() as u64);
            seen += &text;
            cursor = next;
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!((seen.as_str(), at), ("{\"x\":\"\"}", 4_008), "limit {limit}");
    }
}

#[tokio::test]
async fn a_match_behind_bytes_is_shown_and_not_the_bytes() {
    let encoded = STANDARD.encode(bytes(300));
    let host = Host::connect(Fake::single(vec![json!({"body": {"x": encoded, "y": "a needle"}})])).await;
    let of = |q: &str| json!({"id": "cin_one/things:t000", "field_path": "body", "q": q});
    let found = host.ok("read_record_field", of("needle")).await;
    let window = &found.structured["window"];
    assert_eq!((&window["text"], &window["start_chars"]), (&json!("\",\"y\":\"a needle\"}"), &json!(406)));
    assert_eq!((&window["match_start_chars"], skipped(&found)), (&json!(415), vec![(6, 406)]));
    let inside = host.ok("read_record_field", of(&encoded[100..110])).await;
    assert!(!inside.text.contains(&encoded[..40]) && inside.structured["window"]["match_start_chars"].is_null());
}
