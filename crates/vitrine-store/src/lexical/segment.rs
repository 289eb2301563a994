//! Segments of the word index: written once, merged when there are many of a size.

use std::collections::VecDeque;

use rusqlite::{Connection, OptionalExtension};

use super::builder::Packed;
use super::leaf::{CHUNK_BYTES, Entries, Entry, Leaf, Leaves};
use super::postings;
use crate::fault::{Result, corrupt};

/// Segments of a size that are merged into one of the next.
const FAN_IN: usize = 8;
/// A segment of this many records is large enough.
const LARGE: i64 = 262_144;

/// The segments of a cell, the oldest first.
pub(crate) fn of_cell(tx: &Connection, cell: i64) -> Result<Vec<i64>> {
    let mut statement = tx.prepare_cached("SELECT number FROM segment WHERE cell = ?1 ORDER BY number")?;
    Ok(statement.query_map([cell], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?)
}

/// Removes everything indexed for a cell.
pub(crate) fn drop_cell(tx: &Connection, cell: i64) -> Result<()> {
    for segment in of_cell(tx, cell)? {
        drop_segment(tx, segment)?;
    }
    tx.execute("DELETE FROM milestone WHERE record IN (SELECT number FROM record WHERE cell = ?1)", [cell])?;
    Ok(())
}

pub(super) fn drop_segment(tx: &Connection, segment: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM leaf WHERE segment = ?1")?.execute([segment])?;
    tx.prepare_cached("DELETE FROM segment WHERE number = ?1")?.execute([segment])?;
    Ok(())
}

/// Writes the words of a batch as a segment.
pub(crate) fn write(tx: &Connection, cell: i64, packed: &Packed) -> Result<()> {
    let segment = insert(tx, cell, packed.records)?;
    insert_leaves(tx, segment, &packed.leaves)?;
    let mut note = tx.prepare_cached("INSERT INTO milestone (record, field, word, at) VALUES (?1, ?2, ?3, ?4)")?;
    for milestone in &packed.milestones {
        note.execute((milestone.record, milestone.field, milestone.word, milestone.at.cast_signed()))?;
    }
    merge_where_many(tx, cell)
}

fn insert(tx: &Connection, cell: i64, records: i64) -> Result<i64> {
    tx.prepare_cached("INSERT INTO segment (cell, records) VALUES (?1, ?2)")?.execute((cell, records))?;
    Ok(tx.last_insert_rowid())
}

fn insert_leaves(tx: &Connection, segment: i64, leaves: &[Leaf]) -> Result<()> {
    let mut insert = tx.prepare_cached("INSERT INTO leaf (segment, first, data) VALUES (?1, ?2, ?3)")?;
    for leaf in leaves {
        insert.execute((segment, &leaf.first, &leaf.data))?;
    }
    Ok(())
}

/// Merges where a cell has many segments of a size, until it has no more.
fn merge_where_many(tx: &Connection, cell: i64) -> Result<()> {
    loop {
        let mut sizes: Vec<(u32, i64, i64)> = Vec::new();
        let mut statement = tx.prepare_cached("SELECT number, records FROM segment WHERE cell = ?1")?;
        let mut rows = statement.query([cell])?;
        while let Some(row) = rows.next()? {
            let (segment, records): (i64, i64) = (row.get(0)?, row.get(1)?);
            if records < LARGE {
                sizes.push((records.max(1).ilog(8), segment, records));
            }
        }
        sizes.sort_unstable();
        let Some(many) = sizes.chunk_by(|a, b| a.0 == b.0).find(|same| same.len() >= FAN_IN) else { return Ok(()) };
        merge(tx, cell, many)?;
    }
}

fn merge(tx: &Connection, cell: i64, many: &[(u32, i64, i64)]) -> Result<()> {
    let mut sources: Vec<Source<'_>> = many.iter().map(|(_, segment, _)| Source::new(tx, *segment)).collect();
    let merged = insert(tx, cell, many.iter().map(|(.., records)| records).sum())?;
    let mut leaves = Leaves::default();
    loop {
        for source in &mut sources {
            source.fill()?;
        }
        let Some(key) = sources.iter().filter_map(Source::key).min().map(<[u8]>::to_vec) else { break };
        let mut chunks = Vec::new();
        for source in &mut sources {
            while source.key() == Some(&key) {
                chunks.extend(source.entries.pop_front().map(|entry| entry.chunk).filter(|chunk| !chunk.is_empty()));
                source.fill()?;
            }
        }
        if chunks.is_empty() {
            leaves.push(&key, 0, &[]);
        } else {
            let chunks = postings::join(chunks, CHUNK_BYTES).ok_or_else(|| corrupt("a chunk of the word index"))?;
            leaves.push_chunks(&key, &chunks);
        }
        insert_leaves(tx, merged, &leaves.take_full())?;
    }
    insert_leaves(tx, merged, &leaves.finish())?;
    for (_, segment, _) in many {
        drop_segment(tx, *segment)?;
    }
    Ok(())
}

/// The entries of a segment, a leaf at a time.
struct Source<'a> {
    tx: &'a Connection,
    segment: i64,
    last: Vec<u8>,
    done: bool,
    entries: VecDeque<Entry>,
}

impl<'a> Source<'a> {
    fn new(tx: &'a Connection, segment: i64) -> Self {
        Self { tx, segment, last: Vec::new(), done: false, entries: VecDeque::new() }
    }

    fn key(&self) -> Option<&[u8]> {
        self.entries.front().map(|entry| entry.key.as_slice())
    }

    fn fill(&mut self) -> Result<()> {
        while self.entries.is_empty() && !self.done {
            let mut statement = self.tx.prepare_cached(
                "SELECT first, data FROM leaf WHERE segment = ?1 AND first > ?2 ORDER BY first LIMIT 1",
            )?;
            let next = statement
                .query_row((self.segment, &self.last), |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?)))
                .optional()?;
            match next {
                None => self.done = true,
                Some((first, data)) => {
                    self.last = first;
                    self.entries = entries(&data)?.into();
                }
            }
        }
        Ok(())
    }
}

/// All entries of a leaf.
pub(super) fn entries(data: &[u8]) -> Result<Vec<Entry>> {
    let mut reader = Entries::new(data);
    let mut entries = Vec::new();
    while let Some(chunk) = reader.next_chunk() {
        entries.push(Entry { key: reader.key().to_vec(), chunk: chunk.to_vec() });
    }
    if reader.is_done() { Ok(entries) } else { Err(corrupt("a leaf of the word index")) }
}
