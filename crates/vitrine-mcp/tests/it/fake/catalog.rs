//! The fake's schema document.

use std::collections::BTreeMap;

use vitrine_contract::schema::{
    AggregationCapability, Bearer, Connector, ExpandCapability, FieldCapability, Freshness, GrantedConnection,
    RangeCapability, SchemaDocument, SourceRef, StreamRow, View,
};

use super::{Fake, Outage, Stream};

impl Fake {
    pub(super) fn document(&self, compact: bool) -> SchemaDocument {
        let mut connectors: Vec<Connector> = Vec::new();
        for connection in &self.connections {
            let granted = GrantedConnection {
                connection_id: connection.id.clone(),
                display_name: connection.label.clone(),
                grant_id: Some(format!("grt_{}", connection.id)),
                freshness: Freshness { captured_at: Some("2026-05-01T00:00:00Z".into()) },
            };
            match connectors.iter_mut().find(|known| known.connector_key == connection.connector) {
                Some(known) => known.granted_connections.push(granted),
                None => connectors.push(Connector {
                    connector_key: connection.connector.clone(),
                    display_name: connection.connector.to_uppercase(),
                    source: SourceRef {
                        kind: "connector".into(),
                        id: format!("https://example.test/{}", connection.connector),
                    },
                    granted_connections: vec![granted],
                    streams: Vec::new(),
                }),
            }
        }
        let streams = self.streams.lock().unwrap();
        for connector in &mut connectors {
            let own = streams.iter().filter(|stream| stream.connector == connector.connector_key);
            connector.streams = own.map(|stream| self.stream_row(stream, compact)).collect();
        }
        let stream_count = connectors.iter().map(|connector| connector.streams.len()).sum();
        SchemaDocument {
            object: vitrine_contract::record::Tag::default(),
            detail: if compact { "compact" } else { "full" }.into(),
            bearer: Bearer { token_kind: "mcp_package".into(), ..Bearer::default() },
            connector_count: connectors.len(),
            connectors,
            stream_count,
            legend: BTreeMap::new(),
        }
    }

    fn stream_row(&self, stream: &Stream, compact: bool) -> StreamRow {
        let expand = stream.expand.iter().map(|relationship| ExpandCapability {
            name: relationship.clone(),
            stream: relationship.clone(),
            cardinality: "has_many".into(),
            default_limit: 10,
            max_limit: 50,
        });
        let views = stream.views.iter().map(|(id, fields)| View {
            id: id.clone(),
            label: Some(format!("The view {id}")),
            fields: fields.clone(),
        });
        let mut row = StreamRow {
            object: vitrine_contract::record::Tag::default(),
            name: stream.name.clone(),
            description: Some(format!("The {} of the account.", stream.name)),
            connector_key: None,
            connection_ids: stream.only_of.clone(),
            primary_key: vec!["id".into()],
            cursor_field: Some("received_at".into()),
            semantics: "append_only".into(),
            record_count: Some(self.rows.iter().filter(|row| row.stream == stream.name).count() as u64),
            last_updated: Some("2026-05-01T00:00:00Z".into()),
            views: views.collect(),
            sort: vec!["received_at".into()],
            count: vec!["none".into(), "exact".into()],
            projection: Some(true),
            search_modes: vec!["lexical".into()],
            field_capabilities: BTreeMap::new(),
            fields: BTreeMap::new(),
            expand_capabilities: expand.collect(),
        };
        if self.outage == Some(Outage::Metadata) {
            (row.record_count, row.last_updated, row.projection) = (None, None, None);
            row.semantics = String::new();
        }
        for (name, kind, schema) in &stream.fields {
            if compact {
                let sort = if name == "received_at" { " r=gte|gt|lte|lt a=group_by_time sort" } else { "" };
                row.fields.insert(name.clone(), format!("t={kind} eq lex a=group_by{sort}"));
            } else {
                row.field_capabilities.insert(name.clone(), capability(kind, schema.clone()));
            }
        }
        row
    }
}

fn capability(kind: &str, schema: serde_json::Value) -> FieldCapability {
    FieldCapability {
        kind: kind.into(),
        granted: true,
        schema,
        exact_filter: true,
        range_filter: Some(RangeCapability { operators: vec!["gte".into(), "lt".into()] }),
        lexical_search: true,
        semantic_search: false,
        aggregation: AggregationCapability { group_by: true, ..AggregationCapability::default() },
    }
}
