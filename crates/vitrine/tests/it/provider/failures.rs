use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderValue;
use futures::StreamExt;
use serde_json::json;
use vitrine::provider::{HttpRead, OpenError, Options};
use vitrine_contract::request::{FieldWindowRequest, RecordRequest, SchemaRequest, SearchRequest, StreamsRequest};
use vitrine_contract::{ApiError, ErrorCode, ReadApi};

use super::fake::{Fake, TOKEN, response};

const PIECE: usize = 64 * 1024;

async fn error_of(provider: &Fake) -> ApiError {
    let error = provider.reader().schema(&SchemaRequest::default()).await.unwrap_err();
    assert!(!error.to_body().to_string().contains(TOKEN), "{error}");
    error
}

#[tokio::test]
async fn a_provider_that_is_down_is_told_so() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let reader = HttpRead::new(&url, TOKEN, Options::default()).unwrap();
    let error = reader.search(&SearchRequest { q: "private words".into(), ..Default::default() }).await.unwrap_err();
    assert_eq!((error.code.as_str(), error.status), ("provider_unreachable", 502));
    assert!(error.message.contains(&url) && !error.message.contains("private"), "{}", error.message);
}

#[tokio::test]
async fn a_provider_that_speaks_no_tls_is_not_spoken_to() {
    let provider = Fake::json(&json!({ "connectors": [] })).await;
    let reader = HttpRead::new(&provider.url().replace("http:", "https:"), TOKEN, Options::default()).unwrap();
    let error = reader.schema(&SchemaRequest::default()).await.unwrap_err();
    assert_eq!(error.code.as_str(), "provider_unreachable");
    assert!(provider.seen().is_empty());
}

#[tokio::test]
async fn a_provider_that_never_answers_runs_out_of_time() {
    let silent = Fake::answering(|_| std::future::pending()).await;
    let stalled = Fake::answering(async |_| {
        let start = futures::stream::once(async { Ok::<_, std::io::Error>("{\"connectors\":[") });
        response(200, "application/json", Body::from_stream(start.chain(futures::stream::pending())))
    })
    .await;
    for provider in [silent, stalled] {
        let options = Options { timeout: Duration::from_millis(200), ..Options::default() };
        let reader = HttpRead::new(&provider.url(), TOKEN, options).unwrap();
        let error = reader.schema(&SchemaRequest::default()).await.unwrap_err();
        assert_eq!((error.code.as_str(), error.status), ("provider_timeout", 504));
        assert_eq!(provider.seen().len(), 1, "it is not asked again");
    }
}

#[tokio::test]
async fn a_hundred_megabytes_are_not_read_to_their_end() {
    let sent = Arc::new(AtomicUsize::new(0));
    let pieces = 100 * 1024 * 1024 / PIECE;
    let count = Arc::clone(&sent);
    let provider = Fake::answering(move |path| {
        let count = Arc::clone(&count);
        async move {
            if path.contains("streams") {
                return response(200, "application/json", r#"{"data":[]}"#);
            }
            let piece = move |_| {
                count.fetch_add(1, Ordering::Relaxed);
                Ok::<_, std::io::Error>(vec![b' '; PIECE])
            };
            response(200, "application/json", Body::from_stream(futures::stream::iter(0..pieces).map(piece)))
        }
    })
    .await;
    let error = error_of(&provider).await;
    assert_eq!((error.code.as_str(), error.status), ("provider_response_too_large", 502));
    assert!(sent.load(Ordering::Relaxed) < pieces);
    assert!(provider.reader().streams(&StreamsRequest::default()).await.is_ok(), "the next call works");
}

#[tokio::test]
async fn an_announced_length_beyond_the_bound_is_enough() {
    let provider = Fake::saying(200, "application/json", " ".repeat(2_000)).await;
    let options = Options { response_bytes: 1_999, ..Options::default() };
    let reader = HttpRead::new(&provider.url(), TOKEN, options).unwrap();
    let error = reader.schema(&SchemaRequest::default()).await.unwrap_err();
    assert_eq!(error.code.as_str(), "provider_response_too_large");
}

#[tokio::test]
async fn a_schema_of_several_megabytes_is_read() {
    let streams: Vec<_> =
        (0..5_000).map(|n| json!({ "name": format!("s{n}"), "description": "x".repeat(1_000) })).collect();
    let provider = Fake::json(&json!({ "connectors": [{ "connector_key": "a", "streams": streams }] })).await;
    let document = provider.reader().schema(&SchemaRequest::default()).await.unwrap();
    assert_eq!(document.stream_count, 5_000);
}

#[tokio::test]
async fn what_is_not_the_contracts_json_is_told_so() {
    for (content_type, body) in [
        ("application/json", "<html>Sign in</html>"),
        ("text/html", r#"{"connectors":[]}"#),
        ("application/octet-stream", r#"{"connectors":[]}"#),
        ("application/json", ""),
        ("application/json", "[]"),
        ("application/json", r#"{"connectors":"#),
        ("application/json", r#"{"connectors":[7]}"#),
        ("application/json", r#"{"nothing":"here"}"#),
    ] {
        let error = error_of(&Fake::saying(200, content_type, body).await).await;
        assert_eq!((error.code.as_str(), error.status), ("provider_response_invalid", 502), "{content_type} {body}");
    }
    let latin =
        Fake::answering(async |_| response(200, "application/json", b"{\"connectors\":\"\xe9\"}".to_vec())).await;
    assert_eq!(error_of(&latin).await.code.as_str(), "provider_response_invalid");
}

#[tokio::test]
async fn an_error_in_any_form_is_typed_and_asked_once() {
    for (status, content_type, body, code) in [
        (400, "application/json", r#"{"error":{"code":"invalid_filter","message":"No."}}"#, "invalid_filter"),
        (400, "application/json", r#"{"error":"No."}"#, "invalid_request"),
        (401, "application/json", r#"{"error":"invalid_token","error_description":"No."}"#, "invalid_token"),
        (403, "application/json", r#"{"message":"No."}"#, "permission_error"),
        (404, "application/json", r#""No.""#, "not_found"),
        (500, "text/plain", "No.", "api_error"),
        (502, "text/html", "<html><body>Bad gateway</body></html>", "provider_unavailable"),
        (503, "application/json", "", "provider_unavailable"),
    ] {
        let provider = Fake::saying(status, content_type, body).await;
        let error = error_of(&provider).await;
        assert_eq!((error.code.as_str(), error.status), (code, status), "{body}");
        assert!(error.message == "No." || !body.contains("No."), "{}", error.message);
        assert_eq!(provider.seen().len(), 1, "never retried");
    }
}

#[tokio::test]
async fn a_limited_caller_learns_how_long_to_wait() {
    for (value, told) in [("7", json!(7)), ("Wed, 21 Oct 2026 07:28:00 GMT", json!("Wed, 21 Oct 2026 07:28:00 GMT"))] {
        let provider = Fake::answering(async move |_| {
            let mut response = response(429, "text/plain", "Slow down.");
            response.headers_mut().insert("retry-after", HeaderValue::from_static(value));
            response.headers_mut().insert("request-id", HeaderValue::from_static("req_9"));
            response
        })
        .await;
        let error = error_of(&provider).await;
        assert_eq!((error.code, error.extra["retry_after"].clone()), (ErrorCode::RateLimitExceeded, told));
        assert_eq!(error.request_id.as_deref(), Some("req_9"));
    }
}

#[tokio::test]
async fn a_provider_without_field_windows_is_told_from_a_record_that_is_not_there() {
    let request =
        FieldWindowRequest { stream: "m".into(), id: "1".into(), field: Some("body".into()), ..Default::default() };
    for (body, code) in [
        ("Not Found", ErrorCode::FieldWindowUnsupported),
        (r#"{"error":"Not Found"}"#, ErrorCode::FieldWindowUnsupported),
        (r#"{"error":{"code":"not_found","message":"No such record."}}"#, ErrorCode::NotFound),
        (r#"{"error":{"code":"match_not_found","message":"No."}}"#, ErrorCode::MatchNotFound),
    ] {
        let provider = Fake::saying(404, "application/json", body).await;
        assert_eq!(provider.reader().field_window(&request).await.unwrap_err().code, code, "{body}");
        assert_eq!(provider.seen().len(), 1, "the whole field is never fetched instead");
    }
}

#[tokio::test]
async fn a_name_that_acts_as_a_path_reaches_nobody() {
    let provider = Fake::json(&json!({ "id": "1" })).await;
    for (stream, id) in [("..", "1"), ("m", ".."), ("m", ".")] {
        let request = RecordRequest { stream: stream.into(), id: id.into(), ..Default::default() };
        assert_eq!(provider.reader().record(&request).await.unwrap_err().code, ErrorCode::InvalidId);
    }
    let request = RecordRequest { stream: "m".into(), id: "../../owner".into(), ..Default::default() };
    provider.reader().record(&request).await.unwrap();
    assert_eq!(provider.seen()[0].path_and_query, "/v1/streams/m/records/..%2F..%2Fowner");
    assert_eq!(provider.seen().len(), 1);
}

#[test]
fn what_cannot_be_a_provider_or_a_token_is_refused_at_once() {
    for url in ["", "a.example", "ftp://a.example", "https://me:pw@a.example", "https://a.example?x=1"] {
        assert!(matches!(HttpRead::new(url, TOKEN, Options::default()), Err(OpenError::Address(_))), "{url}");
    }
    for token in ["", "two words", "line\nbreak", "é"] {
        let refused = HttpRead::new("https://a.example", token, Options::default()).err();
        assert!(matches!(refused, Some(OpenError::Token)), "{token:?}");
    }
}
