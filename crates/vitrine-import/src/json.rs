//! JSON as products write it, which is not always JSON.

use serde::de::DeserializeOwned;

/// Reads a JSON text. Half of a pair of escapes (`\ud83d` alone), as programs leave it that cut texts anywhere, is told
/// as a character that is not known, so that nothing else is lost.
pub(crate) fn parse<T: DeserializeOwned>(text: &[u8]) -> Option<T> {
    serde_json::from_slice(text).ok().or_else(|| serde_json::from_slice(&paired(text)?).ok())
}

/// Bytes of an escape such as `\ud83d`.
const ESCAPE_BYTES: usize = 6;

/// The text without halves of pairs; nothing when it has none.
fn paired(text: &[u8]) -> Option<Vec<u8>> {
    let (mut whole, mut copied, mut at) = (Vec::new(), 0, 0);
    while let Some(found) = memchr::memchr(b'\\', &text[at..]) {
        at += found;
        let (first, second) = (half(&text[at..]), text.get(at + ESCAPE_BYTES..).and_then(half));
        at += match (first, second) {
            (Some(Half::High), Some(Half::Low)) => 2 * ESCAPE_BYTES,
            (Some(_), _) => {
                whole.extend_from_slice(&text[copied..at]);
                whole.extend_from_slice(b"\\ufffd");
                copied = at + ESCAPE_BYTES;
                ESCAPE_BYTES
            }
            // Whatever is escaped starts no escape itself.
            (None, _) => 2,
        };
        if at >= text.len() {
            break;
        }
    }
    whole.extend_from_slice(&text[copied..]);
    (copied > 0).then_some(whole)
}

enum Half {
    High,
    Low,
}

/// Which half of a pair the escape is that a text starts with.
fn half(text: &[u8]) -> Option<Half> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    match (digits[0], digits[1].to_ascii_lowercase()) {
        (b'd' | b'D', b'8' | b'9' | b'a' | b'b') => Some(Half::High),
        (b'd' | b'D', b'c'..=b'f') => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_pair_loses_no_other_character() {
        for (text, told) in [
            (r#""a\ud83dz""#, "a\u{fffd}z"),
            (r#""\uDE00\ud83d\ude00\ud83d""#, "\u{fffd}😀\u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\\ud83d \ud83d\n\\""#, "\\ud83d \u{fffd}\n\\"),
            (r#""\ud83d\\ude00""#, "\u{fffd}\\ude00"),
        ] {
            assert_eq!(parse::<String>(text.as_bytes()).as_deref(), Some(told), "{text}");
        }
        for none in [r#""\ud83"#, r#""\ud83d"#, r#""a\"#, r#"{"\ud83d"#, ""] {
            assert_eq!(parse::<String>(none.as_bytes()), None, "{none}");
        }
    }
}
