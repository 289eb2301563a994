//! A provider that answers whatever a test wants, and remembers what it was asked.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use vitrine::provider::{HttpRead, Options};

use crate::binary::Binary;

/// The token every reader of a fake sends.
pub(crate) const TOKEN: &str = "tok_of_the_whole_test";

/// What the adapter answers to one call of a tool over a provider, as a process of its own.
pub(crate) async fn call(provider: &Fake, tool: &str, arguments: Value) -> Value {
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": tool, "arguments": arguments } });
    let url = provider.url();
    let talk = move || {
        Binary::new().run_talking(
            &["mcp", "--provider-url", &url],
            &[("PDPP_ACCESS_TOKEN", TOKEN)],
            &format!("{hello}\n{ready}\n{asked}\n"),
        )
    };
    let ran = tokio::task::spawn_blocking(talk).await.unwrap();
    assert_eq!(ran.code, 0, "{ran:?}");
    let answers = ran.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("only messages on stdout"));
    let answer = answers.into_iter().find(|answer| answer["id"] == 1).expect("an answer");
    answer["result"].clone()
}

/// One request, as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) path_and_query: String,
    pub(crate) headers: axum::http::HeaderMap,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

pub(crate) struct Fake {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Fake {
    /// A provider that makes its answer from the request's path and query.
    pub(crate) async fn answering<F, R>(respond: F) -> Self
    where
        F: Fn(String) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Response> + Send,
    {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let router = Router::new().fallback(async move |request: Request| {
            let path_and_query = request.uri().to_string();
            let headers = request.headers().clone();
            log.lock().unwrap().push(Seen { path_and_query: path_and_query.clone(), headers });
            respond(path_and_query).await
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, seen }
    }

    /// A provider that always answers the same.
    pub(crate) async fn saying(status: u16, content_type: &'static str, body: impl Into<String>) -> Self {
        let body = body.into();
        Self::answering(move |_| std::future::ready(response(status, content_type, body.clone()))).await
    }

    /// A provider that always answers with the same JSON.
    pub(crate) async fn json(body: &Value) -> Self {
        Self::saying(200, "application/json", body.to_string()).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn reader(&self) -> HttpRead {
        HttpRead::new(&self.url(), TOKEN, Options::default()).unwrap()
    }

    /// What it was asked so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

pub(crate) fn response(status: u16, content_type: &str, body: impl Into<Body>) -> Response {
    let status = axum::http::StatusCode::from_u16(status).unwrap();
    (status, [(CONTENT_TYPE, content_type.to_owned())], body.into()).into_response()
}
