//! What every handler shares.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::keeping::Keeper;
use vitrine_engine::ledger::Via;
use vitrine_engine::oauth::Authority;
use vitrine_engine::oauth::throttle::Throttle;
use vitrine_engine::owner::Owner;
use vitrine_engine::{Caller, Ledgered, LocalRead};

use crate::clients::Here;
use crate::oauth::Documents;

/// One served store.
pub struct App<S> {
    /// The records and grants.
    pub store: Arc<S>,
    /// Where the present comes from.
    pub clock: Clock,
    /// Where ids and tokens come from.
    pub random: Random,
    /// The origin under which clients reach this server, without a slash at the end.
    pub public_url: Arc<str>,
    /// Vitrine on this machine, for what the pages say to type.
    pub here: Here,
    /// What one client may use up.
    pub limits: Limits,
    /// What keeps guessers and strangers at bay.
    pub guard: Guard,
}

/// Passwords checked at once: each takes a core and 19 MB for a moment.
const HASHES: usize = 2;

/// What keeps guessers and strangers at bay.
pub struct Guard {
    /// Where clients' metadata documents come from.
    pub documents: Documents,
    pub(crate) hashing: Semaphore,
    pub(crate) passwords: Throttle,
    pub(crate) user_codes: Throttle,
}

impl Guard {
    /// With clients' metadata documents from there.
    pub fn with(documents: Documents) -> Self {
        let (passwords, user_codes) = (Throttle::default(), Throttle::default());
        Self { documents, hashing: Semaphore::new(HASHES), passwords, user_codes }
    }
}

impl Default for Guard {
    fn default() -> Self {
        Self::with(Documents::default())
    }
}

/// What one client may use up before it is turned away.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of a JSON body.
    pub json_bytes: usize,
    /// Bytes of a blob.
    pub blob_bytes: usize,
    /// Until a request's head must have arrived; also how long an idle connection stays open.
    pub head_timeout: Duration,
    /// Silence in the middle of a transfer, in either direction.
    pub idle_timeout: Duration,
    /// Requests of one token, in the long run; a minute's worth at once. Zero is no limit.
    pub requests_per_second: u32,
    /// Requests of one address without a valid token, likewise.
    pub refusals_per_second: u32,
    /// Connections open at once.
    pub connections: usize,
    /// Time for requests under way when the server stops.
    pub shutdown_grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            json_bytes: 4 * 1024 * 1024,
            blob_bytes: 64 * 1024 * 1024,
            head_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(30),
            requests_per_second: 1_000,
            refusals_per_second: 10,
            connections: 1_024,
            shutdown_grace: Duration::from_secs(10),
        }
    }
}

impl<S: Keeper> App<S> {
    pub(crate) fn owner(&self) -> Owner<'_, S> {
        Owner::new(&self.store, &self.clock, &self.random)
    }

    pub(crate) fn authority(&self) -> Authority<'_, S> {
        Authority::new(&*self.store, &self.clock, &self.random, &self.public_url)
    }

    /// The caller's reads, entered in the ledger as coming in by `via`.
    pub(crate) fn reader(&self, caller: Caller, via: Via) -> Ledgered<S> {
        let (clock, random) = (self.clock.clone(), self.random.clone());
        let read = LocalRead::new(Arc::clone(&self.store), caller, clock, random, Arc::clone(&self.public_url));
        Ledgered::new(read, via)
    }
}
