//! Text in encodings that mails name wrongly, or not at all.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::DecoderFnc;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{Encoding as Transfer, Message, MessagePart, MimeHeaders as _};

use super::{transfer, words};
use crate::text::decoded;

/// Names that the parser does not know, without dashes, and what they mean.
const ALIASES: &[(&str, &str)] = &[
    ("cp932", "shift_jis"),
    ("windows932", "shift_jis"),
    ("shiftjis", "shift_jis"),
    ("cp51932", "euc-jp"),
    ("eucjp", "euc-jp"),
    ("cp50220", "iso-2022-jp"),
    ("cp50221", "iso-2022-jp"),
    ("iso2022jp", "iso-2022-jp"),
    ("cp949", "euc-kr"),
    ("ms949", "euc-kr"),
    ("uhc", "euc-kr"),
    ("euckr", "euc-kr"),
    ("cp950", "big5"),
    ("ms950", "big5"),
    ("windows1250", "windows-1250"),
    ("windows1251", "windows-1251"),
    ("windows1252", "windows-1252"),
    ("ansi", "windows-1252"),
];

/// Text, and whether it was read as Windows-1252 because it is not what it says, or says nothing.
pub(super) type Reading<T> = (T, bool);

/// The text of a part; read anew when the parser could not make sense of its bytes.
pub(super) fn text<'a>(mail: &Message<'_>, part: &MessagePart<'_>, parsed: &'a str) -> Reading<Cow<'a, str>> {
    let label = part.content_type().and_then(|kind| kind.attribute("charset"));
    let is_ascii = label.is_some_and(is_ascii);
    let is_off = if is_ascii {
        !parsed.is_ascii()
    } else {
        parsed.contains('\u{fffd}') && label.is_none_or(|label| charset_decoder(label.as_bytes()).is_none())
    };
    if !is_off {
        return (Cow::Borrowed(parsed), false);
    }
    let raw = mail.raw_message.get(part.offset_body as usize..part.offset_end as usize).unwrap_or_default();
    let bytes = match part.encoding {
        Transfer::None => Some(Cow::Borrowed(raw)),
        Transfer::QuotedPrintable => quoted_printable_decode(&transfer::quoted(raw)).map(Cow::Owned),
        Transfer::Base64 => base64_decode(raw).map(Cow::Owned),
    };
    let Some(bytes) = bytes else { return (Cow::Borrowed(parsed), false) };
    let label = label.filter(|_| !is_ascii).unwrap_or_default();
    let (text, is_guessed) = decode(label, &bytes);
    (Cow::Owned(text), is_guessed)
}

/// A mail with headers that the parser can read; nothing when it can read them as they are.
pub(super) fn readable(mail: &[u8]) -> Option<Reading<Vec<u8>>> {
    let head = head(mail);
    let (mut repaired, is_guessed) = readable_head(head)?;
    repaired.extend_from_slice(&mail[head.len()..]);
    Some((repaired, is_guessed))
}

/// Headers that the parser can read; nothing when it can read them as they are.
pub(super) fn readable_head(head: &[u8]) -> Option<Reading<Vec<u8>>> {
    let (mut repaired, mut is_guessed) = (Vec::with_capacity(head.len()), false);
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        let plain = std::str::from_utf8(line).map_or_else(
            |_| {
                is_guessed = true;
                WINDOWS_1252.decode_without_bom_handling(line).0
            },
            Cow::Borrowed,
        );
        repaired.extend_from_slice(with_known_words(&plain).as_bytes());
    }
    if let Cow::Owned(joined) = words::joined(&repaired) {
        repaired = joined;
    }
    (repaired != head).then_some((repaired, is_guessed))
}

/// The lines up to the first empty one.
pub(super) fn head(mail: &[u8]) -> &[u8] {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', mail) {
        if matches!(&mail[start..end], b"" | b"\r") {
            return &mail[..start];
        }
        start = end + 1;
    }
    mail
}

/// Encoded words, `=?charset?Q?…?=`, with names of charsets that the parser knows, and whole to the last byte.
fn with_known_words(line: &str) -> Cow<'_, str> {
    let (mut changed, mut copied) = (String::new(), 0);
    for (at, _) in line.match_indices("=?") {
        let mut parts = line[at + 2..].splitn(3, '?');
        let (Some(label), Some(form), Some(rest)) = (parts.next(), parts.next(), parts.next()) else { break };
        let Some((word, _)) = rest.split_once("?=") else { break };
        if at < copied || label.contains(' ') {
            continue;
        }
        let is_base64 = matches!(form, "B" | "b");
        if !is_known(label) {
            let bytes =
                if is_base64 { base64_decode(word.as_bytes()) } else { quoted_printable_decode(word.as_bytes()) };
            let fallback =
                || if std::str::from_utf8(&bytes.unwrap_or_default()).is_ok() { "utf-8" } else { "windows-1252" };
            changed.push_str(&line[copied..at + 2]);
            changed.push_str(alias(label).unwrap_or_else(fallback));
            copied = at + 2 + label.len();
        }
        let missing = if is_base64 { transfer::padding(word.as_bytes()) } else { b"" };
        if !missing.is_empty() {
            let end = at + 2 + label.len() + 1 + form.len() + 1 + word.len();
            changed.push_str(&line[copied..end]);
            changed.extend(missing.iter().copied().map(char::from));
            copied = end;
        }
    }
    if copied == 0 { Cow::Borrowed(line) } else { Cow::Owned(changed + &line[copied..]) }
}

/// Whether a charset has no letters beyond the plain ones.
fn is_ascii(label: &str) -> bool {
    ["us-ascii", "ascii", "ansi_x3.4-1968"].iter().any(|ascii| ascii.eq_ignore_ascii_case(label))
}

/// Whether the parser knows a charset by this name.
fn is_known(label: &str) -> bool {
    label.eq_ignore_ascii_case("utf-8")
        || label.eq_ignore_ascii_case("utf8")
        || charset_decoder(label.as_bytes()).is_some()
}

fn alias(label: &str) -> Option<&'static str> {
    let plain = compact(label);
    ALIASES.iter().find(|(name, _)| *name == plain).map(|(_, known)| *known)
}

fn compact(label: &str) -> String {
    label.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).collect::<String>().to_ascii_lowercase()
}

/// Bytes as text: as the label says if anybody knows it, else as UTF-8 if they are, else as Windows-1252.
fn decode(label: &str, bytes: &[u8]) -> Reading<String> {
    let known = |label: &str| -> Option<DecoderFnc> { charset_decoder(label.as_bytes()) };
    if let Some(decoder) = alias(label).and_then(known).or_else(|| known(&compact(label))) {
        return (decoder(bytes), false);
    }
    if let Some(encoding) = Encoding::for_label(label.as_bytes()).filter(|encoding| *encoding != UTF_8) {
        return (encoding.decode_without_bom_handling(bytes).0.into_owned(), false);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.to_owned(), false),
        // After letters of UTF-8, the start of one at the very end is one that is cut.
        Err(error) if error.error_len().is_none() && !bytes[..error.valid_up_to()].is_ascii() => {
            (String::from_utf8_lossy(bytes).into_owned(), false)
        }
        Err(_) => (decoded(bytes), true),
    }
}
