//! JSON text in one stable form, without touching its numbers.

use serde_json::Value;
use vitrine_contract::literal;

/// Drops white space outside strings and writes strings with as few escapes as JSON allows.
/// `text` is valid JSON already; numbers stay as they were written.
pub(super) fn normalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    if text.starts_with('"') {
        push_string(&mut out, text);
        return out;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            b'"' => {
                let end = string_end(bytes, at);
                push_string(&mut out, &text[at..end]);
                at = end;
            }
            _ => {
                let end = bytes[at..]
                    .iter()
                    .position(|b| matches!(b, b'"' | b' ' | b'\t' | b'\n' | b'\r'))
                    .map_or(bytes.len(), |n| at + n);
                out.push_str(&text[at..end]);
                at = end;
            }
        }
    }
    out
}

/// The text of a value in the same form.
pub(super) fn text(value: &Value) -> String {
    let Value::String(text) = value else { return value.to_string() };
    // Many texts wait to be written: none takes more room than it needs.
    let escapes = text.bytes().filter(|b| matches!(b, 0..0x20 | b'"' | b'\\')).count();
    let mut out = String::with_capacity(text.len() + escapes + 2);
    literal::push(&mut out, text);
    out
}

/// One past the closing quote of the string that starts at `start`.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn push_string(out: &mut String, quoted: &str) {
    if has_long_escape(quoted)
        && let Ok(text @ Value::String(_)) = serde_json::from_str::<Value>(quoted)
    {
        out.push_str(&text.to_string());
        return;
    }
    out.push_str(quoted);
}

/// Whether a string is escaped in a way that there is a shorter one for, or may be.
fn has_long_escape(quoted: &str) -> bool {
    let mut rest = quoted;
    while let Some(at) = rest.find('\\') {
        match rest.as_bytes().get(at + 1) {
            Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => rest = &rest[at + 2..],
            _ => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_stay_and_white_space_goes() {
        assert_eq!(
            normalize(r#"{ "a" : [ 1.0 , -0.0, 1e308 ], "b c": "x\u0041\/ \" " }"#),
            r#"{"a":[1.0,-0.0,1e308],"b c":"xA/ \" "}"#
        );
        assert_eq!(normalize(r#""\u0000\ud83d\ude00""#), "\"\\u0000😀\"");
    }

    proptest! {
        #[test]
        fn the_value_stays_the_same(text in r#"[ -~é\\"\n]{0,30}"#, number: f64, spaces in "[ \n]{0,3}") {
            let value = serde_json::json!({ "k": [text, { "n": number }] });
            let spaced = serde_json::to_string_pretty(&value).unwrap() + &spaces;
            let normal = normalize(&spaced);
            prop_assert_eq!(&serde_json::from_str::<Value>(&normal).unwrap(), &value);
            prop_assert_eq!(normalize(&normal), normal.clone());
        }
    }
}
