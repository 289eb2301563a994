//! mbox: mails one after the other, each after a line that starts with `From `.

use std::collections::HashSet;
use std::io::BufRead;
use std::path::Path;

use jiff::tz::TimeZone;

use super::message::{self, Envelope};
use super::{DECLARATION, MAX_MAIL_BYTES, TOO_LARGE};
use crate::export::{Export, Member, Notes};
use crate::kind::Importer;
use crate::lines::{LineRead, read_line};
use crate::settings::Settings;
use crate::sink::{ImportError, Sink};

pub(crate) const IMPORTER: Importer = Importer::declared(
    "an mbox mail archive",
    "an mbox file, which starts with `From `, or a ZIP or directory with such files",
    DECLARATION,
    recognizes,
    read,
);

/// Room that most mails fit in.
const USUAL_MAIL_BYTES: usize = 16 * 1024;

/// Longest line that starts a mail.
const MAX_SEPARATOR_BYTES: usize = 1024;

/// Files of an archive that are looked into.
const MAX_LOOKED_INTO: usize = 2_000;

fn recognizes(export: &mut Export) -> Result<bool, ImportError> {
    Ok(!mboxes(export)?.is_empty())
}

/// The mailboxes of an export. Thunderbird's have no extension but an index beside them, and Apple Mail's
/// are called `mbox` in a directory that is called by the folder: those go by how they start.
fn mboxes(export: &mut Export) -> Result<Vec<Member>, ImportError> {
    let several = export.members().len() > 1;
    let indexes: HashSet<&str> = export.members().iter().filter_map(|m| m.name.strip_suffix(".msf")).collect();
    let is_likely = |member: &Member| {
        let has_extension = Path::new(&member.name).extension().is_some();
        let in_maildir = matches!(member.directory(), "cur" | "new" | "tmp");
        !several || (!has_extension && !in_maildir) || indexes.contains(member.name.as_str())
    };
    let (mut found, mut likely): (Vec<Member>, Vec<Member>) = (Vec::new(), Vec::new());
    for member in export.members() {
        if several && member.has_extension("mbox") {
            found.push(member.clone());
        } else if is_likely(member) && likely.len() < MAX_LOOKED_INTO {
            likely.push(member.clone());
        }
    }
    for member in likely {
        let head = export.head(&member, 512)?;
        if is_separator(head.split(|byte| *byte == b'\n').next().unwrap_or_default()) {
            found.push(member);
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn read(export: &mut Export, settings: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let found = mboxes(export)?;
    let only = export.members().len() == 1;
    let (notes, mut cut) = (export.notes(), None);
    for member in export.select(|member| only || found.contains(member)) {
        let folder = folder(&member, export.name());
        let around = Around { folder: &folder, zone: &settings.time_zone, notes: &notes };
        if let Some(number) = read_mbox(&mut *export.reader(&member)?, &around, sink)? {
            cut.get_or_insert(format!("{} seems to be cut off in mail {number}. Export it again.", member.name));
        }
    }
    cut.map_or(Ok(()), |why| Err(ImportError::Damaged(why)))
}

/// What is the same for all mails of a mailbox.
struct Around<'a> {
    folder: &'a str,
    zone: &'a TimeZone,
    notes: &'a Notes,
}

/// What a mailbox is called: as its file, or as the directory of one that is only called `mbox`.
fn folder(member: &Member, export: &str) -> String {
    let name = match (member.file_name(), member.directory()) {
        ("mbox", "") => export,
        ("mbox", directory) => directory,
        (name, _) => name,
    };
    name.trim_end_matches(".mbox").to_owned()
}

/// Takes in all mails of a mailbox. Tells the number of the last one if that is cut off.
fn read_mbox(reader: &mut dyn BufRead, around: &Around<'_>, sink: &mut Sink<'_>) -> Result<Option<u64>, ImportError> {
    let mut mail = Mail::default();
    let mut after_blank = true;
    // Where a line stands that starts a mail if a header follows.
    let mut unsure: Option<usize> = None;
    loop {
        if mail.too_large && unsure.is_none() {
            // Only the line that ends it is still of use.
            mail.bytes.clear();
        }
        let start = mail.bytes.len();
        let read = read_line(reader, &mut mail.bytes, MAX_MAIL_BYTES + 2 * MAX_SEPARATOR_BYTES)?;
        if read == LineRead::End {
            let cut = mail.is_cut_off().then_some(mail.number);
            mail.finish(around, sink)?;
            return Ok(cut);
        }
        let line = &mail.bytes[start..];
        let is_whole = read == LineRead::Whole;
        if after_blank && is_whole && is_separator(line) {
            mail.split(start, start).finish(around, sink)?;
            (after_blank, unsure) = (false, None);
            continue;
        }
        if let Some(separator) = unsure.take()
            && is_header(line)
        {
            mail.split(separator, start).finish(around, sink)?;
            mail.too_large |= !is_whole;
            after_blank = false;
            continue;
        }
        unsure = (is_whole && is_strict_separator(line)).then_some(start);
        after_blank = matches!(line, b"\n" | b"\r\n");
        if is_quoted_separator(line) {
            mail.bytes.remove(start);
        }
        mail.too_large |= !is_whole || unsure.unwrap_or(mail.bytes.len()) > MAX_MAIL_BYTES;
    }
}

/// A mail while its lines are gathered.
#[derive(Default)]
struct Mail {
    number: u64,
    from_line: Vec<u8>,
    bytes: Vec<u8>,
    too_large: bool,
}

impl Mail {
    /// Ends the mail before the line at `separator`, which starts the next one. What stands at `rest` is of that.
    fn split(&mut self, separator: usize, rest: usize) -> Self {
        let tail = self.bytes.split_off(separator);
        let from_end = if rest == separator { tail.len() } else { rest - separator };
        let mut bytes = Vec::with_capacity(USUAL_MAIL_BYTES);
        bytes.extend_from_slice(&tail[from_end..]);
        let next = Self { number: self.number + 1, from_line: tail[..from_end].to_vec(), bytes, too_large: false };
        std::mem::replace(self, next)
    }

    /// Whether it is the last of a file that is cut off. A whole one ends in an empty line, whatever its sender forgot.
    fn is_cut_off(&self) -> bool {
        let ends_whole = self.bytes.ends_with(b"\n\n") || self.bytes.ends_with(b"\n\r\n");
        self.number > 0 && !self.too_large && !ends_whole && message::is_cut(&self.bytes)
    }

    fn finish(self, around: &Around<'_>, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        if self.number == 0 {
            return Ok(());
        }
        let place = format!("mail {}", self.number);
        if self.too_large {
            sink.reject(TOO_LARGE, place);
            return Ok(());
        }
        let delivered = message::from_line_time(&self.from_line);
        let Around { folder, zone, notes } = *around;
        message::take(&self.bytes, &Envelope { folder, delivered, unread: None, zone, place, notes }, sink)
    }
}

/// Whether a line starts a mail: `From `, a sender, and a date with a time of day.
fn is_separator(line: &[u8]) -> bool {
    line.starts_with(b"From ")
        && line.len() < MAX_SEPARATOR_BYTES
        && line
            .windows(4)
            .any(|w| w[0].is_ascii_digit() && w[1] == b':' && w[2].is_ascii_digit() && w[3].is_ascii_digit())
        && [b" Mon ", b" Tue ", b" Wed ", b" Thu ", b" Fri ", b" Sat ", b" Sun "]
            .iter()
            .any(|day| memchr::memmem::find(line, *day).is_some())
}

/// Whether a line is nothing but what starts a mail, an address and a full date: `From x@y Sat Jan  3 01:05:34 1998`
fn is_strict_separator(line: &[u8]) -> bool {
    if !is_separator(line) || message::from_line_time(line).is_none() {
        return false;
    }
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).skip(1);
    let is_address = words.next().is_some_and(|word| word.contains(&b'@') || word == b"MAILER-DAEMON");
    is_address && words.next().is_some_and(|word| word.len() == 3) && words.count() <= 5
}

/// Whether a line is a header: `Subject: Hello`
fn is_header(line: &[u8]) -> bool {
    let name = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')).count();
    name > 0 && line.get(name) == Some(&b':') && line.get(name + 1).is_none_or(u8::is_ascii_whitespace)
}

/// Whether a line of a mail starts with `From ` but for the `>` that was put before it.
fn is_quoted_separator(line: &[u8]) -> bool {
    line.first() == Some(&b'>') && {
        let marks = line.iter().take_while(|byte| **byte == b'>').count();
        line[marks..].starts_with(b"From ")
    }
}
