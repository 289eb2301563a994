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
/// Leaves that are merged at rest at most, some thirty megabytes: who comes to write waits for it.
const MOST_AT_REST: i64 = 8_192;

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
        let sizes = sizes(tx, cell)?;
        let magnitude = |size: &Size| size.records.max(1).ilog(8);
        let mut same = sizes.chunk_by(|a, b| magnitude(a) == magnitude(b));
        let Some(many) = same.find(|same| same.len() >= FAN_IN) else { return Ok(()) };
        merge(tx, cell, many)?;
    }
}

/// Merges what is worth it of one cell, while nothing else is written; says whether any was.
pub(crate) fn settle(tx: &Connection) -> Result<bool> {
    let mut cells = tx.prepare_cached("SELECT cell FROM segment GROUP BY cell HAVING count(*) > 1")?;
    let cells: Vec<i64> = cells.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for cell in cells {
        let mut sizes = sizes(tx, cell)?;
        let mut count = tx.prepare_cached("SELECT count(*) FROM leaf WHERE segment = ?1")?;
        let mut leaves = 0;
        for (at, size) in sizes.iter().enumerate() {
            leaves += count.query_row([size.segment], |row| row.get::<_, i64>(0))?;
            if leaves > MOST_AT_REST {
                sizes.truncate(at);
                break;
            }
        }
        let worth = worth_merging(&sizes);
        if worth > 1 {
            merge(tx, cell, &sizes[..worth])?;
            return Ok(true);
        }
    }
    Ok(false)
}

/// How many of these segments, the smallest first, are to become one: up to the last that is not much larger than all
/// before it, so that a record's words are written anew only when its segment has grown by half.
fn worth_merging(sizes: &[Size]) -> usize {
    let mut before = 0;
    let mut worth = 0;
    for (at, size) in sizes.iter().enumerate() {
        if size.records <= 2 * before {
            worth = at + 1;
        }
        before += size.records;
    }
    worth
}

#[derive(Debug, Clone, Copy)]
struct Size {
    segment: i64,
    records: i64,
}

/// The segments of a cell that are not large yet, the smallest first.
fn sizes(tx: &Connection, cell: i64) -> Result<Vec<Size>> {
    let mut statement = tx.prepare_cached(
        "SELECT number, records FROM segment WHERE cell = ?1 AND records < ?2 ORDER BY records, number",
    )?;
    let size = |row: &rusqlite::Row<'_>| Ok(Size { segment: row.get(0)?, records: row.get(1)? });
    Ok(statement.query_map([cell, LARGE], size)?.collect::<rusqlite::Result<_>>()?)
}

/// The segment that was written last.
pub(crate) fn newest(tx: &Connection) -> Result<Option<i64>> {
    Ok(tx.prepare_cached("SELECT max(number) FROM segment")?.query_row([], |row| row.get(0))?)
}

fn merge(tx: &Connection, cell: i64, many: &[Size]) -> Result<()> {
    let mut sources: Vec<Source<'_>> = many.iter().map(|size| Source::new(tx, size.segment)).collect();
    let merged = insert(tx, cell, many.iter().map(|size| size.records).sum())?;
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
    for size in many {
        drop_segment(tx, size.segment)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_merged_where_it_pays() {
        let worth = |records: &[i64]| {
            let sizes: Vec<Size> = records.iter().map(|records| Size { segment: 1, records: *records }).collect();
            worth_merging(&sizes)
        };
        assert_eq!(worth(&[1_000, 1_000, 8_000, 8_000, 8_000, 64_000]), 5, "a large one alone stays");
        assert_eq!(worth(&[1_000, 1_000, 8_000, 8_000, 8_000, 8_000, 64_000]), 7);
        assert_eq!(worth(&[1, 8_000, 8_000]), 3, "a small one does not keep others apart");
        assert_eq!(worth(&[1, 125_000]), 0);
        assert_eq!(worth(&[1, 1, 1, 125_000]), 3);
        assert_eq!((worth(&[]), worth(&[7])), (0, 0));
    }
}
