//! A source's description of its streams: what a record looks like and what can be done with it.
//!
//! A [`Declaration`] only exists validated. The JSON it was read from is kept beside it, because
//! a grant is issued from exactly that text.

mod error;
mod fields;
pub mod identity;
mod json_schema;
mod kind;
mod parse;
mod query;
mod relationships;
mod shape;
mod stream;
#[cfg(test)]
mod tests;
mod validator;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;
use vitrine_contract::request::RangeOp;

pub use error::DeclarationError;
pub use identity::{IdentityError, canonical_key, handle_safe, record_id};
pub use validator::RecordValidator;

/// A validated declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// The source's identity, an absolute URI.
    pub source_id: String,
    /// `connector` unless the declaration says otherwise.
    pub source_kind: String,
    /// The source's short name.
    pub connector_key: String,
    /// The source's name for people.
    pub display_name: String,
    /// Which revision of the declaration this is.
    pub version: String,
    /// The streams, by name.
    pub streams: BTreeMap<String, Arc<Stream>>,
    /// The document as it was given.
    pub document: Value,
}

/// One stream of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// Its name.
    pub name: String,
    /// Its name again, ready to stand in rows.
    pub shared_name: Arc<str>,
    /// What it holds.
    pub description: Option<String>,
    /// A short label for people.
    pub label: Option<String>,
    /// A sentence for people.
    pub detail: Option<String>,
    /// Whether records may change.
    pub semantics: Semantics,
    /// The JSON Schema of a record's `data`.
    pub schema: Value,
    /// The declared fields, in declared order.
    pub fields: Vec<Field>,
    /// The fields that identify a record.
    pub primary_key: Vec<String>,
    /// The fields every record has, and every grant covers.
    pub required: Vec<String>,
    /// The field that orders a page.
    pub cursor_field: Option<String>,
    /// The field a grant's time span is measured on.
    pub consent_time_field: Option<String>,
    /// Whether a grant may select fields.
    pub select_fields: bool,
    /// Whether a grant may select records.
    pub select_resources: bool,
    /// Named selections of fields.
    pub views: Vec<View>,
    /// Related streams.
    pub relationships: Vec<Relationship>,
}

/// Whether records may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Semantics {
    /// A key's payload never changes.
    AppendOnly,
    /// Records are replaced.
    MutableState,
}

impl Semantics {
    /// As it stands in a declaration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AppendOnly => "append_only",
            Self::MutableState => "mutable_state",
        }
    }
}

/// A declared field and what can be done with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// How its values compare.
    pub kind: FieldKind,
    /// Its JSON Schema.
    pub schema: Value,
    /// Whether `filter[field]=value` works.
    pub exact_filter: bool,
    /// Comparisons that work.
    pub range_filter: Vec<RangeOp>,
    /// Whether words in it are found.
    pub lexical: bool,
    /// Whether its meaning is found.
    pub semantic: bool,
    /// What can be computed over it.
    pub aggregations: Aggregations,
}

/// What can be computed over a field.
pub type Aggregations = vitrine_contract::schema::AggregationCapability;

/// How a field's values compare. `Any` is for fields whose schema names several scalar types or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Text, by code point.
    Text,
    /// An instant or a date, by time.
    Time,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// An object or an array: cannot be compared.
    Json,
    /// A reference to bytes kept beside the record.
    Blob,
    /// Several types, or none named.
    Any,
}

impl FieldKind {
    /// Whether single values of the field can be compared at all.
    pub fn is_scalar(self) -> bool {
        !matches!(self, Self::Json | Self::Blob)
    }
}

/// A named selection of fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// How a request names it.
    pub id: String,
    /// Its name for people.
    pub label: Option<String>,
    /// The fields it selects.
    pub fields: Vec<String>,
}

/// Records of another stream of the same connection that belong to a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relationship {
    /// How a request names it.
    pub name: String,
    /// The related stream.
    pub stream: String,
    /// The field that holds the other side's key.
    pub foreign_key: String,
    /// Which side holds it.
    pub key_side: KeySide,
    /// Whether at most one record is related.
    pub has_one: bool,
    /// How many to bring along; none when the stream does not offer expansion.
    pub expand: Option<ExpandLimits>,
}

/// Which side of a relationship holds the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySide {
    /// The related record names this one.
    Related,
    /// This record names the related one.
    Own,
}

/// How many related records to bring along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpandLimits {
    /// When the request names no number.
    pub default: u32,
    /// At most.
    pub max: u32,
}

impl Declaration {
    /// The stream of that name.
    pub fn stream(&self, name: &str) -> Option<&Stream> {
        self.streams.get(name).map(Arc::as_ref)
    }
}

impl Stream {
    /// The declared field of that name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The relationship of that name, if it can be expanded.
    pub fn expandable(&self, name: &str) -> Option<&Relationship> {
        self.relationships.iter().find(|r| r.name == name && r.expand.is_some())
    }
}

impl Field {
    /// Whether pages can be ordered by it.
    pub fn sortable(&self, stream: &Stream) -> bool {
        !self.range_filter.is_empty() || stream.cursor_field.as_deref() == Some(&self.name)
    }
}
