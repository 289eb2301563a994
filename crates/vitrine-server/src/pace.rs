//! How fast a client may call: a bucket for each token, and one for each address that presents tokens nobody issued.
//!
//! A bucket holds a minute's worth of requests and refills steadily. It is kept as one number, the moment at which it is
//! full again.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use vitrine_contract::{ApiError, ErrorCode};
use vitrine_engine::token::TokenDigest;

use crate::app::Limits;
use crate::peer::Peer;

/// Where the number of seconds to wait stands in the error object, and from there in the header.
pub(crate) const RETRY_AFTER: &str = "retry_after";

/// Microseconds.
const SECOND: i64 = 1_000_000;
const BURST: i64 = 60 * SECOND;
/// Buckets kept of each kind. Past that, newcomers share one.
const MAX_BUCKETS: usize = 65_536;

/// All buckets of one server.
pub(crate) struct Pace {
    callers: Buckets<[u8; 32]>,
    strangers: Buckets<IpAddr>,
}

impl Pace {
    pub(crate) fn new(limits: Limits) -> Self {
        Self {
            callers: Buckets::new(limits.requests_per_second, MAX_BUCKETS),
            strangers: Buckets::new(limits.refusals_per_second, MAX_BUCKETS),
        }
    }

    /// Counts a request under a token that was issued here.
    pub(crate) fn caller(&self, token: &str, now: Timestamp) -> Result<(), ApiError> {
        self.callers.take(*TokenDigest::of(token).as_bytes(), now).map_err(|wait| too_fast(wait, "with this token"))
    }

    /// Counts a request without such a token. A client with a good one is not held up by who else calls from its address.
    pub(crate) fn stranger(&self, peer: Option<Peer>, now: Timestamp) -> Result<(), ApiError> {
        let network = peer.map_or(Ipv6Addr::UNSPECIFIED.into(), Peer::network);
        self.strangers.take(network, now).map_err(|wait| too_fast(wait, "without a valid token from this address"))
    }
}

fn too_fast(seconds: i64, how: &str) -> ApiError {
    let message = format!("Too many requests {how}. Wait {seconds} s, then go on more slowly.");
    let mut error = ApiError::new(ErrorCode::RateLimitExceeded, message);
    error.extra.insert(RETRY_AFTER.to_owned(), seconds.into());
    error
}

struct Buckets<K> {
    /// Microseconds until one more request fits; none when there is no limit.
    interval: Option<i64>,
    capacity: usize,
    full_at: Mutex<HashMap<Option<K>, i64>>,
}

impl<K: Hash + Eq> Buckets<K> {
    fn new(per_second: u32, capacity: usize) -> Self {
        Self { interval: SECOND.checked_div(per_second.into()), capacity, full_at: Mutex::default() }
    }

    /// Takes one request out of the bucket, or says how many seconds to wait.
    fn take(&self, key: K, now: Timestamp) -> Result<(), i64> {
        let Some(interval) = self.interval else { return Ok(()) };
        let now = now.as_microsecond();
        let mut all = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = Some(key);
        if all.len() >= self.capacity && !all.contains_key(&key) {
            all.retain(|_, full_at| *full_at > now);
            key = key.filter(|_| all.len() < self.capacity);
        }
        let full_at = all.entry(key).or_insert(now);
        // Later than any bucket can be: the clock was set back, and nobody is to wait for that.
        let clock_set_back = *full_at > now + BURST;
        *full_at = if clock_set_back { now } else { now.max(*full_at) };
        let wait = *full_at + interval - now - BURST;
        if wait > 0 {
            return Err((wait - 1) / SECOND + 1);
        }
        *full_at += interval;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn taken(buckets: &Buckets<u32>, key: u32, second: i64) -> usize {
        std::iter::from_fn(|| buckets.take(key, at(second)).ok()).take(1000).count()
    }

    #[test]
    fn a_bucket_holds_a_minute_and_refills() {
        let buckets = Buckets::new(2, 9);
        assert_eq!(taken(&buckets, 1, 0), 120);
        assert_eq!(buckets.take(1, at(0)), Err(1));
        assert_eq!(taken(&buckets, 2, 0), 120, "another key has its own");
        assert_eq!(taken(&buckets, 1, 3), 6);
        assert_eq!(taken(&buckets, 1, 900), 120, "it never holds more");
    }

    #[test]
    fn zero_is_no_limit() {
        assert_eq!(taken(&Buckets::new(0, 9), 1, 0), 1000);
    }

    #[test]
    fn memory_is_bounded_and_those_too_many_share() {
        let buckets = Buckets::new(1, 3);
        for key in 0..100 {
            let _ = buckets.take(key, at(0));
        }
        assert!(buckets.full_at.lock().unwrap().len() <= 4);
        assert_eq!(taken(&buckets, 1, 0), 59, "who has a bucket keeps it");
        assert_eq!(taken(&buckets, 500, 0), 0, "the rest have used up the shared one");
        assert_eq!(taken(&buckets, 500, 70), 60, "full buckets make room");
    }

    #[test]
    fn a_clock_set_back_locks_nobody_out() {
        let buckets = Buckets::new(1, 9);
        assert_eq!(taken(&buckets, 1, 1_000_000), 60);
        assert_eq!(taken(&buckets, 1, 0), 60);
        assert_eq!(taken(&buckets, 1, 10), 10);
    }
}
