//! A field kept in pieces: what stands in it is found through the index, not by reading it all.

use rusqlite::Connection;
use vitrine_engine::words::{self, Unit};

use crate::fault::{Result, corrupt};
use crate::lexical;
use crate::row;

/// Stretches of a text that are looked at.
const MAX_STRETCHES: usize = 3;
/// Words of a stretch.
const STRETCH_WORDS: u32 = 48;
/// Characters read at a time to find a word's place.
const READ_CHARS: u64 = 4_096;

/// A long field of a record.
pub(super) struct LongText<'a> {
    pub(super) tx: &'a Connection,
    pub(super) record: i64,
    pub(super) slot: usize,
    /// Characters in all.
    pub(super) chars: u64,
}

/// Some words of a text, from a character on.
pub(super) struct Stretch {
    pub(super) start: u64,
    pub(super) text: String,
}

impl LongText<'_> {
    pub(super) fn read(&self, start: u64, count: u64) -> Result<String> {
        row::read_text(self.tx, self.record, self.slot, start, count)
    }

    /// The stretches where most of the units stand.
    pub(super) fn stretches(
        &self,
        segments: &[i64],
        field: u32,
        units: &[Unit],
        worth: impl Fn(usize) -> f64,
    ) -> Result<Vec<Stretch>> {
        let mut places = Vec::new();
        for segment in segments {
            for (number, unit) in units.iter().enumerate() {
                let starts = lexical::places(self.tx, *segment, unit, field, self.record)?;
                places.extend(starts.into_iter().map(|start| (start, number)));
            }
            if !places.is_empty() {
                break;
            }
        }
        places.sort_unstable();
        let longest = units.iter().map(|unit| unit.0.len()).max().unwrap_or(1);
        let beyond = u32::try_from(longest - 1).unwrap_or_default();
        let densest = densest(&places, worth).into_iter();
        densest.map(|(first, last)| self.stretch(field, first, last + beyond)).collect()
    }

    /// The text of words `first..=last`, and a little more.
    fn stretch(&self, field: u32, first: u32, last: u32) -> Result<Stretch> {
        let (word, start): (u32, i64) = self
            .tx
            .prepare_cached(
                "SELECT word, at FROM milestone WHERE record = ?1 AND field = ?2 AND word <= ?3 ORDER BY word DESC LIMIT 1",
            )?
            .query_row((self.record, field, first), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let start = start.cast_unsigned();
        let mut text = String::new();
        let mut read = 0;
        loop {
            let more = READ_CHARS.min(self.chars - start - read);
            text.push_str(&self.read(start + read, more)?);
            read += more;
            let ends = start + read == self.chars;
            if let Some((from, to)) = chars_of(&text, first - word, last - word, ends) {
                let inside = text.chars().skip(from).take(to - from).collect();
                return Ok(Stretch { start: start + from as u64, text: inside });
            }
            if ends {
                return Err(corrupt("a word that stands nowhere"));
            }
        }
    }
}

/// From the first character of one word to the end of another; none when the text is too short to
/// tell. At its very end a word ends too.
fn chars_of(text: &str, first: u32, last: u32, ends: bool) -> Option<(usize, usize)> {
    let (mut number, mut from, mut to, mut after) = (0_u32, None, None, false);
    words::each_word(text, |word| {
        if number == first {
            from = Some(word.start);
        }
        if number <= last {
            to = Some(word.end);
        } else {
            after = true;
        }
        number += 1;
        !after
    });
    let span = (usize::try_from(from?).ok()?, usize::try_from(to?).ok()?);
    (after || ends).then_some(span)
}

/// The stretches of words that hold the most, best first.
fn densest(places: &[(u32, usize)], worth: impl Fn(usize) -> f64) -> Vec<(u32, u32)> {
    let units = places.iter().map(|(_, unit)| unit + 1).max().unwrap_or_default();
    let mut inside = vec![0_u32; units];
    let mut all = Vec::with_capacity(places.len());
    let mut end = 0;
    for (at, (first, unit)) in places.iter().enumerate() {
        while end < places.len() && places[end].0 < first + STRETCH_WORDS {
            inside[places[end].1] += 1;
            end += 1;
        }
        let value: f64 = (0..units).filter(|unit| inside[*unit] > 0).map(&worth).sum();
        all.push((value, *first, places[end - 1].0));
        inside[*unit] -= 1;
        debug_assert!(end > at);
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut best: Vec<(u32, u32)> = Vec::new();
    for (_, first, last) in all {
        if best.len() == MAX_STRETCHES {
            break;
        }
        if !best.iter().any(|(from, to)| first <= *to && *from <= last) {
            best.push((first, last));
        }
    }
    best
}
