//! What is bytes in disguise, and so never shown.

use std::ops::Range;

use serde_json::Value;
use vitrine_contract::BlobRef;

/// Shorter text is shown, whatever it looks like.
pub(crate) const LEAST_CHARS: usize = 256;
/// Enough of a run to tell that it is one.
const LEAST_PART: usize = 32;
/// Enough of a window to tell without looking at the rest of its field.
const LEAST_WINDOW: usize = 60;
/// Bytes looked at together.
const TOGETHER: usize = 64;
/// The shortest line of encoded data that was wrapped.
const LEAST_LINE: usize = 40;

/// Whether a whole field is base64. `total_chars` is its full length when `text` is only its start.
pub(crate) fn is_base64(text: &str, total_chars: u64) -> bool {
    let is_whole = text.len() as u64 >= total_chars;
    text.len() >= LEAST_CHARS && is_encoded(text, LEAST_LINE) && !(is_whole && sextets(text) % 4 == 1)
}

/// Whether a part of a field of `total_chars` shows that the field is base64.
pub(crate) fn is_base64_part(part: &str, total_chars: u64) -> bool {
    total_chars >= LEAST_CHARS as u64 && part.len() >= LEAST_WINDOW && is_encoded(part, 0)
}

/// Whether evidence from a field of `total_chars` is more likely bytes than a word.
pub(crate) fn is_base64_run(part: &str, total_chars: u64) -> bool {
    total_chars >= LEAST_CHARS as u64 && part.len() >= LEAST_PART && is_encoded(part, 0)
}

/// Whether a text is nothing but what encoded bytes are written in, so that only its field tells what it is.
pub(crate) fn is_alphabet(text: &str) -> bool {
    // Looked at to the end, so that many bytes are looked at together.
    let is_all = |part: &[u8]| part.iter().fold(true, |all, byte| all & is_letter(*byte));
    !text.is_empty() && text.as_bytes().chunks(TOGETHER).all(is_all)
}

fn has_capital(text: &str) -> bool {
    let any = |part: &[u8]| part.iter().fold(false, |any, byte| any | byte.is_ascii_uppercase());
    text.as_bytes().chunks(TOGETHER).any(any)
}

/// Of the alphabet, padding or the end of a line.
fn is_letter(byte: u8) -> bool {
    is_sextet(byte) || matches!(byte, b'=' | b'\r' | b'\n')
}

/// Whether a text could be part of encoded bytes, and is neither a plain word nor a number.
pub(crate) fn might_be_part(text: &str) -> bool {
    let bytes = text.as_bytes();
    is_alphabet(text)
        && !bytes.iter().all(u8::is_ascii_digit)
        && !(bytes[0].is_ascii_alphabetic() && bytes[1..].iter().all(u8::is_ascii_lowercase))
}

/// Whether a short text could be base64: of its alphabet and length, and not without a capital or a sign.
pub(crate) fn might_be_short(text: &str) -> bool {
    text.len().is_multiple_of(4)
        && text.bytes().any(|byte| byte.is_ascii_uppercase() || matches!(byte, b'+' | b'/' | b'='))
        && might_be_part(text)
}

/// Whether long text begins as base64 does.
pub(crate) fn begins_encoded(text: &str) -> bool {
    text.len() >= LEAST_CHARS && text.as_bytes()[..LEAST_LINE].iter().all(|byte| is_sextet(*byte))
}

/// Nothing but the alphabet, in one line or in lines of which the first has at least `first_line` characters. Without
/// a capital it is a word, a number or a digest: 256 characters of encoded bytes have one.
fn is_encoded(text: &str, first_line: usize) -> bool {
    // Most text has a blank, or no capital: that is soon seen.
    if !has_capital(text) || !is_alphabet(text) {
        return false;
    }
    let body = text.trim_end_matches(['\r', '\n']).trim_end_matches('=');
    let mut capital = false;
    let (mut line, mut least) = (0, first_line);
    for byte in body.bytes() {
        match byte {
            b'\r' => {}
            b'\n' if line >= least => (line, least) = (0, LEAST_LINE),
            byte if is_sextet(byte) => {
                capital |= byte.is_ascii_uppercase();
                line += 1;
            }
            _ => return false,
        }
    }
    capital && !body.is_empty()
}

fn is_sextet(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// The characters that stand for six bits each, which padding and line breaks do not.
fn sextets(text: &str) -> u64 {
    text.bytes().filter(|byte| is_sextet(*byte)).count() as u64
}

/// Where encoded bytes begin in the start of a JSON text. A run that the end of the text cuts off is one even when little
/// of it is left.
pub(crate) fn encoded_from(json: &str) -> Option<usize> {
    let least = |end| if end == json.len() { LEAST_PART } else { LEAST_CHARS };
    runs(json, least).next().map(|run| run.start)
}

/// Where encoded bytes stand in a JSON text.
pub(crate) fn encoded_runs(json: &str) -> impl Iterator<Item = Range<usize>> {
    runs(json, |_| LEAST_CHARS)
}

/// The runs of encoded bytes in a JSON text that are as long as is asked of one with such an end.
fn runs(json: &str, least: impl Fn(usize) -> usize) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    json.split(|c: char| !is_run(c)).filter_map(move |part| {
        let end = start + part.len();
        let run = start..end;
        start = end + json[end..].chars().next().map_or(0, char::len_utf8);
        (part.len() >= least(end) && is_encoded(part, LEAST_LINE)).then_some(run)
    })
}

/// Whether a character of a JSON text could be of encoded bytes.
fn is_run(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_' | '=')
}

/// Whether only what stands before a part of a JSON text tells if it starts amid encoded bytes.
pub(crate) fn might_start_inside(part: &str) -> bool {
    let run = part.chars().take_while(|c| is_run(*c)).take(LEAST_CHARS).count();
    (1..LEAST_CHARS).contains(&run)
}

/// Whether only what stands behind a part of a JSON text tells if it ends amid encoded bytes.
pub(crate) fn might_end_inside(part: &str) -> bool {
    let run = part.chars().rev().take_while(|c| is_run(*c)).take(LEAST_CHARS).count();
    (1..LEAST_CHARS).contains(&run)
}

/// The bytes that base64 text stands for. Where `text` is only the start of `total_chars`, the rest is taken to be like
/// it, and to end without padding.
pub(crate) fn decoded_bytes(text: &str, total_chars: u64) -> u64 {
    let chars = text.len() as u64;
    let sextets = if chars >= total_chars { sextets(text) } else { total_chars - line_breaks(text, total_chars) };
    sextets / 4 * 3 + sextets % 4 * 3 / 4
}

/// Line breaks in a text of `total_chars` that starts like this.
fn line_breaks(start: &str, total_chars: u64) -> u64 {
    let Some(line) = start.find('\n').map(|end| end as u64 + 1) else { return 0 };
    let chars_a_break = if start.contains('\r') { 2 } else { 1 };
    total_chars.saturating_sub(1) / line * chars_a_break
}

/// Characters at the end of base64 text that stand for nothing.
pub(crate) fn idle_end(text: &str) -> u64 {
    (text.len() - text.trim_end_matches(['\r', '\n', '=']).len()) as u64
}

/// The blob a value refers to.
pub(crate) fn blob_ref(value: &Value) -> Option<BlobRef> {
    value.get("blob_id")?;
    serde_json::from_value(value.clone()).ok()
}

/// Whether a JSON text is a reference to a blob.
pub(crate) fn is_blob_ref(json: &str) -> bool {
    serde_json::from_str(json).is_ok_and(|value| blob_ref(&value).is_some())
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
        let narrow: Vec<&str> = wrapped.iter().map(|line| &line[..line.len().min(40)]).collect();
        assert!(whole(&narrow.join("\n")));
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
        let [run] = <[_; 1]>::try_from(encoded_runs(&json).collect::<Vec<_>>()).unwrap();
        assert_eq!(json[run.clone()], STANDARD.encode(&bytes));
        assert_eq!(encoded_from(&json), Some(run.start));
        assert_eq!(encoded_from(&json[..run.start + 40]), Some(run.start));
        assert_eq!(encoded_from(r#"{"id":"550E8400-e29b-41d4-a716-446655440000","b":1}"#), None);
    }
}
