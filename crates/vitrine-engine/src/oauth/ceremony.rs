//! A request before the owner: opened once, answered once.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ask::{Ask, from_json, to_json, too_many};
use super::client::OAuthClient;
use super::details::Detail;
use super::exchange::{Approved, CODE_SECONDS};
use super::offer::{Choices, Offer, Unready};
use super::vault::{NewApproval, Ticket, TicketKind};
use super::{Authority, OAuthCode, OAuthError, redirect};
use crate::catalog::Catalog;
use crate::grant::AccessMode;
use crate::keeping::Keeper;
use crate::port::StoreError;
use crate::token::{TokenDigest, TokenKind, fresh_id, fresh_secret};

/// How long the owner may take.
const CEREMONY_SECONDS: i64 = 30 * 60;
/// Ceremonies that may wait at once.
const MAX_CEREMONIES: u32 = 2_000;

/// A request before the owner.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ceremony {
    /// Who asks.
    pub client: OAuthClient,
    /// Where the answer goes.
    pub reply: Reply,
    /// What is asked for; nothing named means the owner chooses.
    pub details: Option<Vec<Detail>>,
}

/// Where the answer of a ceremony goes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// To the client's address, through the browser.
    Redirect {
        /// The address.
        redirect_uri: String,
        /// Comes back with the answer.
        state: Option<String>,
        /// Whoever redeems the code must know what this was made of.
        code_challenge: String,
        /// What the token will be used at.
        resource: Option<String>,
    },
    /// To a device that polls for it.
    Device {
        /// The digest of its code, in hexadecimal.
        code_digest: String,
        /// What the token will be used at.
        resource: Option<String>,
    },
}

/// How a ceremony ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// The browser goes there.
    Redirect(String),
    /// The device finds out by itself.
    Device,
}

/// Why an answer was not taken.
#[derive(Debug, thiserror::Error)]
pub enum NotAnswered {
    /// The ceremony has ended, or was answered before.
    #[error("This request was answered already, or has expired. Start again from the client.")]
    Gone,
    /// What would be granted is not what was shown.
    #[error("What would be disclosed is no longer what you were shown. Look at it again, then decide.")]
    Changed,
    /// The choice makes no grant.
    #[error(transparent)]
    Unready(#[from] Unready),
    /// Something else.
    #[error(transparent)]
    Failed(#[from] OAuthError),
}

impl From<StoreError> for NotAnswered {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Stale => Self::Changed,
            other => Self::Failed(other.into()),
        }
    }
}

impl Reply {
    fn resource(&self) -> Option<&str> {
        match self {
            Self::Redirect { resource, .. } | Self::Device { resource, .. } => resource.as_deref(),
        }
    }
}

impl<S: Keeper> Authority<'_, S> {
    /// Puts a request before the owner; the secret under which it is found.
    pub async fn open(&self, ask: Ask, client: OAuthClient) -> Result<String, OAuthError> {
        let Ask { redirect_uri, state, code_challenge, resource, details, .. } = ask;
        let reply = Reply::Redirect { redirect_uri, state, code_challenge, resource };
        self.open_ceremony(&Ceremony { client, reply, details }).await
    }

    pub(super) async fn open_ceremony(&self, ceremony: &Ceremony) -> Result<String, OAuthError> {
        self.offer(ceremony).await?;
        let secret = fresh_secret("vtk", self.random);
        let ticket = Ticket {
            digest: TokenDigest::of(&secret),
            kind: TicketKind::Ceremony,
            body: to_json(ceremony)?,
            ends: self.in_seconds(CEREMONY_SECONDS),
        };
        if self.store.keep_ticket(&ticket, MAX_CEREMONIES).await? { Ok(secret) } else { Err(too_many()) }
    }

    /// The ceremony of that secret, while it waits.
    pub async fn ceremony(&self, secret: &str) -> Result<Option<Ceremony>, OAuthError> {
        let body = self.store.ticket(TicketKind::Ceremony, &TokenDigest::of(secret)).await?;
        body.map(|body| from_json(&body)).transpose()
    }

    /// The most the ceremony can give, over the catalog as it is now.
    pub async fn offer(&self, ceremony: &Ceremony) -> Result<(Offer, Arc<Catalog>), OAuthError> {
        let catalog = self.store.catalog().await?;
        let offer = Offer::make(ceremony.details.as_deref(), &ceremony.client, &catalog, self.now())
            .map_err(|refused| OAuthError::new(OAuthCode::InvalidAuthorizationDetails, refused.to_string()))?;
        Ok((offer, catalog))
    }

    /// Grants what the owner chose, if that is what `revision` was shown for.
    pub async fn approve(&self, secret: &str, choices: &Choices, revision: &str) -> Result<Answered, NotAnswered> {
        let ceremony = self.ceremony(secret).await?.ok_or(NotAnswered::Gone)?;
        let (offer, catalog) = self.offer(&ceremony).await?;
        let mut candidate = offer.cut(choices, &catalog, self.now())?;
        if candidate.revision != revision {
            return Err(NotAnswered::Changed);
        }
        if offer.trains() && !choices.training {
            return Err(Unready::Training.into());
        }
        for grant in &mut candidate.grants {
            grant.grant_id = fresh_id("grt", self.random);
        }
        let package_id = candidate.packaged.then(|| fresh_id("pkg", self.random));
        let (kind, subject) = match (&package_id, candidate.grants.first()) {
            (Some(id), _) => (TokenKind::McpPackage, id.clone()),
            (None, Some(grant)) => (TokenKind::Client, grant.grant_id.clone()),
            (None, None) => return Err(Unready::Nothing.into()),
        };
        let single_use = candidate.grants.iter().any(|grant| grant.access_mode == AccessMode::SingleUse);
        let (code, ends, answer) = self.code_for(&ceremony.reply)?;
        let (redirect_uri, code_challenge) = match &ceremony.reply {
            Reply::Redirect { redirect_uri, code_challenge, .. } => {
                (Some(redirect_uri.clone()), Some(code_challenge.clone()))
            }
            Reply::Device { .. } => (None, None),
        };
        let approved = Approved {
            client_id: ceremony.client.client_id.clone(),
            kind,
            subject,
            redirect_uri,
            code_challenge,
            resource: ceremony.reply.resource().map(str::to_owned),
            single_use,
            detailed: ceremony.details.is_some(),
        };
        let approval = NewApproval {
            ceremony: TokenDigest::of(secret),
            catalog_version: catalog.version,
            package_id,
            grants: candidate.grants,
            code,
            approved,
            ends,
        };
        if !self.store.approve(&approval).await? {
            return Err(NotAnswered::Gone);
        }
        Ok(answer)
    }

    /// Tells the client no.
    pub async fn deny(&self, secret: &str) -> Result<Answered, NotAnswered> {
        let ceremony = self.ceremony(secret).await?.ok_or(NotAnswered::Gone)?;
        if !self.store.drop_ticket(TicketKind::Ceremony, &TokenDigest::of(secret)).await? {
            return Err(NotAnswered::Gone);
        }
        match &ceremony.reply {
            Reply::Redirect { redirect_uri, state, .. } => {
                let error = OAuthError::new(OAuthCode::AccessDenied, "The owner said no.");
                Ok(Answered::Redirect(self.refusal(redirect_uri, state.as_deref(), &error)))
            }
            Reply::Device { code_digest, .. } => {
                self.deny_device(code_digest).await?;
                Ok(Answered::Device)
            }
        }
    }

    /// The address that tells a client what is wrong (RFC 6749, 4.1.2.1; `iss` as in RFC 9207).
    pub fn refusal(&self, redirect_uri: &str, state: Option<&str>, error: &OAuthError) -> String {
        let mut params = vec![("error", error.code.as_str()), ("error_description", error.description.as_str())];
        params.extend(state.map(|state| ("state", state)));
        params.push(("iss", self.issuer));
        redirect::with_params(redirect_uri, &params)
    }

    /// The code that redeems an approval, when it ends, and what the owner's browser does next.
    fn code_for(&self, reply: &Reply) -> Result<(TokenDigest, i64, Answered), NotAnswered> {
        match reply {
            Reply::Redirect { redirect_uri, state, .. } => {
                let code = fresh_secret("vta", self.random);
                let mut params = vec![("code", code.as_str())];
                params.extend(state.as_deref().map(|state| ("state", state)));
                params.push(("iss", self.issuer));
                let address = redirect::with_params(redirect_uri, &params);
                Ok((TokenDigest::of(&code), self.in_seconds(CODE_SECONDS), Answered::Redirect(address)))
            }
            Reply::Device { code_digest, .. } => {
                let digest = TokenDigest::from_hex(code_digest).ok_or(NotAnswered::Gone)?;
                Ok((digest, self.in_seconds(super::device::DEVICE_SECONDS), Answered::Device))
            }
        }
    }
}
