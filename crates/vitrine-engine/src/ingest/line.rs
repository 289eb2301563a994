//! One line of an ingest, checked.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use vitrine_contract::{time, values};

use super::json::{self, normalize};
use crate::declaration::{RecordValidator, Stream, identity};

/// A checked change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incoming {
    /// A record as it is now.
    Upsert {
        /// Its handle-safe id.
        id: String,
        /// When the source emitted it.
        emitted_at: Timestamp,
        /// Its fields, each with its JSON text.
        fields: Vec<(String, String)>,
    },
    /// A record that is no more.
    Delete {
        /// Its handle-safe id.
        id: String,
        /// When the source said so.
        emitted_at: Timestamp,
    },
}

impl Incoming {
    /// The record it is about.
    pub fn id(&self) -> &str {
        match self {
            Self::Upsert { id, .. } | Self::Delete { id, .. } => id,
        }
    }
}

/// Why a line was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The kind of fault.
    pub code: RejectionCode,
    /// What to mend, without the record's own text.
    pub message: String,
}

/// The kind of fault of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectionCode {
    /// Not a JSON object on one line.
    MalformedNdjson,
    /// Not as the declaration says.
    InvalidRecord,
    /// No usable key.
    InvalidRecordIdentity,
    /// A known key of an append-only stream with another payload.
    ImmutableRecord,
}

impl RejectionCode {
    /// As it stands in a result.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MalformedNdjson => "malformed_ndjson",
            Self::InvalidRecord => "invalid_record",
            Self::InvalidRecordIdentity => "invalid_record_identity",
            Self::ImmutableRecord => "immutable_record",
        }
    }
}

impl Rejection {
    /// A rejection with its reason.
    pub fn new(code: RejectionCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(default)]
    key: Value,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(default)]
    emitted_at: Option<Value>,
    #[serde(default)]
    op: Option<Value>,
}

/// Who says which record a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFrom {
    /// The line, by its `key`.
    Line,
    /// Its data, by the fields of the primary key, unless the line does.
    Data,
}

/// Checks one line against the stream it is meant for.
pub fn prepare(
    line: &[u8],
    stream: &Stream,
    validator: &RecordValidator,
    key_from: KeyFrom,
) -> Result<Incoming, Rejection> {
    let malformed = |message: String| Rejection::new(RejectionCode::MalformedNdjson, message);
    let text = std::str::from_utf8(line).map_err(|_| malformed("The line is not UTF-8.".into()))?;
    if !text.trim_ascii_start().starts_with('{') {
        return Err(malformed("The line is not a JSON object.".into()));
    }
    let line: Line<'_> = serde_json::from_str(text).map_err(|error| malformed(json_fault("The line", &error)))?;
    let emitted_at = emitted_at(line.emitted_at.as_ref())?;
    match line.op.as_ref().map(|op| op.as_str().unwrap_or_default()) {
        None | Some("upsert") => {}
        Some("delete") => {
            let id = identity::canonical_key(stream, &line.key)
                .map(|key| identity::handle_safe(&key))
                .map_err(|e| no_identity(&e))?;
            return Ok(Incoming::Delete { id, emitted_at });
        }
        Some(_) => return Err(Rejection::new(RejectionCode::InvalidRecord, "`op` must be `upsert` or `delete`.")),
    }
    let raw = line
        .data
        .ok_or_else(|| Rejection::new(RejectionCode::InvalidRecord, "`data` is missing: it must be an object."))?;
    let data: Value = serde_json::from_str(raw.get())
        .map_err(|error| Rejection::new(RejectionCode::InvalidRecord, json_fault("`data`", &error)))?;
    let Value::Object(map) = &data else {
        return Err(Rejection::new(RejectionCode::InvalidRecord, "`data` must be an object."));
    };
    if line.key.is_null() && key_from == KeyFrom::Line {
        return Err(Rejection::new(RejectionCode::InvalidRecordIdentity, "`key` is missing."));
    }
    let id = identity::record_id(stream, map, &line.key).map_err(|e| no_identity(&e))?;
    validator.check(&data).map_err(|fault| Rejection::new(RejectionCode::InvalidRecord, fault))?;
    Ok(Incoming::Upsert { id, emitted_at, fields: fields(raw.get(), map.len()) })
}

/// Checks a record that was found just now, as [`prepare`] checks the line that would say the same.
pub fn prepare_found(
    data: Map<String, Value>,
    emitted_at: Timestamp,
    stream: &Stream,
    validator: &RecordValidator,
) -> Result<Incoming, Rejection> {
    let emitted_at = kept(emitted_at)?;
    let id = identity::record_id(stream, &data, &Value::Null).map_err(|e| no_identity(&e))?;
    let data = Value::Object(data);
    validator.check(&data).map_err(|fault| Rejection::new(RejectionCode::InvalidRecord, fault))?;
    let Value::Object(data) = data else { unreachable!("it was made one") };
    let fields = data.into_iter().map(|(name, value)| (name, json::text(&value))).collect();
    Ok(Incoming::Upsert { id, emitted_at, fields })
}

/// Top-level fields with their text, of which `distinct` have a name of their own; of a name that
/// stands twice the last value counts.
fn fields(object: &str, distinct: usize) -> Vec<(String, String)> {
    let all = values::fields(object);
    if all.len() == distinct {
        return all.into_iter().map(|(name, value)| (name.into_owned(), normalize(value))).collect();
    }
    let mut fields: Vec<(String, String)> = Vec::with_capacity(distinct);
    let mut places: HashMap<String, usize> = HashMap::new();
    for (name, value) in all {
        let value = normalize(value);
        match places.entry(name.into_owned()) {
            Entry::Occupied(place) => fields[*place.get()].1 = value,
            Entry::Vacant(place) => {
                fields.push((place.key().clone(), value));
                place.insert(fields.len() - 1);
            }
        }
    }
    fields
}

/// The time of emission.
fn emitted_at(value: Option<&Value>) -> Result<Timestamp, Rejection> {
    let invalid = "`emitted_at` must be a time such as 2026-03-12T09:41:00Z.";
    let instant = value.and_then(Value::as_str).and_then(time::parse);
    kept(instant.ok_or_else(|| Rejection::new(RejectionCode::InvalidRecord, invalid))?)
}

/// An instant that stores can keep, in nanoseconds of 64 bits.
fn kept(instant: Timestamp) -> Result<Timestamp, Rejection> {
    if i64::try_from(instant.as_nanosecond()).is_err() {
        let message = "`emitted_at` must lie between the years 1678 and 2261.";
        return Err(Rejection::new(RejectionCode::InvalidRecord, message));
    }
    Ok(instant)
}

fn no_identity(error: &identity::IdentityError) -> Rejection {
    Rejection::new(RejectionCode::InvalidRecordIdentity, error.to_string())
}

/// Says what is wrong and where, never what stood there.
fn json_fault(what: &str, error: &serde_json::Error) -> String {
    let reason = error.to_string();
    let reason = reason.split(" at line").next().unwrap_or_default();
    let known = [
        "recursion limit exceeded",
        "number out of range",
        "EOF while parsing",
        "trailing characters",
        "lone leading surrogate",
        "expected value",
        "control character",
    ];
    let reason =
        known.iter().find(|known| reason.contains(*known)).copied().unwrap_or("not the JSON that was expected");
    format!("{what} cannot be read: {reason} (column {}).", error.column())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::declaration::Declaration;

    fn loose() -> Stream {
        let declaration = json!({
            "protocol_version": "0.1.0",
            "source": { "kind": "connector", "id": "urn:test:loose" },
            "connector_key": "loose",
            "declaration_version": "1",
            "publisher": { "id": "urn:test" },
            "display": { "name": "Loose" },
            "streams": [{
                "name": "rows",
                "description": "Rows.",
                "display": { "label": "Rows", "detail": "Reads every row." },
                "semantics": "mutable_state",
                "schema": {
                    "type": "object",
                    "properties": { "id": { "type": ["string", "integer"] }, "n": { "type": "number" } },
                    "required": ["id"]
                },
                "primary_key": ["id"],
                "selection": { "fields": true, "resources": true },
                "query": { "aggregations": { "count": true } }
            }]
        });
        let declaration = Declaration::parse(&declaration.to_string()).expect("a good declaration");
        declaration.streams["rows"].as_ref().clone()
    }

    proptest! {
        #[test]
        fn what_was_found_is_checked_as_its_line_would_be(
            id in prop_oneof![Just(json!(null)), any::<i64>().prop_map(Value::from), "[ -~é\\n]{0,6}".prop_map(Value::from)],
            n in prop_oneof![any::<f64>().prop_map(Value::from), any::<u64>().prop_map(Value::from), Just(json!("x"))],
            text in "[\\x00-\\x20\"\\\\/é😀a-z]{0,40}",
            second in -12_000_000_000_i64..12_000_000_000,
        ) {
            let (stream, at) = (loose(), Timestamp::from_second(second).unwrap());
            let validator = stream.validator().unwrap();
            let data = json!({ "id": id, "n": n, &text: { "deep": [text, n, null] }, "text": text, "yes": true });
            let line = json!({ "data": data, "emitted_at": time::format(at) }).to_string();
            let of_line = prepare(line.as_bytes(), &stream, &validator, KeyFrom::Data);
            let Value::Object(data) = data else { unreachable!() };
            prop_assert_eq!(prepare_found(data, at, &stream, &validator), of_line);
        }
    }

    #[test]
    fn a_name_that_stands_twice_keeps_its_last_value() {
        assert_eq!(
            fields(r#"{"a":1,"b":2,"a":3}"#, 2),
            [("a".to_owned(), "3".to_owned()), ("b".to_owned(), "2".to_owned())]
        );
    }

    #[test]
    fn an_emission_outside_what_stores_keep_is_refused_alone() {
        for (text, taken) in
            [("2026-03-12T10:41:00+01:00", true), ("1600-01-01", false), ("9999-01-01", false), ("soon", false)]
        {
            assert_eq!(emitted_at(Some(&text.into())).is_ok(), taken, "{text}");
        }
    }
}
