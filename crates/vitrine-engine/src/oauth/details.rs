//! What a client asks to read, as `authorization_details` (RFC 9396).

use serde::{Deserialize, Serialize};

use crate::grant::{AccessMode, GrantRequest, StreamRequest};

/// The one type of detail that is understood.
pub const DATA_ACCESS: &str = "https://pdpp.dev/data-access";
/// Entries at most.
pub const MAX_DETAILS: usize = 50;

/// One entry: what is asked of one source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detail {
    /// Always [`DATA_ACCESS`].
    pub r#type: String,
    /// The source.
    #[serde(default)]
    pub source: Option<SourceName>,
    /// The streams; none named means all.
    #[serde(default)]
    pub streams: Vec<StreamRequest>,
    /// What for.
    #[serde(default)]
    pub purpose_code: Option<String>,
    /// How long access lasts.
    #[serde(default)]
    pub access_mode: AccessMode,
}

/// A source, named by itself or by its reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SourceName {
    /// By short name or URI.
    Name(String),
    /// By `{kind, id}`.
    Reference {
        /// Its URI, or short name.
        id: String,
    },
}

impl Detail {
    /// Reads the parameter's text.
    pub fn read_all(text: &str) -> Result<Vec<Self>, String> {
        let details: Vec<Self> =
            serde_json::from_str(text).map_err(|error| format!("authorization_details cannot be read: {error}."))?;
        if details.is_empty() || details.len() > MAX_DETAILS {
            return Err(format!("authorization_details has 1 to {MAX_DETAILS} entries."));
        }
        details.iter().try_for_each(Self::check_type)?;
        Ok(details)
    }

    /// Refuses a type that is not understood.
    pub fn check_type(&self) -> Result<(), String> {
        if self.r#type == DATA_ACCESS { Ok(()) } else { Err(format!("The type must be {DATA_ACCESS}.")) }
    }

    /// The same in the engine's own words.
    pub fn into_request(self) -> GrantRequest {
        GrantRequest {
            source: self.source.map(|source| match source {
                SourceName::Name(name) | SourceName::Reference { id: name } => name,
            }),
            streams: self.streams,
            purpose_code: self.purpose_code,
            access_mode: self.access_mode,
            ..GrantRequest::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_data_access_is_understood() {
        let entry = format!(r#"{{"type":"{DATA_ACCESS}","source":{{"kind":"connector","id":"gmail"}}}}"#);
        assert_eq!(Detail::read_all(&format!("[{entry},{entry}]")).unwrap().len(), 2);
        let many = vec![entry.as_str(); MAX_DETAILS + 1].join(",");
        for wrong in ["", "{}", "[]", r#"[{"type":"other"}]"#, r#"[{"surprise":1}]"#, &format!("[{many}]")] {
            assert!(Detail::read_all(wrong).is_err(), "{wrong}");
        }
    }
}
