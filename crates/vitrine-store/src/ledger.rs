//! The ledger as files: segments of JSON lines, each line bound to all before it by a hash.
//!
//! ```text
//! ledger/00000001.log   segment line, entries, checkpoint line (signed)
//! ledger/00000002.log   segment line, entries, …          the one that is written to
//! ledger/00000001.idx   where each client, grant, stream and record stands; derived
//! ledger/head.json      how far the book reached when it was last flushed, signed
//! ledger/dropped.ndjson what is left of segments that retention dropped, signed
//! ledger/key            what signs; ledger/lock is held while a line is written
//! ```
//!
//! Several processes write to one book: each takes the lock, reads what others added since, and
//! adds its lines with one write.

mod copy;
mod flush;
mod line;
mod pen;
mod postings;
mod queue;
mod retention;
mod search;
mod segments;
mod signature;
mod uses;
mod verify;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use vitrine_contract::time;
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::ledger::{Disclosure, Ledger, LedgerAsk, LedgerPage};
use vitrine_engine::port::{StoreError, StoreResult};

use crate::database::aside;
pub use copy::BookFile;
use flush::Flusher;
use pen::{Line, Pen};
use queue::Queue;
use segments::Places;
pub use signature::Head;
pub use verify::{Fault, HeadCheck, Report};

/// Bytes of the book when the owner has not said otherwise: some millions of entries.
const DEFAULT_MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// The least bound that makes sense.
pub const LEAST_MAX_BYTES: u64 = 64 * 1024;
/// Bytes of a segment; fewer when the whole book may be small.
const SEGMENT_BYTES: u64 = 8 * 1024 * 1024;

/// Why the book could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The files cannot be read or written.
    #[error("the ledger cannot be read or written: {0}")]
    Io(#[from] io::Error),
    /// Something in it is not as it was written.
    #[error("the ledger is damaged at {place}: {what}. `vitrine ledger verify` tells more")]
    Damaged {
        /// Where.
        place: String,
        /// What is wrong.
        what: String,
    },
}

pub(crate) type Result<T> = std::result::Result<T, LedgerError>;

impl LedgerError {
    fn damaged(path: &Path, what: &str) -> Self {
        Self::Damaged { place: path.display().to_string(), what: what.to_owned() }
    }
}

impl From<serde_json::Error> for LedgerError {
    fn from(error: serde_json::Error) -> Self {
        Self::Io(error.into())
    }
}

impl From<LedgerError> for StoreError {
    fn from(error: LedgerError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// What the owner has decided about the book. Each change is itself a line of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Bytes of all segments at most: the oldest are dropped.
    pub max_bytes: u64,
    /// Days an entry is kept; none is as long as there is room.
    pub max_days: Option<u32>,
    /// When entries are forced to the disk.
    pub flush: Flush,
}

/// When entries are forced to the disk. They outlive the process in either case; this is about
/// power cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flush {
    /// Within a second.
    EverySecond,
    /// Before the answer leaves.
    EachEntry,
}

impl Default for Settings {
    fn default() -> Self {
        Self { max_bytes: DEFAULT_MAX_BYTES, max_days: None, flush: Flush::EverySecond }
    }
}

impl Settings {
    /// Small books have small segments, so that retention has something to drop.
    fn segment_bytes(&self) -> u64 {
        SEGMENT_BYTES.min(self.max_bytes / 8)
    }
}

/// The book of one store.
pub struct Book {
    shared: Arc<Shared>,
    flusher: Flusher,
    queue: Queue,
}

/// What the book and the thread that flushes it both use.
struct Shared {
    places: Places,
    clock: Clock,
    random: Random,
    pen: Mutex<Option<Pen>>,
}

impl Shared {
    /// Works with the pen, made at first use.
    fn with_pen<T>(&self, work: impl FnOnce(&mut Pen) -> Result<T>) -> Result<T> {
        let mut pen = self.pen.lock().unwrap_or_else(PoisonError::into_inner);
        if pen.is_none() {
            *pen = Some(Pen::take(&self.places, &self.random)?);
        }
        pen.as_mut().map_or_else(|| Err(io::Error::other("no pen").into()), work)
    }
}

impl Book {
    /// The book in `directory`, which need not be there before something is entered.
    pub(crate) fn new(directory: PathBuf, clock: Clock, random: Random) -> Self {
        let shared = Arc::new(Shared { places: Places { directory }, clock, random, pen: Mutex::new(None) });
        Self { flusher: Flusher::new(Arc::clone(&shared)), queue: Queue::default(), shared }
    }

    fn write(&self, lines: &[Line]) -> Result<()> {
        let at = self.shared.clock.now();
        let outcome = self.shared.with_pen(|pen| pen.write(lines, at))?;
        for closed in outcome.closed {
            self.flusher.index(closed);
        }
        if outcome.flush == Flush::EverySecond {
            self.flusher.wake();
        }
        Ok(())
    }

    /// What the owner has decided.
    pub fn settings(&self) -> Result<Settings> {
        if self.shared.places.segments()?.is_empty() {
            return Ok(Settings::default());
        }
        self.shared.with_pen(Pen::settings)
    }

    /// Changes what the owner has decided, and drops what is no longer to be kept.
    pub fn decide(&self, settings: Settings) -> Result<()> {
        let at = self.shared.clock.now();
        self.write(&[Line::settings(settings, at)?])?;
        self.shared.with_pen(|pen| pen.retain(at))
    }

    /// How far the book reaches now, signed, as one line of JSON. Keep it somewhere else.
    pub fn head(&self) -> Result<String> {
        let at = time::format(self.shared.clock.now());
        self.shared.with_pen(|pen| pen.head(at))
    }

    /// Checks every line, every signature, and that the book still holds what `head` says.
    pub fn verify(&self, head: Option<&Head>) -> Result<Report> {
        verify::verify(&self.shared.places, head)
    }

    /// As [`Self::verify`], of the last segments only: as many as hold about this many bytes, and at least one.
    pub fn verify_end(&self, bytes: u64) -> Result<Report> {
        verify::verify_end(&self.shared.places, bytes)
    }

    /// The files of the book as they are at one moment, for a copy of it.
    pub fn files(&self) -> Result<Vec<BookFile>> {
        copy::files(&self.shared.places)
    }
}

impl Ledger for Book {
    async fn enter(&self, disclosure: &Disclosure<'_>) -> StoreResult<()> {
        self.queue.enter(Line::entry(disclosure)?, |lines| self.write(lines)).await
    }

    async fn entries(&self, ask: &LedgerAsk) -> StoreResult<LedgerPage> {
        Ok(aside(|| search::entries(&self.shared.places, ask))?)
    }

    async fn last_uses(&self, ids: &[&str]) -> StoreResult<BTreeMap<String, String>> {
        Ok(aside(|| uses::last(&self.shared.places, ids))?)
    }
}

/// For the owner's account alone.
#[cfg(unix)]
fn private(options: &mut std::fs::OpenOptions) -> &mut std::fs::OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

#[cfg(not(unix))]
fn private(options: &mut std::fs::OpenOptions) -> &mut std::fs::OpenOptions {
    options
}
