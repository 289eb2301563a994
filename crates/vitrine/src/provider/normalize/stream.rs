//! Streams and what their fields can do.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;
use vitrine_contract::List;
use vitrine_contract::record::Tag;
use vitrine_contract::request::ReadRequest;
use vitrine_contract::schema::{ExpandCapability, FieldCapability, StreamRow};

use super::members::Members;
use super::{CONNECTION_ID, Read, list, unreadable};

const ROWS: &[&str] = &["data", "streams"];
const NAME: &[&str] = &["name", "stream"];
/// Where fields stand: with all they can do, or each as a string of flags.
const FIELDS: &[&str] = &["field_capabilities", "fields"];

/// The granted streams.
pub(in super::super) fn streams(body: &str, asked: &ReadRequest) -> Read<List<StreamRow>> {
    let members = Members::of_answer(body)?.unwrapped(|members| members.array(ROWS).is_some());
    let Some(rows) = members.array(ROWS) else { return unreadable("a list without `data`") };
    Ok(list::page(&members, asked, list::rows(rows, row)?, list::meta(&members)))
}

/// One granted stream.
pub(in super::super) fn stream(body: &str) -> Read<StreamRow> {
    read(&Members::of_answer(body)?.unwrapped(|members| members.text(NAME).is_some()))
}

pub(super) fn row(json: &RawValue) -> Read<StreamRow> {
    Members::of(json).map_or_else(|| unreadable("a stream that is not an object"), |members| read(&members))
}

fn read(members: &Members<'_>) -> Read<StreamRow> {
    let Some(name) = members.text(NAME) else { return unreadable("a stream without `name`") };
    let (field_capabilities, fields) = fields(members);
    Ok(StreamRow {
        object: Tag::default(),
        name,
        description: members.read(&["description"]),
        connector_key: members.text(&["connector_key"]),
        connection_ids: members
            .read(&["connection_ids"])
            .unwrap_or_else(|| members.text(CONNECTION_ID).into_iter().collect()),
        primary_key: members
            .read(&["primary_key"])
            .unwrap_or_else(|| members.text(&["primary_key"]).into_iter().collect()),
        cursor_field: members.text(&["cursor_field"]),
        semantics: members.text(&["semantics"]).unwrap_or_default(),
        record_count: members.read(&["record_count"]),
        last_updated: members.text(&["last_updated"]),
        views: members.each(&["views"]),
        sort: members.each(&["sort"]),
        count: members.each(&["count"]),
        projection: members.read(&["projection"]),
        search_modes: members.each(&["search_modes"]),
        field_capabilities,
        fields,
        expand_capabilities: expansions(members),
    })
}

fn fields(stream: &Members<'_>) -> (BTreeMap<String, FieldCapability>, BTreeMap<String, String>) {
    let (mut capabilities, mut flags) = (BTreeMap::new(), BTreeMap::new());
    for place in FIELDS.iter().filter_map(|place| stream.object(&[place])) {
        for (name, value) in place.iter() {
            if let Some(members) = Members::of(value) {
                capabilities.entry(name.to_owned()).or_insert_with(|| capability(&members));
            } else if let Ok(text) = serde_json::from_str::<String>(value.get()) {
                flags.entry(name.to_owned()).or_insert(text);
            }
        }
    }
    (capabilities, flags)
}

fn capability(members: &Members<'_>) -> FieldCapability {
    let schema: Value = members.read(&["schema"]).unwrap_or_default();
    let declared = || schema["type"].as_str().map(str::to_owned);
    FieldCapability {
        kind: members.text(&["type"]).or_else(declared).unwrap_or_default(),
        // A field that is listed may be read unless it says otherwise.
        granted: members.read(&["granted"]).unwrap_or(true),
        exact_filter: members.read(&["exact_filter"]).unwrap_or_default(),
        range_filter: members.read(&["range_filter"]),
        lexical_search: members.read(&["lexical_search"]).unwrap_or_default(),
        semantic_search: members.read(&["semantic_search"]).unwrap_or_default(),
        aggregation: members.read(&["aggregation"]).unwrap_or_default(),
        schema,
    }
}

fn expansions(stream: &Members<'_>) -> Vec<ExpandCapability> {
    let rows = stream.array(&["expand_capabilities"]).unwrap_or_default();
    rows.into_iter().filter_map(|row| expansion(&Members::of(row)?)).collect()
}

fn expansion(members: &Members<'_>) -> Option<ExpandCapability> {
    let name = members.text(&["name"])?;
    let max_limit = members.read(&["max_limit"]);
    let default_limit = members.read(&["default_limit"]).or(max_limit).unwrap_or_default();
    Some(ExpandCapability {
        stream: members.text(&["stream"]).unwrap_or_else(|| name.clone()),
        cardinality: members.text(&["cardinality"]).unwrap_or_else(|| "has_many".to_owned()),
        default_limit,
        max_limit: max_limit.unwrap_or(default_limit),
        name,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_bare_stream_is_a_stream() {
        let row = stream(r#"{"name":"m"}"#).unwrap();
        assert_eq!((row.name.as_str(), row.fields.len()), ("m", 0));
        assert_eq!((row.record_count, row.last_updated, row.projection), (None, None, None), "nothing is made up");
        assert!(stream("{}").is_err());
    }

    #[test]
    fn fields_come_in_full_or_as_flags() {
        let row = stream(
            &json!({
                "name": "m", "connector_instance_id": "c", "primary_key": "id", "unheard_of": [1],
                "field_capabilities": { "a": { "schema": { "type": "string" }, "exact_filter": true }, "b": "t=string eq" },
                "fields": { "c": "t=number" },
                "expand_capabilities": [{ "name": "r", "max_limit": 5 }, {}],
            })
            .to_string(),
        )
        .unwrap();
        let a = &row.field_capabilities["a"];
        assert_eq!((a.kind.as_str(), a.granted, a.exact_filter), ("string", true, true));
        assert_eq!(row.fields.keys().collect::<Vec<_>>(), ["b", "c"]);
        assert_eq!((row.connection_ids, row.primary_key), (vec!["c".to_owned()], vec!["id".to_owned()]));
        assert_eq!(row.expand_capabilities.len(), 1);
        assert_eq!((row.expand_capabilities[0].stream.as_str(), row.expand_capabilities[0].default_limit), ("r", 5));
    }
}
