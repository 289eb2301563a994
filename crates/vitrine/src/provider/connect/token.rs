//! Tokens, as an authorization server hands them out.

use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;
use serde_json::{Map, Value};
use vitrine_contract::time;

use super::ConnectError;
use super::discovery::Authority;
use super::web::Web;
use crate::provider::credential::Credential;

/// Nobody promises longer; a stranger's number must not overflow a date.
const MAX_LIFETIME: i64 = 10 * 366 * 24 * 60 * 60;

#[derive(Deserialize)]
pub(super) struct Tokens {
    access_token: String,
    #[serde(default)]
    token_type: String,
    #[serde(default)]
    expires_in: Option<i64>,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default)]
    pub(super) scope: Option<String>,
    #[serde(default)]
    pdpp_token_kind: Option<String>,
    #[serde(default)]
    grant_id: Option<String>,
    #[serde(default)]
    grant_package_id: Option<String>,
}

impl Tokens {
    /// Exchanges a refresh token, which is then spent.
    pub(super) async fn refresh(
        web: &Web,
        authority: &Authority,
        client_id: &str,
        refresh_token: &str,
    ) -> Result<Self, ConnectError> {
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh_token),
            ("client_id", client_id),
            ("resource", &authority.resource),
        ];
        Self::read(authority, web.form(&authority.token_endpoint, &form).await?.success()?)
    }

    /// Reads a token answer.
    pub(super) fn read(authority: &Authority, answer: Map<String, Value>) -> Result<Self, ConnectError> {
        // The parser's message could quote the token.
        let tokens: Option<Self> = serde_json::from_value(answer.into()).ok();
        let usable =
            |tokens: &Self| tokens.token_type.eq_ignore_ascii_case("bearer") && !tokens.access_token.is_empty();
        tokens.filter(usable).ok_or_else(|| ConnectError::Answer {
            url: authority.token_endpoint.clone(),
            what: "no bearer token".to_owned(),
        })
    }

    /// What to keep of it.
    pub(super) fn credential(self, now: Timestamp) -> Credential {
        let expires_at = self.expires_in.map(|seconds| {
            let end = now.checked_add(SignedDuration::from_secs(seconds.clamp(0, MAX_LIFETIME)));
            time::format(end.unwrap_or(Timestamp::MAX))
        });
        Credential {
            access_token: self.access_token,
            token_type: "Bearer".to_owned(),
            refresh_token: self.refresh_token,
            expires_at,
            pdpp_token_kind: self.pdpp_token_kind,
            grant_id: self.grant_id.or(self.grant_package_id),
        }
    }
}
