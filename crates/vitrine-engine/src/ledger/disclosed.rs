//! What an answer discloses, taken from the answer itself.

use std::borrow::Cow;

use serde_json::Value;
use vitrine_contract::record::{Expanded, Record, SearchList};
use vitrine_contract::request::{AggregateRequest, Filter};
use vitrine_contract::schema::{Aggregation, FieldWindow, SchemaDocument, StreamRow};
use vitrine_contract::{Blob, Fields};

use super::Item;
use crate::caller::Caller;

/// The part of a disclosure that the answer determines.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Disclosed<'a> {
    pub(super) items: Vec<Item<'a>>,
    pub(super) filtered_by: Vec<&'a str>,
    pub(super) outcome: Option<&'a str>,
    pub(super) characters: u64,
    pub(super) bytes: Option<u64>,
}

impl<'a> Disclosed<'a> {
    pub(super) fn of_records(records: &'a [Record]) -> Self {
        let mut disclosed = Self::default();
        for record in records {
            disclosed.note(record);
        }
        if records.iter().any(|record| !record.expanded.is_empty()) {
            disclosed.each_record_once();
        }
        disclosed
    }

    pub(super) fn of_window(window: &'a FieldWindow) -> Self {
        let mut disclosed = Self::default();
        let item = disclosed.item(&window.connection_id, &window.stream);
        item.record_ids.push(&window.record_id);
        item.fields.push(Cow::Borrowed(&window.field.path));
        disclosed.characters = chars(&window.window.text);
        disclosed
    }

    /// An aggregate does not name its connections: the grant does.
    pub(super) fn of_aggregation(caller: &'a Caller, request: &'a AggregateRequest, answer: &'a Aggregation) -> Self {
        let mut disclosed = Self::of_scopes(caller, Some(&request.stream), request.connection_id.as_deref());
        let fields = [&answer.field, &answer.group_by, &answer.group_by_time];
        let fields: Vec<Cow<'a, str>> = fields.into_iter().flatten().map(|field| Cow::Borrowed(&**field)).collect();
        for item in &mut disclosed.items {
            item.fields.clone_from(&fields);
        }
        let groups = answer.groups.iter().flatten();
        let shown = groups.flat_map(|group| [Some(&group.key), group.value.as_ref()]).chain([answer.value.as_ref()]);
        disclosed.characters = shown.flatten().map(value_chars).sum();
        disclosed
    }

    pub(super) fn of_hits(list: &'a SearchList) -> Self {
        let mut disclosed = Self::default();
        for hit in &list.data {
            let item = disclosed.item(&hit.connection_id, &hit.stream);
            item.record_ids.push(&hit.record_key);
            let windows = hit.match_windows.iter().map(|window| &window.field_path);
            for field in hit.matched_fields.iter().chain(windows) {
                if !item.fields.iter().any(|known| known == field) {
                    item.fields.push(Cow::Borrowed(field));
                }
            }
            disclosed.characters += chars(&hit.title);
            disclosed.characters += hit.match_windows.iter().map(|window| chars(&window.text)).sum::<u64>();
        }
        disclosed
    }

    pub(super) fn of_schema(document: &'a SchemaDocument) -> Self {
        let mut disclosed = Self::default();
        for connector in &document.connectors {
            for row in &connector.streams {
                // A compact document leaves out what every stream of the connector has.
                let everywhere = row.connection_ids.is_empty();
                let all = connector.granted_connections.iter().filter(|_| everywhere);
                let ids = row.connection_ids.iter().chain(all.map(|connection| &connection.connection_id));
                for id in ids {
                    disclosed.item(id, &row.name);
                }
            }
        }
        disclosed
    }

    pub(super) fn of_streams(rows: &'a [StreamRow]) -> Self {
        let mut disclosed = Self::default();
        for row in rows {
            for id in &row.connection_ids {
                disclosed.item(id, &row.name);
            }
        }
        disclosed
    }

    pub(super) fn of_blob(blob: &'a Blob) -> Self {
        let mut disclosed = Self { bytes: Some(blob.bytes.len() as u64), ..Self::default() };
        if let Some(origin) = &blob.origin {
            let item = disclosed.item(&origin.connection_id, &origin.stream);
            item.record_ids.push(&origin.record_id);
            item.fields.push(Cow::Borrowed(&origin.field));
            item.blob_id = Some(&blob.info.blob_id);
        }
        disclosed
    }

    /// Whatever the grants cover of what was asked about, for answers that name no record.
    pub(super) fn of_scopes(caller: &'a Caller, stream: Option<&str>, connection_id: Option<&str>) -> Self {
        let mut disclosed = Self::default();
        for selection in caller.grants().iter().flat_map(|grant| &grant.streams) {
            if stream.is_some_and(|asked| asked != selection.name) {
                continue;
            }
            for id in &selection.instance_ids {
                if connection_id.is_none_or(|asked| asked == id) {
                    disclosed.item(id, &selection.name);
                }
            }
        }
        disclosed
    }

    #[must_use]
    pub(super) fn filtered(mut self, filter: &'a Filter) -> Self {
        self.filtered_by = filter.iter().map(|(field, _)| field).collect();
        self
    }

    fn note(&mut self, record: &'a Record) {
        let item = self.item(&record.connection_id, &record.stream);
        item.record_ids.push(&record.id);
        if let Some(data) = &record.data {
            note_fields(&mut item.fields, data);
            self.characters += chars(data.json());
        }
        for related in record.expanded.values() {
            match related {
                Expanded::Many { data, .. } => data.iter().for_each(|record| self.note(record)),
                Expanded::One(one) => one.iter().for_each(|record| self.note(record)),
            }
        }
    }

    /// Several records may have brought the same one along.
    fn each_record_once(&mut self) {
        for item in &mut self.items {
            item.record_ids.sort_unstable();
            item.record_ids.dedup();
        }
    }

    fn item(&mut self, connection_id: &'a str, stream: &'a str) -> &mut Item<'a> {
        let same = |item: &Item<'a>| item.connection_id == connection_id && item.stream == stream;
        let at = self.items.iter().rposition(same).unwrap_or_else(|| {
            self.items.push(Item { connection_id, stream, ..Item::default() });
            self.items.len() - 1
        });
        &mut self.items[at]
    }
}

/// Records of a stream mostly have the same fields in the same order.
fn note_fields<'a>(known: &mut Vec<Cow<'a, str>>, data: &'a Fields) {
    let entries = data.entries();
    known.reserve(entries.len().saturating_sub(known.len()));
    for (at, (name, _)) in entries.into_iter().enumerate() {
        if known.get(at) != Some(&name) && !known.contains(&name) {
            known.push(name);
        }
    }
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}

fn value_chars(value: &Value) -> u64 {
    match value {
        Value::Null => 0,
        Value::String(text) => chars(text),
        other => chars(&other.to_string()),
    }
}
