//! Words and meaning together.

use std::collections::BTreeMap;

use rusqlite::Connection;
use vitrine_engine::port::Weights;

use super::likeness::{LEAST, Meaning};
use super::matching::Matches;
use super::ranking::Scored;
use super::{Place, Ranking};
use crate::fault::Result;

/// How much words count against meaning.
const WORDS: f64 = 0.3;
/// Matches by words that are compared by meaning as well: the best ones.
const CANDIDATES: usize = 1_000;

/// Ranks what either search finds by both scores. A score by words is measured against the best
/// one, which a walk remembers, so that no score changes while it goes on.
pub(super) fn rank(
    tx: &Connection,
    meaning: &Meaning<'_, '_>,
    places: &[Place<'_>],
    matches: &mut Matches<'_>,
    before: Option<&Weights>,
) -> Result<Ranking> {
    let (mut words, mut weights) = matches.score(tx, places, before)?;
    if before.is_none() {
        weights.best = words.iter().map(|hit| hit.score).fold(0.0, f64::max);
    }
    meaning.note(&mut weights);
    let all_words = words.len() <= CANDIDATES;
    keep_best(&mut words);
    let (alike, all_alike) = meaning.nearest()?;
    let mut fused: BTreeMap<(usize, i64), (f64, Option<f64>)> = BTreeMap::new();
    for hit in words {
        fused.insert((hit.place, hit.record), (hit.score / weights.best.max(f64::MIN_POSITIVE), None));
    }
    for hit in alike.iter().filter(|hit| !matches.is_excluded(hit.place, hit.record)) {
        fused.entry((hit.place, hit.record)).or_default().1 = Some(hit.score);
    }
    let mut scored = Vec::with_capacity(fused.len());
    for ((place, record), (words, alike)) in fused {
        let alike = match alike {
            Some(alike) => alike,
            None => meaning.likeness(place, record)?.unwrap_or_default(),
        };
        let score = WORDS * words + (1.0 - WORDS) * alike.max(0.0);
        scored.push(Scored { score, place, record, words: words > 0.0, meaning: alike >= LEAST });
    }
    let coverage = meaning.coverage()?;
    let complete = all_words && all_alike && coverage.is_none();
    Ok(Ranking { scored, weights, total: None, complete, coverage })
}

/// The best, and all that are as good as the last of them.
fn keep_best(words: &mut Vec<Scored>) {
    if words.len() > CANDIDATES {
        let least = words.select_nth_unstable_by(CANDIDATES - 1, |a, b| b.score.total_cmp(&a.score)).1.score;
        words.retain(|hit| hit.score >= least);
    }
}
