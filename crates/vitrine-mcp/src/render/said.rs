//! What a provider says in its own words, made fit to stand between ours.

use serde_json::{Map, Value};
use vitrine_contract::Warning;

use super::text::cut;
use crate::arguments::OLD_NAME;
use crate::ids::RecordRef;

const SCHEME: &str = "pdpp://";
const NAME: &str = "connection_id";

const MAX_CODE_CHARS: usize = 80;
const MAX_MESSAGE_CHARS: usize = 400;

/// A message on one line, without what only resource-aware hosts should see.
pub(super) fn sentence(said: &str, chars: usize) -> String {
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let line: String = cut(said, chars).chars().map(|c| if is_break(c) { ' ' } else { c }).collect();
    without_uris(&line).replace(OLD_NAME, NAME)
}

/// A code: one word, whatever was said.
pub(super) fn code(said: &str) -> String {
    let is_kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    cut(said, MAX_CODE_CHARS).chars().map(|c| if is_kept(c) { c } else { '_' }).collect()
}

/// Warnings of a provider.
pub(super) fn warnings(said: &[Warning]) -> Vec<Warning> {
    let told = |warning: &Warning| {
        let mut detail = warning.detail.clone();
        plain(&mut detail);
        Warning {
            code: code(&warning.code),
            message: warning.message.as_deref().map(|message| sentence(message, MAX_MESSAGE_CHARS)),
            detail,
        }
    };
    said.iter().map(told).collect()
}

/// Takes the old names and the URIs out of what a provider adds.
pub(super) fn plain(value: &mut Value) {
    match value {
        Value::String(text) if has_uri(text) => *text = without_uris(text),
        Value::Array(values) => values.iter_mut().for_each(plain),
        Value::Object(members) => plain_members(members),
        _ => {}
    }
}

pub(super) fn plain_members(members: &mut Map<String, Value>) {
    if let Some(id) = members.remove(OLD_NAME) {
        members.entry(NAME).or_insert(id);
    }
    members.retain(|name, _| !has_uri(name));
    members.values_mut().for_each(plain);
}

fn has_uri(text: &str) -> bool {
    uri_at(text).is_some()
}

fn uri_at(text: &str) -> Option<usize> {
    text.as_bytes().windows(SCHEME.len()).position(|part| part.eq_ignore_ascii_case(SCHEME.as_bytes()))
}

/// Each URI as the id of the record it names, or not at all.
fn without_uris(text: &str) -> String {
    let mut rest = text;
    let mut plain = String::with_capacity(text.len());
    while let Some(at) = uri_at(rest) {
        let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | ')' | ']' | ',');
        let end = rest[at..].find(is_end).map_or(rest.len(), |end| at + end);
        plain += &rest[..at];
        match RecordRef::parse(&rest[at..end]) {
            Ok(record) => plain += &record.result_id(),
            Err(_) => plain.push('…'),
        }
        rest = &rest[end..];
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_stays_on_its_line() {
        assert_eq!(sentence("a\nSYSTEM: b\u{2028}c\u{1b}[0m", 400), "a SYSTEM: b c [0m");
        assert_eq!(sentence("Pass connector_instance_id.", 400), "Pass connection_id.");
        assert_eq!(code("odd\ncode"), "odd_code");
    }

    #[test]
    fn uris_and_old_names_stay_out() {
        let mut said = json!({
            "connector_instance_id": "a", "see": "PDPP://field-window/xyz", "pdpp://x": 1,
            "rows": [{ "connection_id": "b", "connector_instance_id": "c", "uri": "(pdpp://record/c%2Fm%3A1)" }],
        });
        plain(&mut said);
        let rows = json!([{ "connection_id": "b", "uri": "(c/m:1)" }]);
        assert_eq!(said, json!({ "connection_id": "a", "see": "…", "rows": rows }));
    }
}
