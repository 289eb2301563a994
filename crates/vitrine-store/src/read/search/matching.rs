//! Which records have what is wanted, and how much of it.

use rusqlite::Connection;
use vitrine_contract::naming::TITLE_FIELDS;
use vitrine_engine::port::Weights;
use vitrine_engine::words::{Query, Reading, Unit};

use super::Place;
use super::ranking::Scored;
use crate::fault::Result;
use crate::lexical::{self, Occurrences};

/// How soon more of the same word stops counting, and how much a field's length matters: customary
/// values of BM25.
const SATURATION: f64 = 1.5;
const LENGTH_WEIGHT: f64 = 0.75;
/// How much a word counts that stands in what names the record.
const TITLE_WEIGHT: f64 = 2.0;

/// Everything that was wanted, wherever it may be seen.
pub(super) struct Matches<'q> {
    query: &'q Query,
    /// How it was read.
    reading: &'q Reading,
    /// By place, then by unit: occurrences in the order of records and fields.
    wanted: Vec<Vec<Vec<Occurrences>>>,
    /// By place: records that have something excluded, in order.
    excluded: Vec<Vec<i64>>,
    /// By place, then by field: how much a word in it counts.
    fields: Vec<Vec<f64>>,
}

impl<'q> Matches<'q> {
    /// What is wanted, read as a walk `before` did, or else strictly.
    pub(super) fn gather(
        tx: &Connection,
        places: &[Place<'_>],
        query: &'q Query,
        before: Option<&Weights>,
    ) -> Result<Self> {
        let reading = query.reading(before.is_some_and(|weights| weights.relaxed));
        let fields = places.iter().map(field_weights).collect();
        let mut matches = Self { query, reading, wanted: Vec::new(), excluded: Vec::new(), fields };
        for place in places {
            let wanted = reading.units.iter().map(|unit| occurrences(tx, place, unit)).collect::<Result<_>>()?;
            matches.wanted.push(wanted);
            let mut excluded = Vec::new();
            for unit in &query.excluded {
                excluded.extend(occurrences(tx, place, unit)?.iter().map(|o| o.record));
            }
            excluded.sort_unstable();
            matches.excluded.push(excluded);
        }
        Ok(matches)
    }

    /// Every match with its score, in the order of places and records, and how they were weighed:
    /// as `before`, or else by how many of the visible records have each unit.
    pub(super) fn score(
        &mut self,
        tx: &Connection,
        places: &[Place<'_>],
        before: Option<&Weights>,
    ) -> Result<(Vec<Scored>, Weights)> {
        let mut weights = before.cloned().unwrap_or_else(|| self.weigh(places));
        let mut scored: Vec<Scored> = Vec::new();
        if !weights.relaxed {
            scored.extend((0..places.len()).flat_map(|place| self.together(place, &weights)));
            if scored.is_empty() && before.is_none() && self.query.can_be_relaxed() {
                self.relax(tx, places)?;
                weights = Weights { relaxed: true, ..self.weigh(places) };
            }
        }
        if weights.relaxed {
            scored.extend((0..places.len()).flat_map(|place| self.any(place, &weights)));
        }
        self.raise_pairs(tx, places, &mut scored, &mut weights)?;
        Ok((scored, weights))
    }

    /// Raises the scores of matches that have words side by side as they were typed.
    fn raise_pairs(
        &self,
        tx: &Connection,
        places: &[Place<'_>],
        scored: &mut [Scored],
        weights: &mut Weights,
    ) -> Result<()> {
        if scored.is_empty() {
            return Ok(());
        }
        let records = places.iter().map(|place| place.records).sum();
        for (nth, pair) in (self.reading.units.len()..).zip(&self.reading.pairs) {
            let found = places.iter().map(|place| occurrences(tx, place, &pair.unit)).collect::<Result<Vec<_>>>()?;
            if weights.rarity.len() == nth {
                let having: usize = found.iter().map(|found| distinct(found)).sum();
                weights.rarity.push(pair.emphasis * rarity(records, having as u64));
            }
            let mut rest: Vec<&[Occurrences]> = found.iter().map(Vec::as_slice).collect();
            for hit in scored.iter_mut() {
                let own = advance(&mut rest[hit.place], hit.record);
                hit.score += share(own, &self.fields[hit.place], weights, nth);
            }
        }
        Ok(())
    }

    /// Looks for what counts when nothing has all that is wanted.
    fn relax(&mut self, tx: &Connection, places: &[Place<'_>]) -> Result<()> {
        let strict = std::mem::replace(&mut self.reading, &self.query.relaxed);
        for (place, wanted) in places.iter().zip(&mut self.wanted) {
            let mut known = std::mem::take(wanted);
            for unit in &self.reading.units {
                wanted.push(match strict.units.iter().position(|other| other == unit) {
                    Some(at) => std::mem::take(&mut known[at]),
                    None => occurrences(tx, place, unit)?,
                });
            }
        }
        Ok(())
    }

    /// How telling each unit is, from how many of the visible records have it and how it was stressed.
    pub(super) fn weigh(&self, places: &[Place<'_>]) -> Weights {
        let records: u64 = places.iter().map(|place| place.records).sum();
        let rarity = self.reading.emphasis.iter().enumerate().map(|(unit, emphasis)| {
            let having: usize = self.wanted.iter().map(|units| distinct(&units[unit])).sum();
            emphasis * rarity(records, having as u64)
        });
        let all = || self.wanted.iter().flatten().flatten();
        let (words, texts): (u64, u64) = (all().map(|o| u64::from(o.length)).sum(), all().count() as u64);
        Weights {
            relaxed: false,
            rarity: rarity.collect(),
            length: number(words) / number(texts.max(1)),
            ..Weights::default()
        }
    }

    /// Records that have every unit.
    fn together(&self, place: usize, weights: &Weights) -> Vec<Scored> {
        let units = &self.wanted[place];
        let mut rest: Vec<&[Occurrences]> = units.iter().map(Vec::as_slice).collect();
        let Some(rarest) = (0..units.len()).min_by_key(|unit| units[*unit].len()) else { return Vec::new() };
        let mut scored = Vec::new();
        for here in units[rarest].chunk_by(|a, b| a.record == b.record) {
            let record = here[0].record;
            let mut score = 0.0;
            let complete = (0..units.len()).all(|unit| {
                let own = if unit == rarest { here } else { advance(&mut rest[unit], record) };
                score += share(own, &self.fields[place], weights, unit);
                !own.is_empty()
            });
            if complete && !self.is_excluded(place, record) {
                scored.push(Scored { score, place, record, words: true, meaning: false });
            }
        }
        scored
    }

    /// Records that have any unit.
    fn any(&self, place: usize, weights: &Weights) -> Vec<Scored> {
        let units = &self.wanted[place];
        let mut rest: Vec<&[Occurrences]> = units.iter().map(Vec::as_slice).collect();
        let mut scored = Vec::new();
        while let Some(record) = rest.iter().filter_map(|list| list.first()).map(|o| o.record).min() {
            let mut score = 0.0;
            for (unit, list) in rest.iter_mut().enumerate() {
                score += share(advance(list, record), &self.fields[place], weights, unit);
            }
            if !self.is_excluded(place, record) {
                scored.push(Scored { score, place, record, words: true, meaning: false });
            }
        }
        scored
    }

    pub(super) fn is_excluded(&self, place: usize, record: i64) -> bool {
        self.excluded[place].binary_search(&record).is_ok()
    }
}

/// What each field of a place adds to a word's count. Only the field that gives a record its title stands out, and
/// only where it may be seen.
fn field_weights(place: &Place<'_>) -> Vec<f64> {
    let is_field = |name: &str| place.fields.iter().position(|field| field.name == name);
    let title = TITLE_FIELDS.iter().find_map(|name| is_field(name));
    (0..place.fields.len()).map(|field| if Some(field) == title { TITLE_WEIGHT } else { 1.0 }).collect()
}

/// Where a unit stands in the records a place may see.
fn occurrences(tx: &Connection, place: &Place<'_>, unit: &Unit) -> Result<Vec<Occurrences>> {
    let fields = place.field_numbers();
    let mut all: Vec<Occurrences> = Vec::new();
    if fields.is_empty() {
        return Ok(all);
    }
    for segment in &place.segments {
        let mut found = lexical::occurrences(tx, *segment, unit, &fields)?;
        if place.allowed.is_some() {
            found.retain(|o| place.allows(o.record));
        }
        all.append(&mut found);
    }
    if !all.is_sorted_by_key(|o| (o.record, o.field)) {
        all.sort_by_key(|o| (o.record, o.field));
    }
    Ok(all)
}

fn distinct(occurrences: &[Occurrences]) -> usize {
    occurrences.chunk_by(|a, b| a.record == b.record).count()
}

/// The occurrences of one record, after passing over those before it.
fn advance<'a>(rest: &mut &'a [Occurrences], record: i64) -> &'a [Occurrences] {
    let mut step = 1;
    while rest.get(step).is_some_and(|o| o.record < record) {
        *rest = &rest[step..];
        step *= 2;
    }
    let near = &rest[..rest.len().min(step + 1)];
    *rest = &rest[near.partition_point(|o| o.record < record)..];
    let own = rest.iter().take_while(|o| o.record == record).count();
    let (own, after) = rest.split_at(own);
    *rest = after;
    own
}

/// What one unit adds to a record's score. A word in a short field tells more than in a long one.
fn share(own: &[Occurrences], fields: &[f64], weights: &Weights, unit: usize) -> f64 {
    let telling = |o: &Occurrences| {
        let length = f64::from(o.length) / weights.length;
        fields[o.field as usize] * f64::from(o.times) / (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length)
    };
    let times: f64 = own.iter().map(telling).sum();
    let rarity = weights.rarity.get(unit).copied().unwrap_or_default();
    rarity * times * (SATURATION + 1.0) / (times + SATURATION)
}

fn rarity(records: u64, having: u64) -> f64 {
    ((number(records) - number(having) + 0.5) / (number(having) + 0.5)).ln_1p()
}

#[expect(clippy::cast_precision_loss, reason = "no store holds so many words")]
fn number(count: u64) -> f64 {
    count as f64
}
