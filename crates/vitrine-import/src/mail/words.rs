//! Encoded words of headers, `=?charset?Q?…?=`, that programs split inside a character.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mail_parser::decoders::base64::base64_decode;

/// An encoded word: the bytes in it, and where it ends.
struct Word {
    bytes: Vec<u8>,
    end: usize,
}

/// Headers in which every encoded word of UTF-8 is text of its own.
pub(super) fn joined(head: &[u8]) -> Cow<'_, [u8]> {
    let (mut changed, mut copied, mut at) = (Vec::new(), 0, 0);
    while let Some(found) = memchr::memmem::find(&head[at..], b"=?") {
        let start = at + found;
        let Some(first) = word(head, start) else {
            at = start + 2;
            continue;
        };
        let (mut bytes, mut end) = (first.bytes, first.end);
        let mut is_split = std::str::from_utf8(&bytes).is_err();
        while is_split && let Some(next) = next_word(head, end) {
            bytes.extend_from_slice(&next.bytes);
            end = next.end;
            is_split = std::str::from_utf8(&bytes).is_err();
        }
        if end > first.end && !is_split {
            changed.extend_from_slice(&head[copied..start]);
            changed.extend_from_slice(format!("=?utf-8?B?{}?=", STANDARD.encode(&bytes)).as_bytes());
            copied = end;
        }
        at = end;
    }
    if copied == 0 { Cow::Borrowed(head) } else { Cow::Owned([&changed, &head[copied..]].concat()) }
}

/// The word after this place, with nothing but spaces between.
fn next_word(head: &[u8], at: usize) -> Option<Word> {
    let spaces = head[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    word(head, at + spaces).filter(|_| spaces > 0)
}

/// The word of UTF-8 that starts here.
fn word(head: &[u8], start: usize) -> Option<Word> {
    let rest = head[start..].strip_prefix(b"=?")?;
    let (label, form) = rest.split_at_checked(b"utf-8".len())?;
    let is_base64 = match form.get(..3)? {
        b"?B?" | b"?b?" => true,
        b"?Q?" | b"?q?" => false,
        _ => return None,
    };
    let text = &form[3..];
    let length = memchr::memmem::find(text, b"?=").filter(|_| label.eq_ignore_ascii_case(b"utf-8"))?;
    let bytes = if is_base64 { base64_decode(&text[..length])? } else { quoted(&text[..length]) };
    Some(Word { bytes, end: start + 2 + label.len() + 3 + length + 2 })
}

/// `a_=C3=BC`
fn quoted(text: &[u8]) -> Vec<u8> {
    let digit = |at: usize| text.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let (mut bytes, mut at) = (Vec::with_capacity(text.len()), 0);
    while at < text.len() {
        let (byte, length) = match (text[at], digit(at + 1), digit(at + 2)) {
            (b'=', Some(high), Some(low)) => (u8::try_from(high * 16 + low).unwrap_or_default(), 3),
            (b'_', ..) => (b' ', 1),
            (byte, ..) => (byte, 1),
        };
        bytes.push(byte);
        at += length;
    }
    bytes
}
