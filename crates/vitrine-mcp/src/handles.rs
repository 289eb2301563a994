//! Opaque handles: `pdpp://` URIs and window cursors. They say where to read, and grant nothing.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use vitrine_contract::limits::MAX_WINDOW_CHARS;
use vitrine_contract::{ApiError, ErrorCode};

use crate::ids::{RecordRef, invalid_id};

pub(crate) const RECORD_PREFIX: &str = "pdpp://record/";
pub(crate) const FIELD_WINDOW_PREFIX: &str = "pdpp://field-window/";
pub(crate) const STREAM_PREFIX: &str = "pdpp://stream/";

/// Longer than any handle we make: a record id has 200 characters at most.
const MAX_HANDLE_BYTES: usize = 8_192;

const CURSOR_VERSION: u8 = 1;
/// A cursor of the same form that reads back: what it names ends where the window before it starts.
const BACKWARD_VERSION: u8 = 2;
const MAX_LIMIT: u64 = MAX_WINDOW_CHARS as u64;

/// The part of a field a handle or cursor stands for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct WindowSelector {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) offset_chars: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) limit_chars: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) q: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before_chars: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) after_chars: Option<u64>,
    /// Whether its end is what counts, and not its start.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) backward: bool,
}

impl WindowSelector {
    /// This many characters from here, which end where a window starts when they are read `backward`.
    pub(crate) fn span(offset_chars: u64, limit_chars: u64, backward: bool) -> Self {
        Self { offset_chars: Some(offset_chars), limit_chars: Some(limit_chars), backward, ..Self::default() }
    }

    /// The same with another limit, if there is one: it keeps its end when it is read backward.
    pub(crate) fn limited(self, limit_chars: Option<u64>) -> Self {
        match (self.offset_chars, self.limit_chars, limit_chars) {
            (Some(offset), Some(limit), Some(most)) if self.backward => {
                let end = offset.saturating_add(limit);
                let start = end.saturating_sub(most);
                Self { offset_chars: Some(start), limit_chars: Some((end - start).max(1)), ..self }
            }
            (_, limit, most) => Self { limit_chars: most.or(limit), ..self },
        }
    }
}

#[derive(Serialize, Deserialize)]
struct RecordHandle {
    v: u8,
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    connection_id: Option<String>,
    stream: String,
    record_id: String,
}

#[derive(Serialize, Deserialize)]
struct FieldWindowHandle {
    #[serde(flatten)]
    record: RecordHandle,
    field_path: String,
    #[serde(flatten)]
    selector: WindowSelector,
}

impl RecordHandle {
    fn new(kind: &str, record: &RecordRef) -> Self {
        Self {
            v: 1,
            kind: kind.to_owned(),
            connection_id: record.connection_id.clone(),
            stream: record.stream.clone(),
            record_id: record.record_id.clone(),
        }
    }

    fn into_ref(self, kind: &str) -> Option<RecordRef> {
        (self.v == 1 && self.kind == kind)
            .then(|| {
                let connection_id = self.connection_id.filter(|id| !id.is_empty());
                RecordRef::checked(connection_id, &self.stream, &self.record_id).ok()
            })
            .flatten()
    }
}

pub(crate) fn record_uri(record: &RecordRef) -> String {
    format!("{RECORD_PREFIX}{}", encode(&RecordHandle::new("record", record)))
}

/// The record of a handle: encoded, or a plain id percent-encoded.
pub(crate) fn record(handle: &str) -> Result<RecordRef, ApiError> {
    if let Some(decoded) = decode::<RecordHandle>(handle) {
        return decoded.into_ref("record").ok_or_else(invalid_id);
    }
    let plain = percent_decode_str(handle).decode_utf8().map_err(|_| invalid_id())?;
    RecordRef::parse_plain(&plain)
}

pub(crate) fn field_window_uri(record: &RecordRef, field_path: &str, selector: &WindowSelector) -> String {
    let handle = FieldWindowHandle {
        record: RecordHandle::new("field_window", record),
        field_path: field_path.to_owned(),
        selector: selector.clone(),
    };
    format!("{FIELD_WINDOW_PREFIX}{}", encode(&handle))
}

pub(crate) fn field_window(handle: &str) -> Result<(RecordRef, String, WindowSelector), ApiError> {
    let FieldWindowHandle { record, field_path, selector } =
        decode::<FieldWindowHandle>(handle).ok_or_else(invalid_id)?;
    let record = record.into_ref("field_window").ok_or_else(invalid_id)?;
    Ok((record, field_path, selector))
}

/// A cursor that reads on in one field of one record. It carries no more of them than a checksum,
/// since every use names them again.
pub(crate) fn window_cursor(record: &RecordRef, field_path: &str, offset_chars: u64, limit_chars: u64) -> String {
    cursor(CURSOR_VERSION, [checksum(record, field_path), offset_chars, limit_chars])
}

/// The same for what stands before a window.
pub(crate) fn backward_cursor(record: &RecordRef, field_path: &str, offset_chars: u64, limit_chars: u64) -> String {
    cursor(BACKWARD_VERSION, [checksum(record, field_path), offset_chars, limit_chars])
}

fn cursor(version: u8, numbers: [u64; 3]) -> String {
    let mut bytes = vec![version];
    for number in numbers {
        bytes.extend(number.to_be_bytes());
    }
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Where a cursor reads on, provided it was made for this record and field.
pub(crate) fn window_at(cursor: &str, record: &RecordRef, field_path: &str) -> Result<WindowSelector, ApiError> {
    let numbers = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| {
        let (version, numbers) = bytes.split_first()?;
        let (numbers, rest) = numbers.as_chunks::<8>();
        let numbers = <[u64; 3]>::try_from(numbers.iter().map(|n| u64::from_be_bytes(*n)).collect::<Vec<_>>()).ok()?;
        let is_known = [CURSOR_VERSION, BACKWARD_VERSION].contains(version);
        (is_known && rest.is_empty()).then_some((*version == BACKWARD_VERSION, numbers))
    });
    match numbers {
        Some((backward, [bound, offset, limit @ 1..=MAX_LIMIT])) if bound == checksum(record, field_path) => {
            Ok(WindowSelector::span(offset, limit, backward))
        }
        _ => Err(ApiError::new(
            ErrorCode::InvalidCursor,
            "The cursor does not belong to this record and field. Pass the `next_cursor` or `previous_cursor` of the \
             last window with the same `id` and `field_path`, or read from an `offset_chars`.",
        )
        .param("cursor")),
    }
}

/// FNV-1a over what names the field, the same in every build.
fn checksum(record: &RecordRef, field_path: &str) -> u64 {
    let named = format!("{}\0{field_path}", record.result_id());
    named.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn encode(handle: &impl Serialize) -> String {
    URL_SAFE_NO_PAD.encode(serde_json::to_vec(handle).unwrap_or_default())
}

fn decode<T: DeserializeOwned>(handle: &str) -> Option<T> {
    if handle.len() > MAX_HANDLE_BYTES {
        return None;
    }
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(handle.trim_end_matches('=')).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn subject() -> RecordRef {
        RecordRef::parse("cin_work/messages:m:1").unwrap()
    }

    #[test]
    fn uris_read_back_as_what_they_name() {
        assert_eq!(RecordRef::parse(&record_uri(&subject())).unwrap(), subject());
        assert_eq!(RecordRef::parse("pdpp://record/cin_work%2Fmessages%3Am%3A1").unwrap(), subject());
        let selector = WindowSelector { q: Some("é".into()), before_chars: Some(3), ..WindowSelector::default() };
        let uri = field_window_uri(&subject(), "body", &selector);
        let handle = uri.strip_prefix(FIELD_WINDOW_PREFIX).unwrap();
        assert_eq!(field_window(handle).unwrap(), (subject(), "body".to_owned(), selector));
    }

    #[test]
    fn a_cursor_reads_only_the_field_it_was_made_for() {
        let cursor = window_cursor(&subject(), "body", 4_096, 100);
        assert_eq!(window_at(&cursor, &subject(), "body").unwrap().offset_chars, Some(4_096));
        let other = RecordRef::parse("cin_work/messages:m:2").unwrap();
        for (cursor, record, field) in [
            (cursor.as_str(), &other, "body"),
            (cursor.as_str(), &subject(), "subject"),
            (&window_cursor(&subject(), "body", 0, 0), &subject(), "body"),
            (&window_cursor(&subject(), "body", 0, 16_385), &subject(), "body"),
            ("", &subject(), "body"),
            (&cursor[..cursor.len() - 4], &subject(), "body"),
            (&"A".repeat(9_000), &subject(), "body"),
        ] {
            assert_eq!(window_at(cursor, record, field).unwrap_err().code, ErrorCode::InvalidCursor);
        }
        assert_eq!(field_window(&cursor).unwrap_err().code, ErrorCode::InvalidId);
    }

    proptest! {
        #[test]
        fn nothing_a_stranger_writes_is_more_than_refused(text in ".{0,80}", json in "\\{[ -~]{0,60}\\}") {
            for handle in [text.clone(), URL_SAFE_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(&json)] {
                prop_assert!(field_window(&handle).is_err());
                prop_assert!(window_at(&handle, &subject(), "body").is_err());
                if let Ok(named) = RecordRef::parse(&format!("{RECORD_PREFIX}{handle}")) {
                    prop_assert_eq!(RecordRef::parse(&named.result_id()).unwrap(), named);
                }
            }
        }

        #[test]
        fn every_record_survives_its_handle(stream in "[a-z][a-z0-9._-]{0,20}", id in "[^/\\\\\\s\\p{C}.]{1,200}") {
            if let Ok(record) = RecordRef::checked(Some("cin".into()), &stream, &id) {
                prop_assert_eq!(&RecordRef::parse(&record_uri(&record)).unwrap(), &record);
                prop_assert_eq!(&RecordRef::parse(&record.result_id()).unwrap(), &record);
            }
        }
    }
}
