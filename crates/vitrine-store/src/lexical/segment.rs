//! Segments of the word index: written once, merged when there are many of a size.

use std::collections::VecDeque;

use rusqlite::{Connection, OptionalExtension};

use super::leaf::{self, CHUNK_BYTES, Entries, Entry, Packer};
use super::postings::{self, List};
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

/// Writes a segment's entries, which come in order.
pub(super) struct Writer<'a> {
    tx: &'a Connection,
    segment: i64,
    packer: Packer,
    first: Vec<u8>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(tx: &'a Connection, cell: i64, records: i64) -> Result<Self> {
        tx.prepare_cached("INSERT INTO segment (cell, records) VALUES (?1, ?2)")?.execute((cell, records))?;
        Ok(Self { tx, segment: tx.last_insert_rowid(), packer: Packer::default(), first: Vec::new() })
    }

    pub(super) fn push_list(&mut self, key: &[u8], list: &List) -> Result<()> {
        for (first, chunk) in list.chunks(CHUNK_BYTES) {
            self.push(key, first, &chunk)?;
        }
        Ok(())
    }

    pub(super) fn push(&mut self, key: &[u8], first_record: i64, chunk: &[u8]) -> Result<()> {
        if self.packer.is_full_for(key, chunk) {
            self.flush()?;
        }
        if self.packer.is_empty() {
            self.first = leaf::place(key, first_record);
        }
        self.packer.push(key, chunk);
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<()> {
        if self.packer.is_empty() { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<()> {
        self.tx.prepare_cached("INSERT INTO leaf (segment, first, data) VALUES (?1, ?2, ?3)")?.execute((
            self.segment,
            &self.first,
            self.packer.take(),
        ))?;
        Ok(())
    }
}

/// Merges where a cell has many segments of a size, until it has no more.
pub(super) fn merge_where_many(tx: &Connection, cell: i64) -> Result<()> {
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
    let mut writer = Writer::new(tx, cell, many.iter().map(|(.., records)| records).sum())?;
    loop {
        for source in &mut sources {
            source.fill()?;
        }
        let Some(key) = sources.iter().filter_map(Source::key).min().map(<[u8]>::to_vec) else { break };
        let mut list = List::default();
        for source in &mut sources {
            while source.key() == Some(&key) {
                if let Some(entry) = source.entries.pop_front()
                    && !entry.chunk.is_empty()
                {
                    postings::unpack(&entry.chunk, &mut list).ok_or_else(|| corrupt("a chunk of the word index"))?;
                }
                source.fill()?;
            }
        }
        if list.postings.is_empty() {
            writer.push(&key, 0, &[])?;
        } else {
            list.sort();
            writer.push_list(&key, &list)?;
        }
    }
    writer.finish()?;
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
