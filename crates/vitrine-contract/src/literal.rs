//! Text as a JSON string literal: written as `serde_json` writes it, at a fraction of the cost, since eight bytes are
//! looked at together. Answers hold kilobytes of it, up to three times over.

/// Bytes looked at together.
const WORD: usize = 8;
/// Words without a special byte after which whole blocks are tried.
const PLAIN: usize = 3;
const BLOCK: usize = 64;
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Appends a text as a JSON string.
pub fn push(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    push_escaped(out, text);
    out.push('"');
}

/// Appends what stands between the quotes of a JSON string.
pub fn push_escaped(out: &mut String, text: &str) {
    let mut written = 0;
    while let Some(at) = next_special(text.as_bytes(), written) {
        out.push_str(&text[written..at]);
        push_special(out, text.as_bytes()[at]);
        written = at + 1;
    }
    out.push_str(&text[written..]);
}

fn push_special(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.push_str(match byte {
        b'"' => "\\\"",
        b'\\' => "\\\\",
        b'\n' => "\\n",
        b'\r' => "\\r",
        b'\t' => "\\t",
        0x08 => "\\b",
        0x0C => "\\f",
        control => {
            out.push_str("\\u00");
            out.push(char::from(DIGITS[usize::from(control >> 4)]));
            out.push(char::from(DIGITS[usize::from(control & 15)]));
            return;
        }
    });
}

/// Where the next quote, backslash or control character stands.
#[inline]
pub(crate) fn next_special(bytes: &[u8], from: usize) -> Option<usize> {
    let mut rest = &bytes[from..];
    let mut plain = 0;
    while let Some((word, after)) = rest.split_first_chunk::<WORD>() {
        let found = specials(u64::from_le_bytes(*word));
        if found != 0 {
            return Some(bytes.len() - rest.len() + found.trailing_zeros() as usize / 8);
        }
        rest = after;
        plain += 1;
        if plain == PLAIN {
            rest = after_plain_blocks(rest);
            plain = 0;
        }
    }
    let start = bytes.len() - rest.len();
    rest.iter().position(|byte| is_special(*byte)).map(|at| start + at)
}

/// What follows blocks in which nothing is special. Prose has many.
fn after_plain_blocks(mut rest: &[u8]) -> &[u8] {
    while let Some((block, after)) = rest.split_first_chunk::<BLOCK>() {
        // Looked at to the end, so that many bytes are looked at together.
        if block.iter().fold(false, |any, byte| any | is_special(*byte)) {
            break;
        }
        rest = after;
    }
    rest
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// The high bit of the first special byte, and perhaps of bytes after it: a borrow only runs upwards.
fn specials(word: u64) -> u64 {
    let is_zero = |word: u64| word.wrapping_sub(LOW) & !word;
    let below = word.wrapping_sub(LOW * 0x20) & !word;
    let quote = is_zero(word ^ (LOW * u64::from(b'"')));
    let backslash = is_zero(word ^ (LOW * u64::from(b'\\')));
    (below | quote | backslash) & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn literal(text: &str) -> String {
        let mut out = String::new();
        push(&mut out, text);
        out
    }

    #[test]
    fn every_character_of_one_byte_is_written_as_the_library_writes_it() {
        for byte in 0..128_u8 {
            for before in 0..=WORD {
                let text = format!("{}{}€", "a".repeat(before), char::from(byte));
                assert_eq!(literal(&text), serde_json::to_string(&text).unwrap());
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_written_as_the_library_writes_it(text in "(.|[\"\\\\\0-\u{1f}]|[a-z ]{1,200}|[\u{7f}-\u{a0}日😀]){0,40}") {
            prop_assert_eq!(literal(&text), serde_json::to_string(&text).unwrap());
        }
    }
}
