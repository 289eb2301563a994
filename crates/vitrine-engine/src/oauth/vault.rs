//! What the authorization server must remember. Secrets are kept as digests alone, and every
//! change that decides something is one transaction.

use std::future::Future;

use super::client::OAuthClient;
use super::exchange::Approved;
use crate::grant::Grant;
use crate::port::{StoreResult, TokenRow};
use crate::token::TokenDigest;

/// What a store keeps for the authorization server and the owner's pages.
pub trait Vault: Send + Sync + 'static {
    /// What was set under that name, such as the password's hash.
    fn setting(&self, name: &str) -> impl Future<Output = StoreResult<Option<String>>> + Send;
    /// Sets it.
    fn set_setting(&self, name: &str, value: &str) -> impl Future<Output = StoreResult<()>> + Send;

    /// The client of that id.
    fn client(&self, client_id: &str) -> impl Future<Output = StoreResult<Option<OAuthClient>>> + Send;
    /// Keeps a client, in place of an older state of it. Past `room`, the oldest client that was
    /// never approved is dropped; false when there is none.
    fn keep_client(&self, client: &OAuthClient, room: u32) -> impl Future<Output = StoreResult<bool>> + Send;

    /// Keeps a ticket and drops those that have ended; false when `room` of its kind are waiting.
    fn keep_ticket(&self, ticket: &Ticket, room: u32) -> impl Future<Output = StoreResult<bool>> + Send;
    /// The body of a ticket that has not ended.
    fn ticket(
        &self,
        kind: TicketKind,
        digest: &TokenDigest,
    ) -> impl Future<Output = StoreResult<Option<String>>> + Send;
    /// Changes a ticket that still says `before`; false when it does not.
    fn change_ticket(
        &self,
        kind: TicketKind,
        digest: &TokenDigest,
        before: &str,
        after: &str,
    ) -> impl Future<Output = StoreResult<bool>> + Send;
    /// Drops a ticket; false when there was none.
    fn drop_ticket(&self, kind: TicketKind, digest: &TokenDigest) -> impl Future<Output = StoreResult<bool>> + Send;
    /// Drops every ticket of a kind.
    fn drop_tickets(&self, kind: TicketKind) -> impl Future<Output = StoreResult<()>> + Send;

    /// Takes the ceremony's ticket and keeps what was approved in it: all, or nothing when the
    /// ticket is gone (false) or the catalog is another one by now (`Stale`).
    fn approve(&self, approval: &NewApproval) -> impl Future<Output = StoreResult<bool>> + Send;
    /// What was approved under a code.
    fn approval(&self, code: &TokenDigest) -> impl Future<Output = StoreResult<Option<KeptApproval>>> + Send;
    /// Keeps the first tokens of an approval; false when its code was redeemed before.
    fn redeem(&self, code: &TokenDigest, tokens: &NewTokens) -> impl Future<Output = StoreResult<bool>> + Send;
    /// The refresh token with this digest.
    fn refresh_token(&self, digest: &TokenDigest) -> impl Future<Output = StoreResult<Option<KeptRefresh>>> + Send;
    /// Puts new tokens in the place of a refresh token; false when it was superseded before.
    fn rotate(&self, old: &TokenDigest, tokens: &NewTokens) -> impl Future<Output = StoreResult<bool>> + Send;
    /// Ends an approval's refresh tokens and access tokens.
    fn revoke_approval(&self, code: &TokenDigest) -> impl Future<Output = StoreResult<()>> + Send;
    /// Ends one access token; false when there is none.
    fn revoke_token(&self, digest: &TokenDigest) -> impl Future<Output = StoreResult<bool>> + Send;
}

/// Something that waits for a while: a request, a ceremony, a device, a session.
#[derive(Debug, Clone)]
pub struct Ticket {
    /// The digest of the secret that finds it.
    pub digest: TokenDigest,
    /// What it is.
    pub kind: TicketKind,
    /// What it says, as JSON.
    pub body: String,
    /// When it ends, in seconds since 1970.
    pub ends: i64,
}

/// What a ticket is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TicketKind {
    /// A request its client sent ahead.
    Pushed,
    /// A request before the owner.
    Ceremony,
    /// A device that waits, by its own code.
    Device,
    /// The same device, by the code its user types.
    UserCode,
    /// A signed-in browser.
    Session,
}

impl TicketKind {
    /// As it stands in the store.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pushed => "pushed",
            Self::Ceremony => "ceremony",
            Self::Device => "device",
            Self::UserCode => "user_code",
            Self::Session => "session",
        }
    }
}

/// What the owner approved, to be kept.
#[derive(Debug, Clone)]
pub struct NewApproval {
    /// The ceremony it happened in.
    pub ceremony: TokenDigest,
    /// The catalog it was reviewed against.
    pub catalog_version: i64,
    /// The package around the grants, if any.
    pub package_id: Option<String>,
    /// The grants.
    pub grants: Vec<Grant>,
    /// The digest of the code, or device code, that redeems it.
    pub code: TokenDigest,
    /// What else counts when it is redeemed.
    pub approved: Approved,
    /// When the code ends, in seconds since 1970.
    pub ends: i64,
}

/// An approval as it is kept.
#[derive(Debug, Clone)]
pub struct KeptApproval {
    /// What counts when it is redeemed.
    pub approved: Approved,
    /// When its code ends.
    pub ends: i64,
    /// Whether its code was redeemed.
    pub redeemed: bool,
    /// Whether its tokens were ended.
    pub revoked: bool,
}

/// A refresh token as it is kept.
#[derive(Debug, Clone)]
pub struct KeptRefresh {
    /// The digest of the code that the family began with.
    pub code: TokenDigest,
    /// The approval behind it.
    pub approval: KeptApproval,
    /// When it ends.
    pub ends: i64,
    /// Whether another took its place.
    pub superseded: bool,
}

/// Tokens to keep.
#[derive(Debug, Clone)]
pub struct NewTokens {
    /// The access token.
    pub access: TokenRow,
    /// The refresh token's digest and end.
    pub refresh: Option<(TokenDigest, i64)>,
}
