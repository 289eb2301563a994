use std::time::Duration;

use axum::body::Body;
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use vitrine_server::Limits;

use crate::app::TestApp;
use crate::fixtures::{gmail, mail};
use crate::wire;

/// A body that arrives in chunks, without saying how long it is.
fn chunked(chunks: impl Iterator<Item = Vec<u8>> + Send + 'static) -> Body {
    Body::from_stream(futures::stream::iter(chunks.map(Ok::<_, std::io::Error>)))
}

async fn app_with(limits: Limits) -> TestApp {
    let app = TestApp::start_with(limits, None).await;
    app.source(&gmail()).await;
    app.connection("gmail", "cin_work").await;
    app
}

#[tokio::test]
async fn oversized_bodies_are_refused() {
    let app = app_with(Limits { blob_bytes: 1024, ..Limits::default() }).await;
    let five = || std::iter::repeat_n(vec![b' '; 1024 * 1024], 5);
    let announced = five().flatten().collect::<Vec<u8>>();
    for path in ["/v1/owner/sources", "/v1/owner/connections", "/v1/owner/grants"] {
        let told = app.call_with("POST", &app.owner, path, announced.clone()).await;
        assert_eq!((told.status, told.code().as_str()), (413, "payload_too_large"), "{path}");
        let untold = app.call_with("POST", &app.owner, path, chunked(five())).await;
        assert_eq!((untold.status, untold.code().as_str()), (413, "payload_too_large"), "{path}");
    }
    let blob = "/v1/blobs/b?connection_id=cin_work";
    assert_eq!(app.call_with("PUT", &app.owner, blob, vec![0; 1024]).await.status, 200);
    assert_eq!(app.call_with("PUT", &app.owner, blob, vec![0; 1025]).await.code(), "payload_too_large");
    let endless = chunked(std::iter::repeat_n(vec![0; 512], 3));
    assert_eq!(app.call_with("PUT", &app.owner, blob, endless).await.code(), "payload_too_large");
}

#[tokio::test]
async fn endless_lines_are_bounded() {
    let app = app_with(Limits::default()).await;
    let good = |id: &str| format!("\n{}\n", mail(id, 1)).into_bytes();
    let start = std::iter::once([good("before"), b"{\"key\":\"".to_vec()].concat());
    let middle = std::iter::repeat_n(vec![b'a'; 1024 * 1024], 129);
    let answer = app.ingest_text("cin_work", "messages", chunked(start.chain(middle).chain([good("after")]))).await;
    let result = answer.json();
    assert_eq!((&result["records_accepted"], &result["records_rejected"]), (&json!(2), &json!(1)));
    assert_eq!(result["rejections"][0]["input_index"], 1);
    assert_eq!(result["rejections"][0]["code"], "malformed_ndjson");
}

#[tokio::test]
async fn deep_json_is_refused_by_name() {
    let app = app_with(Limits::default()).await;
    let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let line = |id: &str, value: &str| {
        format!(
            "{{\"key\":\"{id}\",\"emitted_at\":\"2026-01-01T00:00:00Z\",\"data\":\
             {{\"id\":\"{id}\",\"received_at\":\"2026-01-01T00:00:00Z\",\"headers\":{{\"x\":{value}}}}}}}\n"
        )
    };
    let text = [line("deep", &nested(100_000)), line("fine", &nested(90))].concat();
    let result = app.ingest_text("cin_work", "messages", text).await.json();
    assert_eq!((&result["records_accepted"], &result["records_rejected"]), (&json!(1), &json!(1)));
    let message = result["rejections"][0]["message"].as_str().unwrap();
    assert!(message.contains("recursion limit"), "{message}");
    let answer = app.call_with("POST", &app.owner, "/v1/owner/grants", nested(100_000)).await;
    assert_eq!((answer.status, answer.code().as_str()), (400, "invalid_request"));
    assert_eq!(app.call_with("POST", &app.owner, "/v1/owner/sources", nested(100_000)).await.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_clients_are_cut_off() {
    let short = Duration::from_millis(100);
    let app = app_with(Limits { head_timeout: short, idle_timeout: short, ..Limits::default() }).await;
    let address = app.listen().await;

    let silent = TcpStream::connect(address).await.unwrap();
    assert_eq!(wire::rest(silent).await, "", "a client that says nothing is told nothing");

    let mut halting = TcpStream::connect(address).await.unwrap();
    halting.write_all(b"GET /v1/schema HTTP/1.1\r\nhost:").await.unwrap();
    wire::rest(halting).await;

    for (path, kind) in [("/v1/ingest/messages?connection_id=cin_work", "x-ndjson"), ("/v1/owner/grants", "json")] {
        let mut dribbling = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: v\r\nauthorization: Bearer {}\r\ncontent-type: application/{kind}\r\n\
             content-length: 1000\r\n\r\n{{",
            app.owner
        );
        dribbling.write_all(head.as_bytes()).await.unwrap();
        let (status, body) = wire::parse(&wire::rest(dribbling).await);
        assert_eq!((status, &body["error"]["code"]), (408, &json!("request_timeout")), "{path}");
    }

    let (status, _) = wire::request(address, "GET", "/v1/schema", &app.owner, "").await;
    assert_eq!(status, 200, "others are served all the while");
}
