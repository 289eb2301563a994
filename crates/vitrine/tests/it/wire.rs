//! HTTP as bytes on a socket, for what a well-behaved client would never send.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends bytes and reads until the server closes the connection; nothing when it is not there.
pub(crate) async fn exchange(address: SocketAddr, bytes: &[u8]) -> String {
    let Ok(mut stream) = TcpStream::connect(address).await else { return String::new() };
    // The server may answer and close before it has read everything.
    let _ = stream.write_all(bytes).await;
    rest(stream).await
}

/// Whatever the server still says before it closes the connection.
pub(crate) async fn rest(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

/// A plain request over a socket, with its status and JSON.
pub(crate) async fn request(address: SocketAddr, method: &str, path: &str, token: &str, body: &str) -> (u16, Value) {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: vitrine\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
         content-type: application/x-ndjson\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    parse(&exchange(address, format!("{head}{body}").as_bytes()).await)
}

/// The status and JSON of an answer with a length.
pub(crate) fn parse(answer: &str) -> (u16, Value) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    (status, serde_json::from_str(body).unwrap_or_default())
}
