//! An authorization request: checked before anybody is asked anything.

use serde::{Deserialize, Serialize};

use super::client::OAuthClient;
use super::details::Detail;
use super::params::Params;
use super::vault::{Ticket, TicketKind};
use super::{Authority, OAuthCode, OAuthError, pkce};
use crate::keeping::Keeper;
use crate::token::{TokenDigest, fresh_secret};

/// What stands before the secret part of a pushed request's address (RFC 9126).
const REQUEST_URI: &str = "urn:ietf:params:oauth:request_uri:";
/// How long a pushed request waits for its browser.
pub const PUSHED_SECONDS: i64 = 90;
/// Pushed requests that may wait at once.
const MAX_PUSHED: u32 = 2_000;
/// `state` at most.
const MAX_STATE: usize = 2_048;

/// A request that may be put to the owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Who asks.
    pub client_id: String,
    /// Where the answer goes.
    pub redirect_uri: String,
    /// Comes back with the answer.
    pub state: Option<String>,
    /// Whoever redeems the code must know what this was made of.
    pub code_challenge: String,
    /// What the token will be used at.
    pub resource: Option<String>,
    /// What is asked for; nothing named means the owner chooses.
    pub details: Option<Vec<Detail>>,
}

/// Why a request is not put to the owner, and who hears of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskRefused {
    /// The address of the answer is not verified: only the person at the browser.
    Page(OAuthError),
    /// The client, at an address it registered.
    Client {
        /// Where.
        redirect_uri: String,
        /// What it sent along.
        state: Option<String>,
        /// What is wrong.
        error: OAuthError,
    },
}

impl AskRefused {
    /// The error, whoever hears of it.
    pub fn into_error(self) -> OAuthError {
        match self {
            Self::Page(error) | Self::Client { error, .. } => error,
        }
    }
}

impl Ask {
    /// Checks a request of a known client to the server called `issuer`.
    pub fn read(params: &Params, client: &OAuthClient, issuer: &str) -> Result<Self, AskRefused> {
        let redirect_uri = redirect_uri(params, client).map_err(AskRefused::Page)?;
        let state = params.get("state").map(str::to_owned);
        let refused = |error| AskRefused::Client {
            redirect_uri: redirect_uri.to_owned(),
            state: state.clone().filter(|state| state.len() <= MAX_STATE),
            error,
        };
        if state.as_ref().is_some_and(|state| state.len() > MAX_STATE) {
            return Err(refused(OAuthError::request("state is too long.")));
        }
        check_form(params).map_err(refused)?;
        let code_challenge = pkce::challenge(params).map_err(refused)?;
        let resource = resource(params, issuer).map_err(refused)?;
        let details = details(params).map_err(refused)?;
        let (client_id, redirect_uri) = (client.client_id.clone(), redirect_uri.to_owned());
        Ok(Self { client_id, redirect_uri, state, code_challenge, resource, details })
    }
}

/// A code, in the query, asked for in plain parameters.
fn check_form(params: &Params) -> Result<(), OAuthError> {
    if params.need("response_type")? != "code" {
        return Err(OAuthError::new(OAuthCode::UnsupportedResponseType, "response_type must be code."));
    }
    if params.get("response_mode").is_some_and(|mode| mode != "query") {
        return Err(OAuthError::request("response_mode must be query."));
    }
    if params.get("request").is_some() {
        return Err(OAuthError::request("Request objects are not taken. Send parameters, or push them."));
    }
    Ok(())
}

/// The resource a token is for, which must be one of this server's.
pub fn resource(params: &Params, issuer: &str) -> Result<Option<String>, OAuthError> {
    let mcp = format!("{issuer}/mcp");
    for asked in params.resources() {
        let path = asked.strip_prefix(issuer);
        if !matches!(path, Some("" | "/" | "/mcp")) {
            let message = format!("resource must be {mcp} or {issuer}/.");
            return Err(OAuthError::new(OAuthCode::InvalidTarget, message));
        }
    }
    Ok(params.resources().first().cloned())
}

/// The details of a request, if it has any.
pub fn details(params: &Params) -> Result<Option<Vec<Detail>>, OAuthError> {
    let read = params.get("authorization_details").map(Detail::read_all).transpose();
    read.map_err(|message| OAuthError::new(OAuthCode::InvalidAuthorizationDetails, message))
}

/// A client with one address may leave it out, unless the port is not known yet.
fn redirect_uri<'a>(params: &'a Params, client: &'a OAuthClient) -> Result<&'a str, OAuthError> {
    match (params.get("redirect_uri"), client.redirect_uris.as_slice()) {
        (Some(uri), _) if client.may_redirect_to(uri) => Ok(uri),
        (Some(_), _) => Err(OAuthError::request("redirect_uri is not one that this client has registered.")),
        (None, [only]) => Ok(only),
        (None, _) => Err(OAuthError::request("redirect_uri is missing.")),
    }
}

impl<S: Keeper> Authority<'_, S> {
    /// Keeps a request that its client sent ahead; the address under which its browser finds it.
    pub async fn push(&self, ask: &Ask) -> Result<String, OAuthError> {
        let secret = fresh_secret("vtr", self.random);
        let ticket = Ticket {
            digest: TokenDigest::of(&secret),
            kind: TicketKind::Pushed,
            body: to_json(ask)?,
            ends: self.in_seconds(PUSHED_SECONDS),
        };
        if !self.store.keep_ticket(&ticket, MAX_PUSHED).await? {
            return Err(too_many());
        }
        Ok(format!("{REQUEST_URI}{secret}"))
    }

    /// The request that was sent ahead, once.
    pub async fn take_pushed(&self, request_uri: &str, client_id: &str) -> Result<Ask, OAuthError> {
        let gone = || OAuthError::request("This request is not known, or no longer. Start again from the client.");
        let secret = request_uri.strip_prefix(REQUEST_URI).ok_or_else(gone)?;
        let digest = TokenDigest::of(secret);
        let body = self.store.ticket(TicketKind::Pushed, &digest).await?.ok_or_else(gone)?;
        let ask: Ask = from_json(&body)?;
        if ask.client_id != client_id || !self.store.drop_ticket(TicketKind::Pushed, &digest).await? {
            return Err(gone());
        }
        Ok(ask)
    }
}

pub(super) fn too_many() -> OAuthError {
    OAuthError::new(OAuthCode::TemporarilyUnavailable, "Too many requests are waiting. Try again in a few minutes.")
}

pub(super) fn to_json(value: &impl Serialize) -> Result<String, OAuthError> {
    serde_json::to_string(value).map_err(|error| damaged(&error))
}

pub(super) fn from_json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, OAuthError> {
    serde_json::from_str(text).map_err(|error| damaged(&error))
}

fn damaged(error: &serde_json::Error) -> OAuthError {
    tracing::error!(%error, "a kept request cannot be read");
    OAuthError::new(OAuthCode::ServerError, "The server failed. Start again from the client.")
}
