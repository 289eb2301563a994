//! What is indexed of a record, and under which keys.

use std::collections::BTreeSet;

use vitrine_contract::BlobRef;

use crate::catalog::{FieldNumber, Source};
use crate::declaration::{Declaration, FieldKind, KeySide, Stream};
use crate::sort_key::SortKey;

/// Which fields of a stream are indexed, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IndexLayout {
    fields: Vec<IndexedField>,
    declared: BTreeSet<String>,
    cursor_field: Option<String>,
    consent_time_field: Option<String>,
    texts: Vec<TextField>,
}

/// A field that searches look into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextField {
    /// Its name.
    pub name: String,
    /// The number it is indexed under.
    pub number: FieldNumber,
    /// Whether its words are found.
    pub lexical: bool,
    /// Whether its meaning is found.
    pub semantic: bool,
}

/// One indexed field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedField {
    /// Its name.
    pub name: String,
    /// The number it is indexed under.
    pub number: FieldNumber,
    /// How its values compare.
    pub kind: FieldKind,
    /// Whether it is looked up and grouped by value.
    pub by_value: bool,
    /// Whether it is sorted, compared and summed.
    pub by_order: bool,
}

/// The keys of one record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordKeys {
    /// Keys to look up by.
    pub by_value: Vec<(FieldNumber, SortKey)>,
    /// Keys to sort by; a record that lacks the field has none.
    pub by_order: Vec<(FieldNumber, Option<SortKey>)>,
    /// The key that orders its stream.
    pub cursor: Option<SortKey>,
    /// The time consent is measured on.
    pub time: Option<SortKey>,
    /// Whether it has fields that are not declared.
    pub undeclared: bool,
    /// Blobs it refers to, with the field that does.
    pub blobs: Vec<(String, String)>,
}

impl IndexLayout {
    /// The layout of a stream as it is declared now.
    pub fn of(source: &Source, stream: &Stream) -> Self {
        let declaration = &source.declaration;
        let is = |name: &Option<String>, field: &str| name.as_deref() == Some(field);
        let fields = stream.fields.iter().filter(|f| f.kind.is_scalar()).filter_map(|field| {
            let can = &field.aggregations;
            let by_value = field.exact_filter
                || can.group_by
                || can.count_distinct
                || is_foreign_key(declaration, stream, &field.name);
            let by_order = field.sortable(stream)
                || can.sum
                || can.min
                || can.max
                || can.group_by_time
                || is(&stream.consent_time_field, &field.name);
            let number = source.field_number(&stream.name, &field.name)?;
            (by_value || by_order).then(|| IndexedField {
                name: field.name.clone(),
                number,
                kind: field.kind,
                by_value,
                by_order,
            })
        });
        let texts = stream.fields.iter().filter(|field| field.lexical || field.semantic).filter_map(|field| {
            let number = source.field_number(&stream.name, &field.name)?;
            Some(TextField { name: field.name.clone(), number, lexical: field.lexical, semantic: field.semantic })
        });
        Self {
            texts: texts.collect(),
            fields: fields.collect(),
            declared: stream.fields.iter().map(|field| field.name.clone()).collect(),
            cursor_field: stream.cursor_field.clone(),
            consent_time_field: stream.consent_time_field.clone(),
        }
    }

    /// The fields that searches look into.
    pub fn texts(&self) -> &[TextField] {
        &self.texts
    }

    /// The keys of a record with these fields.
    pub fn keys<'a>(&self, fields: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> RecordKeys {
        let mut keys = RecordKeys::default();
        for field in &self.fields {
            let json = fields.clone().find(|(name, _)| *name == field.name).map(|(_, json)| json);
            let key = json.and_then(|json| SortKey::of_json(field.kind, json));
            if self.cursor_field.as_ref() == Some(&field.name) {
                keys.cursor.clone_from(&key);
            }
            if self.consent_time_field.as_ref() == Some(&field.name) {
                keys.time.clone_from(&key);
            }
            if field.by_value
                && let Some(key) = &key
            {
                keys.by_value.push((field.number, key.clone()));
            }
            if field.by_order {
                keys.by_order.push((field.number, key));
            }
        }
        keys.undeclared = fields.clone().any(|(name, _)| !self.declared.contains(name));
        keys.blobs = fields
            .filter_map(|(name, json)| BlobRef::of_json(json).map(|blob| (name.to_owned(), blob.blob_id)))
            .collect();
        keys
    }
}

/// Whether records of other streams are found by this field.
fn is_foreign_key(declaration: &Declaration, stream: &Stream, field: &str) -> bool {
    declaration.streams.values().flat_map(|s| &s.relationships).any(|relationship| {
        relationship.key_side == KeySide::Related
            && relationship.stream == stream.name
            && relationship.foreign_key == field
    })
}
