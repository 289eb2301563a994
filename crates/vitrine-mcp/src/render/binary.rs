//! What is bytes in disguise, and so never shown.

use serde_json::Value;
use vitrine_contract::BlobRef;

/// Shorter text is shown, whatever it looks like.
const LEAST_CHARS: usize = 256;
/// Enough of a run to tell that it is one.
const LEAST_PART: usize = 32;
/// The shortest line of encoded data that was wrapped.
const LEAST_LINE: usize = 60;

/// Whether a whole field is base64. `total_chars` is its full length when `text` is only its start.
pub(crate) fn is_base64(text: &str, total_chars: u64) -> bool {
    text.len() >= LEAST_CHARS && total_chars % 4 != 1 && is_encoded(text)
}

/// Whether a part of a field of `total_chars` shows that the field is base64.
pub(crate) fn is_base64_part(part: &str, total_chars: u64) -> bool {
    total_chars >= LEAST_CHARS as u64 && part.len() >= LEAST_LINE && is_encoded(part)
}

/// Nothing but the alphabet, wrapped or not. Without a capital it is a word, a number or a digest:
/// 256 characters of encoded bytes have one.
fn is_encoded(text: &str) -> bool {
    let body = text.trim_end_matches(['\r', '\n']).trim_end_matches('=');
    let mut capital = false;
    let mut line = 0;
    for byte in body.bytes() {
        match byte {
            b'A'..=b'Z' => capital = true,
            b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'-' | b'_' => {}
            b'\r' => continue,
            b'\n' if line >= LEAST_LINE => {
                line = 0;
                continue;
            }
            _ => return false,
        }
        line += 1;
    }
    capital && !body.is_empty()
}

/// The first run of encoded bytes inside JSON text. A run that the end of the text cuts off is one
/// even when little of it is left.
pub(crate) fn encoded_run(json: &str) -> Option<std::ops::Range<usize>> {
    let mut start = 0;
    for part in json.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_' | '='))) {
        let end = start + part.len();
        let least = if end == json.len() { LEAST_PART } else { LEAST_CHARS };
        if part.len() >= least && is_encoded(part) {
            return Some(start..end);
        }
        start = end + json[end..].chars().next().map_or(0, char::len_utf8);
    }
    None
}

/// The bytes that base64 text of this length stands for.
pub(crate) fn decoded_bytes(total_chars: u64) -> u64 {
    total_chars / 4 * 3
}

/// The blob a value refers to.
pub(crate) fn blob_ref(value: &Value) -> Option<BlobRef> {
    value.get("blob_id")?;
    serde_json::from_value(value.clone()).ok()
}

/// Takes encoded bytes out of a nested value. True when there were any.
pub(crate) fn strip(value: &mut Value) -> bool {
    match value {
        Value::String(text) if is_base64(text, super::text::count(text)) => {
            *value = Value::Null;
            true
        }
        Value::Array(items) => items.iter_mut().fold(false, |any, item| strip(item) | any),
        Value::Object(fields) => fields.values_mut().fold(false, |any, item| strip(item) | any),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

    fn whole(text: &str) -> bool {
        is_base64(text, super::super::text::count(text))
    }

    #[test]
    fn encoded_bytes_are_told_from_text() {
        let bytes: Vec<u8> = (0..=255).cycle().take(700).collect();
        assert!(whole(&STANDARD.encode(&bytes)));
        assert!(whole(&URL_SAFE_NO_PAD.encode(&bytes)));
        let wrapped: Vec<String> =
            STANDARD.encode(&bytes).as_bytes().chunks(76).map(|l| String::from_utf8_lossy(l).into_owned()).collect();
        assert!(is_base64(&wrapped.join("\r\n"), 1_000));
        assert!(!whole(&STANDARD.encode(&bytes[..100])));
        assert!(!whole(&"x".repeat(5_000)));
        assert!(!whole(&"0123456789abcdef".repeat(50)));
        assert!(!whole(&"Plain words and sentences. ".repeat(50)));
        assert!(!whole(&"Apple\nBanana\nCherry\n".repeat(50)));
        assert!(!whole(&"日本語".repeat(200)));
    }

    #[test]
    fn encoded_bytes_are_found_inside_json() {
        let bytes: Vec<u8> = (0..=255).collect();
        let json = format!(r#"{{"é":1,"a":["{}"],"b":2}}"#, STANDARD.encode(&bytes));
        let run = encoded_run(&json).unwrap();
        assert_eq!(json[run.clone()], STANDARD.encode(&bytes));
        assert_eq!(encoded_run(&json[..run.start + 40]), Some(run.start..run.start + 40));
        assert_eq!(encoded_run(r#"{"id":"550E8400-e29b-41d4-a716-446655440000","b":1}"#), None);
    }
}
