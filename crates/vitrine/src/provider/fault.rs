//! What can go wrong on the way to a provider, as errors of the contract.

use std::error::Error;

use vitrine_contract::{ApiError, ErrorCode};

use super::Options;

/// The code of [`Fault::Unreachable`].
pub(super) const UNREACHABLE: &str = "provider_unreachable";

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nobody is there, or the connection broke off.
    Unreachable(String),
    /// No whole answer in time.
    Timeout,
    /// More bytes than are read.
    TooLarge,
    /// Something else than the contract's JSON.
    Invalid(String),
    /// The provider sends its callers to another origin.
    Redirected(Option<String>),
}

impl Fault {
    pub(super) fn of(error: &reqwest::Error) -> Self {
        if error.is_timeout() && !error.is_connect() {
            return Self::Timeout;
        }
        Self::Unreachable(root_cause(error))
    }

    /// The error as a caller sees it.
    pub(super) fn explain(self, base: &str, options: &Options) -> ApiError {
        let (code, status, message) = match self {
            Self::Unreachable(cause) => (
                UNREACHABLE,
                502,
                format!(
                    "Could not reach the provider at {base} ({cause}). Check its URL and that it is running, then try \
                     again."
                ),
            ),
            Self::Timeout => (
                "provider_timeout",
                504,
                format!(
                    "The provider at {base} gave no whole answer within {:?}. Try again, or ask for less at once.",
                    options.timeout
                ),
            ),
            Self::TooLarge => (
                "provider_response_too_large",
                502,
                format!(
                    "The provider at {base} answered with more than {} bytes. Ask for less: a smaller `limit`, fewer \
                     `fields`, one stream or one connection.",
                    options.response_bytes
                ),
            ),
            Self::Invalid(what) => (
                "provider_response_invalid",
                502,
                format!(
                    "The provider at {base} answered with {what}, not with what a PDPP provider answers. Check the \
                     provider's URL; if it is right, tell its operator."
                ),
            ),
            Self::Redirected(target) => (
                "provider_response_invalid",
                502,
                format!(
                    "The provider at {base} sends its callers on to {}, and a token is never taken elsewhere. If that \
                     is right, connect to the provider there.",
                    target.as_deref().unwrap_or("another address")
                ),
            ),
        };
        let mut error = ApiError::new(ErrorCode::Other(code.to_owned()), message);
        error.status = status;
        error
    }
}

/// The innermost cause, which is what a person can act on.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    // Only the outermost error, when it is alone, names the URL with its query.
    if error.source().is_none() { "the request failed".to_owned() } else { cause.to_string() }
}
