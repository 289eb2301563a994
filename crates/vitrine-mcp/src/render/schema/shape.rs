//! How much of a schema document to show, and that much of it as JSON.

use std::collections::BTreeMap;

use serde_json::json;
use vitrine_contract::schema::{Connector, GrantedConnection, SchemaDocument, StreamRow};

use super::super::json::Object;
use super::super::record::label;
use super::super::text;
use super::facts::Facts;
use super::{BY_NAME, flags, narrower};
use crate::ids::told;

const MAX_DESCRIPTION_CHARS: usize = 160;
/// What most rows and connectors take.
const AROUND_BYTES: usize = 512;

/// How much to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) streams: Streams,
    pub(super) connections: Connections,
    /// Connectors at most.
    pub(super) connectors: usize,
    /// Fields at most that are listed by name alone, behind the others.
    pub(super) by_name: usize,
    /// What is told of fields besides their flags.
    pub(super) facts: Option<Facts>,
    /// Whether there is no call that shows more.
    pub(super) last: bool,
}

/// How much of a connector's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Streams {
    /// Rows with this many fields each, with their flags.
    Fields(usize),
    /// Rows without fields.
    Rows,
    /// This many names.
    Names(usize),
}

/// How much of the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Connections {
    /// All, with their labels.
    Labelled,
    /// All, by id alone.
    Ids,
    /// This many, by id alone, and the others counted.
    Few(usize),
}

impl Connections {
    pub(super) fn most(self) -> usize {
        match self {
            Self::Labelled | Self::Ids => usize::MAX,
            Self::Few(most) => most,
        }
    }
}

/// The names of a connector's streams, each once.
pub(super) fn names(connector: &Connector) -> Vec<&str> {
    let mut names: Vec<&str> = connector.streams.iter().map(|row| row.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

impl Shape {
    pub(super) fn new(streams: Streams, connections: Connections) -> Self {
        Self { streams, connections, connectors: usize::MAX, by_name: 0, facts: None, last: false }
    }

    /// The document, this much of it.
    pub(super) fn document(self, document: &SchemaDocument) -> String {
        let shown = document.connectors.len().min(self.connectors);
        let connectors: Vec<String> = document.connectors[..shown].iter().map(|c| self.connector(c)).collect();
        let mut data = Object::with_capacity(connectors.iter().map(String::len).sum::<usize>() + AROUND_BYTES);
        data.insert("object", "schema");
        data.insert("detail", "compact");
        data.insert("bearer", &document.bearer);
        data.insert_list("connectors", connectors.iter().map(String::as_str));
        data.insert("connector_count", &document.connectors.len());
        data.insert("stream_count", &document.stream_count);
        if shown < document.connectors.len() {
            data.insert("connectors_omitted", &(document.connectors.len() - shown));
        }
        if matches!(self.streams, Streams::Fields(_)) {
            data.insert("legend", &BTreeMap::from(flags::LEGEND));
        } else {
            data.insert("next", &json!({ "tool": "schema", "args": { "stream": "<name>" } }));
        }
        data.finish()
    }

    fn connector(self, connector: &Connector) -> String {
        let mut shown = Object::with_capacity(AROUND_BYTES);
        shown.insert("connector_key", label(&connector.connector_key));
        shown.insert("display_name", label(&connector.display_name));
        if matches!(self.streams, Streams::Fields(_)) {
            shown.insert("source", &connector.source);
        }
        let most = self.connections.most();
        let listed: Vec<String> = connector.granted_connections.iter().take(most).map(|c| self.connection(c)).collect();
        shown.insert_list("granted_connections", listed.iter().map(String::as_str));
        if connector.granted_connections.len() > most {
            shown.insert("connection_count", &connector.granted_connections.len());
        }
        let left_out = match self.streams {
            Streams::Fields(most) => {
                self.rows(&mut shown, connector, Some(most));
                connector.streams.iter().any(|row| flags::count(row) > most)
            }
            Streams::Rows => {
                self.rows(&mut shown, connector, None);
                false
            }
            Streams::Names(most) => {
                let names = names(connector);
                shown.insert("stream_names", &names[..names.len().min(most)]);
                if names.len() > most {
                    shown.insert("stream_names_omitted", &(names.len() - most));
                }
                names.len() > most
            }
        };
        if left_out && self.last {
            shown.insert("note", BY_NAME);
        } else if left_out && let Some(args) = narrower(connector, self.streams) {
            shown.insert("next", &json!({ "tool": "schema", "args": args }));
        }
        shown.finish()
    }

    fn connection(self, connection: &GrantedConnection) -> String {
        if self.connections != Connections::Labelled {
            return text::json(&connection.connection_id);
        }
        let mut shown = Object::with_capacity(AROUND_BYTES);
        shown.insert("connection_id", &connection.connection_id);
        shown.insert("display_name", label(&connection.display_name));
        if matches!(self.streams, Streams::Fields(_)) {
            if let Some(grant_id) = &connection.grant_id {
                shown.insert("grant_id", grant_id);
            }
            shown.insert("freshness", &connection.freshness);
        }
        shown.finish()
    }

    fn rows(self, shown: &mut Object, connector: &Connector, most_fields: Option<usize>) {
        let rows: Vec<String> = connector.streams.iter().map(|row| self.row(row, most_fields)).collect();
        shown.insert_list("streams", rows.iter().map(String::as_str));
    }

    fn row(self, row: &StreamRow, most_fields: Option<usize>) -> String {
        let mut shown = Object::with_capacity(AROUND_BYTES);
        shown.insert("name", &row.name);
        if let Some(description) = &row.description {
            shown.insert("description", text::cut(description, MAX_DESCRIPTION_CHARS));
        }
        let most = self.connections.most();
        if !row.connection_ids.is_empty() {
            shown.insert("connection_ids", &row.connection_ids[..row.connection_ids.len().min(most)]);
        }
        if row.connection_ids.len() > most {
            shown.insert("connection_count", &row.connection_ids.len());
        }
        if let Some(record_count) = &row.record_count {
            shown.insert("record_count", record_count);
        }
        let Some(most_fields) = most_fields else { return shown.finish() };
        if row.last_updated.is_some() || row.record_count.is_some() {
            shown.insert("last_updated", &row.last_updated);
        }
        if let Some(semantics) = told(&row.semantics) {
            shown.insert("semantics", semantics);
        }
        shown.insert("primary_key", &row.primary_key);
        shown.insert("cursor_field", &row.cursor_field);
        if !row.views.is_empty() {
            shown.insert("views", &row.views);
        }
        shown.insert("sort", &row.sort);
        shown.insert("count", &row.count);
        if let Some(projection) = &row.projection {
            shown.insert("projection", projection);
        }
        shown.insert("search_modes", &row.search_modes);
        shown.insert("expand_capabilities", &row.expand_capabilities);
        let fields = flags::fields(row);
        let mut listed = Object::with_capacity(AROUND_BYTES);
        for (name, flags) in fields.iter().take(most_fields) {
            listed.insert(name, flags.as_str());
        }
        if fields.len() > most_fields {
            shown.insert("fields_omitted", &(fields.len() - most_fields));
        }
        shown.insert_json("fields", &listed.finish());
        shown.finish()
    }
}
