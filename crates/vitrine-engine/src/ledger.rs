//! The account of what clients were told: what an entry says, who writes it, and how it is asked.
//!
//! Every read under a client's or package's token goes through [`Ledgered`], which enters what the
//! answer discloses before it hands the answer on. Reads of the owner's own are no disclosures.

mod disclosed;
mod entering;
mod ledgered;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::future::Future;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::port::StoreResult;

pub use ledgered::Ledgered;

/// Entries of a page when nobody names a limit.
pub const DEFAULT_ENTRIES: usize = 25;
/// Entries of a page at most.
pub const MAX_ENTRIES: usize = 100;

const CURSOR: &str = "before ";

/// A book that is only ever added to.
pub trait Ledger: Send + Sync + 'static {
    /// Enters a disclosure. Once it returns, the entry outlives this process.
    fn enter(&self, disclosure: &Disclosure<'_>) -> impl Future<Output = StoreResult<()>> + Send;
    /// Entries that match, newest first.
    fn entries(&self, ask: &LedgerAsk) -> impl Future<Output = StoreResult<LedgerPage>> + Send;
    /// When the newest entry under each of these grants and packages was made; nothing for those without one.
    fn last_uses(&self, ids: &[&str]) -> impl Future<Output = StoreResult<BTreeMap<String, String>>> + Send;
}

/// What one answer told one client. Names and numbers only, never a record's content.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Disclosure<'a> {
    /// When.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// To whom.
    pub client_id: &'a str,
    /// The package it read under, if it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_package_id: Option<&'a str>,
    /// By which door.
    #[serde(flatten)]
    pub via: Via,
    /// The read, as the route table names it.
    pub endpoint: &'static str,
    /// What was spoken of.
    pub items: Vec<Item<'a>>,
    /// Fields the client filtered by, which tells something of them too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filtered_by: Vec<&'a str>,
    /// The refusal that told something about a record all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'a str>,
    /// How many records.
    pub records: u64,
    /// Characters of record content: payloads, windows, titles, aggregate keys and values.
    pub characters: u64,
    /// Bytes of a blob.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// What was spoken of in one stream of one connection.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Item<'a> {
    /// The account.
    pub connection_id: &'a str,
    /// The stream.
    pub stream: &'a str,
    /// The grant that covers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<&'a str>,
    /// The records.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub record_ids: Vec<&'a str>,
    /// Their fields that were shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Cow<'a, str>>,
    /// The blob that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob_id: Option<&'a str>,
}

/// The door a read came in by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "via", rename_all = "lowercase")]
pub enum Via {
    /// `/v1`.
    Rest,
    /// `/mcp`.
    Mcp {
        /// The tool that was called.
        tool: &'static str,
    },
    /// The adapter on standard input and output.
    Stdio {
        /// The tool that was called.
        tool: &'static str,
    },
}

/// Which entries. Every condition must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LedgerAsk {
    /// Told to this client.
    pub client_id: Option<String>,
    /// Under this grant or package.
    pub grant_id: Option<String>,
    /// About this account.
    pub connection_id: Option<String>,
    /// About this stream.
    pub stream: Option<String>,
    /// About this record.
    pub record_id: Option<String>,
    /// From this instant on.
    pub since: Option<Timestamp>,
    /// Before this instant.
    pub until: Option<Timestamp>,
    /// Entries at most.
    pub limit: usize,
    /// Only entries before this one.
    pub before: Option<u64>,
}

/// Entries, newest first.
#[derive(Debug, Default)]
pub struct LedgerPage {
    /// Each exactly as it stands in the book.
    pub entries: Vec<Box<RawValue>>,
    /// Continue before this entry.
    pub next: Option<u64>,
}

fn instant<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(at)
}

impl LedgerAsk {
    /// Continues where a page ended; false when the text is no cursor.
    pub fn resume(&mut self, cursor: &str) -> bool {
        let text = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        self.before = text.and_then(|text| text.strip_prefix(CURSOR)?.parse().ok());
        self.before.is_some()
    }
}

impl LedgerPage {
    /// Where the next page goes on, as text.
    pub fn next_cursor(&self) -> Option<String> {
        self.next.map(|seq| URL_SAFE_NO_PAD.encode(format!("{CURSOR}{seq}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_back_to_its_place() {
        let page = LedgerPage { next: Some(42), ..LedgerPage::default() };
        let mut ask = LedgerAsk::default();
        assert!(ask.resume(&page.next_cursor().unwrap()) && ask.before == Some(42));
        for wrong in ["", "42", "bm8", "\u{e9}"] {
            assert!(!ask.resume(wrong), "{wrong}");
        }
        assert_eq!(LedgerPage::default().next_cursor(), None);
    }
}
