//! The mini-grammar of a compact field, and its legend.

use std::borrow::Cow;

use vitrine_contract::ident::is_name;
use vitrine_contract::schema::{FieldCapability, StreamRow};

use super::super::text::literal;

/// What the flags of a field mean.
pub(super) const LEGEND: [(&str, &str); 7] = [
    ("t=", "type"),
    ("eq", "filter {field: value}"),
    ("r=", "filter {field: {gte|gt|lte|lt: value}}"),
    ("lex", "words in it are searched"),
    ("sem", "its meaning is searched"),
    ("a=", "aggregate: metric or grouping over it"),
    ("sort", "sort by it: \"field\" or \"-field\""),
];

/// The granted fields of a row with their flags, whichever form the resource server sent.
pub(super) fn fields(row: &StreamRow) -> Vec<(&str, String)> {
    if row.field_capabilities.is_empty() {
        return row.fields.iter().map(|(name, flags)| (name.as_str(), flags.clone())).collect();
    }
    let granted = row.field_capabilities.iter().filter(|(_, capability)| capability.granted);
    granted.map(|(name, capability)| (name.as_str(), flags(name, capability, row))).collect()
}

/// How many those are.
pub(super) fn count(row: &StreamRow) -> usize {
    if row.field_capabilities.is_empty() {
        return row.fields.len();
    }
    row.field_capabilities.values().filter(|capability| capability.granted).count()
}

fn flags(name: &str, capability: &FieldCapability, row: &StreamRow) -> String {
    let mut flags = vec![format!("t={}", capability.kind)];
    if capability.exact_filter {
        flags.push("eq".into());
    }
    if let Some(range) = &capability.range_filter {
        flags.push(format!("r={}", range.operators.join("|")));
    }
    if capability.lexical_search {
        flags.push("lex".into());
    }
    if capability.semantic_search {
        flags.push("sem".into());
    }
    let aggregations = capability.aggregation.names();
    if !aggregations.is_empty() {
        flags.push(format!("a={}", aggregations.join("|")));
    }
    if row.sort.iter().any(|sortable| sortable == name) {
        flags.push("sort".into());
    }
    flags.join(" ")
}

/// Flags in prose: as they are when every one is of the grammar, else quoted.
pub(super) fn shown(flags: &str) -> Cow<'_, str> {
    let is_flag = |flag: &str| match flag.split_once('=') {
        Some((kind, values)) => is_name(kind) && values.split('|').all(is_name),
        None => LEGEND.iter().any(|(known, _)| *known == flag),
    };
    if flags.split(' ').all(is_flag) { flags.into() } else { literal(flags).into() }
}
