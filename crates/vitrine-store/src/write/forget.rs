//! What no cursor or bookmark can ask about any more is dropped.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};
use vitrine_engine::cursor::LIFETIME_SECONDS;

use crate::fault::Result;

/// How often the present is marked and the past looked at.
const EVERY_SECONDS: i64 = 60 * 60;

pub(super) fn old_entries(tx: &Connection, now: Timestamp) -> Result<()> {
    let now = now.as_second();
    let last: Option<i64> = tx.prepare_cached("SELECT max(at) FROM mark")?.query_row([], |row| row.get(0))?;
    if last.is_some_and(|last| now - last < EVERY_SECONDS) {
        return Ok(());
    }
    tx.execute("INSERT OR IGNORE INTO mark (sequence, at) SELECT sequence, ?1 FROM counter", [now])?;
    let floor: Option<i64> = tx
        .query_row("SELECT max(sequence) FROM mark WHERE at < ?1", [now - LIFETIME_SECONDS], |row| row.get(0))
        .optional()?
        .flatten();
    let Some(floor) = floor else { return Ok(()) };
    tx.execute("DELETE FROM by_value WHERE died IS NOT NULL AND died <= ?1", [floor])?;
    tx.execute("DELETE FROM by_order WHERE died IS NOT NULL AND died <= ?1", [floor])?;
    tx.execute("DELETE FROM gone WHERE at < ?1", [now - LIFETIME_SECONDS])?;
    tx.execute("DELETE FROM mark WHERE sequence < ?1", [floor])?;
    Ok(())
}
