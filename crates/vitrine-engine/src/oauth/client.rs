//! Who asks: clients that registered themselves (RFC 7591) or describe themselves under their own
//! address (client-id metadata documents).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use subtle::ConstantTimeEq;
use url::Url;

use super::{Authority, OAuthCode, OAuthError, redirect};
use crate::keeping::Keeper;
use crate::token::{TokenDigest, fresh_id, fresh_secret};

/// Registered clients at most; the oldest that was never approved makes room.
pub const MAX_CLIENTS: u32 = 1_000;
const MAX_REDIRECTS: usize = 20;
const MAX_NAME: usize = 100;

/// A client as it is known here. Everything but its id is its own claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OAuthClient {
    /// Its identity.
    pub client_id: String,
    /// What it calls itself.
    pub name: String,
    /// Where it says it lives.
    pub uri: Option<String>,
    /// Where answers may go.
    pub redirect_uris: Vec<String>,
    /// How we know it.
    pub standing: Standing,
    /// How it proves who it is.
    pub authentication: Authentication,
    /// What is kept of its secret, in hexadecimal.
    pub secret_digest: Option<String>,
    /// When it came, or was last read, in seconds since 1970.
    pub known_since: i64,
}

/// How a client is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It registered itself: anybody can, under any name.
    Registered,
    /// Its identity is an address, and what it says was read there.
    Document,
    /// Its identity is an address that could not be reached: no more is known of it than of one
    /// that registered, and it is answered on this machine alone.
    Unread,
}

/// How a client proves who it is at the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Authentication {
    /// Not at all: a public client, protected by PKCE.
    None,
    /// With its secret, in the `Authorization` header.
    ClientSecretBasic,
    /// With its secret, in the body.
    ClientSecretPost,
}

impl Authentication {
    /// As it stands in metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ClientSecretBasic => "client_secret_basic",
            Self::ClientSecretPost => "client_secret_post",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::None, Self::ClientSecretBasic, Self::ClientSecretPost].into_iter().find(|m| m.as_str() == word)
    }
}

impl OAuthClient {
    /// Reads what stands at a client's own address. `url` is its identity.
    pub fn from_document(url: &str, document: &Map<String, Value>, now: i64) -> Result<Self, OAuthError> {
        let refused = |message: &str| OAuthError::new(OAuthCode::InvalidClient, message);
        if document.get("client_id").and_then(Value::as_str) != Some(url) {
            return Err(refused("The client's metadata document does not name its own address as client_id."));
        }
        if document.contains_key("client_secret") {
            return Err(refused("A metadata document is public and holds no secret."));
        }
        let mut client = Self::read(url.to_owned(), Standing::Document, document, now)?;
        // Whatever it prefers, a public document leaves only PKCE to tell clients apart.
        client.authentication = Authentication::None;
        Ok(client)
    }

    /// A client whose address could not be reached, on a machine without the internet for one.
    pub fn unread(url: &str, now: i64) -> Self {
        Self {
            client_id: url.to_owned(),
            name: name(None, url, None),
            uri: None,
            redirect_uris: Vec::new(),
            standing: Standing::Unread,
            authentication: Authentication::None,
            secret_digest: None,
            known_since: now,
        }
    }

    /// Whether an answer may go there.
    pub fn may_redirect_to(&self, uri: &str) -> bool {
        match self.standing {
            Standing::Unread => redirect::is_own_machine(uri),
            Standing::Registered | Standing::Document => {
                self.redirect_uris.iter().any(|known| redirect::matches(known, uri))
            }
        }
    }

    /// The host its identity was read from, when it was.
    pub fn verified_host(&self) -> Option<String> {
        match self.standing {
            Standing::Document => Url::parse(&self.client_id).ok()?.host_str().map(str::to_owned),
            Standing::Registered | Standing::Unread => None,
        }
    }

    /// Whether the presented secret, or the lack of one, is right.
    pub fn proves_itself(&self, secret: Option<&str>) -> bool {
        match (&self.secret_digest, secret) {
            (None, None) => true,
            (Some(kept), Some(presented)) => {
                TokenDigest::of(presented).to_hex().as_bytes().ct_eq(kept.as_bytes()).into()
            }
            _ => false,
        }
    }

    fn read(
        client_id: String,
        standing: Standing,
        metadata: &Map<String, Value>,
        now: i64,
    ) -> Result<Self, OAuthError> {
        let text = |name: &str| match metadata.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(invalid(format!("{name} must be a string."))),
        };
        let authentication = match text("token_endpoint_auth_method")? {
            None => Authentication::ClientSecretBasic,
            Some(word) => Authentication::parse(word).ok_or_else(|| {
                invalid("token_endpoint_auth_method must be none, client_secret_basic or client_secret_post.")
            })?,
        };
        let uri = text("client_uri")?.filter(|uri| is_web(uri)).map(str::to_owned);
        Ok(Self {
            name: name(text("client_name")?, &client_id, uri.as_deref()),
            redirect_uris: redirect_uris(metadata)?,
            client_id,
            uri,
            standing,
            authentication,
            secret_digest: None,
            known_since: now,
        })
    }
}

/// A new client, with the only copy of its secret.
pub struct Registered {
    /// The client.
    pub client: OAuthClient,
    secret: Option<String>,
}

impl Registered {
    /// The answer of RFC 7591, 3.2.1.
    pub fn to_body(&self) -> Value {
        let client = &self.client;
        let mut body = json!({
            "client_id": client.client_id,
            "client_id_issued_at": client.known_since,
            "client_name": client.name,
            "redirect_uris": client.redirect_uris,
            "token_endpoint_auth_method": client.authentication.as_str(),
            "grant_types": super::exchange::GRANT_TYPES,
            "response_types": ["code"],
            "scope": super::SCOPE,
        });
        if let Some(secret) = &self.secret {
            body["client_secret"] = secret.as_str().into();
            body["client_secret_expires_at"] = 0.into();
        }
        if let Some(uri) = &client.uri {
            body["client_uri"] = uri.as_str().into();
        }
        body
    }
}

impl<S: Keeper> Authority<'_, S> {
    /// Registers a client that says this about itself.
    pub async fn register(&self, metadata: &Map<String, Value>) -> Result<Registered, OAuthError> {
        let id = fresh_id("cli", self.random);
        let mut client = OAuthClient::read(id, Standing::Registered, metadata, self.now().as_second())?;
        let secret = (client.authentication != Authentication::None).then(|| fresh_secret("vcs", self.random));
        client.secret_digest = secret.as_deref().map(|secret| TokenDigest::of(secret).to_hex());
        if !self.store.keep_client(&client, MAX_CLIENTS).await? {
            let message = "Too many clients are registered and in use. Ask the owner to end grants.";
            return Err(OAuthError::new(OAuthCode::TemporarilyUnavailable, message));
        }
        Ok(Registered { client, secret })
    }

    /// The client of that id, if it registered here or its document was read before.
    pub async fn client(&self, client_id: &str) -> Result<Option<OAuthClient>, OAuthError> {
        Ok(self.store.client(client_id).await?)
    }

    /// Keeps what was read at a client's own address.
    pub async fn keep_document(&self, client: &OAuthClient) -> Result<(), OAuthError> {
        self.store.keep_client(client, MAX_CLIENTS).await?;
        Ok(())
    }
}

fn redirect_uris(metadata: &Map<String, Value>) -> Result<Vec<String>, OAuthError> {
    let wrong = |message: &str| OAuthError::new(OAuthCode::InvalidRedirectUri, message);
    let uris = match metadata.get("redirect_uris") {
        // A device has nowhere to be redirected to.
        None if only_device(metadata) => return Ok(Vec::new()),
        None => return Err(wrong("redirect_uris is missing.")),
        Some(uris) => uris,
    };
    let uris: Vec<String> =
        serde_json::from_value(uris.clone()).map_err(|_| wrong("redirect_uris must be a list of strings."))?;
    if uris.is_empty() && !only_device(metadata) || uris.len() > MAX_REDIRECTS {
        return Err(wrong("A client has 1 to 20 redirect_uris."));
    }
    match uris.iter().find_map(|uri| redirect::objection(uri)) {
        Some(objection) => Err(wrong(objection)),
        None => Ok(uris),
    }
}

fn only_device(metadata: &Map<String, Value>) -> bool {
    let types = metadata.get("grant_types").and_then(Value::as_array);
    types.is_some_and(|types| !types.is_empty() && !types.iter().any(|word| word == "authorization_code"))
}

/// What the client calls itself, on one line and without characters that change how the rest of
/// the line reads.
fn name(claimed: Option<&str>, client_id: &str, uri: Option<&str>) -> String {
    let turns =
        |c: char| matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}');
    let claimed: String =
        claimed.unwrap_or_default().chars().filter(|c| !c.is_control() && !turns(*c)).take(MAX_NAME).collect();
    let claimed = claimed.trim();
    if !claimed.is_empty() {
        return claimed.to_owned();
    }
    let host = |text: &str| Url::parse(text).ok()?.host_str().map(str::to_owned);
    uri.and_then(host).or_else(|| host(client_id)).unwrap_or_else(|| "Unnamed client".to_owned())
}

fn is_web(uri: &str) -> bool {
    uri.len() <= 2_048 && Url::parse(uri).is_ok_and(|url| ["http", "https"].contains(&url.scheme()))
}

fn invalid(message: impl Into<String>) -> OAuthError {
    OAuthError::new(OAuthCode::InvalidClientMetadata, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://client.example/metadata.json";

    fn document(changes: &Value) -> Result<OAuthClient, OAuthError> {
        let mut document = json!({ "client_id": URL, "client_name": "Desk", "redirect_uris": ["http://127.0.0.1/cb"] });
        for (name, value) in changes.as_object().unwrap() {
            document[name] = value.clone();
        }
        OAuthClient::from_document(URL, document.as_object().unwrap(), 0)
    }

    #[test]
    fn a_document_speaks_for_its_own_address_only() {
        assert_eq!(document(&json!({})).unwrap().verified_host().as_deref(), Some("client.example"));
        assert!(document(&json!({ "client_id": "https://other.example/" })).is_err());
        assert!(document(&json!({ "client_secret": "x" })).is_err());
        assert!(document(&json!({ "redirect_uris": ["javascript:alert(1)"] })).is_err());
        assert!(document(&json!({ "redirect_uris": "http://127.0.0.1/cb" })).is_err());
        assert!(document(&json!({ "client_name": 7 })).is_err());
    }

    #[test]
    fn a_name_stays_on_its_line() {
        let named = |name: &str| document(&json!({ "client_name": name })).unwrap().name;
        assert_eq!(named("  De\nsk\u{202E}\u{0} "), "Desk");
        assert_eq!(named(" \n "), "client.example");
        assert_eq!(named(&"x".repeat(500)).len(), MAX_NAME);
    }
}
