//! Which records mean something like what is asked.

use std::sync::Arc;

use rusqlite::Connection;
use vitrine_contract::search::IndexCoverage;
use vitrine_embed::{DIMENSIONS, Encoder, Vector, scan};
use vitrine_engine::port::{StoreError, Weights};

use super::Place;
use super::ranking::Scored;
use crate::fault::{Fault, Result};
use crate::semantic::{self, CellVectors, VectorCache};

/// Vectors that are compared in full: the nearest by their signs alone.
const CANDIDATES: usize = 1_000;
/// The length of every vector.
const LENGTH: f64 = 400.0;
/// Records less alike than this have nothing to do with what is asked.
pub(super) const LEAST: f64 = 0.1;

/// The meaning of a query, and where it is looked for.
pub(super) struct Meaning<'a, 'p> {
    tx: &'a Connection,
    places: &'a [Place<'p>],
    query: Vector,
    vectors: Vec<Arc<CellVectors>>,
    /// The last vector that counts.
    last: i64,
}

impl<'a, 'p> Meaning<'a, 'p> {
    /// Texts that are read while a walk goes on do not count in it: their records would change places.
    pub(super) fn of(
        tx: &'a Connection,
        cache: &VectorCache,
        places: &'a [Place<'p>],
        text: &str,
        before: Option<&Weights>,
    ) -> Result<Self> {
        let failed = |error: vitrine_embed::EncodeError| Fault::from(StoreError::Failed(error.to_string()));
        let query = Encoder::bundled().and_then(|encoder| encoder.encode_query(text)).map_err(failed)?;
        let vectors = places.iter().map(|place| match place.semantic.as_slice() {
            [] => Ok(Arc::default()),
            _ => cache.of_cell(tx, place.scope.cell()),
        });
        let last = before.map_or_else(|| semantic::newest(tx), |weights| Ok(weights.last_read))?;
        Ok(Self { tx, places, query, vectors: vectors.collect::<Result<_>>()?, last })
    }

    /// What later pages of a walk need to know of it.
    pub(super) fn note(&self, weights: &mut Weights) {
        weights.last_read = self.last;
    }

    /// The records nearest to the query, and whether those are all there are. Vectors are cut down
    /// to candidates only after those the caller may not see are left out.
    pub(super) fn nearest(&self) -> Result<(Vec<Scored>, bool)> {
        let mut late = false;
        let bits = self.query.bits();
        let mut counts = [0_usize; DIMENSIONS + 1];
        let mut seen: Vec<Vec<(u16, i64)>> = Vec::with_capacity(self.places.len());
        for (place, vectors) in self.places.iter().zip(&self.vectors) {
            let distances = scan::distances(&bits, &vectors.bits);
            let mut visible = Vec::with_capacity(distances.len());
            let mut allowed = place.allowed.as_deref();
            for (owner, distance) in vectors.owners.iter().zip(distances) {
                if !place.semantic.contains(&owner.field) || !is_next(&mut allowed, owner.record) {
                    continue;
                }
                if i64::from(owner.number) > self.last {
                    late = true;
                    continue;
                }
                counts[usize::from(distance)] += 1;
                visible.push((distance, owner.record));
            }
            seen.push(visible);
        }
        let total: usize = counts.iter().sum();
        let mut below = 0;
        let limit = counts.iter().position(|count| {
            below += count;
            below >= CANDIDATES
        });
        let limit = limit.unwrap_or(DIMENSIONS);
        let mut scored = Vec::new();
        for (place, visible) in seen.iter().enumerate() {
            let near = visible.iter().filter(|(distance, _)| usize::from(*distance) <= limit);
            let mut records: Vec<i64> = near.map(|(_, record)| *record).collect();
            records.dedup();
            for record in records {
                if let Some(score) = self.likeness(place, record)?.filter(|score| *score >= LEAST) {
                    scored.push(Scored { score, place, record, words: false, meaning: true });
                }
            }
        }
        let all = !late && below <= CANDIDATES && total <= CANDIDATES;
        Ok((scored, all))
    }

    /// How alike one record is: its best passage, or the best of each field together, if that is more. None when nothing
    /// of it was read yet.
    pub(super) fn likeness(&self, place: usize, record: i64) -> Result<Option<f64>> {
        let here = &self.places[place];
        let sql = "SELECT field, data FROM vector WHERE cell = ?1 AND record = ?2 AND number <= ?3";
        let mut statement = self.tx.prepare_cached(sql)?;
        let mut rows = statement.query((here.scope.cell(), record, self.last))?;
        let mut best: Vec<(u32, i32, Vector)> = Vec::new();
        while let Some(row) = rows.next()? {
            let field = row.get(0)?;
            if !here.semantic.contains(&field) {
                continue;
            }
            let vector = semantic::vector(row.get_ref(1)?)?;
            let dot = self.query.dot(&vector);
            match best.iter_mut().find(|(known, ..)| *known == field) {
                Some(known) if known.1 >= dot => {}
                Some(known) => *known = (field, dot, vector),
                None => best.push((field, dot, vector)),
            }
        }
        let alone = best.iter().map(|(_, dot, _)| score(f64::from(*dot) / LENGTH));
        Ok(alone.chain(together(&best)).reduce(f64::max))
    }

    /// How much of what the caller may see was read; none when all of it was.
    pub(super) fn coverage(&self) -> Result<Option<IndexCoverage>> {
        let (mut unread, mut total) = (0, 0);
        for place in self.places {
            total += place.records * place.semantic.len() as u64;
            for field in &place.semantic {
                unread += self.unread(place, *field)?;
            }
        }
        Ok((unread > 0).then(|| IndexCoverage { covered: total.saturating_sub(unread), total }))
    }

    fn unread(&self, place: &Place<'_>, field: u32) -> Result<u64> {
        let of_field = (place.scope.cell(), field);
        if place.allowed.is_none() {
            let mut count = self.tx.prepare_cached("SELECT count(*) FROM unread WHERE cell = ?1 AND field = ?2")?;
            return Ok(count.query_row(of_field, |row| row.get::<_, i64>(0))?.cast_unsigned());
        }
        let mut statement = self.tx.prepare_cached("SELECT record FROM unread WHERE cell = ?1 AND field = ?2")?;
        let mut rows = statement.query(of_field)?;
        let mut unread = 0;
        while let Some(row) = rows.next()? {
            unread += u64::from(place.allows(row.get(0)?));
        }
        Ok(unread)
    }
}

/// Whether a record is among those allowed; records and those allowed both come in order.
fn is_next(allowed: &mut Option<&[i64]>, record: i64) -> bool {
    let Some(rest) = allowed else { return true };
    *rest = &rest[rest.partition_point(|known| *known < record)..];
    rest.first() == Some(&record)
}

/// How alike the sum of vectors is: much like what a vector of all their texts would be.
fn together(best: &[(u32, i32, Vector)]) -> Option<f64> {
    if best.len() < 2 {
        return None;
    }
    let mut sum = [0_i32; DIMENSIONS];
    for (_, _, vector) in best {
        for (sum, number) in sum.iter_mut().zip(vector.dimensions()) {
            *sum += i32::from(number);
        }
    }
    let length = sum.iter().map(|number| f64::from(number * number)).sum::<f64>().sqrt();
    let dots: i32 = best.iter().map(|(_, dot, _)| dot).sum();
    (length > 0.0).then(|| score(f64::from(dots) / length))
}

/// From the dot product of the query with a vector of length one.
fn score(dot: f64) -> f64 {
    (dot / LENGTH).clamp(-1.0, 1.0)
}
