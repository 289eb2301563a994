//! Connections and what is mounted, beyond what the scenarios tell.

use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use vitrine_engine::Caller;
use vitrine_server::{Limits, RequestId};

use crate::app::TestApp;
use crate::binary::Binary;
use crate::fixtures::{gmail, mail};
use crate::wire;

#[tokio::test]
async fn what_is_mounted_knows_its_caller() {
    let mcp = Router::new().fallback(async |request: Request| {
        let caller = request.extensions().get::<Caller>().expect("a caller");
        let id = request.extensions().get::<RequestId>().expect("a request id");
        format!("{} {} {}", request.uri().path(), caller.kind().as_str(), id.0)
    });
    let app = TestApp::start_with(Limits::default(), Some(mcp)).await;
    app.source(&gmail()).await;
    app.connection("gmail", "cin_work").await;
    let token = app.grant(json!({ "source": "gmail" })).await;
    for path in ["/mcp", "/mcp/"] {
        let answer = app.call("POST", &token, path).await;
        assert_eq!(answer.body, format!("/ client {}", answer.header("request-id")).into_bytes());
        assert_eq!(app.call("POST", &app.owner, path).await.code(), "owner_token_refused");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_client_lives_to_see_the_answer() {
    let app = TestApp::start().await;
    let address = app.listen().await;
    for (token, expected) in [(app.owner.as_str(), 413), ("nobody", 401)] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST /v1/owner/sources HTTP/1.1\r\nhost: v\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             content-length: {}\r\n\r\n",
            6 * 1024 * 1024
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        for _ in 0..6 * 64 {
            stream.write_all(&[b' '; 16 * 1024]).await.expect("the server reads on");
        }
        let (status, body) = wire::parse(&wire::rest(stream).await);
        assert_eq!((status, body["error"]["code"].is_string()), (expected, true));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_beyond_the_limit_wait_their_turn() {
    let limits = Limits { connections: 1, head_timeout: Duration::from_millis(200), ..Limits::default() };
    let app = TestApp::start_with(limits, None).await;
    let address = app.listen().await;
    let mut first = TcpStream::connect(address).await.unwrap();
    first.write_all(b"GET /healthz HTTP/1.1\r\nhost: v\r\n\r\n").await.unwrap();
    assert!(first.read_u8().await.is_ok(), "the first is served and stays open");
    let (status, _) = wire::request(address, "GET", "/v1/schema", &app.owner, "").await;
    assert_eq!(status, 200, "the second is served once the first has been idle too long");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_head_is_bounded() {
    let app = TestApp::start().await;
    let address = app.listen().await;
    let endless = format!("GET /v1/schema HTTP/1.1\r\nhost: v\r\nx: {}\r\n\r\n", "a".repeat(200 * 1024));
    let many = format!("GET /v1/schema HTTP/1.1\r\nhost: v\r\n{}\r\n", "x: y\r\n".repeat(500));
    for head in [endless.as_str(), many.as_str(), "nonsense\r\n\r\n"] {
        let answer = wire::exchange(address, head.as_bytes()).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    assert_eq!(wire::request(address, "GET", "/v1/schema", &app.owner, "").await.0, 200);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_server_finishes_what_it_began() {
    let binary = Binary::with_accounts();
    let mut served = binary.serve();
    let token = binary.owner_token();
    let line = mail("w1", 1).to_string();
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let head = format!(
        "POST /v1/ingest/messages?connection_id=cin_work HTTP/1.1\r\nhost: v\r\nauthorization: Bearer {token}\r\n\
         content-type: application/x-ndjson\r\nexpect: 100-continue\r\ncontent-length: {}\r\n\r\n",
        line.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut told = [0; 25];
    stream.read_exact(&mut told).await.unwrap();
    assert!(told.starts_with(b"HTTP/1.1 100 Continue"), "the handler is at work");
    served.terminate();
    stream.write_all(line.as_bytes()).await.unwrap();
    let (status, body) = wire::parse(&wire::rest(stream).await);
    assert_eq!((status, &body["records_accepted"]), (200, &json!(1)));
    assert_eq!(served.wait(), Some(0));
}
