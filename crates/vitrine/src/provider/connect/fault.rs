//! Why there is no credential.

use crate::provider::OpenError;
use crate::provider::credential::CredentialError;

/// Why a provider did not give a credential, or none that may be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    /// Anyone on the way could read the token.
    #[error("{0} is not private: tokens go over https only, or to this machine. Use the provider's https address.")]
    Insecure(String),
    /// Nobody answers.
    #[error("Could not reach {url} ({why}). Check the address and that the provider is running, then try again.")]
    Unreachable {
        /// Who was asked.
        url: String,
        /// What happened.
        why: String,
    },
    /// An answer that no authorization server gives.
    #[error("{url} answered with {what}. Check that it is the address of a PDPP provider.")]
    Answer {
        /// Who was asked.
        url: String,
        /// What came.
        what: String,
    },
    /// The provider does not offer what is needed.
    #[error("The provider does not offer {0}.")]
    Lacks(&'static str),
    /// The metadata or the answer belongs to somebody else.
    #[error("The {what} says {said}, but {expected} was asked. Nothing was sent there; tell the provider's operator.")]
    Mismatch {
        /// Which text.
        what: &'static str,
        /// Who it says it is.
        said: String,
        /// Who it should be.
        expected: String,
    },
    /// The owner or the server said no.
    #[error("The provider refused: {0}")]
    Refused(String),
    /// Nobody answered the invitation.
    #[error("Nobody consented within {0} minutes. Run the command again.")]
    TimedOut(u64),
    /// What was cached cannot be renewed.
    #[error("The credential has ended and cannot be renewed.")]
    NoRefreshToken,
    /// The credential is the owner's, or does not work.
    #[error(transparent)]
    Credential(#[from] CredentialError),
    /// There can be no requests.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// This machine did not play along.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
}
