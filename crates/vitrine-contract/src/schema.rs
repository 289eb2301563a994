//! What a caller may see and do, as documents.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::record::{AggregationTag, FieldWindowTag, SchemaTag, StreamTag, Tag};

/// The schema document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SchemaDocument {
    /// `"schema"`.
    pub object: Tag<SchemaTag>,
    /// `full` or `compact`.
    pub detail: String,
    /// Who is asking.
    pub bearer: Bearer,
    /// Sources with their connections and streams.
    pub connectors: Vec<Connector>,
    /// How many sources.
    pub connector_count: usize,
    /// How many stream rows.
    pub stream_count: usize,
    /// What the flags of a compact document mean.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub legend: BTreeMap<String, String>,
}

/// Who is asking.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bearer {
    /// `client`, `mcp_package` or `owner`.
    pub token_kind: String,
    /// The one grant of a client token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<String>,
    /// The package of a package token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_package_id: Option<String>,
    /// The client it was issued to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
}

/// One source and what is granted of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Connector {
    /// Its short name.
    pub connector_key: String,
    /// Its name for people.
    pub display_name: String,
    /// Its identity.
    pub source: SourceRef,
    /// The accounts that may be read.
    #[serde(default)]
    pub granted_connections: Vec<GrantedConnection>,
    /// The streams that may be read.
    #[serde(default)]
    pub streams: Vec<StreamRow>,
}

/// A source's identity.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SourceRef {
    /// `connector`.
    pub kind: String,
    /// An absolute URI.
    pub id: String,
}

/// One account that may be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantedConnection {
    /// Its identity.
    pub connection_id: String,
    /// The owner's label.
    pub display_name: String,
    /// The grant that covers it; absent for the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<String>,
    /// How far its data reaches.
    #[serde(default)]
    pub freshness: Freshness,
}

/// How far data reaches, as far as the grant may see.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Freshness {
    /// The newest `emitted_at`.
    pub captured_at: Option<String>,
}

/// One stream, once for all connections with the same capabilities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamRow {
    /// `"stream"`.
    #[serde(default)]
    pub object: Tag<StreamTag>,
    /// Its name.
    pub name: String,
    /// What it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The source it belongs to; in stream listings, where no connector stands around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connector_key: Option<String>,
    /// The connections it stands for. Left out of a compact document when every stream of the
    /// connector has all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connection_ids: Vec<String>,
    /// The fields that identify a record.
    #[serde(default)]
    pub primary_key: Vec<String>,
    /// The field that orders it, if granted.
    #[serde(default)]
    pub cursor_field: Option<String>,
    /// `append_only` or `mutable_state`.
    pub semantics: String,
    /// Records the grant may see; none where a provider does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_count: Option<u64>,
    /// Their newest `emitted_at`.
    pub last_updated: Option<String>,
    /// Named selections of fields.
    #[serde(default)]
    pub views: Vec<View>,
    /// Fields one can sort by.
    #[serde(default)]
    pub sort: Vec<String>,
    /// Ways to count.
    #[serde(default)]
    pub count: Vec<String>,
    /// Whether `fields` narrows the payload; none where a provider does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projection: Option<bool>,
    /// Ways to search.
    #[serde(default)]
    pub search_modes: Vec<String>,
    /// Each field and what it can do.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub field_capabilities: BTreeMap<String, FieldCapability>,
    /// Each granted field as a flag string, in a compact document.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
    /// Relationships that can be expanded.
    #[serde(default)]
    pub expand_capabilities: Vec<ExpandCapability>,
}

/// A named selection of fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// Pass it as `view`.
    pub id: String,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The granted fields it selects.
    pub fields: Vec<String>,
}

/// What one field can do.
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts of the wire format")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldCapability {
    /// Its type, in one word.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether the grant covers it.
    pub granted: bool,
    /// Its JSON Schema.
    #[serde(default)]
    pub schema: Value,
    /// Whether `filter[field]=value` works.
    #[serde(default)]
    pub exact_filter: bool,
    /// Comparisons that work, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_filter: Option<RangeCapability>,
    /// Whether words in it are found.
    #[serde(default)]
    pub lexical_search: bool,
    /// Whether its meaning is found.
    #[serde(default)]
    pub semantic_search: bool,
    /// What can be computed over it.
    #[serde(default)]
    pub aggregation: AggregationCapability,
}

/// Fields that hold encoded bytes by declaration, with their media type.
pub type Encodings = HashMap<String, Option<String>>;

/// The fields among these, each with its JSON Schema, that are declared as encoded bytes.
pub fn encodings<'a>(fields: impl IntoIterator<Item = (&'a String, &'a Value)>) -> Encodings {
    let encoded = fields.into_iter().filter(|(_, schema)| schema.get("contentEncoding").is_some());
    let media_type = |schema: &Value| schema.get("contentMediaType").and_then(Value::as_str).map(str::to_owned);
    encoded.map(|(field, schema)| (field.clone(), media_type(schema))).collect()
}

/// Comparisons a field supports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeCapability {
    /// `gte`, `gt`, `lte`, `lt`.
    pub operators: Vec<String>,
}

/// What can be computed over a field.
#[expect(clippy::struct_excessive_bools, reason = "they are independent facts of the wire format")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AggregationCapability {
    /// Its sum.
    pub sum: bool,
    /// Its smallest value.
    pub min: bool,
    /// Its largest value.
    pub max: bool,
    /// How many values.
    pub count_distinct: bool,
    /// Counts by value.
    pub group_by: bool,
    /// Counts by calendar unit.
    pub group_by_time: bool,
}

impl AggregationCapability {
    /// The names of what can be computed, in a fixed order.
    pub fn names(&self) -> Vec<&'static str> {
        [
            ("sum", self.sum),
            ("min", self.min),
            ("max", self.max),
            ("count_distinct", self.count_distinct),
            ("group_by", self.group_by),
            ("group_by_time", self.group_by_time),
        ]
        .into_iter()
        .filter_map(|(name, able)| able.then_some(name))
        .collect()
    }
}

/// A relationship that can be expanded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpandCapability {
    /// Pass it in `expand`.
    pub name: String,
    /// The stream the related records come from.
    pub stream: String,
    /// `has_many` or `has_one`.
    pub cardinality: String,
    /// Related records when `expand_limit` names no number.
    pub default_limit: u32,
    /// Related records at most.
    pub max_limit: u32,
}

/// A bounded part of one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldWindow {
    /// `"field_window"`.
    pub object: Tag<FieldWindowTag>,
    /// The record it was read from.
    pub record_id: String,
    /// The record's stream.
    pub stream: String,
    /// The record's account.
    pub connection_id: String,
    /// The kind of source.
    pub connector_key: String,
    /// Which field.
    pub field: WindowField,
    /// The part itself.
    pub window: Window,
}

/// The field a window was read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowField {
    /// Its name.
    pub path: String,
    /// `string`, or `json` for objects and arrays.
    #[serde(rename = "type")]
    pub kind: String,
}

/// A part of a field's text, counted in characters.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Window {
    /// Exactly the characters `start_chars..end_chars`.
    pub text: String,
    /// First character.
    pub start_chars: u64,
    /// One past the last.
    pub end_chars: u64,
    /// The most this call would have returned.
    pub limit_chars: u64,
    /// Characters in the whole field.
    pub total_chars: u64,
    /// Whether this is the whole field.
    pub complete: bool,
    /// Whether text follows.
    pub has_more: bool,
    /// Where to read on.
    pub next_offset_chars: Option<u64>,
    /// Where to read back.
    pub previous_offset_chars: Option<u64>,
    /// Where the match starts, if one was asked for.
    pub match_start_chars: Option<u64>,
    /// Where it ends.
    pub match_end_chars: Option<u64>,
}

/// A number, or numbers by group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Aggregation {
    /// `"aggregation"`.
    pub object: Tag<AggregationTag>,
    /// The stream that was read.
    pub stream: String,
    /// What was computed.
    pub metric: String,
    /// Over which field.
    #[serde(default)]
    pub field: Option<String>,
    /// By which field's values.
    #[serde(default)]
    pub group_by: Option<String>,
    /// By which field's time.
    #[serde(default)]
    pub group_by_time: Option<String>,
    /// Calendar unit of the groups.
    #[serde(default)]
    pub granularity: Option<String>,
    /// Zone whose calendar counted.
    #[serde(default)]
    pub time_zone: Option<String>,
    /// The result, when there are no groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<Group>>,
    /// Groups at most.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Records in groups beyond the limit.
    #[serde(default)]
    pub other_count: u64,
    /// Records that matched the filter; none where a provider does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filtered_record_count: Option<u64>,
    /// Whether anything was estimated.
    #[serde(default)]
    pub approximate: bool,
    /// What was adjusted, and how far the data reaches.
    #[serde(default)]
    pub meta: AggregationMeta,
}

/// What an aggregate says about itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AggregationMeta {
    /// What was adjusted.
    #[serde(default)]
    pub warnings: Vec<crate::Warning>,
    /// How far the data of each connection reaches, whatever was counted of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub freshness: Vec<crate::record::ConnectionFreshness>,
}

/// One group of an aggregate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The value, or the instant the calendar unit starts; null for records without one.
    pub key: Value,
    /// Records in it.
    pub count: u64,
    /// The metric over them, when it is not the count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}
