//! The content ladder: for everything not shown in full, how to read it.

use serde::Serialize;
use serde_json::{Value, json};
use vitrine_contract::ident::is_name;

use super::json::Object;
use super::text::{Lines, call, literal};
use crate::ids::RecordRef;

/// The tool every truncated field is read with.
pub(crate) const READ_TOOL: &str = "read_record_field";

/// What most rungs take.
const RUNG_BYTES: usize = 512;

/// What a result leaves out, by record: the ladder of these rungs, each written already. None when there are none.
pub(crate) fn of<'a>(kind: &str, rungs: impl IntoIterator<Item = &'a String>) -> Option<String> {
    let mut rungs = rungs.into_iter().map(String::as_str).peekable();
    rungs.peek()?;
    let mut ladder = Object::with_capacity(RUNG_BYTES);
    ladder.text("kind", kind);
    ladder.text("read_tool", READ_TOOL);
    ladder.insert_list("records", rungs);
    Some(ladder.finish())
}

/// What is left out of one record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Rung {
    pub(crate) id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) connection_id: Option<String>,
    pub(crate) stream: String,
    pub(crate) record_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evidence_preview: Option<String>,
    pub(crate) field_windows: Vec<FieldHint>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) json_fields: Vec<String>,
    pub(crate) binary_fields: Vec<BinaryHint>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) omitted_fields: Option<Omitted>,
}

/// A field of which at most the beginning is shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct FieldHint {
    pub(crate) field_path: String,
    pub(crate) preview_status: &'static str,
    pub(crate) size_chars: u64,
    pub(crate) read: ReadCall,
}

/// A field that is bytes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct BinaryHint {
    pub(crate) field_path: String,
    pub(crate) mime_type: String,
    pub(crate) size_bytes: Option<u64>,
    pub(crate) sha256: Option<String>,
    preview_status: &'static str,
    pub(crate) export: Export,
}

/// How to get bytes out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Export {
    method: &'static str,
    pub(crate) url: String,
}

/// Whole fields that do not fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Omitted {
    pub(crate) count: usize,
    /// None when none of them can be asked for by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) read: Option<ReadCall>,
    /// The calls that read the others, part by part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) then: Vec<ReadCall>,
    /// The call that lists names, when they are more than fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) listed_by: Option<ReadCall>,
}

/// The call that reads on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ReadCall {
    pub(crate) tool: &'static str,
    pub(crate) args: Value,
}

impl ReadCall {
    /// Reads a field on from a character.
    pub(crate) fn field(record: &RecordRef, field_path: &str, offset_chars: u64) -> Self {
        let mut args = record.arguments();
        args["field_path"] = field_path.into();
        if offset_chars > 0 {
            args["offset_chars"] = offset_chars.into();
        }
        Self { tool: READ_TOOL, args }
    }

    /// Fetches a record's other fields.
    pub(crate) fn fields(record: &RecordRef, fields: &[String]) -> Self {
        let mut args = record.arguments();
        args["fields"] = fields.into();
        Self { tool: "fetch", args }
    }

    /// Fetches a record.
    pub(crate) fn record(record: &RecordRef) -> Self {
        Self { tool: "fetch", args: record.arguments() }
    }

    /// Pages through the stream of a record.
    pub(crate) fn stream(record: &RecordRef) -> Self {
        Self { tool: "query_records", ..Self::schema(record) }
    }

    /// Lists the fields that records of a stream have.
    pub(crate) fn schema(record: &RecordRef) -> Self {
        let mut args = json!({ "stream": record.stream });
        if let Some(connection_id) = record.connection_id.as_deref().filter(|id| is_name(id)) {
            args["connection_id"] = connection_id.into();
        }
        Self { tool: "schema", args }
    }
}

impl std::fmt::Display for ReadCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&call(self.tool, &self.args))
    }
}

impl BinaryHint {
    pub(crate) fn new(field_path: &str, url: String) -> Self {
        Self {
            field_path: field_path.to_owned(),
            mime_type: "application/octet-stream".to_owned(),
            size_bytes: None,
            sha256: None,
            preview_status: "binary-only",
            export: Export { method: "GET", url },
        }
    }
}

impl Rung {
    pub(crate) fn new(record: &RecordRef) -> Self {
        Self {
            id: record.result_id(),
            connection_id: record.connection_id.clone(),
            stream: record.stream.clone(),
            record_id: record.record_id.clone(),
            evidence_preview: None,
            field_windows: Vec::new(),
            json_fields: Vec::new(),
            binary_fields: Vec::new(),
            omitted_fields: None,
        }
    }

    /// The same in prose, one line for each thing left out.
    pub(crate) fn lines(&self) -> String {
        let mut lines = String::new();
        for field in &self.field_windows {
            lines.line(format_args!(
                "  {} {}, {} chars in all: {}",
                literal(&field.field_path),
                field.preview_status,
                field.size_chars,
                field.read
            ));
        }
        for field in &self.binary_fields {
            let size = field.size_bytes.map_or_else(String::new, |size| format!(", {size} bytes"));
            let digest =
                field.sha256.as_ref().map_or_else(String::new, |sha256| format!(", sha256 {}", literal(sha256)));
            lines.line(format_args!(
                "  {} binary-only, {}{size}{digest}: GET {}",
                literal(&field.field_path),
                literal(&field.mime_type),
                field.export.url
            ));
        }
        if let Some(Omitted { count, read, then, listed_by }) = &self.omitted_fields {
            let read = read.as_ref().map_or_else(String::new, |read| format!(": {read}"));
            lines.line(format_args!("  {count} more fields not shown{read}"));
            for part in then {
                lines.line(format_args!("  then: {part}"));
            }
            if let Some(list) = listed_by {
                lines.line(format_args!("  the names of the others: {list}"));
            }
        }
        lines
    }
}
