//! Errors as the RFCs write them.

use serde_json::{Value, json};

use crate::port::StoreError;

/// What went wrong, in the words of the RFCs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OAuthCode {
    /// RFC 6749: something is missing, doubled or malformed.
    InvalidRequest,
    /// RFC 6749: the client is unknown or did not prove who it is.
    InvalidClient,
    /// RFC 6749: the code or token is not good, or no longer.
    InvalidGrant,
    /// RFC 6749: the client may not use this grant type.
    UnauthorizedClient,
    /// RFC 6749: there is no such grant type here.
    UnsupportedGrantType,
    /// RFC 6749: only `code` is given out.
    UnsupportedResponseType,
    /// RFC 6749: the owner said no.
    AccessDenied,
    /// RFC 6749: too much is under way.
    TemporarilyUnavailable,
    /// RFC 6749: our own fault.
    ServerError,
    /// RFC 8707: the resource is not this server's.
    InvalidTarget,
    /// RFC 9396: the details cannot be granted as asked.
    InvalidAuthorizationDetails,
    /// RFC 7591: a redirect address is not acceptable.
    InvalidRedirectUri,
    /// RFC 7591: something else a client says about itself is not acceptable.
    InvalidClientMetadata,
    /// RFC 8628: the owner has not decided yet.
    AuthorizationPending,
    /// RFC 8628: polled too often.
    SlowDown,
    /// RFC 8628: the device code has ended.
    ExpiredToken,
}

impl OAuthCode {
    /// As it stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::InvalidClient => "invalid_client",
            Self::InvalidGrant => "invalid_grant",
            Self::UnauthorizedClient => "unauthorized_client",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::AccessDenied => "access_denied",
            Self::TemporarilyUnavailable => "temporarily_unavailable",
            Self::ServerError => "server_error",
            Self::InvalidTarget => "invalid_target",
            Self::InvalidAuthorizationDetails => "invalid_authorization_details",
            Self::InvalidRedirectUri => "invalid_redirect_uri",
            Self::InvalidClientMetadata => "invalid_client_metadata",
            Self::AuthorizationPending => "authorization_pending",
            Self::SlowDown => "slow_down",
            Self::ExpiredToken => "expired_token",
        }
    }

    /// The HTTP status that goes with it.
    pub fn status(self) -> u16 {
        match self {
            Self::InvalidClient => 401,
            Self::TemporarilyUnavailable => 503,
            Self::ServerError => 500,
            _ => 400,
        }
    }
}

/// An error with a sentence for whoever reads it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {description}", code.as_str())]
pub struct OAuthError {
    /// What went wrong.
    pub code: OAuthCode,
    /// What to do about it.
    pub description: String,
}

impl OAuthError {
    /// An error of that code.
    pub fn new(code: OAuthCode, description: impl Into<String>) -> Self {
        Self { code, description: plain(&description.into()) }
    }

    /// Something is missing, doubled or malformed.
    pub fn request(description: impl Into<String>) -> Self {
        Self::new(OAuthCode::InvalidRequest, description)
    }

    /// The body of a JSON answer.
    pub fn to_body(&self) -> Value {
        json!({ "error": self.code.as_str(), "error_description": self.description })
    }
}

impl From<StoreError> for OAuthError {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "the store failed");
        Self::new(OAuthCode::ServerError, "The server failed. Try again.")
    }
}

/// RFC 6749 allows printable ASCII without quotes and backslashes.
fn plain(text: &str) -> String {
    let allowed = |c: char| if c.is_ascii_graphic() || c == ' ' { c } else { '?' };
    text.chars().map(allowed).map(|c| if matches!(c, '"' | '\\') { '\'' } else { c }).take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_keep_to_the_characters_the_rfc_allows() {
        let error = OAuthError::request("a \"quoted\" \\ line\nwith é");
        assert_eq!(error.description, "a 'quoted' ' line?with ?");
    }
}
