//! What a person would call a record.

use std::borrow::Cow;

use crate::{chars, time};

/// Fields that name a record, the most telling first.
pub const TITLE_FIELDS: [&str; 6] = ["title", "subject", "name", "full_name", "headline", "label"];
/// Fields that say when a person wrote, sent or received it, the most telling first.
pub const AUTHORED_FIELDS: [&str; 20] = [
    "authored_at",
    "sent_at",
    "received_at",
    "published_at",
    "posted_at",
    "created_at",
    "occurred_at",
    "started_at",
    "start_at",
    "starts_at",
    "start_time",
    "taken_at",
    "played_at",
    "visited_at",
    "booked_at",
    "booked_on",
    "happened_at",
    "recorded_at",
    "timestamp",
    "date",
];
const MAX_TITLE_CHARS: usize = 160;
const MAX_ACCOUNT_CHARS: usize = 80;
/// `2026-03-12T09:41`
const MINUTE_CHARS: usize = 16;

/// The fields of a record that are shown, each with its value's JSON.
pub type Shown<'a> = [(Cow<'a, str>, &'a str)];

/// A title-like field of what is shown, else the account, the stream and the time.
pub fn title(account: &str, stream: &str, emitted_at: &str, shown: &Shown<'_>) -> String {
    let named = TITLE_FIELDS.iter().filter_map(|field| text_of(shown, field)).find(|text| !text.trim().is_empty());
    if let Some(own) = named {
        return chars::first(own.trim(), MAX_TITLE_CHARS).to_owned();
    }
    let when = authored_at(shown).unwrap_or_else(|| emitted_at.to_owned());
    let minute = chars::first(&when, MINUTE_CHARS).replace('T', " ");
    format!("{} · {stream} · {minute}", chars::first(account, MAX_ACCOUNT_CHARS))
}

/// When a person wrote, sent or received it, as far as the shown fields say.
pub fn authored_at(shown: &Shown<'_>) -> Option<String> {
    AUTHORED_FIELDS.iter().find_map(|field| time::parse(&text_of(shown, field)?)).map(time::format)
}

/// The text of a field, if it is shown and is text.
fn text_of(shown: &Shown<'_>, field: &str) -> Option<String> {
    let (_, json) = shown.iter().find(|(name, _)| name == field)?;
    serde_json::from_str(json).ok()
}
