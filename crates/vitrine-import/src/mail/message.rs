//! One mail becomes one record, and one for each file that came with it.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use mail_parser::{Address, HeaderValue, Message, MessageParser, MessagePart, MimeHeaders, PartType};
use serde::Serialize;
use vitrine_contract::{BlobRef, time};

use super::flowed::Breaks;
use super::{MAX_ATTACHMENT_BYTES, charset, date, labels, mend, text, unread};
use crate::export::Notes;
use crate::hash;
use crate::sink::{ImportError, Sink, blob};

/// Addresses of one header that are kept.
const MAX_ADDRESSES: usize = 200;
const TEXT_BYTES: usize = 16 * 1024 * 1024;

/// What is known of a mail from around it.
pub(super) struct Envelope<'a> {
    pub(super) folder: &'a str,
    /// When the archive says it came.
    pub(super) delivered: Option<Timestamp>,
    pub(super) unread: Option<bool>,
    /// The zone of dates that name none.
    pub(super) zone: &'a TimeZone,
    pub(super) place: String,
    /// Where goes what the owner should know of how mails were read.
    pub(super) notes: &'a Notes,
}

impl Envelope<'_> {
    fn note(&self, what: &str) {
        if let Ok(mut notes) = self.notes.lock() {
            notes.insert(format!("{} has mails {what}.", self.folder));
        }
    }
}

#[derive(Serialize)]
struct Mail<'a> {
    id: &'a str,
    thread_id: Cow<'a, str>,
    in_reply_to: Option<&'a str>,
    subject: Option<&'a str>,
    from_name: Option<&'a str>,
    from_address: Option<String>,
    to: String,
    cc: String,
    bcc: Option<String>,
    reply_to: Option<String>,
    sent_at: Option<String>,
    folder: &'a str,
    labels: Vec<String>,
    unread: Option<bool>,
    body: String,
    attachment_count: usize,
    size_bytes: usize,
}

#[derive(Serialize)]
struct Attachment<'a> {
    id: String,
    message_id: &'a str,
    filename: Option<&'a str>,
    mime_type: &'a str,
    size_bytes: usize,
    sent_at: Option<&'a str>,
    blob_ref: Option<&'a BlobRef>,
}

/// Takes one mail in.
pub(super) fn take(bytes: &[u8], envelope: &Envelope<'_>, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let (mut readable, mut is_guessed) = match charset::readable(bytes) {
        Some((repaired, is_guessed)) => (Cow::Owned(repaired), is_guessed),
        None => (Cow::Borrowed(bytes), false),
    };
    let mut parsed = MessageParser::default().parse(&readable);
    for _ in 0..mend::MAX_MENDINGS {
        let Some(mended) = parsed.as_ref().and_then(mend::mended) else { break };
        drop(parsed);
        readable = Cow::Owned(mended);
        parsed = MessageParser::default().parse(&readable);
    }
    let Some(mut mail) = parsed.filter(|mail| !mail.headers().is_empty()) else {
        sink.reject("a mail without headers", &envelope.place);
        return Ok(());
    };
    let mozilla = mail.header_raw("X-Mozilla-Status");
    if unread::is_deleted(mozilla) {
        sink.leave_out("a mail that was deleted in Thunderbird", &envelope.place);
        return Ok(());
    }
    let noted = unread::by_status(mail.header_raw("Status"), mozilla);
    let date = mail.header_raw("Date").map(str::trim).filter(|date| !date.is_empty());
    let sent = date.and_then(|date| date::instant(date, envelope.zone));
    if date.is_some() && sent.is_none() {
        envelope.note("with a date that cannot be read; when they came was taken instead, if that is known");
    }
    let at = sent.or(envelope.delivered);
    let sent_at = at.map(time::format);
    let Body { text: body, is_whole, is_guessed: is_body_guessed } = body(&mail);
    is_guessed |= is_body_guessed;
    if !is_whole {
        sink.leave_out("the rest of a text longer than 16 MB", &envelope.place);
    }
    let id = mail
        .message_id()
        .filter(|id| !id.is_empty())
        .map_or_else(|| derived_id(&mail, sent_at.as_deref(), &body), str::to_owned);
    let labels = labels::of(&mail);
    let unread = envelope.unread.or_else(|| unread::by_labels(&labels)).or(noted);
    let from = mail.from().and_then(Address::first);
    let record = Mail {
        id: &id,
        thread_id: thread_id(&mail).unwrap_or(Cow::Borrowed(&id)),
        in_reply_to: first_id(mail.in_reply_to()),
        subject: mail.subject(),
        from_name: from.and_then(|from| from.name.as_deref()),
        from_address: from.and_then(|from| from.address.as_deref()).map(str::to_lowercase),
        to: addresses(mail.to()),
        cc: addresses(mail.cc()),
        bcc: mail.bcc().map(|header| addresses(Some(header))),
        reply_to: mail.reply_to().map(|header| addresses(Some(header))),
        sent_at,
        folder: envelope.folder,
        labels,
        unread,
        body,
        attachment_count: mail.attachments.len(),
        size_bytes: bytes.len(),
    };
    sink.record("messages", at, &record)?;
    let of = Of { id: &id, sent_at: record.sent_at };
    for (number, part) in std::mem::take(&mut mail.attachments).into_iter().enumerate() {
        let part = part as usize;
        let text = mail.parts.get(part).and_then(|part| reread(&mail, part));
        if let Some(part) = mail.parts.get_mut(part) {
            if let Some((text, is_text_guessed)) = text {
                part.body = PartType::Text(Cow::Owned(text));
                is_guessed |= is_text_guessed;
            }
            attachment(part, number, &of, at, sink)?;
        }
    }
    if is_guessed {
        envelope.note("that are not in the encoding they name; they were read as Windows-1252");
    }
    Ok(())
}

/// Whether a mail ends before its headers do, or inside one of its parts.
pub(super) fn is_cut(bytes: &[u8]) -> bool {
    if charset::head(bytes).len() == bytes.len() {
        return !bytes.ends_with(b"\n");
    }
    let mail = MessageParser::default().parse_headers(bytes);
    let kind = mail.as_ref().and_then(MimeHeaders::content_type).filter(|kind| kind.ctype() == "multipart");
    let boundary = kind.and_then(|kind| kind.attribute("boundary"));
    boundary.is_some_and(|boundary| memchr::memmem::rfind(bytes, format!("--{boundary}--").as_bytes()).is_none())
}

/// The mail that a file came with.
struct Of<'a> {
    id: &'a str,
    sent_at: Option<String>,
}

fn attachment(
    part: &mut MessagePart<'_>,
    number: usize,
    mail: &Of<'_>,
    at: Option<Timestamp>,
    sink: &mut Sink<'_>,
) -> Result<(), ImportError> {
    let contents = contents(std::mem::take(&mut part.body));
    let mime_type = part.content_type().map_or_else(
        || "application/octet-stream".to_owned(),
        |kind| format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or("octet-stream")).to_ascii_lowercase(),
    );
    let size_bytes = contents.len();
    let blob = (size_bytes <= MAX_ATTACHMENT_BYTES).then(|| blob(mime_type.clone(), contents.into_owned()));
    if blob.is_none() {
        sink.leave_out("the content of an attachment larger than 25 MB (its name is kept)", mail.id);
    }
    let reference = blob.as_ref().map(|blob| blob.reference.clone());
    if let Some(blob) = blob {
        sink.blob(blob)?;
    }
    let record = Attachment {
        id: format!("{}#{number}", mail.id),
        message_id: mail.id,
        filename: part.attachment_name(),
        mime_type: &mime_type,
        size_bytes,
        sent_at: mail.sent_at.as_deref(),
        blob_ref: reference.as_ref(),
    };
    sink.record("attachments", at, &record)
}

/// The bytes of a file, without a second copy of what was decoded.
fn contents(body: PartType<'_>) -> Cow<'_, [u8]> {
    match body {
        PartType::Text(Cow::Borrowed(text)) | PartType::Html(Cow::Borrowed(text)) => Cow::Borrowed(text.as_bytes()),
        PartType::Text(Cow::Owned(text)) | PartType::Html(Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
        PartType::Binary(bytes) | PartType::InlineBinary(bytes) => bytes,
        PartType::Message(mail) => Cow::Owned(mail.raw_message().to_vec()),
        PartType::Multipart(_) => Cow::default(),
    }
}

/// The text of a file, when the parser could not make sense of its bytes.
fn reread(mail: &Message<'_>, part: &MessagePart<'_>) -> Option<charset::Reading<String>> {
    let (PartType::Text(parsed) | PartType::Html(parsed)) = &part.body else { return None };
    match charset::text(mail, part, parsed) {
        (Cow::Owned(text), is_guessed) => Some((text, is_guessed)),
        (Cow::Borrowed(_), _) => None,
    }
}

/// The time in an mbox's `From ` line: `From x@y Sat Jan  3 01:05:34 +0000 1996`, the zone left out by most.
pub(super) fn from_line_time(line: &[u8]) -> Option<Timestamp> {
    let line = std::str::from_utf8(line).ok()?.trim_end();
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let at = words.iter().rposition(|word| matches!(*word, "Mon" | "Tue" | "Wed" | "Thu" | "Fri" | "Sat" | "Sun"))?;
    let [month, day, clock, rest @ ..] = words.get(at + 1..)? else { return None };
    let year = rest.iter().rev().find(|word| word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()))?;
    let zone = rest.iter().find(|word| word.starts_with(['+', '-']) && word.len() == 5).copied().unwrap_or("+0000");
    let text = format!("{day} {month} {year} {clock} {zone}");
    jiff::fmt::rfc2822::parse(&text).ok().map(|zoned| zoned.timestamp())
}

/// The text of a mail.
struct Body {
    text: String,
    is_whole: bool,
    /// Whether it was read as Windows-1252 for want of anything better.
    is_guessed: bool,
}

/// The text of a mail: what was written as text, else what the markup says.
fn body(mail: &Message<'_>) -> Body {
    let plain = joined(mail, mail.text_bodies());
    // Programs that write markup alone put an empty text beside it.
    if plain.text.trim().is_empty() { joined(mail, mail.html_bodies()) } else { plain }
}

fn joined<'a>(mail: &Message<'_>, parts: impl Iterator<Item = &'a MessagePart<'a>>) -> Body {
    let mut body = Body { text: String::new(), is_whole: true, is_guessed: false };
    for part in parts {
        let (text, is_guessed) = match &part.body {
            PartType::Text(text) => {
                let (text, is_guessed) = charset::text(mail, part, text);
                let whole = Breaks::of(part).map(|breaks| Cow::Owned(breaks.undone(&text)));
                (whole.unwrap_or(text), is_guessed)
            }
            PartType::Html(html) => {
                let (html, is_guessed) = charset::text(mail, part, html);
                (Cow::Owned(text::of_html(&html)), is_guessed)
            }
            _ => continue,
        };
        body.is_guessed |= is_guessed;
        if !body.text.is_empty() {
            body.text.push('\n');
        }
        let room = TEXT_BYTES.saturating_sub(body.text.len());
        body.is_whole = text.len() <= room;
        body.text.push_str(&text[..text.floor_char_boundary(room)]);
        if !body.is_whole {
            break;
        }
    }
    if body.text.contains('\r') {
        body.text = body.text.replace("\r\n", "\n");
    }
    body
}

/// Without a `Message-ID`: what makes this mail this mail. Headers that an archive adds are not part of it.
fn derived_id(mail: &Message<'_>, sent_at: Option<&str>, body: &str) -> String {
    let from = mail.header_raw("From").unwrap_or_default();
    hash::text_key(&[sent_at.unwrap_or_default(), from, mail.subject().unwrap_or_default(), body])
}

/// Gmail says which thread; elsewhere the first mail of a thread names it.
fn thread_id<'a>(mail: &'a Message<'_>) -> Option<Cow<'a, str>> {
    let gmail = mail.header_raw("X-GM-THRID").map(str::trim).filter(|id| !id.is_empty());
    gmail.or_else(|| first_id(mail.references())).or_else(|| first_id(mail.in_reply_to())).map(Cow::Borrowed)
}

fn first_id<'a>(header: &'a HeaderValue<'_>) -> Option<&'a str> {
    match header {
        HeaderValue::Text(id) => Some(id.as_ref()),
        HeaderValue::TextList(ids) => ids.first().map(AsRef::as_ref),
        _ => None,
    }
}

/// `Nora Lindgren <nora@example.org>, "Ben, B." <ben@example.org>, eva@example.org`
fn addresses(header: Option<&Address<'_>>) -> String {
    let mut all = String::new();
    for one in header.into_iter().flat_map(Address::iter).take(MAX_ADDRESSES) {
        if !all.is_empty() {
            all.push_str(", ");
        }
        match (&one.name, &one.address) {
            (Some(name), Some(address)) if name.contains([',', ';', '<', '>', '@', '"']) => {
                all.extend(["\"", &name.replace('"', "'"), "\" <", address, ">"]);
            }
            (Some(name), Some(address)) => all.extend([name, " <", address, ">"]),
            (Some(one), None) | (None, Some(one)) => all.push_str(one),
            (None, None) => {}
        }
    }
    all
}
