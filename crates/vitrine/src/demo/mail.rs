//! Two mailboxes of one source: the private one and the one at work.

mod newsletters;
mod office;
mod receipts;
mod scripts;
mod threads;

use jiff::Timestamp;
use serde::Serialize;
use vitrine_contract::time;
use vitrine_engine::keeping::NewBlob;

use super::dice::Dice;
use super::files;
use super::grammar::Grammar;
use super::load::{BlobRef, Load};
use super::people::{NORA, NORA_AT_WORK, Person};
use super::{Scale, Story, when};

/// The connection of the private mailbox.
pub(crate) const PERSONAL: &str = "gmail-personal";
/// The connection of the mailbox at work.
pub(crate) const WORK: &str = "gmail-work";

/// The private mailbox.
pub(crate) fn personal(story: &Story, scale: Scale) -> Vec<Load> {
    let mut mailbox = Mailbox::new(PERSONAL, NORA);
    receipts::deliver(&mut mailbox, story);
    scripts::deliver(&mut mailbox, "personal");
    newsletters::deliver_private(&mut mailbox, scale);
    threads::among_friends(&mut mailbox, scale.of(1_150));
    threads::social_notices(&mut mailbox, scale.of(1_100));
    mailbox.into_loads()
}

/// The mailbox at work.
pub(crate) fn work(_: &Story, scale: Scale) -> Vec<Load> {
    let mut mailbox = Mailbox::new(WORK, NORA_AT_WORK);
    scripts::deliver(&mut mailbox, "work");
    newsletters::deliver_at_work(&mut mailbox, scale);
    office::contract(&mut mailbox);
    office::minutes(&mut mailbox, scale.of(240));
    office::notices(&mut mailbox, scale.of(2_200));
    threads::among_colleagues(&mut mailbox, scale.of(1_250));
    mailbox.into_loads()
}

/// A mailbox being filled.
struct Mailbox {
    connection_id: &'static str,
    owner: Person,
    dice: Dice,
    grammar: Grammar,
    messages: Vec<(Timestamp, Message)>,
    attachments: Vec<(Timestamp, Attachment)>,
    blobs: Vec<NewBlob>,
}

/// A mail as it is written.
struct Letter {
    at: Timestamp,
    thread: Option<String>,
    from: (String, String),
    to: String,
    subject: String,
    body: String,
    label: &'static str,
    language: &'static str,
    files: Vec<String>,
    message_id: Option<String>,
}

#[derive(Serialize)]
struct Message {
    id: String,
    thread_id: String,
    internet_message_id: String,
    subject: String,
    from_name: String,
    from_address: String,
    to_address: String,
    body: String,
    label: &'static str,
    language: &'static str,
    unread: bool,
    attachment_count: usize,
    size_bytes: usize,
    received_at: String,
}

#[derive(Serialize)]
struct Attachment {
    id: String,
    message_id: String,
    filename: String,
    mime_type: &'static str,
    size_bytes: i64,
    received_at: String,
    blob_ref: BlobRef,
}

impl Letter {
    /// A mail that comes in and asks for nothing more.
    fn new(at: Timestamp, from: (&str, &str), to: &Person, subject: String, body: String) -> Self {
        Self {
            at,
            thread: None,
            from: (from.0.to_owned(), from.1.to_owned()),
            to: to.mail.to_owned(),
            subject,
            body,
            label: "inbox",
            language: "en",
            files: Vec::new(),
            message_id: None,
        }
    }

    fn labelled(self, label: &'static str) -> Self {
        Self { label, ..self }
    }

    fn with_file(mut self, name: String) -> Self {
        self.files.push(name);
        self
    }
}

impl Attachment {
    /// The bytes of a document: what its mail says, or a table. Pictures are left in the mailbox they came from.
    fn fill(&mut self, letter: &Letter) -> Option<NewBlob> {
        let bytes = match self.mime_type {
            "application/pdf" => files::page(&format!("{}\n\n{}", letter.subject, letter.body)),
            "text/csv" => files::levels(&mut Dice::named(&self.blob_ref.blob_id)),
            _ => return None,
        };
        let blob = self.blob_ref.hold(bytes);
        self.size_bytes = self.blob_ref.size_bytes;
        Some(blob)
    }
}

impl Mailbox {
    fn new(connection_id: &'static str, owner: Person) -> Self {
        Self {
            connection_id,
            owner,
            dice: Dice::named(connection_id),
            grammar: Grammar::of(&[
                include_str!("material/friends.txt"),
                include_str!("material/work.txt"),
                include_str!("material/reading.txt"),
            ]),
            messages: Vec::new(),
            attachments: Vec::new(),
            blobs: Vec::new(),
        }
    }

    fn say(&mut self, rule: &str) -> String {
        self.grammar.say(&mut self.dice, rule, &[])
    }

    fn deliver(&mut self, letter: Letter) {
        let id = self.dice.hex::<8>();
        let received_at = time::format(letter.at);
        for filename in &letter.files {
            let mut attachment = self.attachment(&id, filename, &received_at);
            self.blobs.extend(attachment.fill(&letter));
            self.attachments.push((letter.at, attachment));
        }
        let is_recent = letter.at > when::at(when::days_after(when::TODAY, -9), 0, 0);
        let message = Message {
            thread_id: letter.thread.unwrap_or_else(|| id.clone()),
            internet_message_id: letter
                .message_id
                .unwrap_or_else(|| format!("<{}@mail.example>", self.dice.hex::<6>())),
            unread: is_recent && letter.label != "sent" && self.dice.chance(40),
            attachment_count: letter.files.len(),
            size_bytes: letter.body.len() + letter.subject.len() + 900,
            id,
            subject: letter.subject,
            from_name: letter.from.0,
            from_address: letter.from.1,
            to_address: letter.to,
            body: letter.body,
            label: letter.label,
            language: letter.language,
            received_at,
        };
        self.messages.push((letter.at, message));
    }

    fn attachment(&mut self, message_id: &str, filename: &str, received_at: &str) -> Attachment {
        let mime_type = match filename.rsplit_once('.') {
            Some((_, "pdf")) => "application/pdf",
            Some((_, "jpg")) => "image/jpeg",
            Some((_, "csv")) => "text/csv",
            _ => "application/octet-stream",
        };
        let (size_bytes, sha256) = (self.dice.between(18_000, 2_400_000), self.dice.hex::<32>());
        let blob_ref = BlobRef { blob_id: format!("blob_{}", self.dice.hex::<8>()), mime_type, size_bytes, sha256 };
        Attachment {
            id: self.dice.hex::<8>(),
            message_id: message_id.to_owned(),
            filename: filename.to_owned(),
            mime_type,
            size_bytes,
            received_at: received_at.to_owned(),
            blob_ref,
        }
    }

    fn into_loads(mut self) -> Vec<Load> {
        self.messages.sort_by_key(|(at, _)| *at);
        self.attachments.sort_by_key(|(at, _)| *at);
        vec![
            Load::of(self.connection_id, "messages", self.messages),
            Load::of(self.connection_id, "attachments", self.attachments).with_blobs(self.blobs),
        ]
    }
}
