//! What waits for a while.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};
use vitrine_engine::oauth::vault::{Ticket, TicketKind};
use vitrine_engine::token::TokenDigest;

use crate::fault::Result;

pub(super) fn keep(tx: &Connection, ticket: &Ticket, room: u32, now: Timestamp) -> Result<bool> {
    tx.execute("DELETE FROM ticket WHERE ends <= ?1", [now.as_second()])?;
    let waiting: u32 =
        tx.query_row("SELECT count(*) FROM ticket WHERE kind = ?1", [ticket.kind.as_str()], |row| row.get(0))?;
    if waiting >= room {
        return Ok(false);
    }
    let kept = tx.execute(
        "INSERT OR IGNORE INTO ticket (digest, kind, body, ends) VALUES (?1, ?2, ?3, ?4)",
        (ticket.digest.as_bytes(), ticket.kind.as_str(), &ticket.body, ticket.ends),
    )?;
    Ok(kept > 0)
}

pub(super) fn body(tx: &Connection, kind: TicketKind, digest: &TokenDigest, now: Timestamp) -> Result<Option<String>> {
    let mut statement = tx.prepare_cached("SELECT body FROM ticket WHERE digest = ?1 AND kind = ?2 AND ends > ?3")?;
    let found = (digest.as_bytes(), kind.as_str(), now.as_second());
    Ok(statement.query_row(found, |row| row.get(0)).optional()?)
}

pub(super) fn change(
    tx: &Connection,
    kind: TicketKind,
    digest: &TokenDigest,
    [before, after]: [&str; 2],
) -> Result<bool> {
    let changed = tx.execute(
        "UPDATE ticket SET body = ?4 WHERE digest = ?1 AND kind = ?2 AND body = ?3",
        (digest.as_bytes(), kind.as_str(), before, after),
    )?;
    Ok(changed > 0)
}

pub(super) fn take(tx: &Connection, kind: TicketKind, digest: &TokenDigest, now: Timestamp) -> Result<bool> {
    let taken = tx.execute(
        "DELETE FROM ticket WHERE digest = ?1 AND kind = ?2 AND ends > ?3",
        (digest.as_bytes(), kind.as_str(), now.as_second()),
    )?;
    Ok(taken > 0)
}
