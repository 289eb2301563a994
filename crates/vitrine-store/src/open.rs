//! Opening a store: making it, bringing it forward, or refusing it.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use vitrine_engine::clock::{Clock, Random};

use crate::database::{Database, configure_writer};
use crate::fault::{Fault, Result};
use crate::ledger::Book;
use crate::{Store, in_use, layout, semantic, write};

/// Marks the file as ours: "Vtrn".
const APPLICATION_ID: i64 = 0x5674_726E;
const CURSOR_KEY: &str = "cursor_key";

/// Why a store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A newer program has written it.
    #[error(
        "the store at {path} was written by a newer version (layout {found}, this program knows {known}): use that version, or restore a backup made with this one"
    )]
    Newer {
        /// Where it is.
        path: String,
        /// Its layout.
        found: i64,
        /// The newest layout this program knows.
        known: i64,
    },
    /// The file is something else.
    #[error("{0} is not a Vitrine store: name another file or directory")]
    Foreign(String),
    /// Someone else has it open, or is replacing it.
    #[error("the store at {0} is in use: stop the other vitrine processes on it, then try again")]
    InUse(String),
    /// It cannot be read or written.
    #[error("the store at {path} cannot be opened: {reason}")]
    Failed {
        /// Where it is.
        path: String,
        /// Why.
        reason: String,
    },
}

pub(crate) fn open(path: &Path, clock: Clock, random: &Random) -> std::result::Result<Store, OpenError> {
    let shown = path.display().to_string();
    let failed = |reason: String| OpenError::Failed { path: shown.clone(), reason };
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.exists()) {
        std::fs::create_dir_all(parent).map_err(|error| failed(error.to_string()))?;
        restrict(parent, 0o700);
    }
    let fault = |fault: Fault| failed(fault.0.to_string());
    let held = in_use::share(path)?;
    let is_new = !path.exists();
    let mut writer = Connection::open(path).map_err(|error| failed(error.to_string()))?;
    if is_new {
        restrict(path, 0o600);
    }
    check_identity(&writer, &shown)?;
    configure_writer(&writer).map_err(fault)?;
    bring_forward(&mut writer, random).map_err(fault)?;
    let key = cursor_key(&writer).map_err(fault)?;
    let beside = path.parent().unwrap_or(Path::new(""));
    Ok(Store {
        _held: held,
        ledger: Book::new(beside.join("ledger"), clock.clone(), random.clone()),
        database: Database::new(path, writer),
        clock,
        cursor_key: key,
        catalog: crate::catalog::CatalogCache::default(),
        grants: crate::grants::GrantCache::default(),
        stats: crate::read::StatsCache::default(),
        vectors: crate::semantic::VectorCache::default(),
        rest: crate::Rest::default(),
    })
}

/// Only the owner's account may look into what is made for the store.
#[cfg(unix)]
pub(crate) fn restrict(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    if let Err(error) = std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)) {
        tracing::warn!(%error, "the store could not be closed to other users");
    }
}

#[cfg(not(unix))]
pub(crate) fn restrict(_path: &Path, _mode: u32) {}

fn check_identity(connection: &Connection, path: &str) -> std::result::Result<(), OpenError> {
    let number = |pragma: &str| connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get::<_, i64>(0));
    let foreign = |_| OpenError::Foreign(path.to_owned());
    let found = number("user_version").map_err(foreign)?;
    let application = number("application_id").map_err(foreign)?;
    let objects: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(foreign)?;
    if objects > 0 && application != APPLICATION_ID {
        return Err(OpenError::Foreign(path.to_owned()));
    }
    if found > layout::version() {
        return Err(OpenError::Newer { path: path.to_owned(), found, known: layout::version() });
    }
    Ok(())
}

/// Takes the steps that are missing, all or none.
fn bring_forward(connection: &mut Connection, random: &Random) -> Result<()> {
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version == layout::version() && semantic::is_current_model(connection)? {
        return Ok(());
    }
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = tx.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    for step in layout::STEPS.iter().skip(usize::try_from(version).unwrap_or_default()) {
        tx.execute_batch(step.tables)?;
        if let Some(fill) = step.fill {
            fill(&tx)?;
        }
    }
    write::follow_model(&tx)?;
    tx.execute("INSERT OR IGNORE INTO meta (name, value) VALUES (?1, ?2)", (CURSOR_KEY, random.bytes::<32>()))?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.pragma_update(None, "user_version", layout::version())?;
    tx.commit()?;
    Ok(())
}

fn cursor_key(connection: &Connection) -> Result<[u8; 32]> {
    Ok(connection.query_row("SELECT value FROM meta WHERE name = ?1", [CURSOR_KEY], |row| row.get(0))?)
}

/// What is wrong with the file, or with indexes that do not agree with the records.
pub(crate) fn integrity_faults(tx: &Connection) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut statement = tx.prepare("PRAGMA integrity_check(20)")?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
    for line in lines {
        let line = line?;
        if line != "ok" {
            faults.push(line);
        }
    }
    for (fault, query) in AGREEMENTS {
        let wrong: Option<i64> = tx.query_row(query, [], |row| row.get(0)).optional()?;
        if let Some(wrong) = wrong.filter(|count| *count > 0) {
            faults.push(format!("{fault}: {wrong}"));
        }
    }
    Ok(faults)
}

/// Each counts what should not be.
const AGREEMENTS: &[(&str, &str)] = &[
    (
        "cells whose count is wrong",
        "SELECT count(*) FROM cell c WHERE records <> (SELECT count(*) FROM record r WHERE r.cell = c.number)",
    ),
    (
        "lookup entries without a record",
        "SELECT count(*) FROM by_value v WHERE NOT EXISTS (SELECT 1 FROM record r WHERE r.number = v.record)",
    ),
    (
        "order entries without a record",
        "SELECT count(*) FROM by_order v WHERE NOT EXISTS (SELECT 1 FROM record r WHERE r.number = v.record)",
    ),
    (
        "text pieces without a record",
        "SELECT count(*) FROM piece p WHERE NOT EXISTS (SELECT 1 FROM record r WHERE r.number = p.record)",
    ),
    (
        "records without an event",
        "SELECT count(*) FROM record r WHERE NOT EXISTS (SELECT 1 FROM event e WHERE e.cell = r.cell AND e.sequence = r.born)",
    ),
    (
        "vectors without a record",
        "SELECT count(*) FROM vector v WHERE NOT EXISTS (SELECT 1 FROM record r WHERE r.number = v.record)",
    ),
    (
        "unread texts without a record",
        "SELECT count(*) FROM unread u WHERE NOT EXISTS (SELECT 1 FROM record r WHERE r.number = u.record)",
    ),
    (
        "leaves without a segment",
        "SELECT count(*) FROM leaf l WHERE NOT EXISTS (SELECT 1 FROM segment s WHERE s.number = l.segment)",
    ),
    (
        "milestones without a record",
        "SELECT count(*) FROM milestone m WHERE NOT EXISTS (SELECT 1 FROM record r WHERE r.number = m.record)",
    ),
    ("changes after the last one", "SELECT count(*) FROM event WHERE sequence > (SELECT sequence FROM counter)"),
];
