//! A provider that answers whatever a test wants, and remembers what it was asked.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::net::TcpListener;
use vitrine::provider::{HttpRead, Options};

/// The token every reader of a fake sends.
pub(super) const TOKEN: &str = "tok_of_the_test";

/// One request, as it arrived.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) path_and_query: String,
    pub(super) headers: axum::http::HeaderMap,
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

pub(super) struct Fake {
    pub(super) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Fake {
    /// A provider that makes its answer from the request's path and query.
    pub(super) async fn answering<F, R>(respond: F) -> Self
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
    pub(super) async fn saying(status: u16, content_type: &'static str, body: impl Into<String>) -> Self {
        let body = body.into();
        Self::answering(move |_| std::future::ready(response(status, content_type, body.clone()))).await
    }

    /// A provider that always answers with the same JSON.
    pub(super) async fn json(body: &Value) -> Self {
        Self::saying(200, "application/json", body.to_string()).await
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn reader(&self) -> HttpRead {
        HttpRead::new(&self.url(), TOKEN, Options::default()).unwrap()
    }

    /// What it was asked so far.
    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

pub(super) fn response(status: u16, content_type: &str, body: impl Into<Body>) -> Response {
    let status = axum::http::StatusCode::from_u16(status).unwrap();
    (status, [(CONTENT_TYPE, content_type.to_owned())], body.into()).into_response()
}
