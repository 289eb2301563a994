//! The words of a batch, gathered in memory and written as one segment.

use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;
use vitrine_engine::words;

use super::postings::{List, Posting};
use super::segment::{self, Writer};
use super::{parse_word_key, stem_key};
use crate::fault::Result;

/// Words between two milestones of a long field.
const MILESTONE_WORDS: usize = 256;
/// Bytes of text after which a segment is written even though the batch goes on.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// Gathers the words of records of one cell.
pub(crate) struct Builder {
    cell: i64,
    lists: HashMap<Box<[u8]>, List>,
    records: BTreeSet<i64>,
    bytes: usize,
    scratch: Scratch,
}

/// The words of one field: their keys one after the other, and where each ends.
#[derive(Default)]
struct Scratch {
    keys: Vec<u8>,
    ends: Vec<usize>,
}

impl Builder {
    pub(crate) fn new(cell: i64) -> Self {
        let (lists, records, scratch) = (HashMap::new(), BTreeSet::new(), Scratch::default());
        Self { cell, lists, records, bytes: 0, scratch }
    }

    /// Whether a record's words are gathered but not yet written.
    pub(crate) fn holds(&self, record: i64) -> bool {
        self.records.contains(&record)
    }

    /// Adds the words of one field. Where a `long` one's words stand is noted on the way.
    pub(crate) fn add(&mut self, tx: &Connection, record: i64, field: u32, text: &str, long: bool) -> Result<()> {
        let mut milestones = Vec::new();
        let scratch = &mut self.scratch;
        scratch.keys.clear();
        scratch.ends.clear();
        words::each_word(text, |word| {
            if long && scratch.ends.len().is_multiple_of(MILESTONE_WORDS) {
                milestones.push((scratch.ends.len() as u64, word.start));
            }
            scratch.keys.push(b'w');
            scratch.keys.extend(word.term.as_bytes());
            scratch.keys.push(0);
            scratch.keys.extend(field.to_be_bytes());
            scratch.ends.push(scratch.keys.len());
            true
        });
        let length = u32::try_from(scratch.ends.len()).unwrap_or(u32::MAX);
        let mut start = 0;
        for (place, end) in (0_u32..).zip(&scratch.ends) {
            let key = &scratch.keys[start..*end];
            start = *end;
            let list = match self.lists.get_mut(key) {
                Some(list) => list,
                None => self.lists.entry(key.into()).or_default(),
            };
            match list.postings.last_mut().filter(|posting| posting.record == record) {
                Some(posting) => posting.times += 1,
                None => list.postings.push(Posting { record, times: 1, length }),
            }
            list.places.push(place);
        }
        if length > 0 {
            self.records.insert(record);
        }
        self.bytes += text.len();
        let mut note = tx.prepare_cached("INSERT INTO milestone (record, field, word, at) VALUES (?1, ?2, ?3, ?4)")?;
        for (word, at) in milestones {
            note.execute((record, field, word.cast_signed(), at.cast_signed()))?;
        }
        Ok(())
    }

    /// Whether so much was gathered that it should be written now.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes > MAX_TEXT_BYTES
    }

    /// Writes what was gathered, and starts anew.
    pub(crate) fn write(&mut self, tx: &Connection) -> Result<()> {
        self.bytes = 0;
        let records = std::mem::take(&mut self.records);
        let lists = std::mem::take(&mut self.lists);
        if records.is_empty() {
            return Ok(());
        }
        let mut entries: Vec<(Box<[u8]>, List)> = lists.into_iter().collect();
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut writer = Writer::new(tx, self.cell, i64::try_from(records.len()).unwrap_or(i64::MAX))?;
        let mut stems = BTreeSet::new();
        let mut last = String::new();
        for (key, _) in &entries {
            let Some((term, _)) = parse_word_key(key) else { continue };
            if term != last {
                stems.extend(stem_key(term));
                last.clear();
                last.push_str(term);
            }
        }
        for key in stems {
            writer.push(&key, 0, &[])?;
        }
        for (key, mut list) in entries {
            list.sort();
            writer.push_list(&key, &list)?;
        }
        writer.finish()?;
        segment::merge_where_many(tx, self.cell)
    }
}
