//! Why a command could not be done, and what that means for whoever called it.

use std::io;
use std::process::ExitCode;

use serde_json::{Value, json};
use vitrine_engine::oauth::password::PasswordError;
use vitrine_engine::owner::OwnerError;
use vitrine_engine::port::StoreError;
use vitrine_store::OpenError;
use vitrine_store::ledger::LedgerError;

use crate::provider::connect::ConnectError;
use crate::provider::credential::CredentialError;

/// Who can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Anything else.
    Failed = 1,
    /// Whoever typed the command.
    Usage = 64,
    /// Whoever runs the provider.
    Unreachable = 69,
    /// Nobody: an owner's credential is never taken here.
    Refused = 77,
    /// Whoever configured the machine.
    Configuration = 78,
}

/// A command that could not be done.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Fault {
    /// Who can help.
    pub(crate) exit: Exit,
    code: &'static str,
    message: String,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl Fault {
    fn new(exit: Exit, code: &'static str, message: impl Into<String>) -> Self {
        Self { exit, code, message: message.into() }
    }

    /// The command was not typed right.
    pub(crate) fn usage(message: &str) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    /// What the command was pointed at is not right.
    pub(crate) fn configuration(message: impl Into<String>) -> Self {
        Self::new(Exit::Configuration, "bad_configuration", message)
    }

    /// An owner's credential was offered.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::new(Exit::Refused, "owner_token_refused", message)
    }

    /// A cached credential could not be used or renewed.
    pub(crate) fn renewing(error: ConnectError) -> Self {
        match error {
            ConnectError::Refused(_) | ConnectError::NoRefreshToken => {
                Self::configuration(format!("{error} Run `vitrine connect` again."))
            }
            other => other.into(),
        }
    }

    /// What was asked for would lose or mix something up.
    pub(crate) fn declined(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Exit::Failed, code, message)
    }

    /// A file or stream could not be read or written.
    pub(crate) fn unreadable(what: &str, error: &io::Error) -> Self {
        Self::new(Exit::Failed, "io_error", format!("{what}: {error}"))
    }

    /// A file is not what it was said to be.
    pub(crate) fn wrong_file(message: impl Into<String>) -> Self {
        Self::new(Exit::Failed, "wrong_file", message)
    }

    /// The owner pressed Ctrl-C.
    pub(crate) fn interrupted() -> Self {
        Self::new(Exit::Failed, "interrupted", "interrupted")
    }

    /// The error as JSON.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "error": { "code": self.code, "message": self.message } })
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::new(Exit::Failed, "io_error", error.to_string())
    }
}

impl From<OpenError> for Fault {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::InUse(_) => Self::new(Exit::Failed, "store_in_use", error.to_string()),
            _ => Self::configuration(error.to_string()),
        }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        OwnerError::from(error).into()
    }
}

impl From<LedgerError> for Fault {
    fn from(error: LedgerError) -> Self {
        Self::new(Exit::Failed, "ledger_failed", error.to_string())
    }
}

impl From<PasswordError> for Fault {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Length => Self::usage(&error.to_string()),
            PasswordError::Store(error) => error.into(),
        }
    }
}

impl From<CredentialError> for Fault {
    fn from(error: CredentialError) -> Self {
        match error {
            refusal if refusal.is_refusal() => Self::refused(refusal.to_string()),
            CredentialError::Provider(error) if error.status >= 500 => {
                Self::new(Exit::Unreachable, "provider_unreachable", error.message)
            }
            other => Self::configuration(other.to_string()),
        }
    }
}

impl From<ConnectError> for Fault {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::Unreachable { .. } => Self::new(Exit::Unreachable, "provider_unreachable", error.to_string()),
            ConnectError::Credential(error) => error.into(),
            ConnectError::Refused(_) => Self::new(Exit::Failed, "consent_refused", error.to_string()),
            ConnectError::TimedOut(_) => Self::new(Exit::Failed, "consent_timed_out", error.to_string()),
            ConnectError::Io { .. } => Self::new(Exit::Failed, "io_error", error.to_string()),
            other => Self::configuration(other.to_string()),
        }
    }
}

impl From<OwnerError> for Fault {
    fn from(error: OwnerError) -> Self {
        let code = match &error {
            OwnerError::Declaration(_) => "invalid_declaration",
            OwnerError::Grant(_) | OwnerError::Invalid(_) => "invalid_request",
            OwnerError::NotFound(_) => "not_found",
            OwnerError::Store(_) => "store_failed",
        };
        Self::new(Exit::Failed, code, error.to_string())
    }
}
