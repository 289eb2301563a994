//! The word index, kept in the same file and the same transactions as the records.
//!
//! A batch of records becomes a segment: every word of every lexical field, sorted, with where it
//! stands, in leaves of a few kilobytes. Eight segments of a size are merged into one, and fewer once
//! nothing is written for a while, since a search looks into each. All words of
//! a record are in one segment, so that deleting a record takes its words out of the leaves that
//! hold them, and nothing of them stays.
//!
//! The index counts nothing beyond a record's own words: whatever a ranking needs to know is
//! computed from what the reader may see.

mod builder;
mod leaf;
mod lookup;
mod postings;
mod removal;
mod segment;

use std::borrow::Cow;

use rusqlite::Connection;
use vitrine_contract::values;
use vitrine_engine::catalog::FieldNumber;
use vitrine_engine::words;

use crate::fault::Result;
use crate::row::{self, Payload};

pub(crate) use builder::{Builder, Packed};
pub(crate) use lookup::{Occurrences, occurrences, places};
pub(crate) use removal::remove;
pub(crate) use segment::{drop_cell, newest, of_cell, settle, write};

/// A field whose words are indexed, by the number it is indexed under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LexicalField {
    pub(crate) name: String,
    pub(crate) number: u32,
}

impl LexicalField {
    pub(crate) fn new(name: &str, number: FieldNumber) -> Self {
        Self { name: name.to_owned(), number: u32::try_from(number).unwrap_or(u32::MAX) }
    }
}

/// The text of one field of a stored record.
pub(crate) struct FieldText {
    pub(crate) field: u32,
    pub(crate) text: String,
    /// Whether it is kept in pieces.
    pub(crate) long: bool,
}

/// The texts of a stored record's fields.
pub(crate) fn texts(tx: &Connection, payload: &Payload<'_>, fields: &[LexicalField]) -> Result<Vec<FieldText>> {
    let long = row::long_fields(payload.long.as_deref())?;
    let short = values::fields(&payload.data);
    let mut texts = Vec::new();
    for field in fields {
        if let Some(slot) = long.iter().position(|known| known.name == field.name) {
            if !long[slot].json {
                let text = row::read_text(tx, payload.record, slot, 0, long[slot].chars)?;
                texts.push(FieldText { field: field.number, text, long: true });
            }
        } else if let Some((_, json)) = short.iter().find(|(name, _)| *name == field.name) {
            let text = string(json)?.map(Cow::into_owned);
            texts.extend(text.map(|text| FieldText { field: field.number, text, long: false }));
        }
    }
    Ok(texts)
}

/// The text of a value, if it is a string.
pub(crate) fn string(json: &str) -> Result<Option<Cow<'_, str>>> {
    if !json.starts_with('"') {
        return Ok(None);
    }
    let inside = &json[1..json.len() - 1];
    if !inside.contains('\\') {
        return Ok(Some(Cow::Borrowed(inside)));
    }
    Ok(Some(Cow::Owned(serde_json::from_str(json)?)))
}

/// The key of a word in a field; every field of a word follows its word.
fn word_key(term: &str, field: u32) -> Vec<u8> {
    let mut key = word_prefix(term);
    key.extend(field.to_be_bytes());
    key
}

/// What every field's key of a word starts with.
fn word_prefix(term: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(term.len() + 6);
    key.push(b'w');
    key.extend(term.as_bytes());
    key.push(0);
    key
}

/// The key that leads from a stem to a word that is not its own stem; none for one that is.
fn stem_key(term: &str) -> Option<Vec<u8>> {
    let stem = words::stem(term);
    (stem != term).then(|| [&stem_prefix(&stem), term.as_bytes()].concat())
}

fn stem_prefix(stem: &str) -> Vec<u8> {
    [b"s", stem.as_bytes(), &[0]].concat()
}

/// The word and field of a word's key.
fn parse_word_key(key: &[u8]) -> Option<(&str, u32)> {
    let (rest, field) = key.strip_prefix(b"w")?.split_last_chunk::<4>()?;
    let term = std::str::from_utf8(rest.strip_suffix(&[0])?).ok()?;
    Some((term, u32::from_be_bytes(*field)))
}
