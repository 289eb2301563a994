//! Whether a mail was opened, from Gmail's labels in the language of the account, or from what mail programs note.

const UNREAD: &[&str] = &[
    "unread",
    "ungelesen",
    "non lu",
    "non lus",
    "messages non lus",
    "no leído",
    "no leídos",
    "sin leer",
    "da leggere",
    "non letto",
    "non letti",
    "não lido",
    "não lidos",
    "não lida",
    "não lidas",
    "ongelezen",
];
const OPENED: &[&str] = &[
    "opened",
    "geöffnet",
    "ouvert",
    "ouverts",
    "abierto",
    "abiertos",
    "aperto",
    "aperti",
    "aberto",
    "abertos",
    "aberta",
    "abertas",
    "geopend",
];
/// Labels that only an English account has. Before there was a label for opened mails, they alone told.
const ENGLISH: &[&str] = &["inbox", "sent", "archived", "important", "starred", "trash", "draft", "drafts"];

/// Whether it is unread; nothing when the labels do not say in a language known here.
pub(super) fn by_labels(labels: &[String]) -> Option<bool> {
    let labels: Vec<String> = labels.iter().map(|label| label.to_lowercase()).collect();
    let any = |known: &[&str]| labels.iter().any(|label| known.contains(&label.as_str()));
    if any(UNREAD) { Some(true) } else { (any(OPENED) || any(ENGLISH)).then_some(false) }
}

/// What Thunderbird notes of a mail, in hexadecimal digits.
const MOZILLA_READ: u32 = 0x0001;
const MOZILLA_DELETED: u32 = 0x0008;

/// Whether it is unread, from what programs note in its headers: letters, of which `R` is for read, or flags.
pub(super) fn by_status(status: Option<&str>, mozilla: Option<&str>) -> Option<bool> {
    let flags = mozilla.and_then(flags).map(|flags| flags & MOZILLA_READ == 0);
    flags.or_else(|| status.map(str::trim).filter(|letters| !letters.is_empty()).map(|letters| !letters.contains('R')))
}

/// Whether Thunderbird has deleted it, and only not yet taken it out of its file.
pub(super) fn is_deleted(mozilla: Option<&str>) -> bool {
    mozilla.and_then(flags).is_some_and(|flags| flags & MOZILLA_DELETED != 0)
}

fn flags(header: &str) -> Option<u32> {
    u32::from_str_radix(header.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_tell_in_the_languages_known_here() {
        for (labels, unread) in [
            ("Inbox,Unread", Some(true)),
            ("Inbox,Opened", Some(false)),
            ("Sent", Some(false)),
            ("Posteingang,Ungelesen", Some(true)),
            ("Posteingang,Geöffnet", Some(false)),
            ("Boîte de réception,Non lus", Some(true)),
            ("Recibidos,Abierto", Some(false)),
            ("Posta in arrivo,Da leggere", Some(true)),
            ("Caixa de entrada,Não lidas", Some(true)),
            ("Postvak IN,Geopend", Some(false)),
            ("Odebrane,Ważne", None),
            ("", None),
        ] {
            let labels: Vec<String> = labels.split(',').map(str::to_owned).collect();
            assert_eq!(by_labels(&labels), unread, "{labels:?}");
        }
    }
}
