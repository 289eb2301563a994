//! The schema with each field as a string of flags.

use std::collections::BTreeMap;

use vitrine_contract::schema::{Connector, FieldCapability, SchemaDocument, StreamRow};

/// Collapses a full document.
pub(super) fn collapse(document: &mut SchemaDocument) {
    document.detail = "compact".into();
    document.legend = legend();
    document.connectors.iter_mut().for_each(collapse_connector);
}

/// Connections that are the same for all streams stand once, at the connector.
fn collapse_connector(connector: &mut Connector) {
    let granted = connector.granted_connections.len();
    for row in &mut connector.streams {
        if row.connection_ids.len() == granted {
            row.connection_ids.clear();
        }
        collapse_row(row);
    }
}

fn collapse_row(row: &mut StreamRow) {
    let capabilities = std::mem::take(&mut row.field_capabilities);
    let granted = capabilities.into_iter().filter(|(_, capability)| capability.granted);
    row.fields = granted
        .map(|(name, capability)| {
            let flags = flags(&capability, row.sort.contains(&name));
            (name, flags)
        })
        .collect();
}

fn flags(field: &FieldCapability, sortable: bool) -> String {
    let mut flags = vec![format!("t={}", field.kind)];
    if field.exact_filter {
        flags.push("eq".to_owned());
    }
    if let Some(range) = &field.range_filter {
        flags.push(format!("r={}", range.operators.join("|")));
    }
    if field.lexical_search {
        flags.push("lex".to_owned());
    }
    if field.semantic_search {
        flags.push("sem".to_owned());
    }
    let aggregations = field.aggregation.names();
    if !aggregations.is_empty() {
        flags.push(format!("a={}", aggregations.join("|")));
    }
    if sortable {
        flags.push("sort".to_owned());
    }
    flags.join(" ")
}

fn legend() -> BTreeMap<String, String> {
    let meanings = [
        ("t", "type of the field"),
        ("eq", "filter[field]=value works"),
        ("r", "filter[field][op]=value works for these comparisons"),
        ("lex", "words in it are found by search"),
        ("sem", "its meaning is found by semantic search"),
        ("a", "aggregations: sum, min, max, count_distinct as metric; group_by, group_by_time as grouping"),
        ("sort", "pages can be sorted by it"),
    ];
    meanings.into_iter().map(|(flag, meaning)| (flag.to_owned(), meaning.to_owned())).collect()
}
