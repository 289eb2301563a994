//! Client-id metadata documents: fetched from the open internet and from nowhere else.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use futures::StreamExt as _;
use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use serde_json::{Map, Value};
use tokio::net::lookup_host;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use url::{Host, Url};
use vitrine_engine::oauth::{OAuthCode, OAuthError};

use super::address::is_public;

const MAX_BYTES: usize = 32 * 1024;
const PATIENCE: Duration = Duration::from_secs(5);
/// Documents fetched at once.
const AT_ONCE: usize = 4;

/// Where metadata documents come from.
pub enum Documents {
    /// The web.
    Web(Semaphore),
    /// These, and no others.
    Given(BTreeMap<String, Value>),
}

/// Why there is no document.
#[derive(Debug)]
pub(super) enum NoDocument {
    /// It is not there, not good, or nowhere we would look.
    Refused(OAuthError),
    /// Nobody answers: this machine may have no way to the internet.
    Unreachable,
}

impl Default for Documents {
    fn default() -> Self {
        Self::Web(Semaphore::new(AT_ONCE))
    }
}

impl Documents {
    /// The document at a client's own address.
    pub(super) async fn read(&self, client_id: &str) -> Result<Map<String, Value>, NoDocument> {
        let (url, host) = address(client_id).map_err(refused)?;
        match self {
            Self::Web(slots) => {
                let _slot = slots.try_acquire().map_err(|_| {
                    let message = "Too many clients are being looked up. Try again.";
                    NoDocument::Refused(OAuthError::new(OAuthCode::TemporarilyUnavailable, message))
                })?;
                timeout(PATIENCE, fetch(url, &host)).await.map_err(|_| NoDocument::Unreachable)?
            }
            Self::Given(documents) => {
                let found = documents.get(client_id).and_then(Value::as_object);
                found.cloned().ok_or(NoDocument::Unreachable)
            }
        }
    }
}

/// An identity that can be an address: https, a name rather than a number, the usual port, a path.
fn address(client_id: &str) -> Result<(Url, String), &'static str> {
    let url = Url::parse(client_id).map_err(|_| "It is not a URL.")?;
    if url.as_str() != client_id || client_id.len() > 2_048 {
        return Err("Its URL is not in its plain form.");
    }
    let bare =
        url.username().is_empty() && url.password().is_none() && url.fragment().is_none() && url.port().is_none();
    if url.scheme() != "https" || !bare || url.path() == "/" {
        return Err("Its URL must be https, with a path, without port, user or fragment.");
    }
    match url.host() {
        Some(Host::Domain(host)) if host.contains('.') && !host.ends_with(".localhost") => {
            let host = host.to_owned();
            Ok((url, host))
        }
        _ => Err("Its URL must name a host on the internet."),
    }
}

async fn fetch(url: Url, host: &str) -> Result<Map<String, Value>, NoDocument> {
    let found: Vec<SocketAddr> = lookup_host((host, 443)).await.map_err(|_| NoDocument::Unreachable)?.collect();
    // One inner address among public ones is enough to suspect the name.
    if found.is_empty() || !found.iter().all(|address| is_public(address.ip())) {
        return Err(refused("Its host is not on the internet."));
    }
    // An error only says that a provider of cryptography is there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .https_only(true)
        .redirect(Policy::none())
        .no_proxy()
        .referer(false)
        .user_agent(concat!("vitrine/", env!("CARGO_PKG_VERSION")))
        .timeout(PATIENCE)
        // The name is not looked up again: what was checked is what is called.
        .resolve_to_addrs(host, &found)
        .build()
        .map_err(|_| refused("This server cannot fetch it."))?;
    let answer = client.get(url).header(ACCEPT, "application/json").send().await;
    let answer = answer.map_err(|_| NoDocument::Unreachable)?;
    match answer.status() {
        StatusCode::OK => {}
        status if is_no_word_of_the_clients(status) => return Err(NoDocument::Unreachable),
        _ => return Err(refused("Its address answers with something else.")),
    }
    let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind != "application/json" && !(kind.starts_with("application/") && kind.ends_with("+json")) {
        return Err(refused("It is not JSON."));
    }
    serde_json::from_slice(&bounded(answer).await?).map_err(|_| refused("It is not a JSON object."))
}

/// Whether whoever keeps machines away, or failed, has answered in the client's place.
fn is_no_word_of_the_clients(status: StatusCode) -> bool {
    status == StatusCode::FORBIDDEN || status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()
}

async fn bounded(answer: Response) -> Result<Vec<u8>, NoDocument> {
    let mut body = Vec::new();
    let mut chunks = answer.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| refused("It broke off."))?;
        if body.len() + chunk.len() > MAX_BYTES {
            return Err(refused("It is too long."));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn refused(why: &str) -> NoDocument {
    let message = format!("The client's metadata document cannot be taken. {why}");
    NoDocument::Refused(OAuthError::new(OAuthCode::InvalidClient, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_public_names_are_addresses() {
        assert!(address("https://client.example/metadata.json").is_ok());
        for wrong in [
            "http://client.example/metadata.json",
            "https://client.example",
            "https://client.example/",
            "https://client.example:8443/x",
            "https://user@client.example/x",
            "https://client.example/x#y",
            "https://client.example/a/../b",
            "https://CLIENT.example/x",
            "https://127.0.0.1/x",
            "https://2130706433/x",
            "https://0x7f.1/x",
            "https://[::1]/x",
            "https://[::ffff:10.0.0.1]/x",
            "https://localhost/x",
            "https://a.localhost/x",
            "https://intranet/x",
        ] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_inside_is_not_followed() {
        // Resolved by the machine itself, without asking anybody.
        let fault = fetch(Url::parse("https://localhost/x").unwrap(), "localhost").await.unwrap_err();
        assert!(
            matches!(&fault, NoDocument::Refused(error) if error.description.contains("not on the internet")),
            "{fault:?}"
        );
    }
}
