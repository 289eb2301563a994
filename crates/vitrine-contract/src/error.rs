//! Typed errors: who can fix it, what went wrong, and what to do next.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::limits::MAX_CANDIDATES;

macro_rules! error_codes {
    ($($variant:ident = $code:literal, $status:literal;)*) => {
        /// The closed set of error codes, plus whatever another provider may answer.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum ErrorCode {
            $(#[doc = concat!("`", $code, "`, HTTP ", stringify!($status), ".")] $variant,)*
            /// A code of another provider's own.
            Other(String),
        }

        impl ErrorCode {
            /// Every code of the contract.
            pub const ALL: &[ErrorCode] = &[$(ErrorCode::$variant,)*];

            /// The code as it stands on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(ErrorCode::$variant => $code,)*
                    ErrorCode::Other(code) => code,
                }
            }

            /// The HTTP status that goes with the code.
            pub fn status(&self) -> u16 {
                match self {
                    $(ErrorCode::$variant => $status,)*
                    ErrorCode::Other(_) => 500,
                }
            }
        }

        impl From<&str> for ErrorCode {
            fn from(code: &str) -> Self {
                match code {
                    $($code => ErrorCode::$variant,)*
                    other => ErrorCode::Other(other.to_owned()),
                }
            }
        }
    };
}

error_codes! {
    InvalidRequest = "invalid_request", 400;
    InvalidCursor = "invalid_cursor", 400;
    InvalidExpand = "invalid_expand", 400;
    InvalidFilter = "invalid_filter", 400;
    InvalidSort = "invalid_sort", 400;
    UnknownField = "unknown_field", 400;
    UnsupportedVersion = "unsupported_version", 400;
    InvalidWindow = "invalid_window", 400;
    InvalidFieldPath = "invalid_field_path", 400;
    InvalidId = "invalid_id", 400;
    ConflictingConnectionId = "conflicting_connection_id", 400;
    FieldWindowUnsupported = "field_window_unsupported", 400;
    AuthenticationError = "authentication_error", 401;
    FieldNotGranted = "field_not_granted", 403;
    GrantStreamNotAllowed = "grant_stream_not_allowed", 403;
    ConnectionNotGranted = "connection_not_granted", 403;
    GrantExpired = "grant_expired", 403;
    GrantRevoked = "grant_revoked", 403;
    OwnerTokenRefused = "owner_token_refused", 403;
    NotFound = "not_found", 404;
    BlobNotFound = "blob_not_found", 404;
    FieldNotFound = "field_not_found", 404;
    MatchNotFound = "match_not_found", 404;
    MethodNotAllowed = "method_not_allowed", 405;
    AmbiguousConnection = "ambiguous_connection", 409;
    AmbiguousSchemaDetail = "ambiguous_schema_detail", 409;
    Conflict = "conflict", 409;
    CursorExpired = "cursor_expired", 410;
    PayloadTooLarge = "payload_too_large", 413;
    FieldNotText = "field_not_text", 422;
    RateLimitExceeded = "rate_limit_exceeded", 429;
    ApiError = "api_error", 500;
}

/// One error of the contract, as every layer passes it on.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}: {message}", code.as_str())]
pub struct ApiError {
    /// What went wrong.
    pub code: ErrorCode,
    /// The HTTP status; another provider may pair its codes with its own.
    pub status: u16,
    /// A sentence that says what to do next.
    pub message: String,
    /// The parameter at fault.
    pub param: Option<String>,
    /// The request this answers.
    pub request_id: Option<String>,
    /// The argument that would make the same call work.
    pub retry_with: Option<String>,
    /// Connections to choose from.
    pub available_connections: Option<Candidates>,
    /// Anything else another provider said.
    pub extra: Map<String, Value>,
}

/// The connections an ambiguous call could have meant, bounded.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Candidates {
    /// The first of them; those that have the stream come first.
    pub listed: Vec<CandidateConnection>,
    /// How many there are in all.
    pub total: usize,
}

impl Candidates {
    /// As many of these as are listed: first those that have the stream, last those that have not.
    pub fn of(mut all: Vec<CandidateConnection>) -> Self {
        let total = all.len();
        all.sort_by_key(|candidate| match candidate.has_stream {
            Some(true) => 0,
            None => 1,
            Some(false) => 2,
        });
        all.truncate(MAX_CANDIDATES);
        Self { listed: all, total }
    }
}

/// One connection an ambiguous call could have meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateConnection {
    /// Pass this as `connection_id`.
    pub connection_id: String,
    /// The kind of source.
    pub connector_key: String,
    /// The owner's label.
    pub display_name: String,
    /// The grant that covers it; absent for the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<String>,
    /// Whether it has the stream that was asked for; absent where a provider does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_stream: Option<bool>,
}

impl ApiError {
    /// An error of `code` whose message says what to do.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            status: code.status(),
            code,
            message: message.into(),
            param: None,
            request_id: None,
            retry_with: None,
            available_connections: None,
            extra: Map::new(),
        }
    }

    /// `invalid_request` about one parameter.
    pub fn invalid(param: &str, message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message).param(param)
    }

    /// A fault of the server itself, told without its inner details.
    pub fn internal() -> Self {
        Self::new(
            ErrorCode::ApiError,
            "The server failed to answer. Try again; if it persists, ask the operator to look at the log.",
        )
    }

    /// Names the parameter at fault.
    #[must_use]
    pub fn param(mut self, param: impl Into<String>) -> Self {
        self.param = Some(param.into());
        self
    }

    /// Names the argument that would make the same call work.
    #[must_use]
    pub fn retry_with(mut self, argument: &str) -> Self {
        self.retry_with = Some(argument.to_owned());
        self
    }

    /// Lists the connections to choose from.
    #[must_use]
    pub fn candidates(mut self, candidates: Candidates) -> Self {
        self.available_connections = Some(candidates);
        self
    }

    /// A call that could have meant any of these connections.
    pub fn ambiguous_connection(candidates: Candidates) -> Self {
        let more = if candidates.total > candidates.listed.len() { " GET /v1/schema lists them all." } else { "" };
        let message =
            format!("Several connections could be meant. Call again with the `connection_id` of one of them.{more}");
        Self::new(ErrorCode::AmbiguousConnection, message)
            .param("connection_id")
            .retry_with("connection_id")
            .candidates(candidates)
    }

    /// The family of the error, by status.
    pub fn kind(&self) -> &'static str {
        match self.status {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            409 => "conflict_error",
            410 => "gone_error",
            429 => "rate_limit_error",
            400..=499 => "invalid_request_error",
            _ => "api_error",
        }
    }

    /// The error object, as it stands under `error`.
    pub fn to_object(&self) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("type".into(), self.kind().into());
        object.insert("code".into(), self.code.as_str().into());
        object.insert("message".into(), self.message.clone().into());
        for (name, value) in
            [("param", &self.param), ("request_id", &self.request_id), ("retry_with", &self.retry_with)]
        {
            if let Some(value) = value {
                object.insert(name.into(), value.clone().into());
            }
        }
        if let Some(candidates) = &self.available_connections {
            let listed = candidates.listed.iter().filter_map(|c| serde_json::to_value(c).ok()).collect();
            object.insert("available_connections".into(), Value::Array(listed));
            object.insert("available_connection_count".into(), candidates.total.into());
            object.insert("truncated".into(), (candidates.total > candidates.listed.len()).into());
        }
        for (name, value) in &self.extra {
            object.entry(name.clone()).or_insert_with(|| value.clone());
        }
        object
    }

    /// The whole body: `{"error": …}`.
    pub fn to_body(&self) -> Value {
        let mut body = Map::new();
        body.insert("error".into(), Value::Object(self.to_object()));
        Value::Object(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_reads_back_as_itself() {
        for code in ErrorCode::ALL {
            assert_eq!(&ErrorCode::from(code.as_str()), code);
        }
        assert_eq!(ErrorCode::from("weird").as_str(), "weird");
    }

    #[test]
    fn candidates_say_when_they_were_cut() {
        let error = ApiError::new(ErrorCode::AmbiguousConnection, "Say which.")
            .retry_with("connection_id")
            .candidates(Candidates { listed: vec![], total: 3 });
        let body = error.to_body();
        assert_eq!(body["error"]["available_connection_count"], 3);
        assert_eq!(body["error"]["truncated"], true);
        assert_eq!(body["error"]["retry_with"], "connection_id");
        assert_eq!(body["error"]["type"], "conflict_error");
    }
}
