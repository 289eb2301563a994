//! What a field's own JSON Schema adds to its flags, in prose.

use serde_json::Value;
use vitrine_contract::schema::StreamRow;

use super::super::text::{Lines, cut, json, literal, name, one_line};

const MAX_VALUES: usize = 24;
const MAX_VALUE_CHARS: usize = 60;
const MAX_DESCRIPTION_CHARS: usize = 160;

/// How much to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Facts {
    /// Which values a field takes.
    Values,
    /// That, its format and its description.
    All,
}

/// A line for each granted field that there is something to tell of.
pub(super) fn lines(row: &StreamRow, facts: Facts) -> String {
    let mut text = String::new();
    for (field, capability) in row.field_capabilities.iter().filter(|(_, capability)| capability.granted) {
        let told = told(&capability.schema, facts);
        if !told.is_empty() {
            text.line(format_args!("  {}: {}", name(field), told.join("; ")));
        }
    }
    text
}

fn told(schema: &Value, facts: Facts) -> Vec<String> {
    let mut told = Vec::new();
    if let Some(all) = values(schema) {
        told.push(format!("one of {}", one_of(all)));
    }
    if let Some(each) = schema.get("items").and_then(values) {
        told.push(format!("each one of {}", one_of(each)));
    }
    if facts == Facts::All {
        let text = |member: &str| schema.get(member).and_then(Value::as_str);
        told.extend(text("format").map(|format| format!("format {}", name(format))));
        told.extend(text("description").map(|about| literal(cut(about, MAX_DESCRIPTION_CHARS))));
    }
    told
}

fn values(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("enum")?.as_array()
}

fn one_of(all: &[Value]) -> String {
    let is_short = |value: &&Value| json(value).chars().count() <= MAX_VALUE_CHARS;
    let shown: Vec<&Value> = all.iter().filter(is_short).take(MAX_VALUES).collect();
    let more = all.len() - shown.len();
    let listed = one_line(&json(&shown)).into_owned();
    if more > 0 { format!("{listed} and {more} more") } else { listed }
}
