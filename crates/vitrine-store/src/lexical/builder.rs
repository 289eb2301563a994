//! The words of a batch, gathered in memory and packed as one segment.
//!
//! Neither needs the database: a batch's words are gathered before it is locked or while rows are
//! written. Gathering only numbers the words as they come; what is touched for each is small, and
//! stays near.

use std::hash::BuildHasher;
use std::ops::Range;

use hashbrown::DefaultHashBuilder;
use hashbrown::hash_table::{Entry, HashTable};
use vitrine_engine::words;

use super::leaf::{CHUNK_BYTES, Leaf, Leaves};
use super::postings::{Chunk, Chunks, Posting};
use super::{stem_key, word_key};

/// Words between two milestones of a long field.
const MILESTONE_WORDS: u32 = 256;
/// Bytes of text after which a segment is packed even though the batch goes on.
const MAX_TEXT_BYTES: usize = 16 << 20;

/// Gathers the words of records of one cell.
#[derive(Default)]
pub(crate) struct Builder {
    hasher: DefaultHashBuilder,
    /// Finds a word's number.
    known: HashTable<u32>,
    words: Vec<Word>,
    /// The terms of all words, one after the other.
    terms: String,
    fields: Vec<Field>,
    /// The words of all fields, one after the other.
    sequence: Vec<u32>,
    milestones: Vec<Milestone>,
    records: i64,
    bytes: usize,
}

/// A word in the fields of one number.
struct Word {
    term: Range<usize>,
    field: u32,
    times: u32,
}

/// One field of one record.
struct Field {
    record: i64,
    length: u32,
}

/// Where a word stands.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Which of the builder's fields.
    field: u32,
    place: u32,
}

/// Where in a long field a word stands.
pub(super) struct Milestone {
    pub(super) record: i64,
    pub(super) field: u32,
    pub(super) word: u32,
    pub(super) at: u64,
}

/// A segment that is not written yet.
pub(crate) struct Packed {
    pub(super) records: i64,
    pub(super) leaves: Vec<Leaf>,
    pub(super) milestones: Vec<Milestone>,
}

impl Builder {
    /// Adds the words of one field. Where a `long` one's words stand is noted on the way. Records come in the order
    /// of their numbers.
    pub(crate) fn add(&mut self, record: i64, field: u32, text: &str, long: bool) {
        let Self { hasher, known, words, terms, sequence, milestones, .. } = self;
        let mut length = 0_u32;
        words::each_word(text, |word| {
            if long && length.is_multiple_of(MILESTONE_WORDS) {
                milestones.push(Milestone { record, field, word: length, at: word.start });
            }
            let hash = hasher.hash_one((word.term, field));
            let term_of = |word: &Word| &terms[word.term.clone()];
            let is_it = |at: &u32| words[*at as usize].field == field && *term_of(&words[*at as usize]) == *word.term;
            let hash_of = |at: &u32| hasher.hash_one((term_of(&words[*at as usize]), words[*at as usize].field));
            let number = match known.entry(hash, is_it, hash_of) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(free) => {
                    // A text that is read at once has fewer words than that.
                    let number = u32::try_from(words.len()).unwrap_or(u32::MAX);
                    free.insert(number);
                    words.push(Word { term: terms.len()..terms.len() + word.term.len(), field, times: 0 });
                    terms.push_str(word.term);
                    number
                }
            };
            words[number as usize].times += 1;
            sequence.push(number);
            length += 1;
            true
        });
        if length > 0 {
            self.records += i64::from(self.fields.last().is_none_or(|last| last.record != record));
            self.fields.push(Field { record, length });
        }
        self.bytes += text.len();
    }

    /// Whether so much was gathered that it should be written now.
    pub(crate) fn is_full(&self) -> bool {
        self.bytes > MAX_TEXT_BYTES
    }

    /// Packs what was gathered, the numbers of records counting on from `before`; none when there was no word.
    pub(crate) fn pack(mut self, before: i64) -> Option<Packed> {
        if self.words.is_empty() {
            return None;
        }
        let numbers = self.fields.iter_mut().map(|field| &mut field.record);
        numbers.chain(self.milestones.iter_mut().map(|milestone| &mut milestone.record)).for_each(|n| *n += before);
        let (places, ends) = self.places();
        let term = |number: &u32| &self.terms[self.words[*number as usize].term.clone()];
        let mut order: Vec<u32> = (0..).take(self.words.len()).collect();
        order.sort_unstable_by_key(|number| (term(number), self.words[*number as usize].field));
        let mut stems: Vec<Vec<u8>> =
            order.chunk_by(|a, b| term(a) == term(b)).filter_map(|same| stem_key(term(&same[0]))).collect();
        stems.sort_unstable();
        let mut leaves = Leaves::default();
        for key in stems {
            leaves.push(&key, 0, &[]);
        }
        for number in order {
            let word = &self.words[number as usize];
            let end = ends[number as usize];
            let chunks = self.chunks(&places[end - word.times as usize..end]);
            leaves.push_chunks(&word_key(term(&number), word.field), &chunks);
        }
        Some(Packed { records: self.records, leaves: leaves.finish(), milestones: self.milestones })
    }

    /// Where every word stands, word after word, and where each one's places end.
    fn places(&self) -> (Vec<Place>, Vec<usize>) {
        let mut ends = Vec::with_capacity(self.words.len());
        let mut before = 0;
        for word in &self.words {
            ends.push(before);
            before += word.times as usize;
        }
        let mut places = vec![Place::default(); before];
        let mut sequence = self.sequence.iter();
        for (field, Field { length, .. }) in (0..).zip(&self.fields) {
            for (place, number) in (0..*length).zip(&mut sequence) {
                let end = &mut ends[*number as usize];
                places[*end] = Place { field, place };
                *end += 1;
            }
        }
        (places, ends)
    }

    fn chunks(&self, places: &[Place]) -> Vec<Chunk> {
        let mut chunks = Chunks::default();
        for same in places.chunk_by(|a, b| a.field == b.field) {
            for place in same {
                chunks.place(place.place);
            }
            let Field { record, length } = self.fields[same[0].field as usize];
            let times = u32::try_from(same.len()).unwrap_or(u32::MAX);
            chunks.posting(Posting { record, times, length }, CHUNK_BYTES);
        }
        chunks.finish()
    }
}
