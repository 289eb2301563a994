//! Finds words in a segment.

use std::ops::{ControlFlow, Range};

use rusqlite::Connection;
use vitrine_engine::words::{self, Sought, Unit};

use super::leaf::{self, Entries};
use super::postings::{self, List, Posting};
use super::{parse_word_key, stem_prefix, word_key, word_prefix};
use crate::fault::{Result, corrupt};

/// A unit in one field of one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Occurrences {
    pub(crate) record: i64,
    /// Which of the fields asked for.
    pub(crate) field: u32,
    pub(crate) times: u32,
    /// Words in the field.
    pub(crate) length: u32,
}

/// Visits the entries whose keys start with `prefix`, in order, until `visit` says to stop.
pub(super) fn each_entry(
    tx: &Connection,
    segment: i64,
    prefix: &[u8],
    mut visit: impl FnMut(&[u8], &[u8]) -> Result<bool>,
) -> Result<()> {
    // The first is in the last leaf that starts no later; most prefixes end there too.
    const LEAF_OF: &str = "SELECT data FROM leaf WHERE segment = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1";
    const LEAVES_AFTER: &str = "SELECT data FROM leaf WHERE segment = ?1 AND first > ?2 ORDER BY first";
    for leaves in [LEAF_OF, LEAVES_AFTER] {
        let mut statement = tx.prepare_cached(leaves)?;
        let mut rows = statement.query((segment, prefix))?;
        while let Some(row) = rows.next()? {
            let leaf = row.get_ref(0)?.as_blob().map_err(|_| corrupt("a leaf of the word index"))?;
            if visit_leaf(leaf, prefix, &mut visit)?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Visits the entries of a leaf whose keys start with `prefix`; breaks when there are no more, or `visit` says so.
fn visit_leaf(
    leaf: &[u8],
    prefix: &[u8],
    mut visit: impl FnMut(&[u8], &[u8]) -> Result<bool>,
) -> Result<ControlFlow<()>> {
    let mut entries = Entries::new(leaf);
    while let Some(chunk) = entries.next_chunk() {
        let key = entries.key();
        if key.starts_with(prefix) {
            if !visit(key, chunk)? {
                return Ok(ControlFlow::Break(()));
            }
        } else if key > prefix {
            return Ok(ControlFlow::Break(()));
        }
    }
    if entries.is_done() { Ok(ControlFlow::Continue(())) } else { Err(corrupt("a leaf of the word index")) }
}

/// Visits the postings of every word that is meant, chunk by chunk, with its field.
fn each_chunk(
    tx: &Connection,
    segment: i64,
    sought: &Sought,
    mut visit: impl FnMut(u32, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut in_field = |key: &[u8], chunk: &[u8]| {
        let (_, field) = parse_word_key(key).ok_or_else(|| corrupt("a key of the word index"))?;
        visit(field, chunk).map(|()| true)
    };
    match sought {
        Sought::Prefix(start) => each_entry(tx, segment, &[b"w", start.as_bytes()].concat(), in_field),
        Sought::Stem(stem) => {
            for term in terms(tx, segment, stem)? {
                each_entry(tx, segment, &word_prefix(&term), &mut in_field)?;
            }
            Ok(())
        }
    }
}

/// The words of a segment that have a stem.
fn terms(tx: &Connection, segment: i64, stem: &str) -> Result<Vec<String>> {
    let mut terms = Vec::new();
    if words::stem(stem) == stem {
        terms.push(stem.to_owned());
    }
    let prefix = stem_prefix(stem);
    each_entry(tx, segment, &prefix, |key, _| {
        terms.extend(std::str::from_utf8(&key[prefix.len()..]).map(str::to_owned));
        Ok(true)
    })?;
    Ok(terms)
}

/// Where a unit stands in these fields, in the order of records and fields.
pub(crate) fn occurrences(tx: &Connection, segment: i64, unit: &Unit, fields: &[u32]) -> Result<Vec<Occurrences>> {
    let mut found = match unit.0.as_slice() {
        [sought] => single(tx, segment, sought, fields)?,
        phrase => return self::phrase(tx, segment, phrase, fields),
    };
    let place = |o: &Occurrences| (o.record, o.field);
    if !found.is_sorted_by_key(place) {
        found.sort_by_key(place);
    }
    found.dedup_by(|later, first| {
        let same = place(later) == place(first);
        if same {
            first.times += later.times;
        }
        same
    });
    Ok(found)
}

fn single(tx: &Connection, segment: i64, sought: &Sought, fields: &[u32]) -> Result<Vec<Occurrences>> {
    let mut found = Vec::new();
    each_chunk(tx, segment, sought, |number, chunk| {
        let Some(field) = index_of(fields, number) else { return Ok(()) };
        let push = |Posting { record, times, length }| found.push(Occurrences { record, field, times, length });
        postings::each_posting(chunk, push).ok_or_else(|| corrupt("a chunk of the word index"))?;
        Ok(())
    })?;
    Ok(found)
}

/// Words in a row, where each starts.
fn phrase(tx: &Connection, segment: i64, phrase: &[Sought], fields: &[u32]) -> Result<Vec<Occurrences>> {
    let mut standing = standing(tx, segment, &phrase[0], fields)?;
    for (nth, sought) in (1..).zip(&phrase[1..]) {
        if standing.rows.is_empty() {
            break;
        }
        standing = standing.followed_by(&self::standing(tx, segment, sought, fields)?, nth);
    }
    let times = |starts: &Range<usize>| u32::try_from(starts.len()).unwrap_or(u32::MAX);
    let occurrences = |Standing { record, field, length, starts }| {
        let times = times(&starts);
        Occurrences { record, field, times, length }
    };
    Ok(standing.rows.into_iter().map(occurrences).collect())
}

/// Where a word stands in one field of one record.
struct Standing {
    record: i64,
    field: u32,
    length: u32,
    /// Which of the starts are here.
    starts: Range<usize>,
}

impl Standing {
    fn place(&self) -> (i64, u32) {
        (self.record, self.field)
    }
}

/// Where a word stands, in the order of records and fields; all the starts in one list, since most are few.
#[derive(Default)]
struct Standings {
    rows: Vec<Standing>,
    starts: Vec<u32>,
}

impl Standings {
    fn push(&mut self, (record, field): (i64, u32), length: u32, starts: impl IntoIterator<Item = u32>) {
        let from = self.starts.len();
        self.starts.extend(starts);
        if self.starts.len() > from {
            self.rows.push(Standing { record, field, length, starts: from..self.starts.len() });
        }
    }

    /// Those with the other word so many words later.
    fn followed_by(&self, next: &Self, later: u32) -> Self {
        let mut both = Self::default();
        let mut rest = next.rows.iter().peekable();
        for here in &self.rows {
            while rest.next_if(|there| there.place() < here.place()).is_some() {}
            let Some(there) = rest.peek().filter(|there| there.place() == here.place()) else { continue };
            let there = &next.starts[there.starts.clone()];
            let starts = self.starts[here.starts.clone()].iter().copied();
            both.push(here.place(), here.length, starts.filter(|start| there.binary_search(&(start + later)).is_ok()));
        }
        both
    }

    /// In order, each place once, when several words with the same stem stand in it.
    fn in_order(mut self) -> Self {
        if self.rows.is_sorted_by(|a, b| a.place() < b.place()) {
            return self;
        }
        self.rows.sort_by_key(Standing::place);
        let mut ordered = Self::default();
        for same in self.rows.chunk_by(|a, b| a.place() == b.place()) {
            let mut starts: Vec<u32> = same.iter().flat_map(|row| &self.starts[row.starts.clone()]).copied().collect();
            starts.sort_unstable();
            ordered.push(same[0].place(), same[0].length, starts);
        }
        ordered
    }
}

fn standing(tx: &Connection, segment: i64, sought: &Sought, fields: &[u32]) -> Result<Standings> {
    let mut standing = Standings::default();
    each_chunk(tx, segment, sought, |number, chunk| {
        let Some(field) = index_of(fields, number) else { return Ok(()) };
        let mut list = List::default();
        postings::unpack(chunk, &mut list).ok_or_else(|| corrupt("a chunk of the word index"))?;
        for (posting, places) in list.iter() {
            standing.push((posting.record, field), posting.length, places.iter().copied());
        }
        Ok(())
    })?;
    Ok(standing.in_order())
}

/// The word numbers at which a unit stands in one field of one record, if it is in this segment.
pub(crate) fn places(tx: &Connection, segment: i64, unit: &Unit, field: u32, record: i64) -> Result<Vec<u32>> {
    let mut starts: Option<Vec<u32>> = None;
    for (nth, sought) in (0_u32..).zip(&unit.0) {
        let mut here = places_of(tx, segment, sought, field, record)?;
        here.sort_unstable();
        starts = Some(match starts {
            None => here,
            Some(mut starts) => {
                starts.retain(|start| here.binary_search(&(start + nth)).is_ok());
                starts
            }
        });
    }
    Ok(starts.unwrap_or_default())
}

fn places_of(tx: &Connection, segment: i64, sought: &Sought, field: u32, record: i64) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    let mut take = |chunk: &[u8]| {
        let mut list = List::default();
        postings::unpack(chunk, &mut list).ok_or_else(|| corrupt("a chunk of the word index"))?;
        for (_, places) in list.iter().filter(|(posting, _)| posting.record == record) {
            found.extend(places);
        }
        Ok(())
    };
    match sought {
        Sought::Prefix(_) => {
            each_chunk(tx, segment, sought, |number, chunk| if number == field { take(chunk) } else { Ok(()) })?;
        }
        Sought::Stem(stem) => {
            for term in terms(tx, segment, stem)? {
                let key = word_key(&term, field);
                let mut statement = tx.prepare_cached(
                    "SELECT data FROM leaf WHERE segment = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1",
                )?;
                let mut rows = statement.query((segment, leaf::place(&key, record)))?;
                let Some(row) = rows.next()? else { continue };
                let data = row.get_ref(0)?.as_blob().map_err(|_| corrupt("a leaf of the word index"))?;
                let mut entries = Entries::new(data);
                while let Some(chunk) = entries.next_chunk() {
                    if entries.key() == key {
                        take(chunk)?;
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Which of the fields asked for; a record's other fields take no part.
fn index_of(fields: &[u32], number: u32) -> Option<u32> {
    fields.iter().position(|field| *field == number).and_then(|at| u32::try_from(at).ok())
}
