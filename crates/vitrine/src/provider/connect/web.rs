//! Requests to an authorization server: small, bounded, never redirected.

use std::error::Error;
use std::time::Duration;

use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use serde_json::{Map, Value};

use super::ConnectError;
use crate::provider::OpenError;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const TIMEOUT: Duration = Duration::from_secs(30);
/// Metadata and tokens are a few kilobytes.
const ANSWER_BYTES: usize = 256 * 1024;

pub(super) struct Web {
    client: Client,
}

/// An answer's status and its JSON object.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: Map<String, Value>,
}

impl Web {
    pub(super) fn new() -> Result<Self, ConnectError> {
        // An error only says that a provider of cryptography is there already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(TIMEOUT)
            .redirect(Policy::none())
            .referer(false)
            .build()
            .map_err(OpenError::Client)?;
        Ok(Self { client })
    }

    /// A document, or nothing where there is none.
    pub(super) async fn document(&self, url: &str) -> Result<Option<Map<String, Value>>, ConnectError> {
        let (status, body) = send(self.client.get(url), url).await?;
        match status {
            StatusCode::OK => object(&body, url).map(Some),
            StatusCode::NOT_FOUND | StatusCode::UNAUTHORIZED | StatusCode::METHOD_NOT_ALLOWED => Ok(None),
            other => Err(answered(url, &format!("the status {}", other.as_u16()))),
        }
    }

    /// Posts a form and reads the JSON that comes back, whatever its status.
    pub(super) async fn form(&self, url: &str, fields: &[(&str, &str)]) -> Result<Answer, ConnectError> {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.post(url, "application/x-www-form-urlencoded", body).await
    }

    /// Posts JSON and reads the JSON that comes back, whatever its status.
    pub(super) async fn json(&self, url: &str, value: &Value) -> Result<Answer, ConnectError> {
        self.post(url, "application/json", value.to_string()).await
    }

    async fn post(&self, url: &str, kind: &'static str, body: String) -> Result<Answer, ConnectError> {
        let (status, body) = send(self.client.post(url).header(CONTENT_TYPE, kind).body(body), url).await?;
        Ok(Answer { status, body: object(&body, url)? })
    }
}

impl Answer {
    /// The object of a success, or what the server says against it.
    pub(super) fn success(self) -> Result<Map<String, Value>, ConnectError> {
        if self.status.is_success() { Ok(self.body) } else { Err(ConnectError::Refused(self.refusal())) }
    }

    /// The error's code.
    pub(super) fn error(&self) -> &str {
        self.body.get("error").and_then(Value::as_str).unwrap_or_default()
    }

    fn refusal(&self) -> String {
        let text = |name: &str| self.body.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        let words = match (text("error"), text("error_description")) {
            (Some(code), Some(why)) => format!("{code}: {why}"),
            (Some(code), None) => code.to_owned(),
            _ => format!("the status {}", self.status.as_u16()),
        };
        shown(&words)
    }
}

/// A stranger's text, fit for a terminal.
pub(super) fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(300).collect()
}

async fn send(request: RequestBuilder, url: &str) -> Result<(StatusCode, Vec<u8>), ConnectError> {
    let unreachable = |error: reqwest::Error| ConnectError::Unreachable { url: url.to_owned(), why: cause(&error) };
    let mut response = request.header(ACCEPT, "application/json").send().await.map_err(unreachable)?;
    let status = response.status();
    if status.is_server_error() {
        let why = format!("it answered with the status {}", status.as_u16());
        return Err(ConnectError::Unreachable { url: url.to_owned(), why });
    }
    if status.is_redirection() {
        return Err(answered(url, "a redirect"));
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(unreachable)? {
        if body.len() + piece.len() > ANSWER_BYTES {
            return Err(answered(url, "more than any such answer holds"));
        }
        body.extend_from_slice(&piece);
    }
    Ok((status, body))
}

fn object(body: &[u8], url: &str) -> Result<Map<String, Value>, ConnectError> {
    serde_json::from_slice(body).map_err(|_| answered(url, "something else than a JSON object"))
}

fn answered(url: &str, what: &str) -> ConnectError {
    ConnectError::Answer { url: url.to_owned(), what: what.to_owned() }
}

/// The innermost cause, which is what a person can act on.
fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time".to_owned();
    }
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
