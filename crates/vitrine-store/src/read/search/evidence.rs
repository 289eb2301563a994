//! The proof of a match: where it stands, and the characters around it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rusqlite::Connection;
use vitrine_contract::values;
use vitrine_engine::gate;
use vitrine_engine::port::{Evidence, FoundHit, Row, Weights};
use vitrine_engine::words::Reading;

use super::Place;
use super::long_text::LongText;
use super::ranking::Scored;
use super::standing::{Reader, Standing};
use crate::fault::{Result, corrupt};
use crate::lexical::{self, LexicalField};
use crate::read::emitted_at;
use crate::row::{self, Payload, Wanted, show};

/// Windows of a hit at most.
const MAX_WINDOWS: usize = 3;
/// Characters of a window.
pub(super) const WINDOW_CHARS: u64 = 320;
/// Characters of the fields that are brought along.
const SHOWN_CHARS: u32 = 512;

/// Finds what was wanted in the records that match.
pub(super) struct Finder<'a> {
    tx: &'a Connection,
    reading: &'a Reading,
    weights: &'a Weights,
    reader: Reader<'a>,
}

/// The text of one lexical field of a record.
enum Text<'t> {
    Short(Cow<'t, str>),
    Long(LongText<'t>),
}

/// A stretch of a field worth showing.
struct Candidate {
    field: usize,
    units: BTreeSet<usize>,
    /// The first match in it.
    found: (u64, u64),
    /// Where the last one ends.
    end: u64,
}

impl<'a> Finder<'a> {
    pub(super) fn new(tx: &'a Connection, reading: &'a Reading, weights: &'a Weights) -> Self {
        Self { tx, reading, weights, reader: Reader::new(&reading.units) }
    }

    /// A match, with its proof and the fields to bring along.
    pub(super) fn hit(&self, place: &Place<'_>, hit: &Scored, shown: &BTreeSet<String>) -> Result<FoundHit> {
        let mut statement =
            self.tx.prepare_cached("SELECT id, data, long, emitted, extra FROM record WHERE number = ?1")?;
        let mut rows = statement.query([hit.record])?;
        let row = rows.next()?.ok_or_else(|| corrupt("a word without a record"))?;
        let text = |at| row.get_ref(at).ok().and_then(|value| value.as_str_or_null().ok().flatten());
        let data = text(1).ok_or_else(|| corrupt("a record without a payload"))?;
        let (matched_fields, evidence) = self.proof(place, hit.record, data, text(2))?;
        let visible = shown.iter().filter(|field| place.scope.visible().contains(field)).cloned().collect();
        let visible = gate::Fields::Only(std::sync::Arc::new(visible));
        let payload = Payload {
            record: hit.record,
            data: Cow::Borrowed(data),
            long: text(2).map(Cow::Borrowed),
            extra: row.get(4)?,
        };
        let shown = show(self.tx, payload, Wanted::only(&visible, SHOWN_CHARS))?;
        let row = Row {
            scope: place.number,
            id: row.get(0)?,
            data: shown.data,
            cut: shown.cut,
            emitted_at: emitted_at(row.get(3)?),
            ..Row::default()
        };
        let Scored { score, words: lexical, meaning: semantic, .. } = *hit;
        Ok(FoundHit { row, score, matched_fields, evidence, lexical, semantic })
    }

    fn proof(
        &self,
        place: &Place<'_>,
        record: i64,
        data: &str,
        long: Option<&str>,
    ) -> Result<(Vec<String>, Vec<Evidence>)> {
        let long = row::long_fields(long)?;
        let values = values::fields(data);
        let mut texts: Vec<Option<Text<'_>>> = Vec::with_capacity(place.fields.len());
        let (mut matched, mut candidates) = (Vec::new(), Vec::new());
        for (number, field) in place.fields.iter().enumerate() {
            let kept = long.iter().position(|long| long.name == field.name);
            let text = match (kept, values.iter().find(|(name, _)| *name == field.name)) {
                (Some(slot), _) if long[slot].json => None,
                (Some(slot), _) => Some(Text::Long(LongText { tx: self.tx, record, slot, chars: long[slot].chars })),
                (None, Some((_, json))) => lexical::string(json)?.map(Text::Short),
                (None, None) => None,
            };
            let found = match &text {
                Some(Text::Short(text)) => self.stretches(number, &self.reader.find(text)),
                Some(Text::Long(text)) => self.stretches_of_long(place, (number, field), text)?,
                None => Vec::new(),
            };
            if !found.is_empty() {
                matched.push(field.name.clone());
                candidates.extend(found);
            }
            texts.push(text);
        }
        let mut evidence = Vec::new();
        for candidate in self.choose(candidates) {
            if let Some(text) = &texts[candidate.field] {
                evidence.push(window(&place.fields[candidate.field].name, text, &candidate)?);
            }
        }
        Ok((matched, evidence))
    }

    /// The best stretches of a text that do not overlap.
    fn stretches(&self, field: usize, standing: &[Standing]) -> Vec<Candidate> {
        let mut all: Vec<Candidate> = Vec::new();
        for (at, first) in standing.iter().enumerate() {
            let room = (first.start + WINDOW_CHARS).max(first.end);
            let inside = standing[at..].iter().take_while(|s| s.start < room).filter(|s| s.end <= room);
            let mut units = BTreeSet::new();
            let mut end = first.end;
            for standing in inside {
                units.insert(standing.unit);
                end = end.max(standing.end);
            }
            all.push(Candidate { field, units, found: (first.start, first.end), end });
        }
        all.sort_by(|a, b| self.worth(&b.units).total_cmp(&self.worth(&a.units)).then(a.found.cmp(&b.found)));
        let mut best: Vec<Candidate> = Vec::new();
        for candidate in all {
            let overlaps = |other: &Candidate| candidate.found.0 < other.end && other.found.0 < candidate.end;
            if best.len() < MAX_WINDOWS && !best.iter().any(overlaps) {
                best.push(candidate);
            }
        }
        best
    }

    /// Where the index says that the units stand, without reading the whole text.
    fn stretches_of_long(
        &self,
        place: &Place<'_>,
        (number, field): (usize, &LexicalField),
        text: &LongText<'_>,
    ) -> Result<Vec<Candidate>> {
        let mut standing = Vec::new();
        for stretch in text.stretches(&place.segments, field.number, &self.reading.units, |unit| self.rarity(unit))? {
            let here = self.reader.find(&stretch.text);
            standing.extend(here.iter().map(|s| Standing {
                unit: s.unit,
                start: s.start + stretch.start,
                end: s.end + stretch.start,
            }));
        }
        standing.sort_by_key(|s| (s.start, s.unit));
        standing.dedup();
        Ok(self.stretches(number, &standing))
    }

    /// At most three stretches, each of which shows what the others do not.
    fn choose(&self, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
        let mut chosen: Vec<Candidate> = Vec::new();
        let mut seen = BTreeSet::new();
        while chosen.len() < MAX_WINDOWS && !candidates.is_empty() {
            let worth = |candidate: &Candidate| {
                let fresh = candidate.units.difference(&seen).copied().collect();
                (self.worth(&fresh), self.worth(&candidate.units))
            };
            let best = (0..candidates.len()).rev().max_by(|a, b| {
                let (a, b) = (worth(&candidates[*a]), worth(&candidates[*b]));
                a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
            });
            let Some(best) = best else { break };
            let candidate = candidates.remove(best);
            seen.extend(candidate.units.iter().copied());
            chosen.push(candidate);
        }
        chosen
    }

    fn worth(&self, units: &BTreeSet<usize>) -> f64 {
        units.iter().map(|unit| self.rarity(*unit)).sum()
    }

    fn rarity(&self, unit: usize) -> f64 {
        self.weights.rarity.get(unit).copied().unwrap_or(1.0)
    }
}

/// The characters around a stretch, and where its first match stands.
fn window(field: &str, text: &Text<'_>, candidate: &Candidate) -> Result<Evidence> {
    let total = match text {
        Text::Short(text) => text.chars().count() as u64,
        Text::Long(text) => text.chars,
    };
    let (from, to) = candidate.found;
    let to = to.min(from + WINDOW_CHARS);
    let middle = u64::midpoint(from, candidate.end.clamp(to, from + WINDOW_CHARS));
    let last_start = total.saturating_sub(WINDOW_CHARS);
    let start = middle.saturating_sub(WINDOW_CHARS / 2).min(last_start).min(from);
    let count = WINDOW_CHARS.min(total - start);
    let shown = match text {
        Text::Short(text) => {
            let (skip, take) = (usize::try_from(start).unwrap_or(usize::MAX), usize::try_from(count).unwrap_or(0));
            text.chars().skip(skip).take(take).collect()
        }
        Text::Long(text) => text.read(start, count)?,
    };
    Ok(Evidence { field: field.to_owned(), text: shown, start, found: (from, to), total })
}
