//! A record's payload: what stands in its row, what is kept in pieces, and what a plan shows of it.

use std::borrow::Cow;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use vitrine_contract::record::CutField;
use vitrine_contract::{Fields, chars, hexadecimal, literal, values};
use vitrine_engine::gate::{self, Scope};

use crate::fault::{Result, corrupt};

/// Characters of one piece of a long field.
pub(crate) const PIECE_CHARS: usize = 4_096;
/// Values whose JSON is longer than this are kept in pieces.
const LONG_BYTES: usize = 8_192;

/// A field that is kept in pieces; its slot is its place in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LongField {
    #[serde(rename = "f")]
    pub(crate) name: String,
    /// Characters in all.
    #[serde(rename = "n")]
    pub(crate) chars: u64,
    /// Whether it is an object's or array's JSON, not a string's own text.
    #[serde(rename = "j", default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) json: bool,
    /// Tells whether the field has changed.
    #[serde(rename = "h")]
    digest: String,
}

/// A payload as it is stored.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    /// Every field in order; those kept in pieces stand as 0.
    pub(crate) data: String,
    pub(crate) long: Vec<LongField>,
    /// The text of each long field.
    pub(crate) texts: Vec<String>,
}

impl Stored {
    /// Lays a payload out for storage.
    pub(crate) fn new(fields: &[(String, String)]) -> Self {
        let size = fields.iter().map(|(name, json)| name.len() + json.len().min(LONG_BYTES) + 4).sum::<usize>();
        let mut stored = Stored { data: String::with_capacity(size + 2), long: Vec::new(), texts: Vec::new() };
        stored.data.push('{');
        for (name, json) in fields {
            if stored.data.len() > 1 {
                stored.data.push(',');
            }
            literal::push(&mut stored.data, name);
            stored.data.push(':');
            match long_text(json) {
                None => stored.data.push_str(json),
                Some((text, is_json)) => {
                    stored.data.push('0');
                    let digest = hexadecimal::encode(&Sha256::digest(text.as_bytes())[..16]);
                    stored.long.push(LongField {
                        name: name.clone(),
                        chars: text.chars().count() as u64,
                        json: is_json,
                        digest,
                    });
                    stored.texts.push(text);
                }
            }
        }
        stored.data.push('}');
        stored
    }

    /// The payload that was laid out.
    pub(crate) fn fields(&self) -> Vec<(String, String)> {
        let json = |name: &str, json: &str| match self.long.iter().position(|long| long.name == name) {
            None => json.to_owned(),
            Some(slot) if self.long[slot].json => self.texts[slot].clone(),
            Some(slot) => {
                let mut text = String::with_capacity(self.texts[slot].len() + 2);
                literal::push(&mut text, &self.texts[slot]);
                text
            }
        };
        values::fields(&self.data).into_iter().map(|(name, value)| (name.to_string(), json(&name, value))).collect()
    }

    /// The list of long fields as it is stored.
    pub(crate) fn long_json(&self) -> Result<Option<String>> {
        if self.long.is_empty() { Ok(None) } else { Ok(Some(serde_json::to_string(&self.long)?)) }
    }
}

/// The text of a value too long for the row: a string's own, or an object's or array's JSON.
fn long_text(json: &str) -> Option<(String, bool)> {
    if json.len() <= LONG_BYTES {
        return None;
    }
    match json.as_bytes()[0] {
        b'"' => serde_json::from_str::<String>(json).ok().map(|text| (text, false)),
        b'{' | b'[' => Some((json.to_owned(), true)),
        _ => None,
    }
}

/// Reads the list of long fields back.
pub(crate) fn long_fields(long: Option<&str>) -> Result<Vec<LongField>> {
    long.map_or_else(|| Ok(Vec::new()), |long| Ok(serde_json::from_str(long)?))
}

/// Cuts text into pieces.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, tail) = rest.split_at(chars::offset(rest, PIECE_CHARS).unwrap_or(rest.len()));
        rest = tail;
        Some(piece)
    })
}

/// A stored record's payload.
pub(crate) struct Payload<'a> {
    pub(crate) record: i64,
    pub(crate) data: Cow<'a, str>,
    pub(crate) long: Option<Cow<'a, str>>,
    /// Whether it has fields that are not declared.
    pub(crate) extra: bool,
}

/// What a plan wants of a payload.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    projection: &'a gate::Fields,
    /// Whether every declared field is wanted.
    all_declared: bool,
    joins: &'a [String],
    preview_chars: Option<u32>,
}

impl<'a> Wanted<'a> {
    pub(crate) fn new(scope: &'a Scope, joins: &'a [String], preview_chars: Option<u32>) -> Self {
        let projection = scope.projection();
        let all_declared = match projection {
            gate::Fields::All => true,
            gate::Fields::Only(names) => scope.stream().fields.iter().all(|field| names.contains(&field.name)),
        };
        Self { projection, all_declared, joins, preview_chars }
    }

    /// These fields and no others, cut to a preview.
    pub(crate) fn only(projection: &'a gate::Fields, preview_chars: u32) -> Self {
        Self { projection, all_declared: false, joins: &[], preview_chars: Some(preview_chars) }
    }
}

/// What a plan shows of a payload.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) data: Fields,
    pub(crate) cut: Vec<CutField>,
    pub(crate) joins: Vec<Option<String>>,
}

/// Projects a payload while decoding it.
pub(crate) fn show(tx: &Connection, payload: Payload<'_>, wanted: Wanted<'_>) -> Result<Shown> {
    let whole = *wanted.projection == gate::Fields::All || (wanted.all_declared && !payload.extra);
    // Where all of it is no longer than a preview, no field is.
    let uncut = wanted.preview_chars.is_none_or(|chars| payload.data.len() <= chars as usize);
    if whole && uncut && payload.long.is_none() && wanted.joins.is_empty() {
        return Ok(Shown { data: Fields::from_stored(payload.data.into_owned()), ..Shown::default() });
    }
    let long = long_fields(payload.long.as_deref())?;
    let mut shown = Shown { joins: vec![None; wanted.joins.len()], ..Shown::default() };
    let mut data = String::with_capacity(payload.data.len());
    data.push('{');
    for (name, json) in values::fields(&payload.data) {
        if let Some(at) = wanted.joins.iter().position(|join| *join == name) {
            shown.joins[at] = Some(json.to_owned());
        }
        if !wanted.projection.contains(&name) {
            continue;
        }
        if data.len() > 1 {
            data.push(',');
        }
        literal::push(&mut data, &name);
        data.push(':');
        let cut = match long.iter().position(|field| field.name == name) {
            Some(slot) => push_long(tx, payload.record, (slot, &long[slot]), wanted.preview_chars, &mut data)?,
            None => push_short(&name, json, wanted.preview_chars, &mut data)?,
        };
        shown.cut.extend(cut);
    }
    data.push('}');
    shown.data = Fields::from_stored(data);
    Ok(shown)
}

fn push_long(
    tx: &Connection,
    record: i64,
    (slot, field): (usize, &LongField),
    preview: Option<u32>,
    data: &mut String,
) -> Result<Option<CutField>> {
    match preview.map(u64::from).filter(|wanted| *wanted < field.chars) {
        Some(wanted) => {
            literal::push(data, &read_text(tx, record, slot, 0, wanted)?);
            Ok(Some(CutField { field: field.name.clone(), total_chars: field.chars, json: field.json }))
        }
        None => push_whole(tx, record, (slot, field), data).map(|()| None),
    }
}

/// Writes a long field's JSON piece by piece, without putting its text together first.
fn push_whole(tx: &Connection, record: i64, (slot, field): (usize, &LongField), data: &mut String) -> Result<()> {
    let mut statement = tx.prepare_cached("SELECT text FROM piece WHERE record = ?1 AND slot = ?2 ORDER BY part")?;
    let mut rows = statement.query((record, slot_number(slot)))?;
    data.reserve(usize::try_from(field.chars).unwrap_or_default() + 2);
    let quote = if field.json { "" } else { "\"" };
    data.push_str(quote);
    while let Some(row) = rows.next()? {
        let piece = row.get_ref(0)?.as_str().map_err(|_| corrupt("a piece of text is not text"))?;
        if field.json { data.push_str(piece) } else { literal::push_escaped(data, piece) }
    }
    data.push_str(quote);
    Ok(())
}

/// Cuts values that are longer than a preview too.
fn push_short(name: &str, json: &str, preview: Option<u32>, data: &mut String) -> Result<Option<CutField>> {
    let limit = preview.map_or(usize::MAX, |chars| chars as usize);
    if json.len() <= limit || !matches!(json.as_bytes()[0], b'"' | b'{' | b'[') {
        data.push_str(json);
        return Ok(None);
    }
    let is_json = !json.starts_with('"');
    let text: Cow<'_, str> = if is_json { Cow::Borrowed(json) } else { Cow::Owned(serde_json::from_str(json)?) };
    let total = text.chars().count();
    if total <= limit {
        data.push_str(json);
        return Ok(None);
    }
    literal::push(data, chars::first(&text, limit));
    Ok(Some(CutField { field: name.to_owned(), total_chars: total as u64, json: is_json }))
}

/// Characters `start..start + count` of a long field, from the pieces that hold them.
pub(crate) fn read_text(tx: &Connection, record: i64, slot: usize, start: u64, count: u64) -> Result<String> {
    if count == 0 {
        return Ok(String::new());
    }
    let per_piece = PIECE_CHARS as u64;
    let (first, last) = (start / per_piece, (start + count - 1) / per_piece);
    let mut statement = tx.prepare_cached(
        "SELECT text FROM piece WHERE record = ?1 AND slot = ?2 AND part BETWEEN ?3 AND ?4 ORDER BY part",
    )?;
    let mut rows = statement.query((record, slot_number(slot), first.cast_signed(), last.cast_signed()))?;
    let mut text = String::with_capacity(usize::try_from(count).unwrap_or_default());
    let mut skip = usize::try_from(start % per_piece).unwrap_or_default();
    let mut left = usize::try_from(count).unwrap_or(usize::MAX);
    while let Some(row) = rows.next()? {
        let piece = row.get_ref(0)?.as_str().map_err(|_| corrupt("a piece of text is not text"))?;
        if skip == 0 && left >= PIECE_CHARS {
            text.push_str(piece);
            left -= PIECE_CHARS;
            continue;
        }
        let part = chars::first(chars::after(piece, skip), left);
        skip = 0;
        left -= part.chars().count();
        text.push_str(part);
    }
    Ok(text)
}

/// One field's value as JSON text, wherever it is kept.
pub(crate) fn value_of(tx: &Connection, payload: &Payload<'_>, field: &str) -> Result<Option<String>> {
    let long = long_fields(payload.long.as_deref())?;
    if let Some(slot) = long.iter().position(|known| known.name == field) {
        let text = read_text(tx, payload.record, slot, 0, long[slot].chars)?;
        return Ok(Some(if long[slot].json { text } else { Value::String(text).to_string() }));
    }
    Ok(values::fields(&payload.data).into_iter().find(|(name, _)| name == field).map(|(_, json)| json.to_owned()))
}

/// A slot as it is stored.
pub(crate) fn slot_number(slot: usize) -> i64 {
    i64::try_from(slot).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        #[test]
        fn what_is_laid_out_can_be_taken_back(
            texts in prop::collection::btree_map("[\\x00-\\x20\"\\\\é😀a-z]{0,6}", ("[\\x00-\\x20\"\\\\/é😀a-z]{0,9}", 0..3_usize), 0..4),
        ) {
            let value = |(text, form): &(String, usize)| match form {
                0 => json!(text),
                1 => json!(text.repeat(2 * LONG_BYTES)),
                _ => json!([text.repeat(2 * LONG_BYTES), 1.5, null]),
            };
            let fields: Vec<_> = texts.iter().map(|(name, text)| (name.clone(), value(text).to_string())).collect();
            prop_assert_eq!(Stored::new(&fields).fields(), fields);
        }
    }
}
