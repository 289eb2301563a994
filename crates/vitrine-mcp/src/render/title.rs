//! What a person would call a record.

use serde_json::{Map, Value};
use vitrine_contract::{Record, time};

use super::text;

const TITLE_FIELDS: [&str; 6] = ["title", "subject", "name", "full_name", "headline", "label"];
const AUTHORED_FIELDS: [&str; 12] = [
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

/// A title-like field, else the account, the stream and the time.
pub(crate) fn title(record: &Record, shown: &Map<String, Value>) -> String {
    let own = TITLE_FIELDS
        .iter()
        .find_map(|field| shown.get(*field).and_then(Value::as_str).map(str::trim).filter(|title| !title.is_empty()));
    if let Some(own) = own {
        return text::cut(own, MAX_TITLE_CHARS).to_owned();
    }
    let account = record.display_name.as_deref().unwrap_or(&record.connection_id);
    let when = authored_at(shown).unwrap_or_else(|| record.emitted_at.clone());
    let minute = text::cut(&when, 16).replace('T', " ");
    format!("{} · {} · {minute}", text::cut(account, 80), record.stream)
}

/// When a person wrote, sent or received it, as far as the shown fields say.
pub(crate) fn authored_at(shown: &Map<String, Value>) -> Option<String> {
    AUTHORED_FIELDS.iter().find_map(|field| shown.get(*field)?.as_str().and_then(time::parse)).map(time::format)
}
