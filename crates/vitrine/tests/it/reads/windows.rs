use serde_json::{Value, json};

use super::RECORDS;
use crate::app::TestApp;
use crate::fixtures::line;

const TEXT: &str = "Größe 日本語 😀 e\u{301} ünïcödé — The Needle is here. ";

async fn with_body(body: &str) -> TestApp {
    let app = TestApp::with_mail().await;
    let headers = json!({ "to": ["ada", "grace"], "n": 1 });
    let data = json!({ "id": "x", "body": body, "headers": headers, "size": 1, "received_at": "2026-03-01T00:00:00Z" });
    app.ingest("cin_work", "messages", &[line(&data)]).await;
    app
}

async fn window(app: &TestApp, selector: &str) -> Value {
    let (status, body) = app.get(&app.owner, &format!("{RECORDS}/x/field-window?{selector}")).await;
    assert_eq!(status, 200, "{selector}: {body}");
    assert_eq!((&body["object"], &body["record_id"]), (&json!("field_window"), &json!("x")));
    body["window"].clone()
}

#[tokio::test]
async fn windows_are_counted_in_characters() {
    let body = TEXT.repeat(300);
    let chars: Vec<char> = body.chars().collect();
    let app = with_body(&body).await;
    for (offset, limit) in [(0, 1), (6, 5), (4_090, 20), (9_999, 3), (chars.len() - 1, 10), (chars.len(), 10)] {
        let shown = window(&app, &format!("field=body&offset_chars={offset}&limit_chars={limit}")).await;
        let end = chars.len().min(offset + limit);
        assert_eq!(shown["text"], chars[offset..end].iter().collect::<String>(), "{offset}+{limit}");
        assert_eq!((&shown["start_chars"], &shown["end_chars"]), (&json!(offset), &json!(end)));
        assert_eq!((&shown["total_chars"], &shown["complete"]), (&json!(chars.len()), &json!(false)));
        assert_eq!(shown["has_more"], end < chars.len());
    }
    let small = with_body(TEXT).await;
    let whole = window(&small, "field=body").await;
    assert_eq!((&whole["text"], &whole["complete"], &whole["has_more"]), (&json!(TEXT), &json!(true), &json!(false)));
    assert_eq!((&whole["next_offset_chars"], &whole["previous_offset_chars"]), (&Value::Null, &Value::Null));
    for selector in ["limit_chars=0", "limit_chars=x", "offset_chars=-1", "offset_chars=1e3"] {
        let path = format!("{RECORDS}/x/field-window?field=body&{selector}");
        assert_eq!(small.code(&small.owner, &path).await, "invalid_window", "{selector}");
    }
    let clamped = window(&app, "field=body&limit_chars=99999").await;
    assert_eq!((&clamped["limit_chars"], &clamped["end_chars"]), (&json!(16_384), &json!(chars.len().min(16_384))));
}

#[tokio::test]
async fn stitched_windows_give_back_the_field() {
    let body = TEXT.repeat(200);
    let app = with_body(&body).await;
    for limit in [311, 4_096, 16_384] {
        let (mut stitched, mut offset) = (String::new(), json!(0));
        while offset.is_number() {
            let shown = window(&app, &format!("field=body&offset_chars={offset}&limit_chars={limit}")).await;
            stitched.push_str(shown["text"].as_str().unwrap());
            offset = shown["next_offset_chars"].clone();
        }
        assert!(stitched == body, "windows of {limit}");
    }
}

#[tokio::test]
async fn a_window_finds_the_first_match() {
    let app = with_body(&format!("{}{}", "filler ".repeat(1_000), TEXT.repeat(2))).await;
    for (q, found) in
        [("needle", "Needle"), ("NEEDLE", "Needle"), ("%C3%9CN%C3%8FC%C3%96D%C3%89", "ünïcödé"), ("%F0%9F%98%80", "😀")]
    {
        let shown = window(&app, &format!("field=body&q={q}&before_chars=3&after_chars=4")).await;
        let number = |name: &str| usize::try_from(shown[name].as_u64().unwrap()).unwrap();
        let text: Vec<char> = shown["text"].as_str().unwrap().chars().collect();
        let start = number("start_chars");
        let matched = &text[number("match_start_chars") - start..number("match_end_chars") - start];
        assert_eq!(matched.iter().collect::<String>(), found);
        assert_eq!(text.len(), 3 + found.chars().count() + 4, "{q}");
        assert!(number("match_start_chars") < 7_000 + TEXT.chars().count(), "the first of two");
    }
    assert_eq!(app.code(&app.owner, &format!("{RECORDS}/x/field-window?field=body&q=absent")).await, "match_not_found");
    // As much as was asked for stands on both sides, and where it does not fit, each side gets its half.
    let around = async |selector: &str| {
        let shown = window(&app, &format!("field=body&q=needle&{selector}")).await;
        let [start, from, to, end] = ["start_chars", "match_start_chars", "match_end_chars", "end_chars"]
            .map(|name| shown[name].as_u64().unwrap());
        (from - start, end - to)
    };
    let (before, after) = around("before_chars=6000&after_chars=50").await;
    assert_eq!((before, after), (6_000, 50));
    let (before, after) = around("limit_chars=26").await;
    assert_eq!((before, after), (10, 10));
    assert_eq!(around("limit_chars=26&before_chars=2").await, (2, 18));
    for selector in ["q=a&offset_chars=1", "q=", "before_chars=1"] {
        let path = format!("{RECORDS}/x/field-window?field=body&{selector}");
        assert_eq!(app.code(&app.owner, &path).await, "invalid_window", "{selector}");
    }
}

#[tokio::test]
async fn windows_over_objects_run_over_their_json() {
    let app = with_body(TEXT).await;
    let shown = window(&app, "field=headers").await;
    assert_eq!(shown["text"], r#"{"to":["ada","grace"],"n":1}"#);
    let (_, body) = app.get(&app.owner, &format!("{RECORDS}/x/field-window?field=headers&q=grace")).await;
    assert_eq!(body["field"], json!({ "path": "headers", "type": "json" }));
    let blob = json!({ "blob_id": "b1", "mime_type": "image/png", "size_bytes": 3, "sha256": "00" });
    let data = json!({ "id": "ref", "headers": blob, "received_at": "2026-03-01T00:00:00Z" });
    app.ingest("cin_work", "messages", &[line(&data)]).await;
    let of_blob = format!("{RECORDS}/ref/field-window?field=headers");
    assert_eq!(app.code(&app.owner, &of_blob).await, "field_not_text", "whatever it is declared as");
    for (selector, code) in [
        ("field=size", "field_not_text"),
        ("field=subject", "field_not_found"),
        ("field=nope", "unknown_field"),
        ("", "invalid_field_path"),
    ] {
        assert_eq!(app.code(&app.owner, &format!("{RECORDS}/x/field-window?{selector}")).await, code, "{selector}");
    }
}
