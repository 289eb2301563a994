//! What a person would call a record.

use serde_json::{Map, Value};

use crate::time;

/// Fields that name a record, the most telling first.
pub const TITLE_FIELDS: [&str; 6] = ["title", "subject", "name", "full_name", "headline", "label"];
/// Fields that say when a person wrote, sent or received it, the most telling first.
pub const AUTHORED_FIELDS: [&str; 12] = [
    "authored_at",
    "sent_at",
    "received_at",
    "published_at",
    "posted_at",
    "created_at",
    "occurred_at",
    "started_at",
    "start_at",
    "start_time",
    "timestamp",
    "date",
];
const MAX_TITLE_CHARS: usize = 160;
const MAX_ACCOUNT_CHARS: usize = 80;
/// `2026-03-12T09:41`
const MINUTE_CHARS: usize = 16;

/// A title-like field of what is shown, else the account, the stream and the time.
pub fn title(account: &str, stream: &str, emitted_at: &str, shown: &Map<String, Value>) -> String {
    let text = |field: &&str| shown.get(*field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    if let Some(own) = TITLE_FIELDS.iter().find_map(text) {
        return first_chars(own, MAX_TITLE_CHARS).to_owned();
    }
    let when = authored_at(shown).unwrap_or_else(|| emitted_at.to_owned());
    let minute = first_chars(&when, MINUTE_CHARS).replace('T', " ");
    format!("{} · {stream} · {minute}", first_chars(account, MAX_ACCOUNT_CHARS))
}

/// When a person wrote, sent or received it, as far as the shown fields say.
pub fn authored_at(shown: &Map<String, Value>) -> Option<String> {
    AUTHORED_FIELDS.iter().find_map(|field| shown.get(*field)?.as_str().and_then(time::parse)).map(time::format)
}

fn first_chars(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}
