//! Mails that are written out in full: the lost parcel, the damp wall, friends who write in their own languages,
//! and strangers who hope that a machine reads along.
//!
//! `=== time | mailbox | thread | from | label | language | subject | files`, then the text.

use jiff::Timestamp;
use vitrine_contract::time;

use super::{Letter, Mailbox};

const LABELS: [&str; 6] = ["inbox", "sent", "receipts", "notifications", "newsletters", "spam"];
const LANGUAGES: [&str; 5] = ["en", "de", "ja", "es", "ar"];

pub(super) fn deliver(mailbox: &mut Mailbox, name: &str) {
    let scripts = include_str!("../material/scripts.txt");
    for (head, body) in scripts.split("=== ").filter_map(|script| script.split_once('\n')) {
        let parts: Vec<&str> = head.split('|').map(str::trim).collect();
        if let [at, of, thread, from, label, language, subject, files @ ..] = parts.as_slice()
            && *of == name
        {
            let (from, to) = correspondents(from, mailbox);
            mailbox.deliver(Letter {
                at: instant(at),
                thread: Some(format!("thread-{thread}")),
                from,
                to,
                subject: (*subject).to_owned(),
                body: body.trim().to_owned(),
                label: one_of(&LABELS, label),
                language: one_of(&LANGUAGES, language),
                files: files.iter().flat_map(|files| files.split(", ")).map(str::to_owned).collect(),
                message_id: None,
            });
        }
    }
}

/// `Name <address>` writes to the owner; `Nora -> Name <address>` is what the owner writes.
fn correspondents(text: &str, mailbox: &Mailbox) -> ((String, String), String) {
    let owner = mailbox.owner;
    match text.split_once("-> ") {
        Some((_, to)) => ((owner.name.to_owned(), owner.mail.to_owned()), split_address(to).1),
        None => (split_address(text), owner.mail.to_owned()),
    }
}

fn split_address(text: &str) -> (String, String) {
    let (name, address) = text.split_once(" <").unwrap_or((text, ""));
    (name.to_owned(), address.trim_end_matches('>').to_owned())
}

fn instant(text: &str) -> Timestamp {
    time::parse(&format!("{text}:00")).expect("scripts are dated")
}

fn one_of(known: &[&'static str], word: &str) -> &'static str {
    known.iter().find(|known| **known == word).expect("scripts use known words")
}
