//! The router over a real store in a directory of its own.
//!
//! ```ignore
//! let app = TestApp::with_mail().await;
//! let token = app.grant(json!({ "connections": ["cin_work"] })).await;
//! let (status, body) = app.get(&token, "/v1/streams/messages/records").await;
//! ```

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tower::ServiceExt;
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::owner::Owner;
use vitrine_server::clients::Here;
use vitrine_server::{App, Guard, Limits, router, router_with_mcp, serve};
use vitrine_store::Store;

use crate::fixtures::{gmail, mail};

/// Where the app says it is.
pub(crate) const PUBLIC_URL: &str = "https://vitrine.example";
/// 2026-06-01T00:00:00Z, when every test begins.
const NOW: i64 = 1_780_272_000;

/// A served store, called in process.
pub(crate) struct TestApp {
    directory: TempDir,
    pub(crate) clock: Clock,
    limits: Limits,
    router: Router,
    pub(crate) store: Arc<Store>,
    /// The owner's token.
    pub(crate) owner: String,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// The body as JSON; null when it is none.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The error's code, or nothing.
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    /// A header's text, or nothing.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

impl TestApp {
    pub(crate) async fn start() -> Self {
        Self::start_with(Limits::default(), None).await
    }

    /// An empty store served under other limits, or with something else mounted at `/mcp`.
    pub(crate) async fn start_with(limits: Limits, mcp: Option<Router>) -> Self {
        Self::start_guarded(limits, mcp, Guard::default()).await
    }

    /// An empty store whose clients' metadata documents come from elsewhere.
    pub(crate) async fn start_guarded(limits: Limits, mcp: Option<Router>, guard: Guard) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (clock, random) = (Clock::manual(NOW), Random::seeded(7));
        let store = Store::open(&directory.path().join("vitrine.db"), clock.clone(), &random).expect("a store");
        let owner = Owner::new(&store, &clock, &random).issue_owner_token().await.expect("an owner token");
        let store = Arc::new(store);
        let app = App {
            store: Arc::clone(&store),
            clock: clock.clone(),
            random,
            public_url: PUBLIC_URL.into(),
            here: Here::default(),
            limits,
            guard,
        };
        let router = match mcp {
            None => router(app),
            Some(mcp) => router_with_mcp(Arc::new(app), mcp),
        };
        Self { directory, clock, limits, router, store, owner }
    }

    /// Mail of three days in `cin_work`, and of one in `cin_home`, under ids of their own.
    pub(crate) async fn with_mail() -> Self {
        let app = Self::start().await;
        app.fill_with_mail().await;
        app
    }

    /// Declares and loads what [`Self::with_mail`] has.
    pub(crate) async fn fill_with_mail(&self) {
        let app = self;
        app.source(&gmail()).await;
        app.connection("gmail", "cin_work").await;
        app.connection("gmail", "cin_home").await;
        app.ingest("cin_work", "messages", &[mail("w1", 1), mail("w2", 2), mail("w3", 3)]).await;
        app.ingest("cin_home", "messages", &[mail("h1", 2)]).await;
    }

    pub(crate) async fn source(&self, declaration: &Value) {
        let answer = self.post(&self.owner, "/v1/owner/sources", declaration).await;
        assert_eq!(answer.status, 201, "{:?}", answer.json());
    }

    pub(crate) async fn connection(&self, source: &str, id: &str) {
        let new = json!({ "connector_key": source, "display_name": format!("Account {id}"), "connection_id": id });
        let answer = self.post(&self.owner, "/v1/owner/connections", &new).await;
        assert_eq!(answer.status, 201, "{:?}", answer.json());
    }

    /// Takes lines in and says what became of them.
    pub(crate) async fn ingest(&self, connection: &str, stream: &str, lines: &[Value]) -> Value {
        let text: Vec<String> = lines.iter().map(Value::to_string).collect();
        let answer = self.ingest_text(connection, stream, text.join("\n")).await;
        assert_eq!(answer.status, 200, "{:?}", answer.json());
        answer.json()
    }

    pub(crate) async fn ingest_text(&self, connection: &str, stream: &str, text: impl Into<Body>) -> Answer {
        let path = format!("/v1/ingest/{stream}?connection_id={connection}");
        let request = Self::request("POST", &self.owner, &path).header("content-type", "application/x-ndjson");
        self.send(request.body(text.into()).expect("a request")).await
    }

    /// Until every text can be found by its meaning.
    pub(crate) async fn read_all_meanings(&self) {
        while self.store.read_meanings(64).await.expect("a store that can be read") > 0 {}
    }

    /// Gives a grant to a client called Desk, and returns its token.
    pub(crate) async fn grant(&self, mut request: Value) -> String {
        request["client_name"] = "Desk".into();
        let answer = self.post(&self.owner, "/v1/owner/grants", &request).await;
        assert_eq!(answer.status, 201, "{:?}", answer.json());
        answer.json()["access_token"].as_str().expect("a token").to_owned()
    }

    pub(crate) async fn get(&self, token: &str, path: &str) -> (u16, Value) {
        let answer = self.call("GET", token, path).await;
        (answer.status, answer.json())
    }

    /// The error code of a read, or nothing when it succeeds.
    pub(crate) async fn code(&self, token: &str, path: &str) -> String {
        self.call("GET", token, path).await.code()
    }

    /// The ids of a list's rows.
    pub(crate) async fn ids(&self, token: &str, path: &str) -> Vec<String> {
        let (status, body) = self.get(token, path).await;
        assert_eq!(status, 200, "{path}: {body}");
        ids(&body)
    }

    pub(crate) async fn call(&self, method: &str, token: &str, path: &str) -> Answer {
        self.send(Self::request(method, token, path).body(Body::empty()).expect("a request")).await
    }

    pub(crate) async fn post(&self, token: &str, path: &str, body: &Value) -> Answer {
        self.call_with("POST", token, path, body.to_string()).await
    }

    pub(crate) async fn call_with(&self, method: &str, token: &str, path: &str, body: impl Into<Body>) -> Answer {
        self.send(Self::request(method, token, path).body(body.into()).expect("a request")).await
    }

    /// One message to the adapter, as a client of Streamable HTTP sends it.
    pub(crate) async fn mcp(&self, token: &str, message: &Value) -> Answer {
        let request = Self::request("POST", token, "/mcp")
            .header("host", "127.0.0.1")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        self.send(request.body(message.to_string().into()).expect("a request")).await
    }

    /// A request with a token; without one when it is empty.
    pub(crate) fn request(method: &str, token: &str, path: &str) -> axum::http::request::Builder {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let request = Request::builder().method(method).uri(path);
        if token.is_empty() { request } else { request.header("authorization", format!("Bearer {token}")) }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.expect("the router never fails");
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes().to_vec();
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    /// Also serves on a port, until the test ends.
    pub(crate) async fn listen(&self) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(serve(listener, self.router.clone(), self.limits, std::future::pending()));
        address
    }

    /// Where the store's files are.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }
}

/// The ids of a list's rows.
pub(crate) fn ids(list: &Value) -> Vec<String> {
    let rows = list["data"].as_array().expect("a list");
    rows.iter().map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
}
