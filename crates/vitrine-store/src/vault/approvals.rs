//! What the owner approved, and the family of tokens that followed.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};
use vitrine_contract::time;
use vitrine_engine::oauth::vault::{KeptApproval, KeptRefresh, NewApproval, NewTokens, TicketKind};
use vitrine_engine::port::StoreError;
use vitrine_engine::token::TokenDigest;

use super::tickets;
use crate::fault::Result;
use crate::{catalog, grants};

/// Ended access tokens are kept this long, so that sweeping them is never urgent.
const SWEEP_SECONDS: i64 = 24 * 60 * 60;

pub(super) fn approve(tx: &Connection, new: &NewApproval, now: Timestamp) -> Result<bool> {
    if catalog::version(tx)? != new.catalog_version {
        return Err(StoreError::Stale.into());
    }
    if !tickets::take(tx, TicketKind::Ceremony, &new.ceremony, now)? || approval(tx, &new.code)?.is_some() {
        return Ok(false);
    }
    grants::add_untokened(tx, new.package_id.as_deref(), &new.grants, now)?;
    tx.execute(
        "INSERT INTO approval (code, client_id, body, ends) VALUES (?1, ?2, ?3, ?4)",
        (new.code.as_bytes(), &new.approved.client_id, serde_json::to_string(&new.approved)?, new.ends),
    )?;
    Ok(true)
}

pub(super) fn approval(tx: &Connection, code: &TokenDigest) -> Result<Option<KeptApproval>> {
    let mut statement = tx.prepare_cached(
        "SELECT body, ends, redeemed_at IS NOT NULL, revoked_at IS NOT NULL FROM approval WHERE code = ?1",
    )?;
    let found = statement
        .query_row([code.as_bytes()], |row| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    let Some((body, ends, redeemed, revoked)) = found else { return Ok(None) };
    Ok(Some(KeptApproval { approved: serde_json::from_str(&body)?, ends, redeemed, revoked }))
}

pub(super) fn redeem(tx: &Connection, code: &TokenDigest, tokens: &NewTokens, now: Timestamp) -> Result<bool> {
    let redeemed = tx.execute(
        "UPDATE approval SET redeemed_at = ?2 WHERE code = ?1 AND redeemed_at IS NULL AND revoked_at IS NULL",
        (code.as_bytes(), now.as_second()),
    )?;
    if redeemed == 0 {
        return Ok(false);
    }
    let number = tx.query_row("SELECT number FROM approval WHERE code = ?1", [code.as_bytes()], |row| row.get(0))?;
    add_tokens(tx, number, tokens, now)?;
    Ok(true)
}

pub(super) fn refresh_token(tx: &Connection, digest: &TokenDigest) -> Result<Option<KeptRefresh>> {
    let mut statement = tx.prepare_cached(
        "SELECT a.code, r.ends, r.superseded_at IS NOT NULL
         FROM refresh_token r JOIN approval a ON a.number = r.approval WHERE r.digest = ?1",
    )?;
    let found = statement
        .query_row([digest.as_bytes()], |row| Ok((row.get::<_, [u8; 32]>(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let Some((code, ends, superseded)) = found else { return Ok(None) };
    let code = TokenDigest::from_bytes(code);
    Ok(approval(tx, &code)?.map(|approval| KeptRefresh { code, approval, ends, superseded }))
}

pub(super) fn rotate(tx: &Connection, old: &TokenDigest, tokens: &NewTokens, now: Timestamp) -> Result<bool> {
    let superseded = tx.execute(
        "UPDATE refresh_token SET superseded_at = ?2 WHERE digest = ?1 AND superseded_at IS NULL
             AND approval IN (SELECT number FROM approval WHERE revoked_at IS NULL)",
        (old.as_bytes(), now.as_second()),
    )?;
    if superseded == 0 {
        return Ok(false);
    }
    let number =
        tx.query_row("SELECT approval FROM refresh_token WHERE digest = ?1", [old.as_bytes()], |row| row.get(0))?;
    sweep(tx, number, now)?;
    add_tokens(tx, number, tokens, now)?;
    Ok(true)
}

/// Ends every token of the approval's family.
pub(super) fn revoke(tx: &Connection, code: &TokenDigest, now: Timestamp) -> Result<()> {
    tx.execute(
        "UPDATE approval SET revoked_at = coalesce(revoked_at, ?2) WHERE code = ?1",
        (code.as_bytes(), now.as_second()),
    )?;
    tx.execute(
        "UPDATE token SET revoked_at = coalesce(revoked_at, ?2)
         WHERE approval = (SELECT number FROM approval WHERE code = ?1)",
        (code.as_bytes(), time::format(now)),
    )?;
    Ok(())
}

pub(super) fn revoke_token(tx: &Connection, digest: &TokenDigest, now: Timestamp) -> Result<bool> {
    let ended = tx.execute(
        "UPDATE token SET revoked_at = coalesce(revoked_at, ?2) WHERE digest = ?1",
        (digest.as_bytes(), time::format(now)),
    )?;
    Ok(ended > 0)
}

fn add_tokens(tx: &Connection, approval: i64, tokens: &NewTokens, now: Timestamp) -> Result<()> {
    grants::add_token(tx, &tokens.access, now)?;
    tx.execute("UPDATE token SET approval = ?2 WHERE digest = ?1", (tokens.access.digest.as_bytes(), approval))?;
    if let Some((digest, ends)) = &tokens.refresh {
        tx.execute(
            "INSERT INTO refresh_token (digest, approval, ends) VALUES (?1, ?2, ?3)",
            (digest.as_bytes(), approval, ends),
        )?;
    }
    Ok(())
}

/// A family that lives for years does not grow for years.
fn sweep(tx: &Connection, approval: i64, now: Timestamp) -> Result<()> {
    let ended = now.as_second().saturating_sub(SWEEP_SECONDS);
    tx.execute("DELETE FROM refresh_token WHERE approval = ?1 AND ends <= ?2", (approval, ended))?;
    let ended = Timestamp::from_second(ended).map(time::format).unwrap_or_default();
    tx.execute("DELETE FROM token WHERE approval = ?1 AND expires_at < ?2", (approval, ended))?;
    Ok(())
}
