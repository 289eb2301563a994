//! A WhatsApp chat: a text file with a message a line, alone or in a ZIP archive with its media.
//!
//! Phones write dates as their owner reads them, in one of two layouts: `[31.12.23, 23:59:58] Anna: …`
//! on iOS, `31/12/2023, 23:59 - Anna: …` on Android.

mod line;
mod name;

use std::collections::{BTreeMap, HashMap};
use std::io::Read as _;

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan as _};
use serde::Serialize;
use vitrine_contract::{BlobRef, time};

use super::dates::OrderGuess;
use super::export::{Export, Member};
use super::hash;
use super::kind::Importer;
use super::lines::{LineRead, read_line};
use super::settings::{DateOrder, Settings};
use super::sink::{ImportError, Sink, blob};
use super::text;
use line::{Header, Line};

pub(super) const IMPORTER: Importer = Importer::declared(
    "a WhatsApp chat",
    "the `.txt` file or the ZIP archive that WhatsApp's “Export chat” makes",
    include_str!("declarations/whatsapp.json"),
    recognizes,
    read,
);

const MAX_TEXT_BYTES: usize = 1024 * 1024;
const MAX_MEDIA_BYTES: u64 = 25 * 1024 * 1024;

#[derive(Serialize)]
struct Message<'a> {
    id: String,
    chat: &'a str,
    sender: Option<&'a str>,
    kind: &'static str,
    text: &'a str,
    sent_at: String,
    media_filename: Option<&'a str>,
    blob_ref: Option<&'a BlobRef>,
}

fn is_chat(member: &Member) -> bool {
    member.has_extension("txt")
}

fn recognizes(export: &mut Export) -> Result<bool, ImportError> {
    for member in export.members().iter().filter(|m| is_chat(m)).take(3).cloned().collect::<Vec<_>>() {
        let head = text::head(export, &member, 16 * 1024)?;
        if head.lines().take(20).any(|line| Line::parse(line).is_some()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn read(export: &mut Export, settings: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let members = export.members().to_vec();
    let several = members.iter().filter(|member| is_chat(member)).count() > 1;
    for member in members.iter().filter(|member| is_chat(member)) {
        let about = survey(export, member, &members)?;
        let mut media = HashMap::new();
        for file in &about.media {
            if let Some(reference) = keep(export, file, sink)? {
                media.insert(file.file_name(), reference);
            }
        }
        let chat = name::of(export, member, several);
        let order = settings.date_order.unwrap_or_else(|| about.dates.order());
        if settings.date_order.is_none() {
            about.dates.doubt(&chat).into_iter().for_each(|note| sink.note(note));
        }
        let mut reading =
            Reading { chat: &chat, order, settings, media: &media, before: HashMap::new(), minute: None, position: 0 };
        reading.read(export, member, sink)?;
    }
    Ok(())
}

/// What must be known of a chat before it is read.
struct Survey {
    dates: OrderGuess,
    /// The files its messages speak of.
    media: Vec<Member>,
}

fn survey(export: &mut Export, chat: &Member, members: &[Member]) -> Result<Survey, ImportError> {
    // Files of two chats may have the same name; a chat's own lie beside it.
    let is_own = |member: &&Member| member.parent() == chat.parent();
    let (own, others): (Vec<&Member>, Vec<&Member>) = members.iter().filter(|m| !is_chat(m)).partition(is_own);
    let files: HashMap<&str, &Member> =
        others.into_iter().chain(own).map(|member| (member.file_name(), member)).collect();
    let (mut dates, mut named) = (OrderGuess::default(), BTreeMap::new());
    let mut reader = text::reader(export, chat)?;
    let mut buffer = Vec::new();
    while read_line(&mut *reader, &mut buffer, MAX_TEXT_BYTES)? != LineRead::End {
        let text = String::from_utf8_lossy(&buffer);
        if let Some(line) = Line::parse(&text) {
            dates.see(line.header.date);
            named.extend(line.media().and_then(|name| files.get(name)).map(|member| (&*member.name, *member)));
        } else if let Some((_, name)) = line::attached(&text) {
            named.extend(files.get(name).map(|member| (&*member.name, *member)));
        }
        buffer.clear();
    }
    Ok(Survey { dates, media: named.into_values().cloned().collect() })
}

/// Keeps a picture or file that came along.
fn keep(export: &mut Export, file: &Member, sink: &mut Sink<'_>) -> Result<Option<BlobRef>, ImportError> {
    let mut bytes = Vec::new();
    export.reader(file)?.take(MAX_MEDIA_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_MEDIA_BYTES {
        sink.leave_out("the content of a file larger than 25 MB (its name is kept)", &file.name);
        return Ok(None);
    }
    let kind = match file.name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase().as_str() {
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "webp" => "image/webp",
        "mp4" => "video/mp4",
        "opus" | "ogg" => "audio/ogg",
        "m4a" => "audio/mp4",
        "pdf" => "application/pdf",
        "vcf" => "text/vcard",
        _ => "application/octet-stream",
    };
    let blob = blob(kind.to_owned(), bytes);
    let reference = blob.reference.clone();
    sink.blob(blob)?;
    Ok(Some(reference))
}

struct Reading<'a> {
    chat: &'a str,
    order: DateOrder,
    settings: &'a Settings,
    media: &'a HashMap<&'a str, BlobRef>,
    /// How often the same was said before in the same minute.
    before: HashMap<String, u32>,
    minute: Option<Timestamp>,
    /// How many messages came before in the same minute.
    position: u32,
}

impl Reading<'_> {
    fn read(&mut self, export: &mut Export, member: &Member, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        let mut reader = text::reader(export, member)?;
        let mut open: Option<(Header, u64, String)> = None;
        let (mut buffer, mut number) = (Vec::new(), 0);
        loop {
            buffer.clear();
            number += 1;
            let read = read_line(&mut *reader, &mut buffer, MAX_TEXT_BYTES)?;
            if read == LineRead::Cut {
                sink.reject("a line longer than 1 MB", format!("{}, line {number}", member.name));
                continue;
            }
            let text = String::from_utf8_lossy(&buffer);
            let text = text.trim_end_matches(['\r', '\n']);
            let next = Line::parse(text);
            match (&mut open, &next) {
                (Some((_, _, said)), None) if read == LineRead::Whole => {
                    if said.len() + text.len() < MAX_TEXT_BYTES {
                        said.push('\n');
                        said.push_str(text);
                    }
                }
                (None, None) if !text.trim().is_empty() => {
                    sink.reject("a line before the first message", format!("{}, line {number}", member.name));
                }
                _ => {
                    if let Some((header, number, said)) = open.take() {
                        self.message(&header, &said, &format!("{}, line {number}", member.name), sink)?;
                    }
                    open = next.map(|line| (line.header, number, line.rest.to_owned()));
                }
            }
            if read == LineRead::End {
                return Ok(());
            }
        }
    }

    fn message(&mut self, header: &Header, said: &str, place: &str, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        let local = header.date.date(self.order).map(|date| in_common_years(date).to_datetime(header.time));
        let Some(at) = local.and_then(|local| self.settings.time_zone.to_timestamp(local).ok()) else {
            sink.reject("a message whose date is none; try --date-order", place);
            return Ok(());
        };
        if self.minute.replace(at) != Some(at) {
            self.before.clear();
            self.position = 0;
        }
        self.position += 1;
        let count = self.before.entry(said.to_owned()).or_default();
        *count += 1;
        let sent_at = time::format(at);
        let line = Line { header: header.clone(), rest: said };
        let (sender, text) = line.sender_and_text();
        let media = line.media();
        let is_media = media.is_some() || line.is_omitted();
        let text = line::attached(text).map(|(caption, _)| caption).filter(|said| !said.is_empty()).unwrap_or(text);
        let key = hash::text_key(&[self.chat, &sent_at, said, &count.to_string()]);
        let record = Message {
            // Messages of one minute are ordered by their ids.
            id: format!("{:04}-{key}", self.position),
            chat: self.chat,
            sender,
            kind: match sender {
                None => "notice",
                Some(_) if is_media => "media",
                Some(_) => "text",
            },
            text,
            sent_at,
            media_filename: media,
            blob_ref: media.and_then(|name| self.media.get(name)),
        };
        sink.record("messages", Some(at), &record)
    }
}

/// Thai phones count years from the Buddha's death.
fn in_common_years(date: Date) -> Date {
    if date.year() < 2400 { date } else { date.checked_sub(543.years()).unwrap_or(date) }
}

#[cfg(test)]
mod tests;
