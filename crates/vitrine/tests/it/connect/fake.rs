//! An authorization server and a provider in one, which does as a test wants and remembers what it was asked.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// How the provider differs from a good one.
#[derive(Clone, Default)]
pub(super) struct Manner {
    /// Answers 404 to the authorization server's description.
    pub(super) has_no_authority: bool,
    /// Describes another authorization server.
    pub(super) issuer: Option<&'static str>,
    /// What kind of token it issues.
    pub(super) token_kind: Option<&'static str>,
    /// How often a device is told to wait.
    pub(super) pending: usize,
    /// What it answers when asked for its schema.
    pub(super) schema: Option<(u16, &'static str)>,
    /// Refresh tokens it still takes.
    pub(super) refresh_tokens: Vec<&'static str>,
}

pub(super) struct Fake {
    pub(super) address: SocketAddr,
    inner: Arc<Inner>,
}

struct Inner {
    url: String,
    manner: Mutex<Manner>,
    seen: Mutex<Vec<(String, BTreeMap<String, String>)>>,
}

impl Fake {
    pub(super) async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let inner = Inner { url: format!("http://{address}"), manner: manner.into(), seen: Mutex::default() };
        let inner = Arc::new(inner);
        let router = Router::new().fallback(answer).with_state(Arc::clone(&inner));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, inner }
    }

    pub(super) fn url(&self) -> &str {
        &self.inner.url
    }

    /// The forms and documents that were sent to a path.
    pub(super) fn sent_to(&self, path: &str) -> Vec<BTreeMap<String, String>> {
        let seen = self.inner.seen.lock().unwrap();
        seen.iter().filter(|(known, _)| known == path).map(|(_, body)| body.clone()).collect()
    }

    pub(super) fn asked(&self) -> usize {
        self.inner.seen.lock().unwrap().len()
    }
}

async fn answer(State(fake): State<Arc<Inner>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    let bearer = request.headers().get("authorization").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let body = request.into_body().collect().await.unwrap().to_bytes();
    let form: BTreeMap<String, String> = serde_json::from_slice::<Value>(&body).map_or_else(
        |_| serde_urlencoded(&body),
        |json| json.as_object().unwrap().iter().map(|(key, value)| (key.clone(), value.to_string())).collect(),
    );
    fake.seen.lock().unwrap().push((path.clone(), form.clone()));
    let url = &fake.url;
    let mut manner = fake.manner.lock().unwrap();
    match path.as_str() {
        "/.well-known/oauth-protected-resource" => ok(json!({ "resource": url, "authorization_servers": [url] })),
        "/.well-known/oauth-authorization-server" if !manner.has_no_authority => ok(json!({
            "issuer": manner.issuer.unwrap_or(url),
            "authorization_endpoint": format!("{url}/authorize?theme=plain"),
            "token_endpoint": format!("{url}/token"),
            "registration_endpoint": format!("{url}/register"),
            "device_authorization_endpoint": format!("{url}/device"),
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
        })),
        "/register" => ok(json!({ "client_id": "cli_1", "token_endpoint_auth_method": "none" })),
        "/device" => ok(json!({ "device_code": "dev_1", "user_code": "ABCD-EFGH", "expires_in": 60, "interval": 1,
            "verification_uri": format!("{url}/device") })),
        "/token" => token(&mut manner, &form),
        "/v1/schema" if manner.schema.is_some() => {
            let (status, body) = manner.schema.unwrap_or_default();
            (StatusCode::from_u16(status).unwrap(), [("content-type", "application/json")], body).into_response()
        }
        "/v1/schema" if bearer.as_deref().is_some_and(|bearer| bearer.starts_with("Bearer tok_fresh")) => ok(json!({
            "object": "schema", "connectors": [],
            "bearer": { "token_kind": manner.token_kind.unwrap_or("client"), "grant_id": "grt_1" },
        })),
        "/v1/schema" => refused(StatusCode::UNAUTHORIZED, "authentication_error"),
        _ => refused(StatusCode::NOT_FOUND, "not_found"),
    }
}

fn token(manner: &mut Manner, form: &BTreeMap<String, String>) -> Response {
    let issued = |number: usize| {
        ok(json!({ "access_token": format!("tok_fresh_{number}"), "token_type": "bearer", "expires_in": 3600,
            "refresh_token": format!("ref_fresh_{number}") }))
    };
    match form["grant_type"].as_str() {
        "authorization_code" if form["code"] == "good" => issued(1),
        "urn:ietf:params:oauth:grant-type:device_code" if manner.pending > 0 => {
            manner.pending -= 1;
            refused(StatusCode::BAD_REQUEST, "authorization_pending")
        }
        "urn:ietf:params:oauth:grant-type:device_code" => issued(2),
        "refresh_token" => match manner.refresh_tokens.iter().position(|known| *known == form["refresh_token"]) {
            Some(at) => {
                manner.refresh_tokens.remove(at);
                issued(3)
            }
            None => refused(StatusCode::BAD_REQUEST, "invalid_grant"),
        },
        _ => refused(StatusCode::BAD_REQUEST, "invalid_grant"),
    }
}

fn serde_urlencoded(body: &[u8]) -> BTreeMap<String, String> {
    let query = std::str::from_utf8(body).unwrap();
    let url = reqwest::Url::parse(&format!("http://x/?{query}")).unwrap();
    url.query_pairs().map(|(key, value)| (key.into_owned(), value.into_owned())).collect()
}

fn ok(value: Value) -> Response {
    axum::Json(value).into_response()
}

fn refused(status: StatusCode, code: &str) -> Response {
    (status, axum::Json(json!({ "error": code }))).into_response()
}
