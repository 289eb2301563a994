//! Who has a store open. Everyone who does holds a lock; whoever replaces the store must be alone.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

use rusqlite::Connection;

use crate::OpenError;

/// Held as long as the store is open, or as long as nobody else may open it.
#[derive(Debug)]
pub struct Held {
    _lock: File,
}

/// Notes that the store at `path` is in use.
pub(crate) fn share(path: &Path) -> Result<Held, OpenError> {
    hold(path, File::try_lock_shared)
}

/// Keeps everyone away from the store at `path`, unless someone has it open.
pub fn alone(path: &Path) -> Result<Held, OpenError> {
    hold(path, File::try_lock)
}

impl Held {
    /// Whether the store at `path` has nothing in it: no source, no grant. What is not a store is not empty.
    pub fn is_empty(&self, path: &Path) -> bool {
        const NOTHING: &str = "SELECT NOT EXISTS (SELECT 1 FROM source) AND NOT EXISTS (SELECT 1 FROM access_grant)";
        let looked = || Connection::open(path)?.query_row(NOTHING, [], |row| row.get(0));
        looked().unwrap_or(false)
    }
}

fn hold(path: &Path, take: fn(&File) -> Result<(), TryLockError>) -> Result<Held, OpenError> {
    let shown = || path.display().to_string();
    let failed = |error: io::Error| OpenError::Failed { path: shown(), reason: error.to_string() };
    let lock = path.with_extension("lock");
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&lock).map_err(failed)?;
    crate::open::restrict(&lock, 0o600);
    match take(&file) {
        Ok(()) => Ok(Held { _lock: file }),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse(shown())),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}
