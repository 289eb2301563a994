//! mbox: mails one after the other, each after a line that starts with `From `.

use std::io::BufRead;

use super::message::{self, Envelope};
use super::{DECLARATION, MAX_MAIL_BYTES, TOO_LARGE};
use crate::export::{Export, Member};
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

fn recognizes(export: &mut Export) -> Result<bool, ImportError> {
    if export.members().len() > 1 {
        return Ok(export.members().iter().any(is_mbox));
    }
    let Some(only) = export.members().first().cloned() else { return Ok(false) };
    let head = export.head(&only, 512)?;
    Ok(is_separator(head.split(|byte| *byte == b'\n').next().unwrap_or_default()))
}

fn is_mbox(member: &Member) -> bool {
    member.has_extension("mbox")
}

fn read(export: &mut Export, _: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let several = export.members().len() > 1;
    for member in export.select(|member| !several || is_mbox(member)) {
        let folder = member.file_name().trim_end_matches(".mbox").to_owned();
        read_mbox(&mut *export.reader(&member)?, &folder, sink)?;
    }
    Ok(())
}

fn read_mbox(reader: &mut dyn BufRead, folder: &str, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let mut mail = Mail::default();
    let mut after_blank = true;
    loop {
        let start = mail.bytes.len();
        let read = read_line(reader, &mut mail.bytes, MAX_MAIL_BYTES)?;
        if read == LineRead::End {
            return mail.finish(folder, sink);
        }
        mail.cut |= read == LineRead::Cut;
        let line = &mail.bytes[start..];
        if after_blank && is_separator(line) {
            let bytes = Vec::with_capacity(USUAL_MAIL_BYTES);
            let next = Mail { number: mail.number + 1, from_line: line.to_vec(), bytes, cut: false };
            mail.bytes.truncate(start);
            std::mem::replace(&mut mail, next).finish(folder, sink)?;
            after_blank = false;
            continue;
        }
        after_blank = matches!(line, b"\n" | b"\r\n");
        if is_quoted_separator(line) {
            mail.bytes.remove(start);
        }
    }
}

/// A mail while its lines are gathered.
#[derive(Default)]
struct Mail {
    number: u64,
    from_line: Vec<u8>,
    bytes: Vec<u8>,
    cut: bool,
}

impl Mail {
    fn finish(self, folder: &str, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        if self.number == 0 {
            return Ok(());
        }
        let place = format!("mail {}", self.number);
        if self.cut {
            sink.reject(TOO_LARGE, place);
            return Ok(());
        }
        let delivered = message::from_line_time(&self.from_line);
        message::take(&self.bytes, &Envelope { folder, delivered, unread: None, place }, sink)
    }
}

/// Whether a line starts a mail: `From `, a sender, and a date with a time of day.
fn is_separator(line: &[u8]) -> bool {
    line.starts_with(b"From ")
        && line.len() < 1024
        && line
            .windows(4)
            .any(|w| w[0].is_ascii_digit() && w[1] == b':' && w[2].is_ascii_digit() && w[3].is_ascii_digit())
        && [b" Mon ", b" Tue ", b" Wed ", b" Thu ", b" Fri ", b" Sat ", b" Sun "]
            .iter()
            .any(|day| memchr::memmem::find(line, *day).is_some())
}

/// Whether a line of a mail starts with `From ` but for the `>` that was put before it.
fn is_quoted_separator(line: &[u8]) -> bool {
    line.first() == Some(&b'>') && {
        let marks = line.iter().take_while(|byte| **byte == b'>').count();
        line[marks..].starts_with(b"From ")
    }
}
