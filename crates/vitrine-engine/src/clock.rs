//! Time and randomness, passed in so that tests can hold them still.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use rand::rngs::{StdRng, SysRng};
use rand::{Rng, SeedableRng, TryRng};

/// Where the present comes from.
#[derive(Debug, Clone)]
pub enum Clock {
    /// The machine's clock.
    System,
    /// Seconds since 1970, moved by hand.
    Manual(Arc<AtomicI64>),
}

impl Clock {
    /// A clock that stands at `second` until it is moved.
    pub fn manual(second: i64) -> Self {
        Self::Manual(Arc::new(AtomicI64::new(second)))
    }

    /// The present.
    pub fn now(&self) -> Timestamp {
        match self {
            #[expect(clippy::disallowed_methods, reason = "the one place that asks the machine")]
            Self::System => Timestamp::now(),
            Self::Manual(second) => Timestamp::from_second(second.load(Ordering::Relaxed)).unwrap_or_default(),
        }
    }

    /// Moves a manual clock; the machine's clock stays as it is.
    pub fn advance(&self, seconds: i64) {
        if let Self::Manual(second) = self {
            second.fetch_add(seconds, Ordering::Relaxed);
        }
    }
}

/// Where unpredictable bytes come from.
#[derive(Debug, Clone)]
pub enum Random {
    /// The operating system.
    System,
    /// A fixed seed, for tests and sample data.
    Seeded(Arc<std::sync::Mutex<StdRng>>),
}

impl Random {
    /// Repeatable bytes.
    pub fn seeded(seed: u64) -> Self {
        Self::Seeded(Arc::new(std::sync::Mutex::new(StdRng::seed_from_u64(seed))))
    }

    /// Fresh bytes.
    ///
    /// # Panics
    /// When the operating system has no randomness to give: nothing could be issued safely then.
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        match self {
            Self::System => SysRng.try_fill_bytes(&mut bytes).expect("the operating system gives random bytes"),
            Self::Seeded(rng) => {
                rng.lock().unwrap_or_else(std::sync::PoisonError::into_inner).fill_bytes(&mut bytes);
            }
        }
        bytes
    }
}
