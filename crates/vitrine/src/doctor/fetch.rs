//! What a client without a credential sees at an address.

use std::error::Error;
use std::time::Duration;

use http::HeaderMap;
use reqwest::Client;
use reqwest::redirect::Policy;
use serde_json::Value;

const TIMEOUT: Duration = Duration::from_secs(10);
const ANSWER_BYTES: usize = 256 * 1024;

pub(super) struct Fetch {
    pub(super) status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Fetch {
    /// Asks without a token and follows nothing; the error is what a person can act on.
    pub(super) async fn get(url: &str) -> Result<Self, String> {
        // An error only says that a provider of cryptography is there already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().timeout(TIMEOUT).redirect(Policy::none()).build().map_err(|e| cause(&e))?;
        let mut response = client.get(url).send().await.map_err(|e| cause(&e))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|e| cause(&e))? {
            body.extend_from_slice(&piece);
            if body.len() > ANSWER_BYTES {
                return Err("it answers without end".to_owned());
            }
        }
        Ok(Self { status, headers, body })
    }

    /// Whether Vitrine says that it is there.
    pub(super) fn is_healthy(&self) -> bool {
        self.status == 200 && self.body == b"ok"
    }

    pub(super) fn header(&self, name: &str) -> Option<String> {
        self.headers.get(name)?.to_str().ok().map(str::to_owned)
    }

    pub(super) fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }
}

/// The innermost cause: a refused connection, a certificate that has ended.
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
