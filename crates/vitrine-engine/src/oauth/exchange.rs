//! Codes and refresh tokens become access tokens.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vitrine_contract::{ErrorCode, time};

use super::client::OAuthClient;
use super::details::DATA_ACCESS;
use super::params::Params;
use super::vault::{KeptApproval, NewTokens};
use super::{Authority, OAuthCode, OAuthError, SCOPE, ask, pkce};
use crate::caller::Caller;
use crate::grant::{Grant, Selection};
use crate::keeping::Keeper;
use crate::port::TokenRow;
use crate::token::{Token, TokenDigest, TokenKind, fresh_secret};

/// The grant type of RFC 8628.
pub const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// Every grant type there is.
pub const GRANT_TYPES: [&str; 3] = ["authorization_code", "refresh_token", DEVICE_GRANT];
/// How long a code is good.
pub const CODE_SECONDS: i64 = 60;
/// How long an access token is good.
const ACCESS_SECONDS: i64 = 60 * 60;
/// How long a refresh token is good when nobody uses it.
const REFRESH_SECONDS: i64 = 90 * 24 * 60 * 60;

/// What counts when an approval is redeemed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approved {
    /// Who asked.
    pub client_id: String,
    /// What its tokens are.
    pub kind: TokenKind,
    /// The grant or package they read under.
    pub subject: String,
    /// Where the code went.
    pub redirect_uri: Option<String>,
    /// What the redeemer must prove; a device has its own code instead.
    pub code_challenge: Option<String>,
    /// What the tokens are for.
    pub resource: Option<String>,
    /// Whether one access token is all there is.
    pub single_use: bool,
    /// Whether the client asked with details, and is told what became of them.
    pub detailed: bool,
}

/// Tokens, with their only copies.
#[derive(Debug)]
pub struct Granted {
    access_token: String,
    refresh_token: Option<String>,
    expires_in: i64,
    approved: Approved,
    grants: Vec<Value>,
}

impl Granted {
    /// The answer of RFC 6749, 5.1.
    pub fn to_body(&self) -> Value {
        let mut body = json!({
            "access_token": self.access_token,
            "token_type": "Bearer",
            "expires_in": self.expires_in,
            "scope": SCOPE,
            "pdpp_token_kind": self.approved.kind.as_str(),
        });
        if let Some(refresh) = &self.refresh_token {
            body["refresh_token"] = refresh.as_str().into();
        }
        let subject = if self.approved.kind == TokenKind::McpPackage { "grant_package_id" } else { "grant_id" };
        body[subject] = self.approved.subject.as_str().into();
        if self.approved.detailed {
            body["authorization_details"] = self.grants.clone().into();
        }
        body
    }
}

impl<S: Keeper> Authority<'_, S> {
    /// Answers a token request of a client that has proved who it is.
    pub async fn exchange(&self, params: &Params, client: &OAuthClient) -> Result<Granted, OAuthError> {
        match params.need("grant_type")? {
            "authorization_code" => self.redeem_code(params, client).await,
            "refresh_token" => self.refresh(params, client).await,
            DEVICE_GRANT => self.poll_device(params, client).await,
            _ => Err(OAuthError::new(
                OAuthCode::UnsupportedGrantType,
                format!("grant_type must be one of {}.", GRANT_TYPES.join(", ")),
            )),
        }
    }

    async fn redeem_code(&self, params: &Params, client: &OAuthClient) -> Result<Granted, OAuthError> {
        let digest = TokenDigest::of(params.need("code")?);
        let verifier = params.need("code_verifier")?;
        let kept = self.store.approval(&digest).await?.filter(|kept| kept.approved.client_id == client.client_id);
        let kept = kept.ok_or_else(|| no_good("The code is not known here."))?;
        // A device's code answers to its own grant type alone.
        let (Some(challenge), Some(redirect)) = (&kept.approved.code_challenge, &kept.approved.redirect_uri) else {
            return Err(no_good("The code is not known here."));
        };
        self.end_if_redeemed(&digest, &kept).await?;
        if params.get("redirect_uri").is_some_and(|uri| uri != redirect) {
            return Err(no_good("redirect_uri is not the one the code was sent to."));
        }
        if !pkce::verifies(verifier, challenge) {
            return Err(no_good("code_verifier does not fit the code_challenge."));
        }
        self.first_tokens(&digest, kept, params).await
    }

    /// Issues the tokens of an approval whose redeemer is the right one.
    pub(super) async fn first_tokens(
        &self,
        code: &TokenDigest,
        kept: KeptApproval,
        params: &Params,
    ) -> Result<Granted, OAuthError> {
        if kept.revoked || kept.ends <= self.now().as_second() {
            return Err(no_good("The code has expired. Ask again."));
        }
        let (granted, tokens) = self.issue(kept.approved, params).await?;
        if self.store.redeem(code, &tokens).await? {
            return Ok(granted);
        }
        self.store.revoke_approval(code).await?;
        Err(used_twice())
    }

    /// A code that comes a second time is in two hands: what it issued ends.
    pub(super) async fn end_if_redeemed(&self, code: &TokenDigest, kept: &KeptApproval) -> Result<(), OAuthError> {
        if !kept.redeemed {
            return Ok(());
        }
        self.store.revoke_approval(code).await?;
        Err(used_twice())
    }

    async fn refresh(&self, params: &Params, client: &OAuthClient) -> Result<Granted, OAuthError> {
        let unknown = || no_good("The refresh token is not known here, or has ended. Connect again.");
        let digest = TokenDigest::of(params.need("refresh_token")?);
        let kept = self.store.refresh_token(&digest).await?.ok_or_else(unknown)?;
        if kept.approval.approved.client_id != client.client_id {
            return Err(unknown());
        }
        if kept.superseded {
            self.store.revoke_approval(&kept.code).await?;
            return Err(no_good("The refresh token was used before, so the whole family has ended. Connect again."));
        }
        if kept.approval.revoked || kept.ends <= self.now().as_second() {
            return Err(unknown());
        }
        let (granted, tokens) = self.issue(kept.approval.approved, params).await?;
        if self.store.rotate(&digest, &tokens).await? {
            return Ok(granted);
        }
        self.store.revoke_approval(&kept.code).await?;
        Err(no_good("The refresh token was used twice at once, so the whole family has ended. Connect again."))
    }

    /// Makes tokens, which are good only once the store has them.
    async fn issue(&self, approved: Approved, params: &Params) -> Result<(Granted, NewTokens), OAuthError> {
        let asked = ask::resource(params, self.issuer)?;
        if let (Some(asked), Some(approved)) = (&asked, &approved.resource)
            && asked.trim_end_matches('/') != approved.trim_end_matches('/')
        {
            return Err(OAuthError::new(OAuthCode::InvalidTarget, "resource is not the one that was approved."));
        }
        let now = self.now();
        let caller =
            Caller::from_grant_or_package(self.store, &approved.subject, now).await.map_err(|error| ended(&error))?;
        let last = caller.grants().iter().map(|grant| grant_end(grant)).max().unwrap_or(i64::MAX);
        let expires_in = ACCESS_SECONDS.min(last.saturating_sub(now.as_second()));
        let access = Token::generate(approved.kind, self.random);
        let refresh = (!approved.single_use).then(|| fresh_secret("vtf", self.random));
        let expires_at = jiff::Timestamp::from_second(self.in_seconds(expires_in)).unwrap_or(now);
        let tokens = NewTokens {
            access: TokenRow {
                digest: access.digest(),
                kind: approved.kind,
                subject: approved.subject.clone(),
                expires_at: Some(time::format(expires_at)),
                revoked: false,
            },
            refresh: refresh.as_deref().map(|text| (TokenDigest::of(text), self.in_seconds(REFRESH_SECONDS))),
        };
        let grants = caller.grants().iter().map(|grant| detail(grant)).collect();
        let access_token = access.into_text();
        Ok((Granted { access_token, refresh_token: refresh, expires_in, approved, grants }, tokens))
    }
}

fn grant_end(grant: &Grant) -> i64 {
    grant.expires_at.as_deref().and_then(time::parse).map_or(i64::MAX, jiff::Timestamp::as_second)
}

/// What was granted, in the words it was asked in (RFC 9396, 7).
fn detail(grant: &Grant) -> Value {
    let stream = |s: &Selection| {
        let mut stream = json!({ "name": s.name, "instance_ids": s.instance_ids, "fields": s.fields });
        if let Some(span) = &s.time_constraint {
            stream["time_range"] = json!({ "since": span.since, "until": span.until });
        }
        if let Some(resources) = &s.resources {
            stream["resources"] = json!(resources);
        }
        stream
    };
    json!({
        "type": DATA_ACCESS,
        "grant_id": grant.grant_id,
        "source": grant.source,
        "streams": grant.streams.iter().map(stream).collect::<Vec<_>>(),
        "purpose_code": grant.purpose_code,
        "access_mode": grant.access_mode,
    })
}

fn ended(error: &vitrine_contract::ApiError) -> OAuthError {
    if error.code == ErrorCode::ApiError {
        return OAuthError::new(OAuthCode::ServerError, "The server failed. Try again.");
    }
    no_good(&error.message)
}

pub(super) fn no_good(message: &str) -> OAuthError {
    OAuthError::new(OAuthCode::InvalidGrant, message)
}

fn used_twice() -> OAuthError {
    no_good("The code was used before, so what it issued has ended. Connect again.")
}
