use std::future::ready;

use serde_json::{Value, json};
use vitrine_contract::ReadApi;
use vitrine_contract::request::FieldWindowRequest;

use super::fake::{Fake, call, response};

/// A provider whose windows are always this one.
async fn showing(window: Value) -> Fake {
    let body = json!({ "field": { "path": "body", "type": "string" }, "window": window });
    Fake::answering(move |path| {
        let body = if path.contains("/field-window") { body.clone() } else { json!({ "connectors": [] }) };
        ready(response(200, "application/json", body.to_string()))
    })
    .await
}

fn whole(chars: usize) -> Value {
    json!({ "text": "a b ".repeat(chars / 4), "start_chars": 0, "end_chars": chars, "total_chars": chars })
}

#[tokio::test]
async fn a_window_other_than_the_one_asked_for_is_not_passed_on() {
    let asked = |offset_chars, limit_chars| FieldWindowRequest {
        stream: "m".into(),
        id: "1".into(),
        field: Some("body".into()),
        offset_chars,
        limit_chars,
        ..FieldWindowRequest::default()
    };
    let around = |limit_chars| FieldWindowRequest { q: Some("b".into()), ..asked(None, limit_chars) };
    let wide = FieldWindowRequest { before_chars: Some(8_192), ..around(None) };
    let empty = |total: u64| json!({ "text": "", "start_chars": 4, "total_chars": total, "has_more": total > 4 });
    for (window, request, code) in [
        (whole(8), asked(None, Some(8)), ""),
        (whole(8), asked(Some(0), None), ""),
        (whole(8), asked(Some(4), None), "field_window_unsupported"),
        (whole(8), asked(None, Some(7)), "field_window_unsupported"),
        (whole(4_096), asked(None, None), ""),
        (whole(4_100), asked(None, None), "field_window_unsupported"),
        (whole(4_100), wide, ""),
        (whole(8), around(Some(7)), "field_window_unsupported"),
        (empty(4), asked(Some(9), None), ""),
        (empty(9), asked(Some(4), None), "provider_response_invalid"),
    ] {
        let provider = showing(window.clone()).await;
        let read = provider.reader().field_window(&request).await;
        let told = read.as_ref().err().map_or("", |error| error.code.as_str());
        assert_eq!(told, code, "{request:?}");
        assert_eq!(provider.seen().len(), 1);
    }
}

#[tokio::test]
async fn no_provider_makes_a_read_endless() {
    for window in [whole(9_000), json!({ "text": "", "start_chars": 0, "total_chars": 9, "has_more": true })] {
        let provider = showing(window).await;
        let answer = call(&provider, "read_record_field", json!({ "id": "c/m:1", "field_path": "body" })).await;
        assert_eq!(answer["isError"], true, "{answer}");
    }
}
