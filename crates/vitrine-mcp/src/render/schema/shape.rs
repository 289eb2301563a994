//! How much of a schema document to show, and that much of it as JSON.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use vitrine_contract::schema::{Connector, GrantedConnection, SchemaDocument, StreamRow};

use super::super::record::label;
use super::super::text::cut;
use super::{flags, narrower};

const MAX_DESCRIPTION_CHARS: usize = 160;

/// How much to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) streams: Streams,
    pub(super) connections: Connections,
    /// Connectors at most.
    pub(super) connectors: usize,
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
        Self { streams, connections, connectors: usize::MAX }
    }

    /// The document, this much of it.
    pub(super) fn document(self, document: &SchemaDocument) -> Value {
        let shown = document.connectors.len().min(self.connectors);
        let mut data = json!({
            "object": "schema",
            "detail": "compact",
            "bearer": document.bearer,
            "connectors": document.connectors[..shown].iter().map(|c| self.connector(c)).collect::<Vec<_>>(),
            "connector_count": document.connectors.len(),
            "stream_count": document.stream_count,
        });
        if shown < document.connectors.len() {
            data["connectors_omitted"] = (document.connectors.len() - shown).into();
        }
        if matches!(self.streams, Streams::Fields(_)) {
            data["legend"] = json!(BTreeMap::from(flags::LEGEND));
        } else {
            data["next"] = json!({ "tool": "schema", "args": { "stream": "<name>" } });
        }
        data
    }

    fn connector(self, connector: &Connector) -> Value {
        let mut shown = Map::new();
        shown.insert("connector_key".into(), label(&connector.connector_key).into());
        shown.insert("display_name".into(), label(&connector.display_name).into());
        let mut left_out = false;
        if matches!(self.streams, Streams::Fields(_)) {
            shown.insert("source".into(), json!(connector.source));
        }
        let most = self.connections.most();
        let listed = connector.granted_connections.iter().take(most).map(|c| self.connection(c)).collect();
        shown.insert("granted_connections".into(), listed);
        if connector.granted_connections.len() > most {
            shown.insert("connection_count".into(), connector.granted_connections.len().into());
        }
        match self.streams {
            Streams::Fields(most) => {
                let rows: Vec<Value> = connector.streams.iter().map(|row| self.row(row, Some(most))).collect();
                left_out = rows.iter().any(|row| row.get("fields_omitted").is_some());
                shown.insert("streams".into(), rows.into());
            }
            Streams::Rows => {
                shown.insert("streams".into(), connector.streams.iter().map(|row| self.row(row, None)).collect());
            }
            Streams::Names(most) => {
                let names = names(connector);
                shown.insert("stream_names".into(), names.iter().take(most).map(|name| Value::from(*name)).collect());
                if names.len() > most {
                    left_out = true;
                    shown.insert("stream_names_omitted".into(), (names.len() - most).into());
                }
            }
        }
        if left_out && let Some(args) = narrower(connector, self.streams) {
            shown.insert("next".into(), json!({ "tool": "schema", "args": args }));
        }
        Value::Object(shown)
    }

    fn connection(self, connection: &GrantedConnection) -> Value {
        match self.connections {
            Connections::Labelled => {
                let mut shown = json!({
                    "connection_id": connection.connection_id,
                    "display_name": label(&connection.display_name),
                });
                if matches!(self.streams, Streams::Fields(_)) {
                    if let Some(grant_id) = &connection.grant_id {
                        shown["grant_id"] = grant_id.as_str().into();
                    }
                    shown["freshness"] = json!(connection.freshness);
                }
                shown
            }
            Connections::Ids | Connections::Few(_) => connection.connection_id.as_str().into(),
        }
    }

    fn row(self, row: &StreamRow, most_fields: Option<usize>) -> Value {
        let mut shown = Map::new();
        shown.insert("name".into(), row.name.as_str().into());
        if let Some(description) = &row.description {
            shown.insert("description".into(), cut(description, MAX_DESCRIPTION_CHARS).into());
        }
        let most = self.connections.most();
        if !row.connection_ids.is_empty() {
            let ids = row.connection_ids.iter().take(most).map(|id| Value::from(id.as_str())).collect();
            shown.insert("connection_ids".into(), ids);
        }
        if row.connection_ids.len() > most {
            shown.insert("connection_count".into(), row.connection_ids.len().into());
        }
        shown.insert("record_count".into(), row.record_count.into());
        let Some(most_fields) = most_fields else { return Value::Object(shown) };
        shown.insert("last_updated".into(), row.last_updated.as_deref().into());
        shown.insert("semantics".into(), row.semantics.as_str().into());
        shown.insert("primary_key".into(), row.primary_key.as_slice().into());
        shown.insert("cursor_field".into(), row.cursor_field.as_deref().into());
        if !row.views.is_empty() {
            shown.insert("views".into(), json!(row.views));
        }
        shown.insert("sort".into(), row.sort.as_slice().into());
        shown.insert("count".into(), row.count.as_slice().into());
        shown.insert("projection".into(), row.projection.into());
        shown.insert("search_modes".into(), row.search_modes.as_slice().into());
        shown.insert("expand_capabilities".into(), json!(row.expand_capabilities));
        let fields = flags::fields(row);
        let listed: Map<String, Value> =
            fields.iter().take(most_fields).map(|(name, flags)| ((*name).to_owned(), flags.as_str().into())).collect();
        if fields.len() > listed.len() {
            shown.insert("fields_omitted".into(), (fields.len() - listed.len()).into());
        }
        shown.insert("fields".into(), Value::Object(listed));
        Value::Object(shown)
    }
}
