//! Text in encodings that mails name wrongly, or not at all.

use std::borrow::Cow;

use encoding_rs::{Encoding, WINDOWS_1252};
use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::charsets::DecoderFnc;
use mail_parser::decoders::charsets::map::charset_decoder;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{Encoding as Transfer, Message, MessagePart, MimeHeaders as _};

use super::words;

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

/// The text of a part; read anew when the parser could not make sense of its bytes.
pub(super) fn text<'a>(mail: &Message<'_>, part: &MessagePart<'_>, parsed: &'a str) -> Cow<'a, str> {
    let label = part.content_type().and_then(|kind| kind.attribute("charset"));
    if !parsed.contains('\u{fffd}') || label.is_some_and(is_known) {
        return Cow::Borrowed(parsed);
    }
    let raw = mail.raw_message.get(part.offset_body as usize..part.offset_end as usize).unwrap_or_default();
    let bytes = match part.encoding {
        Transfer::None => Some(Cow::Borrowed(raw)),
        Transfer::QuotedPrintable => quoted_printable_decode(raw).map(Cow::Owned),
        Transfer::Base64 => base64_decode(raw).map(Cow::Owned),
    };
    bytes.map_or(Cow::Borrowed(parsed), |bytes| Cow::Owned(decode(label.unwrap_or_default(), &bytes)))
}

/// A mail with headers that the parser can read; nothing when it can read them as they are.
pub(super) fn readable(mail: &[u8]) -> Option<Vec<u8>> {
    let head = head(mail);
    let mut repaired = Vec::new();
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        let plain = match std::str::from_utf8(line) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => WINDOWS_1252.decode_without_bom_handling(line).0,
        };
        repaired.extend_from_slice(with_known_labels(&plain).as_bytes());
    }
    if let Cow::Owned(joined) = words::joined(&repaired) {
        repaired = joined;
    }
    (repaired != head).then(|| [&repaired, &mail[head.len()..]].concat())
}

/// The lines up to the first empty one.
fn head(mail: &[u8]) -> &[u8] {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', mail) {
        if matches!(&mail[start..end], b"" | b"\r") {
            return &mail[..start];
        }
        start = end + 1;
    }
    mail
}

/// Encoded words, `=?charset?Q?…?=`, with names of charsets that the parser knows.
fn with_known_labels(line: &str) -> Cow<'_, str> {
    let (mut changed, mut copied) = (String::new(), 0);
    for (at, _) in line.match_indices("=?") {
        let mut parts = line[at + 2..].splitn(3, '?');
        let (Some(label), Some(form), Some(rest)) = (parts.next(), parts.next(), parts.next()) else { break };
        let Some((word, _)) = rest.split_once("?=") else { break };
        if at < copied || is_known(label) || label.contains(' ') {
            continue;
        }
        let bytes = match form {
            "B" | "b" => base64_decode(word.as_bytes()),
            _ => quoted_printable_decode(word.as_bytes()),
        };
        let fallback =
            || if std::str::from_utf8(&bytes.unwrap_or_default()).is_ok() { "utf-8" } else { "windows-1252" };
        changed.push_str(&line[copied..at + 2]);
        changed.push_str(alias(label).unwrap_or_else(fallback));
        copied = at + 2 + label.len();
    }
    if copied == 0 { Cow::Borrowed(line) } else { Cow::Owned(changed + &line[copied..]) }
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
fn decode(label: &str, bytes: &[u8]) -> String {
    let known = |label: &str| -> Option<DecoderFnc> { charset_decoder(label.as_bytes()) };
    if let Some(decoder) = alias(label).and_then(known).or_else(|| known(&compact(label))) {
        return decoder(bytes);
    }
    if let Some(encoding) = Encoding::for_label(label.as_bytes()) {
        return encoding.decode_without_bom_handling(bytes).0.into_owned();
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
    }
}
