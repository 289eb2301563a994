//! Guessing is slowed down: each miss after the first few doubles the wait.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Misses that cost nothing.
const FREE: u32 = 5;
const LONGEST_SECONDS: i64 = 15 * 60;
/// After so long without a try, all is forgotten.
const FORGET_SECONDS: i64 = 60 * 60;
/// Places remembered at once; past that, the one that was quiet longest is forgotten.
const MAX_PLACES: usize = 4_096;

/// Tries from each place.
#[derive(Debug, Default)]
pub struct Throttle(Mutex<BTreeMap<String, Tries>>);

#[derive(Debug, Clone, Copy)]
struct Tries {
    misses: u32,
    last: i64,
    open_at: i64,
}

impl Throttle {
    /// Counts a try as a miss before it is made, so that many at once gain nothing. Answers the
    /// seconds to wait when it is too early.
    pub fn attempt(&self, place: &str, now: i64) -> Result<(), i64> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = places.get(place).copied().filter(|tries| now - tries.last < FORGET_SECONDS);
        let tries = known.unwrap_or(Tries { misses: 0, last: now, open_at: now });
        if now < tries.open_at {
            return Err(tries.open_at - now);
        }
        if known.is_none() && places.len() >= MAX_PLACES {
            let quietest = places.iter().min_by_key(|(_, tries)| tries.last).map(|(place, _)| place.clone());
            quietest.and_then(|place| places.remove(&place));
        }
        let misses = tries.misses.saturating_add(1);
        let wait = if misses < FREE { 0 } else { (1_i64 << (misses - FREE).min(20)).min(LONGEST_SECONDS) };
        places.insert(place.to_owned(), Tries { misses, last: now, open_at: now + wait });
        Ok(())
    }

    /// The try was right.
    pub fn succeeded(&self, place: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misses_make_one_wait_longer_and_longer() {
        let throttle = Throttle::default();
        for _ in 0..FREE {
            assert_eq!(throttle.attempt("a", 0), Ok(()));
        }
        assert_eq!(throttle.attempt("a", 0), Err(1));
        assert_eq!(throttle.attempt("b", 0), Ok(()));
        assert_eq!(throttle.attempt("a", 1), Ok(()));
        assert_eq!(throttle.attempt("a", 1), Err(2));
        let mut now = 1;
        for _ in 0..30 {
            now += throttle.attempt("a", now).err().unwrap_or_default();
            assert_eq!(throttle.attempt("a", now), Ok(()));
        }
        assert_eq!(throttle.attempt("a", now), Err(LONGEST_SECONDS));
        assert_eq!(throttle.attempt("a", now + FORGET_SECONDS), Ok(()));
    }

    #[test]
    fn a_right_try_clears_the_slate_and_memory_is_bounded() {
        let throttle = Throttle::default();
        for _ in 0..FREE {
            throttle.attempt("a", 0).unwrap();
        }
        throttle.succeeded("a");
        assert_eq!(throttle.attempt("a", 0), Ok(()));
        for n in 0..2 * MAX_PLACES {
            throttle.attempt(&n.to_string(), 1).unwrap();
        }
        assert_eq!(throttle.0.lock().unwrap().len(), MAX_PLACES);
    }
}
