//! Mails that the parser cannot make sense of as they are, written so that it can.

use std::ops::Range;

use mail_parser::{Encoding, Message, MessagePart, MimeHeaders as _, PartType};

use super::{charset, transfer};

/// How often a mail is mended: one mending may bring parts to light that need another.
pub(super) const MAX_MENDINGS: usize = 3;
/// Parts around a part that are looked at.
const MAX_DEPTH: usize = 16;

/// Bytes to write in place of others.
struct Edit {
    place: Range<usize>,
    bytes: Vec<u8>,
}

/// The mail as the parser should have it; nothing when it could read it.
pub(super) fn mended(mail: &Message<'_>) -> Option<Vec<u8>> {
    let raw = mail.raw_message.as_ref();
    let mut edits = Vec::new();
    for (number, part) in mail.parts.iter().enumerate() {
        if number > 0 {
            edits.extend(head(raw, part));
        }
        if part.is_encoding_problem && part.encoding == Encoding::None {
            edits.extend(unread(mail, number, part));
        } else if part.encoding == Encoding::Base64 {
            let end = part.offset_end as usize;
            let missing = raw.get(part.offset_body as usize..end).map(transfer::padding).unwrap_or_default();
            edits.extend((!missing.is_empty()).then(|| Edit { place: end..end, bytes: missing.to_vec() }));
        }
    }
    (!edits.is_empty()).then(|| edited(raw, &edits))
}

/// Headers of a part, such as the name of a file.
fn head(raw: &[u8], part: &MessagePart<'_>) -> Option<Edit> {
    let place = part.offset_header as usize..part.offset_body as usize;
    let head = raw.get(place.clone())?;
    if head.is_ascii() && memchr::memmem::find(head, b"=?").is_none() {
        return None;
    }
    Some(Edit { place, bytes: charset::readable_head(head)?.0 })
}

/// A part that the parser took as it stands, because it could not decode it or did not find its end.
fn unread(mail: &Message<'_>, number: usize, part: &MessagePart<'_>) -> Option<Edit> {
    let raw = mail.raw_message.as_ref();
    let (start, mut end) = (part.offset_body as usize, part.offset_end as usize);
    let mut closing = Vec::new();
    if end == raw.len()
        && let Some(unclosed) = unclosed(mail, number, start)
    {
        end = unclosed.end;
        let apart = if raw.get(..end)?.ends_with(b"\n") { "" } else { "\n" };
        closing = format!("{apart}--{}--\n", unclosed.boundary).into_bytes();
    }
    let body = raw.get(start..end)?;
    let is_text = part.content_type().is_none_or(|kind| kind.ctype().eq_ignore_ascii_case("text"));
    let encoding = part.content_transfer_encoding().unwrap_or_default();
    let mut bytes = if encoding.eq_ignore_ascii_case("base64") {
        transfer::base64(body, is_text)
    } else if encoding.eq_ignore_ascii_case("quoted-printable") {
        transfer::quoted(body)
    } else if closing.is_empty() {
        return None;
    } else {
        return Some(Edit { place: end..end, bytes: closing });
    };
    bytes.extend_from_slice(&closing);
    Some(Edit { place: start..end, bytes })
}

/// A part of parts that does not say where it ends.
struct Unclosed<'a> {
    boundary: &'a str,
    end: usize,
}

/// What is open around a part that starts here: the parts around that go on, or the mail is cut off.
fn unclosed<'a>(mail: &'a Message<'_>, number: usize, start: usize) -> Option<Unclosed<'a>> {
    let raw = mail.raw_message.as_ref();
    let mut around = boundaries(mail, number);
    let boundary = around.next()?;
    let rest = raw.get(start..)?;
    if memchr::memmem::find(rest, format!("--{boundary}").as_bytes()).is_some() {
        return None;
    }
    let next = |outer: &str| memchr::memmem::find(rest, format!("\n--{outer}").as_bytes());
    if let Some(at) = around.filter_map(next).min() {
        return Some(Unclosed { boundary, end: start + at + 1 });
    }
    // The line that was to end it may be cut itself.
    let last = memchr::memrchr(b'\n', rest).map_or(0, |at| at + 1);
    let is_cut = rest.len() - last > 2 && format!("--{boundary}").as_bytes().starts_with(&rest[last..]);
    Some(Unclosed { boundary, end: if is_cut { start + last } else { raw.len() } })
}

/// What stands between the parts that a part is one of, from the inside out.
fn boundaries<'a>(mail: &'a Message<'_>, number: usize) -> impl Iterator<Item = &'a str> {
    let around = move |inner: &usize| {
        let holds = |part: &MessagePart<'_>| matches!(&part.body, PartType::Multipart(parts) if parts.iter().any(|part| *part as usize == *inner));
        mail.parts.get(..*inner)?.iter().rposition(holds)
    };
    let boundary = |number: usize| mail.parts.get(number)?.content_type()?.attribute("boundary");
    std::iter::successors(around(&number), around).take(MAX_DEPTH).filter_map(boundary)
}

fn edited(raw: &[u8], edits: &[Edit]) -> Vec<u8> {
    let added: usize = edits.iter().map(|edit| edit.bytes.len()).sum();
    let (mut mended, mut copied) = (Vec::with_capacity(raw.len() + added), 0);
    for Edit { place, bytes } in edits {
        let Some(before) = raw.get(copied..place.start) else { continue };
        mended.extend_from_slice(before);
        mended.extend_from_slice(bytes);
        copied = place.end;
    }
    mended.extend_from_slice(&raw[copied..]);
    mended
}
