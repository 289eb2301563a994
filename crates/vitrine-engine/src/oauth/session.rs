//! Signed-in browsers.

use super::vault::{Ticket, TicketKind};
use super::{Authority, OAuthError};
use crate::keeping::Keeper;
use crate::token::{TokenDigest, fresh_secret};

/// How long a browser stays signed in.
pub const SESSION_SECONDS: i64 = 12 * 60 * 60;
/// Browsers signed in at once.
const MAX_SESSIONS: u32 = 1_000;

impl<S: Keeper> Authority<'_, S> {
    /// Signs a browser in under a fresh secret.
    pub async fn sign_in(&self) -> Result<String, OAuthError> {
        let secret = self.fresh_visit();
        let ticket = Ticket {
            digest: TokenDigest::of(&secret),
            kind: TicketKind::Session,
            body: "{}".to_owned(),
            ends: self.in_seconds(SESSION_SECONDS),
        };
        if self.store.keep_ticket(&ticket, MAX_SESSIONS).await? { Ok(secret) } else { Err(super::ask::too_many()) }
    }

    /// A secret for a browser that is not signed in, to recognise its forms by.
    pub fn fresh_visit(&self) -> String {
        fresh_secret("vts", self.random)
    }

    /// Whether the secret is one of a signed-in browser.
    pub async fn signed_in(&self, secret: &str) -> Result<bool, OAuthError> {
        Ok(self.store.ticket(TicketKind::Session, &TokenDigest::of(secret)).await?.is_some())
    }

    /// Signs a browser out.
    pub async fn sign_out(&self, secret: &str) -> Result<(), OAuthError> {
        self.store.drop_ticket(TicketKind::Session, &TokenDigest::of(secret)).await?;
        Ok(())
    }
}

/// The token that proves a form was ours: derived from the browser's secret, which it does not
/// reveal.
pub fn form_token(secret: &str) -> String {
    TokenDigest::of(&format!("form:{secret}")).to_hex()
}

/// Whether a form came from a page made for the browser of that secret.
pub fn is_form_token(secret: &str, presented: &str) -> bool {
    TokenDigest::from_hex(presented).is_some_and(|token| token.matches(&TokenDigest::of(&format!("form:{secret}"))))
}
