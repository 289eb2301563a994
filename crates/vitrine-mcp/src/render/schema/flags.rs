//! The mini-grammar of a compact field, and its legend.

use std::borrow::Cow;
use std::collections::HashMap;

use vitrine_contract::ident::is_name;
use vitrine_contract::schema::{FieldCapability, StreamRow};

use super::super::text::literal;
use crate::ids::is_field;

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

/// The granted fields of a row with their flags, whichever form the resource server sent. Those that no call can name
/// are left out.
pub(super) fn fields(row: &StreamRow) -> Vec<(&str, Cow<'_, str>)> {
    if row.field_capabilities.is_empty() {
        let all = row.fields.iter().map(|(name, flags)| (name.as_str(), Cow::from(flags)));
        return all.filter(|(name, _)| is_field(name)).collect();
    }
    let granted = granted(row).filter(|(name, _)| is_field(name));
    granted.map(|(name, capability)| (name, flags(name, capability, row).into())).collect()
}

/// Their names alone.
pub(super) fn names(row: &StreamRow) -> Vec<&str> {
    let all = row.fields.keys().map(String::as_str).filter(|_| row.field_capabilities.is_empty());
    all.chain(granted(row).map(|(name, _)| name)).filter(|name| is_field(name)).collect()
}

/// How many are granted.
pub(super) fn count(row: &StreamRow) -> usize {
    if row.field_capabilities.is_empty() { row.fields.len() } else { granted(row).count() }
}

/// Names by the flags that they have in common, in the order of the first of each.
pub(super) fn groups<'f>(fields: &'f [(&str, Cow<'_, str>)]) -> Vec<(&'f str, Vec<&'f str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for (name, flags) in fields {
        let at = *known.entry(flags).or_insert(groups.len());
        match groups.get_mut(at) {
            Some((_, names)) => names.push(name),
            None => groups.push((flags, vec![name])),
        }
    }
    groups
}

fn granted(row: &StreamRow) -> impl Iterator<Item = (&str, &FieldCapability)> {
    let all = row.field_capabilities.iter().filter(|(_, capability)| capability.granted);
    all.map(|(name, capability)| (name.as_str(), capability))
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
