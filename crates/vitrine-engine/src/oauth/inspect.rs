//! What a token is good for (RFC 7662), and its end (RFC 7009).

use serde_json::{Value, json};
use vitrine_contract::time;

use super::{Authority, OAuthCode, OAuthError, SCOPE};
use crate::caller::Caller;
use crate::keeping::Keeper;
use crate::owner::OWNER_ID;
use crate::token::{TokenDigest, TokenKind};

/// Who wants to know about a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asker {
    /// The owner, about any token.
    Owner,
    /// A client that proved who it is, about tokens of its own.
    Client(String),
    /// Whoever holds the token.
    Holder,
}

impl<S: Keeper> Authority<'_, S> {
    /// What the token is good for. Whatever is wrong with it, the answer is only that it is not.
    pub async fn introspect(&self, token: &str, asker: &Asker) -> Result<Value, OAuthError> {
        let inactive = json!({ "active": false });
        let Ok(caller) = Caller::from_token(self.store, token, self.now()).await else { return Ok(inactive) };
        let bearer = caller.bearer();
        let seen = match asker {
            Asker::Owner | Asker::Holder => true,
            Asker::Client(id) => bearer.client_id.as_ref() == Some(id),
        };
        if !seen {
            return Ok(inactive);
        }
        let mut body = json!({
            "active": true,
            "iss": self.issuer,
            "sub": OWNER_ID,
            "token_type": "Bearer",
            "scope": SCOPE,
            "pdpp_token_kind": caller.kind().as_str(),
        });
        let named = [
            ("client_id", &bearer.client_id),
            ("grant_id", &bearer.grant_id),
            ("grant_package_id", &bearer.grant_package_id),
        ];
        for (name, value) in named {
            if let Some(value) = value {
                body[name] = value.as_str().into();
            }
        }
        let row = self.store.token(&TokenDigest::of(token)).await?;
        if let Some(end) = row.and_then(|row| row.expires_at).as_deref().and_then(time::parse) {
            body["exp"] = end.as_second().into();
        }
        Ok(body)
    }

    /// Ends a token: an access token alone, a refresh token with all its family. Holding it is
    /// enough; a client that says who it is must be the one it was issued to. Unknown tokens are
    /// as good as ended.
    pub async fn revoke_token(&self, token: &str, client_id: Option<&str>) -> Result<(), OAuthError> {
        let digest = TokenDigest::of(token);
        let foreign = |owner: &str| client_id.is_some_and(|id| id != owner);
        let refused = || OAuthError::new(OAuthCode::InvalidGrant, "The token was issued to another client.");
        if let Some(kept) = self.store.refresh_token(&digest).await? {
            if foreign(&kept.approval.approved.client_id) {
                return Err(refused());
            }
            self.store.revoke_approval(&kept.code).await?;
            return Ok(());
        }
        let Some(row) = self.store.token(&digest).await? else { return Ok(()) };
        if row.kind != TokenKind::Owner
            && let Ok(caller) = Caller::from_token(self.store, token, self.now()).await
            && caller.bearer().client_id.as_deref().is_some_and(foreign)
        {
            return Err(refused());
        }
        self.store.revoke_token(&digest).await?;
        Ok(())
    }
}
