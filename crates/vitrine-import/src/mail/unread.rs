//! Whether a mail was opened, from Gmail's labels in the language of the account.

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
