//! Entries and filters, as a person reads them.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use maud::{Markup, html};
use serde::Deserialize;
use vitrine_contract::time;
use vitrine_engine::catalog::Catalog;
use vitrine_engine::keeping::KeptGrant;
use vitrine_engine::ledger::LedgerAsk;

use super::PATH;
use crate::pages::words;

/// Record ids of one entry that are listed.
const SHOWN_RECORDS: usize = 20;

/// An entry, as far as it is shown.
#[derive(Deserialize)]
pub(super) struct Entry {
    at: String,
    client_id: String,
    #[serde(default)]
    tool: Option<String>,
    endpoint: String,
    #[serde(default)]
    outcome: Option<String>,
    items: Vec<Item>,
    records: u64,
    characters: u64,
    #[serde(default)]
    bytes: Option<u64>,
}

#[derive(Deserialize)]
struct Item {
    connection_id: String,
    stream: String,
    #[serde(default)]
    record_ids: Vec<String>,
    #[serde(default)]
    fields: Vec<String>,
}

/// What clients and connections are called.
pub(super) struct Names {
    clients: BTreeMap<String, String>,
    catalog: Arc<Catalog>,
}

impl Names {
    pub(super) fn new(grants: &[KeptGrant], catalog: Arc<Catalog>) -> Self {
        let client = |kept: &KeptGrant| {
            let client = &kept.grant.client;
            (client.client_id.clone(), client.client_display.name.clone())
        };
        Self { clients: grants.iter().map(client).collect(), catalog }
    }

    fn client<'a>(&'a self, id: &'a str) -> &'a str {
        self.clients.get(id).filter(|name| !name.is_empty()).map_or(id, String::as_str)
    }

    fn connection<'a>(&'a self, id: &'a str) -> &'a str {
        self.catalog.connection(id).map_or(id, |connection| connection.display_name.as_ref())
    }
}

/// The form that asks.
pub(super) fn filters(ask: &LedgerAsk, names: &Names) -> Markup {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let day = |at: Option<Timestamp>| at.map(|at| words::day(&time::format(at)).to_owned()).unwrap_or_default();
    let chosen = ask.client_id.as_deref();
    html! {
        form .card method="get" action=(PATH) {
            div .columns {
                label { "Client"
                    select name="client_id" {
                        option value="" { "Any" }
                        @for (id, name) in &names.clients {
                            option value=(id) selected[chosen == Some(id)] { (name) }
                        }
                        @if let Some(id) = chosen.filter(|id| !names.clients.contains_key(*id)) {
                            option value=(id) selected { (id) }
                        }
                    }
                }
                label { "Record id" input name="record_id" value=(text(&ask.record_id)) autocomplete="off"; }
                label { "From" input type="date" name="since" value=(day(ask.since)); }
                label { "Before" input type="date" name="until" value=(day(ask.until)); }
            }
            @for (name, value) in
                [("grant_id", &ask.grant_id), ("connection_id", &ask.connection_id), ("stream", &ask.stream)]
            {
                @if let Some(value) = value {
                    p .hint { (name) ": " code { (value) } " " a href=(PATH) { "Clear" } }
                    input type="hidden" name=(name) value=(value);
                }
            }
            button .primary type="submit" { "Show" }
        }
    }
}

pub(super) fn entry(entry: &Entry, names: &Names) -> Markup {
    let how = entry.tool.as_deref().unwrap_or(&entry.endpoint);
    html! {
        section .card {
            div .split {
                h2 { (names.client(&entry.client_id)) }
                time .hint datetime=(entry.at) { (words::moment(&entry.at)) }
            }
            p {
                code { (how) } " · " (words::count(entry.records, "record", "records"))
                " · " (words::count(entry.characters, "character", "characters"))
                @if let Some(bytes) = entry.bytes { " · " (words::count(bytes, "byte", "bytes")) }
                @if let Some(outcome) = &entry.outcome { " · " span .badge { (outcome) } }
            }
            @for item in &entry.items { (part(item, names)) }
        }
    }
}

fn part(item: &Item, names: &Names) -> Markup {
    let more = item.record_ids.len().saturating_sub(SHOWN_RECORDS);
    html! {
        div .member {
            h3 { (names.connection(&item.connection_id)) " · " (item.stream) }
            @if !item.fields.is_empty() { p .hint { (item.fields.join(", ")) } }
            @if !item.record_ids.is_empty() {
                details {
                    summary { (words::count(item.record_ids.len() as u64, "record", "records")) }
                    ul .plain {
                        @for id in item.record_ids.iter().take(SHOWN_RECORDS) {
                            li { a href=(of_record(item, id)) { code { (id) } } }
                        }
                        @if more > 0 { li { "and " (words::number(more as u64)) " more, in the export" } }
                    }
                }
            }
        }
    }
}

/// Who else has read the same record.
fn of_record(item: &Item, id: &str) -> String {
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("connection_id", &item.connection_id)
        .append_pair("stream", &item.stream)
        .append_pair("record_id", id)
        .finish();
    format!("{PATH}?{query}")
}
