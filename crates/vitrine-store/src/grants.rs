//! Grants, packages and tokens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};
use vitrine_contract::time;
use vitrine_engine::grant::Grant;
use vitrine_engine::keeping::{KeptGrant, NewGrants};
use vitrine_engine::port::{BearerRow, GrantRow, PackageRow, SubjectRow, TokenRow};
use vitrine_engine::token::{TokenDigest, TokenKind};

use crate::fault::{Result, corrupt};

/// Grants that were read, as they stand in the store and as they are used.
#[derive(Default)]
pub(crate) struct GrantCache(Mutex<HashMap<String, (String, Arc<Grant>)>>);

/// Grants that are kept; with more, all are read anew.
const MAX_KEPT: usize = 1_000;

impl GrantCache {
    /// A token with what it reads under.
    pub(crate) fn bearer(&self, tx: &Connection, digest: &TokenDigest) -> Result<Option<BearerRow>> {
        let Some(token) = token(tx, digest)? else { return Ok(None) };
        let subject = match token.kind {
            TokenKind::Owner => None,
            TokenKind::Client => self.grant(tx, &token.subject)?.map(SubjectRow::Grant),
            TokenKind::McpPackage => self.package(tx, &token.subject)?.map(SubjectRow::Package),
        };
        Ok(Some(BearerRow { token, subject }))
    }

    pub(crate) fn grant(&self, tx: &Connection, id: &str) -> Result<Option<GrantRow>> {
        let mut statement = tx.prepare_cached(
            "SELECT grant_id, body, package_id, revoked_at IS NOT NULL FROM access_grant WHERE grant_id = ?1",
        )?;
        statement.query_row([id], |row| Ok(self.row(row))).optional()?.transpose()
    }

    pub(crate) fn package(&self, tx: &Connection, id: &str) -> Result<Option<PackageRow>> {
        let mut statement =
            tx.prepare_cached("SELECT client_id, revoked_at IS NOT NULL FROM package WHERE package_id = ?1")?;
        let found = statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((client_id, revoked)) = found else { return Ok(None) };
        let mut statement = tx.prepare_cached(
            "SELECT grant_id, body, package_id, revoked_at IS NOT NULL FROM access_grant WHERE package_id = ?1 \
             ORDER BY number",
        )?;
        let members = statement.query_and_then([id], |row| self.row(row))?.collect::<Result<_>>()?;
        Ok(Some(PackageRow { package_id: id.to_owned(), client_id, revoked, members }))
    }

    fn row(&self, row: &Row<'_>) -> Result<GrantRow> {
        let grant = self.parsed(text(row, 0)?, text(row, 1)?)?;
        Ok(GrantRow { grant, package_id: row.get(2)?, revoked: row.get(3)? })
    }

    /// The grant that a stored text says, which is not read again while it is the same.
    fn parsed(&self, id: &str, body: &str) -> Result<Arc<Grant>> {
        let mut kept = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, grant)) = kept.get(id).filter(|(known, _)| known == body) {
            return Ok(Arc::clone(grant));
        }
        let grant: Arc<Grant> = Arc::new(serde_json::from_str(body)?);
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(id.to_owned(), (body.to_owned(), Arc::clone(&grant)));
        Ok(grant)
    }
}

fn text<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r str> {
    row.get_ref(column)?.as_str().map_err(|_| corrupt("a grant that is no text"))
}

pub(crate) fn token(tx: &Connection, digest: &TokenDigest) -> Result<Option<TokenRow>> {
    let mut statement = tx.prepare_cached(
        "SELECT digest, kind, subject, expires_at, revoked_at IS NOT NULL FROM token WHERE digest = ?1",
    )?;
    let found = statement
        .query_row([digest.as_bytes()], |row| {
            Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, String>(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
        })
        .optional()?;
    let Some((digest, kind, subject, expires_at, revoked)) = found else { return Ok(None) };
    let kind = TokenKind::parse(&kind).ok_or_else(|| corrupt("a token of no known kind"))?;
    Ok(Some(TokenRow { digest: TokenDigest::from_bytes(digest), kind, subject, expires_at, revoked }))
}

pub(crate) fn all(tx: &Connection) -> Result<Vec<KeptGrant>> {
    let mut statement = tx.prepare("SELECT body, package_id, revoked_at FROM access_grant ORDER BY number DESC")?;
    let grants = statement.query_map([], kept)?;
    grants.map(|kept| kept?).collect()
}

/// The grants that nobody has ended.
pub(crate) fn active(tx: &Connection) -> Result<Vec<Grant>> {
    Ok(all(tx)?.into_iter().filter(|kept| kept.revoked_at.is_none()).map(|kept| kept.grant).collect())
}

pub(crate) fn add(tx: &Connection, new: &NewGrants, now: Timestamp) -> Result<()> {
    add_untokened(tx, new.package_id.as_deref(), &new.grants, now)?;
    add_token(tx, &new.token, now)
}

/// Stores grants whose tokens come later.
pub(crate) fn add_untokened(tx: &Connection, package_id: Option<&str>, grants: &[Grant], now: Timestamp) -> Result<()> {
    if let Some(id) = package_id {
        let client = grants.first().map(|grant| grant.client.client_id.as_str());
        tx.execute(
            "INSERT INTO package (package_id, client_id, issued_at) VALUES (?1, ?2, ?3)",
            (id, client, time::format(now)),
        )?;
    }
    for grant in grants {
        tx.execute(
            "INSERT INTO access_grant (grant_id, package_id, body) VALUES (?1, ?2, ?3)",
            (&grant.grant_id, package_id, serde_json::to_string(grant)?),
        )?;
    }
    Ok(())
}

pub(crate) fn add_token(tx: &Connection, token: &TokenRow, now: Timestamp) -> Result<()> {
    tx.execute(
        "INSERT INTO token (digest, kind, subject, expires_at, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        (token.digest.as_bytes(), token.kind.as_str(), &token.subject, &token.expires_at, time::format(now)),
    )?;
    Ok(())
}

/// Ends a grant; ending it again changes nothing.
pub(crate) fn revoke(tx: &Connection, grant_id: &str, now: Timestamp) -> Result<bool> {
    let found = tx.execute(
        "UPDATE access_grant SET revoked_at = coalesce(revoked_at, ?2) WHERE grant_id = ?1",
        (grant_id, time::format(now)),
    )?;
    Ok(found > 0)
}

/// Ends a package and every grant in it.
pub(crate) fn revoke_package(tx: &Connection, package_id: &str, now: Timestamp) -> Result<bool> {
    let at = time::format(now);
    let found = tx
        .execute("UPDATE package SET revoked_at = coalesce(revoked_at, ?2) WHERE package_id = ?1", (package_id, &at))?;
    tx.execute(
        "UPDATE access_grant SET revoked_at = coalesce(revoked_at, ?2) WHERE package_id = ?1",
        (package_id, &at),
    )?;
    Ok(found > 0)
}

fn kept(row: &Row<'_>) -> rusqlite::Result<Result<KeptGrant>> {
    let (body, package_id, revoked_at): (String, Option<String>, Option<String>) =
        (row.get(0)?, row.get(1)?, row.get(2)?);
    Ok(serde_json::from_str::<Grant>(&body)
        .map(|grant| KeptGrant { grant, package_id, revoked_at })
        .map_err(Into::into))
}
