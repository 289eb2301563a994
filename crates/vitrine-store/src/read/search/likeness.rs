//! Which records mean something like what is asked.

use std::collections::HashMap;
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
/// The dot product of a vector with itself.
const WHOLE: f64 = 160_000.0;
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
        let mut seen: Vec<Vec<(u16, u32)>> = Vec::with_capacity(self.places.len());
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
                visible.push((distance, owner.number));
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
        let mut best = HashMap::new();
        for (place, visible) in seen.iter().enumerate() {
            for (_, number) in visible.iter().filter(|(distance, _)| usize::from(*distance) <= limit) {
                let mut statement = self.tx.prepare_cached("SELECT record, data FROM vector WHERE number = ?1")?;
                let mut rows = statement.query([number])?;
                let Some(row) = rows.next()? else { continue };
                let likeness = self.query.dot(&semantic::vector(row.get_ref(1)?)?);
                let known = best.entry((place, row.get::<_, i64>(0)?)).or_insert(i32::MIN);
                *known = likeness.max(*known);
            }
        }
        let scored = best.into_iter().map(|((place, record), dot)| Scored {
            score: score(dot),
            place,
            record,
            words: false,
            meaning: true,
        });
        let all = !late && below <= CANDIDATES && total <= CANDIDATES;
        Ok((scored.filter(|hit| hit.score >= LEAST).collect(), all))
    }

    /// How alike one record is; none when nothing of it was read yet.
    pub(super) fn likeness(&self, place: usize, record: i64) -> Result<Option<f64>> {
        let here = &self.places[place];
        let sql = "SELECT field, data FROM vector WHERE cell = ?1 AND record = ?2 AND number <= ?3";
        let mut statement = self.tx.prepare_cached(sql)?;
        let mut rows = statement.query((here.scope.cell(), record, self.last))?;
        let mut best = None;
        while let Some(row) = rows.next()? {
            if here.semantic.contains(&row.get(0)?) {
                best = best.max(Some(self.query.dot(&semantic::vector(row.get_ref(1)?)?)));
            }
        }
        Ok(best.map(score))
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

fn score(dot: i32) -> f64 {
    (f64::from(dot) / WHOLE).clamp(-1.0, 1.0)
}
