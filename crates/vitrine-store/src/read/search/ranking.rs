//! The best of what matches, always in the same order.

use std::cmp::Ordering;

use rusqlite::Connection;
use vitrine_engine::port::Ranked;

use super::Place;
use crate::fault::Result;

/// A match and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    pub(super) score: f64,
    /// Which of the places.
    pub(super) place: usize,
    pub(super) record: i64,
    /// Found by its words.
    pub(super) words: bool,
    /// Found by its meaning.
    pub(super) meaning: bool,
}

/// Cuts `scored` to the best `rows` after a hit, best first; whether more follow. Equal scores are
/// told apart by connection, stream and id, which are read only where they decide.
pub(super) fn best(
    tx: &Connection,
    places: &[Place<'_>],
    scored: &mut Vec<Scored>,
    after: Option<&Ranked>,
    rows: usize,
) -> Result<bool> {
    let ids = Ids { tx, places };
    if let Some(after) = after {
        let mut kept = Vec::new();
        for hit in scored.drain(..) {
            let follows = match after.score.total_cmp(&hit.score) {
                Ordering::Greater => true,
                Ordering::Less => false,
                Ordering::Equal => ids.follows(&hit, after)?,
            };
            if follows {
                kept.push(hit);
            }
        }
        *scored = kept;
    }
    let descending = |a: &Scored, b: &Scored| b.score.total_cmp(&a.score);
    let more = scored.len() > rows;
    if more {
        let least = scored.select_nth_unstable_by(rows, descending).1.score;
        scored.retain(|hit| hit.score >= least);
    }
    let mut named = Vec::with_capacity(scored.len());
    for hit in scored.drain(..) {
        named.push((hit, ids.of(&hit)?));
    }
    named.sort_by(|(a, a_id), (b, b_id)| {
        descending(a, b).then_with(|| ids.names(a).cmp(&ids.names(b))).then_with(|| a_id.cmp(b_id))
    });
    scored.extend(named.into_iter().take(rows).map(|(hit, _)| hit));
    Ok(more)
}

struct Ids<'a, 'p> {
    tx: &'a Connection,
    places: &'a [Place<'p>],
}

impl Ids<'_, '_> {
    fn of(&self, hit: &Scored) -> Result<String> {
        let mut statement = self.tx.prepare_cached("SELECT id FROM record WHERE number = ?1")?;
        Ok(statement.query_row([hit.record], |row| row.get(0))?)
    }

    fn names(&self, hit: &Scored) -> (&str, &str) {
        let scope = self.places[hit.place].scope;
        (&scope.connection().connection_id, scope.stream_name())
    }

    fn follows(&self, hit: &Scored, after: &Ranked) -> Result<bool> {
        let id = self.of(hit)?;
        let (connection, stream) = self.names(hit);
        Ok((connection, stream, id.as_str()) > (&after.connection_id, &after.stream, &after.id))
    }
}
