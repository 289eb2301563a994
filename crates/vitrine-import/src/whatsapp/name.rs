//! Whom a chat is with, from the names that phones give to what they export.

use crate::export::{Export, Member};

/// What phones write before the name of a person or group.
const STARTS: [&str; 11] = [
    "WhatsApp Chat with ",
    "WhatsApp Chat mit ",
    "WhatsApp-Chat mit ",
    "WhatsApp-chat met ",
    "WhatsApp-chat med ",
    "WhatsApp-chatt med ",
    "Discussion WhatsApp avec ",
    "Chat de WhatsApp con ",
    "Chat WhatsApp con ",
    "Conversa do WhatsApp com ",
    "WhatsApp Chat - ",
];
/// What iPhones call every chat.
const ANY: &str = "_chat.txt";

/// The person or group a chat is with: from its file, else from what that lies in.
pub(super) fn of(export: &Export, chat: &Member, several: bool) -> String {
    if chat.file_name() != ANY {
        return named(chat.file_name());
    }
    let folder = chat.directory();
    if !folder.is_empty() && (several || known(folder).is_some()) {
        return named(folder);
    }
    let beside = export.path_of(chat).filter(|_| chat.name == export.name());
    let beside =
        beside.and_then(|path| Some(std::path::absolute(path).ok()?.parent()?.file_name()?.to_str()?.to_owned()));
    beside.as_deref().and_then(known).map_or_else(|| named(export.name()), str::to_owned)
}

/// The name in `WhatsApp Chat with Anna.txt`.
pub(super) fn named(file: &str) -> String {
    let stem = stem(file);
    let name = stem.split_once(" - ").map(|(_, name)| name).or_else(|| known(stem));
    name.unwrap_or(stem).trim().to_owned()
}

/// The name in a text that WhatsApp wrote.
fn known(text: &str) -> Option<&str> {
    let text = stem(text);
    STARTS.iter().find_map(|start| text.strip_prefix(start)).map(str::trim).filter(|name| !name.is_empty())
}

/// Without the ending of a chat or archive; any other may be part of a name.
fn stem(file: &str) -> &str {
    let is_ending = |ending: &str| ["txt", "zip"].iter().any(|known| ending.eq_ignore_ascii_case(known));
    file.rsplit_once('.').filter(|(_, ending)| is_ending(ending)).map_or(file, |(stem, _)| stem)
}
