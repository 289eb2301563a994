//! One line of a chat: when, who, what.

use jiff::civil::Time;

use crate::dates::{self, Figures, MARKS, SPACES};

/// Words between a date and its time, in the languages that put one there.
const BETWEEN: [&str; 9] = ["à", "às", "klo", "kl.", "kl", "в", "г.,", "г.", "um"];
/// Marks that no name has: what is quoted may have a colon in it.
const QUOTES: [char; 5] = ['"', '“', '”', '„', '«'];

/// What names are wrapped in beside [`MARKS`]: iOS has telephone numbers run from left to right wherever they stand.
const DIRECTIONS: [char; 9] =
    ['\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}'];

/// What Android calls what was left out.
const MEDIA: [&str; 13] = [
    "medi",
    "mídia",
    "médi",
    "medya",
    "médya",
    "メディア",
    "미디어",
    "медиа",
    "медіа",
    "媒体",
    "媒體",
    "وسائط",
    "मीडिया",
];
/// How iOS says that it left something out.
const OMITTED: [&str; 22] = [
    "omitted",
    "weggelassen",
    "ausgelassen",
    "absent",
    "absente",
    "omis",
    "omise",
    "omitido",
    "omitida",
    "omesso",
    "omessa",
    "oculto",
    "oculta",
    "ocultado",
    "ocultada",
    "weggelaten",
    "utelämnad",
    "udeladt",
    "utelatt",
    "pominięto",
    "생략됨",
    "省略",
];

/// How iOS says, in the name of its sender, that a message is gone.
const DELETED: [&str; 14] = [
    "you deleted this message",
    "this message was deleted",
    "diese nachricht wurde gelöscht",
    "du hast diese nachricht gelöscht",
    "vous avez supprimé ce message",
    "ce message a été supprimé",
    "eliminaste este mensaje",
    "se eliminó este mensaje",
    "hai eliminato questo messaggio",
    "questo messaggio è stato eliminato",
    "você apagou esta mensagem",
    "esta mensagem foi apagada",
    "je hebt dit bericht verwijderd",
    "dit bericht is verwijderd",
];

/// When a message was sent, as the phone's owner reads it.
#[derive(Debug, Clone)]
pub(super) struct Header {
    pub(super) date: Figures,
    pub(super) time: Time,
    /// Whether the time stands in brackets, as on iOS.
    bracketed: bool,
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
        let line = after_date(line);
        let leading_half = dates::has_leading_half(line);
        let (time, line) = dates::clock(line)?;
        let line = line.strip_prefix(" ч.").unwrap_or(line);
        let rest = if bracketed {
            line.strip_prefix(']')?
        } else if leading_half && line.starts_with(',') {
            &line[1..]
        } else {
            line.trim_start().strip_prefix('-')?
        };
        Some(Self { header: Header { date, time, bracketed }, rest: rest.trim_start_matches(' ') })
    }

    /// Who wrote what. A notice of the group has no sender.
    pub(super) fn sender_and_text(&self) -> (Option<&'a str>, &'a str) {
        let whole = (None, self.rest.trim_start_matches(MARKS));
        let parts = self.rest.split_once(": ").or_else(|| self.rest.strip_suffix(':').map(|sender| (sender, "")));
        let Some((sender, said)) = parts else { return whole };
        if sender.is_empty() || sender.contains('\n') || sender.contains(QUOTES) {
            return whole;
        }
        let text = said.trim_start_matches(MARKS);
        if self.header.bracketed && is_notice(said) {
            return (None, text);
        }
        (Some(sender.trim_matches(|c: char| MARKS.contains(&c) || DIRECTIONS.contains(&c)).trim()), text)
    }

    /// Whether its picture or file was left out of the export.
    pub(super) fn is_omitted(&self) -> bool {
        let said = self.rest.split_once(": ").map_or(self.rest, |(_, said)| said);
        is_omitted(said)
    }

    /// The file a message came with: `<attached: NAME>` on iOS, `NAME (file attached)` on Android,
    /// in the words of the phone's language.
    pub(super) fn media(&self) -> Option<&'a str> {
        let (_, text) = self.sender_and_text();
        let first = text.lines().next()?.trim_matches(MARKS).trim();
        let android = || first.strip_suffix(')').and_then(|text| text.rsplit_once(" (")).map(|(name, _)| name);
        attached(text).map(|(_, name)| name).or_else(android).filter(|name| is_file_name(name))
    }
}

/// What was said beside a file on iOS, and the file: `Look at this <attached: NAME>`
pub(super) fn attached(text: &str) -> Option<(&str, &str)> {
    let (before, inside) = text.trim_end().strip_suffix('>')?.rsplit_once('<')?;
    let alone = before.trim_matches(MARKS).is_empty();
    let (_, name) = inside.split_once(": ").filter(|_| alone || before.ends_with('\u{200e}'))?;
    let name = name.trim();
    is_file_name(name).then(|| (before.trim_matches(|c: char| c.is_whitespace() || MARKS.contains(&c)), name))
}

fn is_file_name(name: &str) -> bool {
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_name = !stem.is_empty() && (2..=5).contains(&extension.len()) && !name.contains(['/', '\\', '\n']);
    is_name && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// What stands after the date, up to the time.
fn after_date(line: &str) -> &str {
    let is_space = |c: char| SPACES.contains(&c) || matches!(c, ',' | '،' | '.');
    let line = line.trim_start_matches(is_space);
    let word = BETWEEN.iter().find_map(|word| line.strip_prefix(word).filter(|rest| rest.starts_with(SPACES)));
    word.unwrap_or(line).trim_start_matches(is_space)
}

/// Whether iOS says something itself, in the name of a sender or the group. What it says of a message that somebody
/// sent (a file, a poll, a place) is none.
fn is_notice(said: &str) -> bool {
    let Some(text) = said.strip_prefix('\u{200e}') else { return false };
    let first = text.lines().next().unwrap_or_default().trim_matches(MARKS).trim();
    let of_message = first.starts_with('<') || first.ends_with(':') || first.contains(": http");
    let first = first.to_lowercase();
    !of_message && !is_omitted(said) && !DELETED.iter().any(|words| first.starts_with(words))
}

/// Whether a message says that something was left out of the export: `<Media omitted>`, `image omitted`.
fn is_omitted(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default().trim();
    if let Some(inside) = first.trim_matches(MARKS).strip_prefix('<').and_then(|text| text.strip_suffix('>')) {
        let inside = inside.to_lowercase();
        return !inside.contains(':') && inside.len() < 120 && MEDIA.iter().any(|word| inside.contains(word));
    }
    let Some((_, said)) = first.rsplit_once('\u{200e}') else { return false };
    said.len() < 120 && said.split_whitespace().any(|word| OMITTED.contains(&word.to_lowercase().as_str()))
}
