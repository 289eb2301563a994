//! Entries of My Activity, which YouTube's history shares.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use vitrine_contract::time;

use crate::hash;
use crate::json;
use crate::sink::{ImportError, Sink};

#[derive(Deserialize)]
struct Entry {
    header: Option<String>,
    title: String,
    #[serde(default, rename = "titleUrl")]
    url: Option<String>,
    #[serde(default)]
    subtitles: Vec<Subtitle>,
    time: String,
    #[serde(default)]
    products: Vec<String>,
}

#[derive(Deserialize)]
struct Subtitle {
    #[serde(default)]
    name: Option<String>,
}

/// Something that was done.
#[derive(Serialize)]
pub(super) struct Activity<'a> {
    id: String,
    product: Option<&'a str>,
    action: Option<&'a str>,
    title: &'a str,
    url: Option<&'a str>,
    channel: Option<&'a str>,
    happened_at: String,
}

/// Words that titles start with, in the languages that put them in front.
const ACTIONS: &[&str] = &[
    "Watched",
    "Searched for",
    "Visited",
    "Viewed",
    "Used",
    "Opened",
    "Listened to",
    "Read",
    "Asked",
    "Said",
    "Liked",
    "Played",
    "Defined",
    "Directions to",
    "Prompted",
    "Vous avez regardé",
    "Vous avez recherché",
    "Has visto",
    "Has buscado",
];

pub(super) fn take(text: &[u8], place: &str, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let Some(entry) = json::parse::<Entry>(text) else {
        sink.reject("an entry that is no activity", place);
        return Ok(());
    };
    let Some(at) = time::parse(&entry.time) else {
        sink.reject("an activity whose time cannot be read", place);
        return Ok(());
    };
    let product = entry.header.as_deref().or(entry.products.first().map(String::as_str));
    let channel = entry.subtitles.first().and_then(|subtitle| subtitle.name.as_deref());
    record(product, &entry.title, entry.url.as_deref(), channel, at, sink)
}

pub(super) fn record(
    product: Option<&str>,
    whole: &str,
    url: Option<&str>,
    channel: Option<&str>,
    at: Timestamp,
    sink: &mut Sink<'_>,
) -> Result<(), ImportError> {
    let split = ACTIONS.iter().find_map(|action| {
        let rest = whole.strip_prefix(action)?.strip_prefix([' ', '\u{a0}'])?.trim_start_matches([' ', '\u{a0}']);
        (!rest.is_empty()).then_some((*action, rest))
    });
    let (action, title) = split.map_or((None, whole), |(action, title)| (Some(action), title));
    let happened_at = time::format(at);
    let activity = Activity {
        id: hash::text_key(&[&happened_at, product.unwrap_or_default(), title, url.unwrap_or_default()]),
        product,
        action,
        title,
        url,
        channel: channel.filter(|_| url.is_some_and(|url| url.contains("youtube."))),
        happened_at,
    };
    sink.record("activity", Some(at), &activity)
}
