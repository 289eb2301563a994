//! The contract's reads over plain values in memory, written for plainness alone.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value};
use vitrine_contract::time;

use super::world::{ACCOUNTS, Happening, Scope};

/// Records by connection, stream and id.
#[derive(Debug, Clone, Default)]
pub(super) struct Model {
    pub(super) records: BTreeMap<(String, &'static str, String), Map<String, Value>>,
}

/// A value as the contract compares it. `None` is absent.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
pub(super) enum Comparable {
    Bool(bool),
    Number(f64),
    Time(Timestamp),
    Text(String),
}

pub(super) fn comparable(field: &str, value: Option<&Value>) -> Option<Comparable> {
    match value? {
        Value::Bool(b) => Some(Comparable::Bool(*b)),
        Value::Number(n) => n.as_f64().map(Comparable::Number),
        Value::String(s) if matches!(field, "at" | "touched") => time::parse(s).map(Comparable::Time),
        Value::String(s) => Some(Comparable::Text(s.clone())),
        _ => None,
    }
}

/// One row a caller may see.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    pub(super) connection_id: String,
    pub(super) id: String,
    pub(super) data: Map<String, Value>,
}

impl Model {
    pub(super) fn happen(&mut self, happening: &Happening) {
        let key = (ACCOUNTS[happening.account()].to_owned(), happening.stream(), happening.id().to_owned());
        match happening {
            Happening::Put { data, .. } => {
                self.records.insert(key, data.clone());
            }
            Happening::Delete { .. } => {
                self.records.remove(&key);
            }
        }
    }

    /// Everything of a stream that a grant may see, fields cut to the granted ones.
    pub(super) fn visible(&self, scope: &Scope, stream: &str) -> Vec<Seen> {
        let rows = self.records.iter().filter(|((connection, s, id), data)| {
            *s == stream
                && scope.accounts.iter().any(|a| ACCOUNTS[*a] == connection)
                && scope.resources.as_ref().is_none_or(|ids| ids.contains(&id.as_str()))
                && in_window(scope, data)
        });
        rows.map(|((connection_id, _, id), data)| Seen {
            connection_id: connection_id.clone(),
            id: id.clone(),
            data: data
                .iter()
                .filter(|(f, _)| *f == "id" || scope.fields.contains(&f.as_str()))
                .map(|(f, v)| (f.clone(), v.clone()))
                .collect(),
        })
        .collect()
    }
}

fn in_window(scope: &Scope, data: &Map<String, Value>) -> bool {
    if scope.since.is_none() && scope.until.is_none() {
        return true;
    }
    let Some(at) = data.get("at").and_then(Value::as_str).and_then(time::parse) else { return false };
    scope.since.and_then(time::parse).is_none_or(|since| since <= at)
        && scope.until.and_then(time::parse).is_none_or(|until| at < until)
}

/// Sorts rows by a field (or by id alone), absent values last in either direction.
pub(super) fn sort(rows: &mut [Seen], field: Option<&str>, descending: bool) {
    rows.sort_by(|a, b| {
        let key = |row: &Seen| field.and_then(|f| comparable(f, row.data.get(f)));
        let by_key = match (key(a), key(b)) {
            (Some(x), Some(y)) => directed(x.partial_cmp(&y).unwrap(), descending),
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (None, None) => Ordering::Equal,
        };
        let by_id = directed((&a.id, &a.connection_id).cmp(&(&b.id, &b.connection_id)), descending);
        by_key.then(by_id)
    });
}

fn directed(order: Ordering, descending: bool) -> Ordering {
    if descending { order.reverse() } else { order }
}
