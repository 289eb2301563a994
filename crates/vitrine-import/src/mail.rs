//! Mail, from one large file or many small ones.

mod charset;
mod date;
mod flowed;
mod labels;
pub(super) mod maildir;
pub(super) mod mbox;
mod mend;
mod message;
#[cfg(test)]
mod tests;
mod text;
mod transfer;
mod unread;
mod utf7;
mod words;

/// Says what mails and attachments are.
const DECLARATION: &str = include_str!("declarations/mail.json");
/// Largest mail that is read. Providers stop at 50 MB.
const MAX_MAIL_BYTES: usize = 50 * 1024 * 1024;
/// Largest attachment whose bytes are kept.
const MAX_ATTACHMENT_BYTES: usize = 25 * 1024 * 1024;
const TOO_LARGE: &str = "a mail larger than 50 MB";
