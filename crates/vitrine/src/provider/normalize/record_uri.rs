//! Records named in one word: `pdpp://record/{handle}` and `{connection_id}/{stream}:{record_id}`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use percent_encoding::percent_decode_str;
use serde::Deserialize;

const SCHEME: &str = "pdpp://record/";

/// Which record it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RecordName {
    pub(super) connection_id: Option<String>,
    pub(super) stream: String,
    pub(super) record_id: String,
}

#[derive(Deserialize)]
struct Handle {
    v: u8,
    kind: String,
    #[serde(default)]
    connection_id: Option<String>,
    stream: String,
    record_id: String,
}

/// Reads a URI, or an id that names its connection. Any other text is not a name but may be an id.
pub(super) fn parse(text: &str) -> Option<RecordName> {
    match text.strip_prefix(SCHEME) {
        Some(handle) => encoded(handle).or_else(|| {
            let plain = percent_decode_str(handle).decode_utf8().ok()?;
            with_connection(&plain).or_else(|| of_stream(&plain, None))
        }),
        None => with_connection(text),
    }
}

fn encoded(handle: &str) -> Option<RecordName> {
    let json = URL_SAFE_NO_PAD.decode(handle.trim_end_matches('=')).ok()?;
    let handle: Handle = serde_json::from_slice(&json).ok()?;
    let is_ours = handle.v == 1 && handle.kind == "record";
    let Handle { connection_id, stream, record_id, .. } = handle;
    is_ours.then_some(RecordName { connection_id, stream, record_id }).filter(RecordName::is_whole)
}

/// Splits at the first `/`, then at the first `:`; later colons belong to the record id.
fn with_connection(plain: &str) -> Option<RecordName> {
    let (connection_id, rest) = plain.split_once('/')?;
    of_stream(rest, Some(connection_id))
}

fn of_stream(plain: &str, connection_id: Option<&str>) -> Option<RecordName> {
    let (stream, record_id) = plain.split_once(':')?;
    let connection_id = connection_id.map(str::to_owned);
    Some(RecordName { connection_id, stream: stream.to_owned(), record_id: record_id.to_owned() })
        .filter(RecordName::is_whole)
}

impl RecordName {
    /// No part is empty, and none could be taken for more than one.
    fn is_whole(&self) -> bool {
        let parts = [self.connection_id.as_deref().unwrap_or("-"), &self.stream, &self.record_id];
        parts.iter().all(|part| !part.is_empty() && !part.contains('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(connection: Option<&str>, stream: &str, id: &str) -> RecordName {
        RecordName { connection_id: connection.map(str::to_owned), stream: stream.to_owned(), record_id: id.to_owned() }
    }

    #[test]
    fn every_form_names_the_same_record() {
        let json = r#"{"v":1,"kind":"record","connection_id":"c","stream":"m","record_id":"a:b"}"#;
        let handle = URL_SAFE_NO_PAD.encode(json);
        let padded = base64::engine::general_purpose::URL_SAFE.encode(json);
        for text in [
            format!("pdpp://record/{handle}"),
            format!("pdpp://record/{padded}"),
            "pdpp://record/c%2Fm%3Aa%3Ab".to_owned(),
            "pdpp://record/c/m:a:b".to_owned(),
            "c/m:a:b".to_owned(),
        ] {
            assert_eq!(parse(&text), Some(name(Some("c"), "m", "a:b")), "{text}");
        }
        assert_eq!(parse("pdpp://record/m%3Aé"), Some(name(None, "m", "é")));
    }

    #[test]
    fn what_names_no_record_is_not_guessed_at() {
        let other = URL_SAFE_NO_PAD.encode(r#"{"v":1,"kind":"stream","stream":"m","record_id":"1"}"#);
        for text in [
            "m:1".to_owned(),
            "1".to_owned(),
            "https://a.example/x:1".to_owned(),
            "c/m".to_owned(),
            "c/:1".to_owned(),
            "/m:1".to_owned(),
            "pdpp://record/".to_owned(),
            "pdpp://record/%ff".to_owned(),
            "pdpp://stream/m:1".to_owned(),
            format!("pdpp://record/{other}"),
        ] {
            assert_eq!(parse(&text), None, "{text}");
        }
    }
}
