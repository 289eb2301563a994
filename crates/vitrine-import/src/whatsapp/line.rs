//! One line of a chat: when, who, what.

use jiff::civil::Time;

use crate::dates::{self, Figures};

/// Marks of writing direction, which the phones put almost anywhere.
const MARKS: [char; 3] = ['\u{200e}', '\u{200f}', '\u{feff}'];

/// When a message was sent, as the phone's owner reads it.
#[derive(Debug, Clone)]
pub(super) struct Header {
    pub(super) date: Figures,
    pub(super) time: Time,
}

/// A line that starts a message.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    pub(super) header: Header,
    pub(super) rest: &'a str,
}

impl<'a> Line<'a> {
    /// The line, if it starts a message.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let line = line.trim_end_matches(['\r', '\n']).trim_start_matches(MARKS);
        let (bracketed, line) = line.strip_prefix('[').map_or((false, line), |line| (true, line));
        let (date, line) = dates::figures(line)?;
        let line = line.strip_prefix(',').unwrap_or(line).trim_start_matches([' ', '\u{a0}', '\u{202f}']);
        let (time, line) = dates::clock(line)?;
        let rest = if bracketed { line.strip_prefix(']')? } else { line.trim_start().strip_prefix('-')? };
        Some(Self { header: Header { date, time }, rest: rest.trim_start_matches(' ') })
    }

    /// Who wrote what. A notice of the group has no sender.
    pub(super) fn sender_and_text(&self) -> (Option<&'a str>, &'a str) {
        match self.rest.split_once(": ").or_else(|| self.rest.strip_suffix(':').map(|sender| (sender, ""))) {
            Some((sender, text)) if !sender.contains('\n') && !sender.is_empty() => {
                (Some(sender.trim_matches(MARKS)), text.trim_start_matches(MARKS))
            }
            _ => (None, self.rest.trim_start_matches(MARKS)),
        }
    }

    /// The file a message came with: `<attached: NAME>` on iOS, `NAME (file attached)` on Android,
    /// in the words of the phone's language.
    pub(super) fn media(&self) -> Option<&'a str> {
        let (_, text) = self.sender_and_text();
        let first = text.lines().next()?.trim_matches(MARKS).trim();
        let ios =
            first.strip_prefix('<').and_then(|text| text.strip_suffix('>')).and_then(|text| text.split_once(": "));
        let android = || first.strip_suffix(')').and_then(|text| text.rsplit_once(" (")).map(|(name, _)| name);
        let name = ios.map(|(_, name)| name.trim()).or_else(android)?;
        let (stem, extension) = name.rsplit_once('.')?;
        let is_name = !stem.is_empty() && (2..=5).contains(&extension.len()) && !name.contains(['/', '\\']);
        (is_name && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(name)
    }
}
