//! What the authorization server remembers.

mod approvals;
mod tickets;

use rusqlite::{Connection, OptionalExtension};
use vitrine_engine::oauth::client::OAuthClient;
use vitrine_engine::oauth::vault::{KeptApproval, KeptRefresh, NewApproval, NewTokens, Ticket, TicketKind, Vault};
use vitrine_engine::port::StoreResult;
use vitrine_engine::token::TokenDigest;

use crate::Store;
use crate::fault::Result;

impl Vault for Store {
    async fn setting(&self, name: &str) -> StoreResult<Option<String>> {
        self.database.read(|tx| {
            let mut statement = tx.prepare_cached("SELECT CAST(value AS TEXT) FROM meta WHERE name = ?1")?;
            Ok(statement.query_row([name], |row| row.get(0)).optional()?)
        })
    }

    async fn set_setting(&self, name: &str, value: &str) -> StoreResult<()> {
        let upsert = "INSERT INTO meta (name, value) VALUES (?1, CAST(?2 AS BLOB))
             ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.database.write(|tx| Ok(tx.execute(upsert, (name, value)).map(drop)?)).await
    }

    async fn client(&self, client_id: &str) -> StoreResult<Option<OAuthClient>> {
        self.database.read(|tx| client(tx, client_id))
    }

    async fn keep_client(&self, client: &OAuthClient, room: u32) -> StoreResult<bool> {
        self.database.write(|tx| keep_client(tx, client, room)).await
    }

    async fn keep_ticket(&self, ticket: &Ticket, room: u32) -> StoreResult<bool> {
        let now = self.clock.now();
        self.database.write(|tx| tickets::keep(tx, ticket, room, now)).await
    }

    async fn ticket(&self, kind: TicketKind, digest: &TokenDigest) -> StoreResult<Option<String>> {
        let now = self.clock.now();
        self.database.read(|tx| tickets::body(tx, kind, digest, now))
    }

    async fn change_ticket(
        &self,
        kind: TicketKind,
        digest: &TokenDigest,
        before: &str,
        after: &str,
    ) -> StoreResult<bool> {
        self.database.write(|tx| tickets::change(tx, kind, digest, [before, after])).await
    }

    async fn drop_ticket(&self, kind: TicketKind, digest: &TokenDigest) -> StoreResult<bool> {
        let now = self.clock.now();
        self.database.write(|tx| tickets::take(tx, kind, digest, now)).await
    }

    async fn drop_tickets(&self, kind: TicketKind) -> StoreResult<()> {
        self.database.write(|tx| Ok(tx.execute("DELETE FROM ticket WHERE kind = ?1", [kind.as_str()]).map(drop)?)).await
    }

    async fn approve(&self, approval: &NewApproval) -> StoreResult<bool> {
        let now = self.clock.now();
        self.database.write(|tx| approvals::approve(tx, approval, now)).await
    }

    async fn approval(&self, code: &TokenDigest) -> StoreResult<Option<KeptApproval>> {
        self.database.read(|tx| approvals::approval(tx, code))
    }

    async fn redeem(&self, code: &TokenDigest, tokens: &NewTokens) -> StoreResult<bool> {
        let now = self.clock.now();
        self.database.write(|tx| approvals::redeem(tx, code, tokens, now)).await
    }

    async fn refresh_token(&self, digest: &TokenDigest) -> StoreResult<Option<KeptRefresh>> {
        self.database.read(|tx| approvals::refresh_token(tx, digest))
    }

    async fn rotate(&self, old: &TokenDigest, tokens: &NewTokens) -> StoreResult<bool> {
        let now = self.clock.now();
        self.database.write(|tx| approvals::rotate(tx, old, tokens, now)).await
    }

    async fn revoke_approval(&self, code: &TokenDigest) -> StoreResult<()> {
        let now = self.clock.now();
        self.database.write(|tx| approvals::revoke(tx, code, now)).await
    }

    async fn revoke_token(&self, digest: &TokenDigest) -> StoreResult<bool> {
        let now = self.clock.now();
        self.database.write(|tx| approvals::revoke_token(tx, digest, now)).await
    }
}

fn client(tx: &Connection, client_id: &str) -> Result<Option<OAuthClient>> {
    let mut statement = tx.prepare_cached("SELECT body FROM oauth_client WHERE client_id = ?1")?;
    let body: Option<String> = statement.query_row([client_id], |row| row.get(0)).optional()?;
    Ok(body.map(|body| serde_json::from_str(&body)).transpose()?)
}

fn keep_client(tx: &Connection, client: &OAuthClient, room: u32) -> Result<bool> {
    tx.execute("DELETE FROM oauth_client WHERE client_id = ?1", [&client.client_id])?;
    let kept: u32 = tx.query_row("SELECT count(*) FROM oauth_client", [], |row| row.get(0))?;
    if kept >= room {
        let dropped = tx.execute(
            "DELETE FROM oauth_client WHERE client_id =
                 (SELECT c.client_id FROM oauth_client c
                  WHERE NOT EXISTS (SELECT 1 FROM approval a WHERE a.client_id = c.client_id)
                  ORDER BY c.known_since LIMIT 1)",
            [],
        )?;
        if dropped == 0 {
            return Ok(false);
        }
    }
    tx.execute(
        "INSERT INTO oauth_client (client_id, body, known_since) VALUES (?1, ?2, ?3)",
        (&client.client_id, serde_json::to_string(client)?, client.known_since),
    )?;
    Ok(true)
}
