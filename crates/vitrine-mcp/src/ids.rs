//! Result ids: one string that names a record completely, and is enough to fetch it.

use serde_json::{Value, json};
use vitrine_contract::ident::{is_name, is_record_id};
use vitrine_contract::{ApiError, ErrorCode};

use crate::handles;

const MAX_FIELD_BYTES: usize = 512;

/// The record a call means. It names, it does not authorize: the resource server decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordRef {
    /// The account, unless the id is of the old form without one.
    pub(crate) connection_id: Option<String>,
    pub(crate) stream: String,
    pub(crate) record_id: String,
}

impl RecordRef {
    /// Reads `{connection_id}/{stream}:{record_id}`, `{stream}:{record_id}` or `pdpp://record/…`.
    pub(crate) fn parse(id: &str) -> Result<Self, ApiError> {
        match id.strip_prefix(handles::RECORD_PREFIX) {
            Some(handle) => handles::record(handle),
            None => Self::parse_plain(id),
        }
    }

    pub(crate) fn parse_plain(id: &str) -> Result<Self, ApiError> {
        let (connection_id, rest) = match id.split_once('/') {
            Some((connection_id, rest)) => (Some(connection_id), rest),
            None => (None, id),
        };
        let (stream, record_id) = rest.split_once(':').ok_or_else(invalid_id)?;
        if !connection_id.is_none_or(is_name) {
            return Err(invalid_id());
        }
        Self::checked(connection_id.map(str::to_owned), stream, record_id)
    }

    /// A reference whose every part can neither traverse a path nor break the grammar.
    pub(crate) fn checked(connection_id: Option<String>, stream: &str, record_id: &str) -> Result<Self, ApiError> {
        if connection_id.as_deref().is_none_or(is_connection) && is_name(stream) && is_record_id(record_id) {
            return Ok(Self { connection_id, stream: stream.to_owned(), record_id: record_id.to_owned() });
        }
        Err(invalid_id())
    }

    /// The record of a row. A connection that a provider did not name, or that no call could pass back, is not part
    /// of it.
    pub(crate) fn shown(connection_id: &str, stream: &str, record_id: &str) -> Self {
        let connection_id = is_connection(connection_id).then(|| connection_id.to_owned());
        Self { connection_id, stream: stream.to_owned(), record_id: record_id.to_owned() }
    }

    /// Takes the `connection_id` argument into account, which may repeat the id but not contradict it.
    pub(crate) fn scoped(mut self, connection_id: Option<String>) -> Result<Self, ApiError> {
        match (&self.connection_id, connection_id) {
            (Some(named), Some(given)) if *named != given => Err(ApiError::new(
                ErrorCode::ConflictingConnectionId,
                "The id names one connection and `connection_id` another. Pass the id alone, as it was returned.",
            )
            .param("connection_id")),
            (None, given) => {
                self.connection_id = given;
                Ok(self)
            }
            _ => Ok(self),
        }
    }

    /// The id that names this record completely, as far as its connection survives the grammar.
    pub(crate) fn result_id(&self) -> String {
        let Self { connection_id, stream, record_id } = self;
        match connection_id {
            Some(connection_id) if is_name(connection_id) => [connection_id, "/", stream, ":", record_id].concat(),
            _ => [stream, ":", record_id].concat(),
        }
    }

    /// The connection that has to be passed beside the id, which does not embed it.
    pub(crate) fn connection_apart(&self) -> Option<&str> {
        self.connection_id.as_deref().filter(|id| !is_name(id))
    }

    /// The arguments that name this record in a call.
    pub(crate) fn arguments(&self) -> Value {
        let mut arguments = json!({ "id": self.result_id() });
        if let Some(connection_id) = self.connection_apart() {
            arguments["connection_id"] = connection_id.into();
        }
        arguments
    }
}

/// Whether a call on one record can pass a connection by this id. Ours are names; those of other providers may hold
/// whatever a record's id may.
pub(crate) fn is_connection(id: &str) -> bool {
    is_record_id(id)
}

/// What a provider says of a row, unless it left it out.
pub(crate) fn told(said: &str) -> Option<&str> {
    (!said.is_empty()).then_some(said)
}

/// Whether a field can be asked for by this name. Providers may have others: those are only counted.
pub(crate) fn is_field(name: &str) -> bool {
    !name.is_empty() && !name.contains('\0') && name.len() <= MAX_FIELD_BYTES
}

pub(crate) fn invalid_id() -> ApiError {
    ApiError::new(
        ErrorCode::InvalidId,
        "An id is `{connection_id}/{stream}:{record_id}`, exactly as search or query_records returned it.",
    )
    .param("id")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_colons_belong_to_the_record() {
        let id = RecordRef::parse("cin_work/messages:a:b:c").unwrap();
        assert_eq!((id.stream.as_str(), id.record_id.as_str()), ("messages", "a:b:c"));
        assert_eq!(id.result_id(), "cin_work/messages:a:b:c");
        let legacy = RecordRef::parse("messages:a:b").unwrap();
        assert_eq!((legacy.connection_id.as_deref(), legacy.record_id.as_str()), (None, "a:b"));
    }

    #[test]
    fn a_connection_that_no_call_can_pass_stays_out_of_the_id() {
        for connection_id in ["", "a/b", "a b", "..", &"c".repeat(201)] {
            let shown = RecordRef::shown(connection_id, "messages", "77");
            assert_eq!((shown.result_id().as_str(), shown.connection_id.as_deref()), ("messages:77", None));
            assert_eq!(RecordRef::parse(&handles::record_uri(&shown)).unwrap(), shown);
        }
        assert_eq!(RecordRef::shown("c", "messages", "77").arguments(), json!({ "id": "c/messages:77" }));
    }

    #[test]
    fn a_connection_that_the_id_cannot_embed_is_passed_beside_it() {
        for connection_id in ["me@x.org", "a:b", &"c".repeat(65)] {
            let shown = RecordRef::shown(connection_id, "messages", "77");
            assert_eq!(shown.arguments(), json!({ "id": "messages:77", "connection_id": connection_id }));
            let passed = RecordRef::parse("messages:77").unwrap().scoped(Some(connection_id.to_owned())).unwrap();
            assert_eq!((&passed, &RecordRef::parse(&handles::record_uri(&shown)).unwrap()), (&shown, &shown));
            let embedded = format!("{connection_id}/messages:77");
            assert_eq!(RecordRef::parse(&embedded).unwrap_err().code, ErrorCode::InvalidId, "{embedded}");
        }
    }

    #[test]
    fn what_could_act_as_a_path_is_no_id() {
        for id in [
            "",
            "messages",
            "/messages:1",
            "c/:1",
            "c/messages:",
            "c/d/messages:1",
            "c/messages:1/2",
            "c/messages:..",
            "../messages:1",
            "c/..:1",
            "c/mess ages:1",
            "c/messages:a\\b",
            "c/messages:a\u{0}",
            "https://x/y:1",
            "pdpp://record/",
            "pdpp://record/%2e%2e",
            "pdpp://record/!!!",
            "pdpp://stream/messages",
        ] {
            assert_eq!(RecordRef::parse(id).unwrap_err().code, ErrorCode::InvalidId, "{id}");
        }
    }

    #[test]
    fn a_repeated_connection_agrees_and_another_conflicts() {
        let id = || RecordRef::parse("a/m:1").unwrap();
        assert!(id().scoped(Some("a".into())).is_ok());
        assert_eq!(id().scoped(Some("b".into())).unwrap_err().code, ErrorCode::ConflictingConnectionId);
    }
}
