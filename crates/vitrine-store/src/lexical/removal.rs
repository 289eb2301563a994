//! Takes a record's words out of the index.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension};
use vitrine_engine::words;

use super::leaf::{self, Packer};
use super::postings::{self, List};
use super::segment::{self, entries};
use super::{FieldText, lookup, stem_key, word_key, word_prefix};
use crate::fault::{Result, corrupt};

/// Removes the words of a record whose fields have these texts.
pub(crate) fn remove(tx: &Connection, cell: i64, record: i64, texts: &[FieldText]) -> Result<()> {
    tx.prepare_cached("DELETE FROM milestone WHERE record = ?1")?.execute([record])?;
    let mut terms = BTreeSet::new();
    let mut keys = BTreeSet::new();
    for FieldText { field, text, .. } in texts {
        words::each_word(text, |word| {
            if keys.insert(word_key(word.term, *field)) {
                terms.insert(word.term.to_owned());
            }
            true
        });
    }
    let Some(probe) = keys.first() else { return Ok(()) };
    for segment in segment::of_cell(tx, cell)? {
        if holds(tx, segment, probe, record)? {
            take_out(tx, segment, record, &keys)?;
            forget_stems(tx, segment, &terms)?;
            return count_down(tx, segment);
        }
    }
    Ok(())
}

fn holds(tx: &Connection, segment: i64, key: &[u8], record: i64) -> Result<bool> {
    let Some((_, data)) = leaf_at(tx, segment, &leaf::place(key, record))? else { return Ok(false) };
    let mut found = false;
    for entry in entries(&data)?.iter().filter(|entry| entry.key == key) {
        postings::each_posting(&entry.chunk, |posting| found |= posting.record == record)
            .ok_or_else(|| corrupt("a chunk of the word index"))?;
    }
    Ok(found)
}

/// The leaf that would hold an entry at that place.
fn leaf_at(tx: &Connection, segment: i64, place: &[u8]) -> Result<Option<(i64, Vec<u8>)>> {
    let mut statement = tx.prepare_cached(
        "SELECT number, data FROM leaf WHERE segment = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1",
    )?;
    Ok(statement.query_row((segment, place), |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

fn take_out(tx: &Connection, segment: i64, record: i64, keys: &BTreeSet<Vec<u8>>) -> Result<()> {
    let mut leaves: BTreeMap<i64, (Vec<u8>, BTreeSet<&[u8]>)> = BTreeMap::new();
    for key in keys {
        if let Some((number, data)) = leaf_at(tx, segment, &leaf::place(key, record))? {
            leaves.entry(number).or_insert_with(|| (data, BTreeSet::new())).1.insert(key);
        }
    }
    for (number, (data, keys)) in leaves {
        rewrite(tx, number, &data, |key, chunk| {
            if !keys.contains(key) {
                return Ok(Some(chunk));
            }
            let mut list = List::default();
            postings::unpack(&chunk, &mut list).ok_or_else(|| corrupt("a chunk of the word index"))?;
            let mut kept = List::default();
            for (posting, places) in list.iter().filter(|(posting, _)| posting.record != record) {
                kept.push(posting, places);
            }
            Ok(kept.chunks(usize::MAX).pop().map(|chunk| chunk.bytes))
        })?;
    }
    Ok(())
}

/// Stems of words that the segment has no more lead nowhere.
fn forget_stems(tx: &Connection, segment: i64, terms: &BTreeSet<String>) -> Result<()> {
    for term in terms {
        let Some(key) = stem_key(term) else { continue };
        let mut stands = false;
        lookup::each_entry(tx, segment, &word_prefix(term), |_, _| {
            stands = true;
            Ok(false)
        })?;
        if stands {
            continue;
        }
        if let Some((number, data)) = leaf_at(tx, segment, &leaf::place(&key, 0))? {
            rewrite(tx, number, &data, |known, chunk| Ok((known != key).then_some(chunk)))?;
        }
    }
    Ok(())
}

/// Writes a leaf anew with what `keep` leaves of its entries.
fn rewrite(
    tx: &Connection,
    number: i64,
    data: &[u8],
    mut keep: impl FnMut(&[u8], Vec<u8>) -> Result<Option<Vec<u8>>>,
) -> Result<()> {
    let mut packer = Packer::default();
    let mut first = None;
    for entry in entries(data)? {
        if let Some(chunk) = keep(&entry.key, entry.chunk)? {
            if first.is_none() {
                let record = if chunk.is_empty() { Some(0) } else { postings::first_record(&chunk) };
                first = record.map(|record| leaf::place(&entry.key, record));
            }
            packer.push(&entry.key, &chunk);
        }
    }
    match first {
        None => tx.prepare_cached("DELETE FROM leaf WHERE number = ?1")?.execute([number])?,
        Some(first) => tx.prepare_cached("UPDATE leaf SET first = ?2, data = ?3 WHERE number = ?1")?.execute((
            number,
            first,
            packer.take(),
        ))?,
    };
    Ok(())
}

fn count_down(tx: &Connection, segment: i64) -> Result<()> {
    let left: i64 = tx
        .prepare_cached("UPDATE segment SET records = records - 1 WHERE number = ?1 RETURNING records")?
        .query_row([segment], |row| row.get(0))?;
    if left <= 0 {
        segment::drop_segment(tx, segment)?;
    }
    Ok(())
}
