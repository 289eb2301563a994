//! The embedded store: one `SQLite` file that several processes can share.
//!
//! Reads are [`vitrine_engine::gate::ReadPlan`]s compiled to SQL; there is no other way to read
//! records. Writes keep the indexes that make those reads cost what they return.

mod catalog;
mod copy;
mod database;
mod fault;
mod grants;
mod in_use;
mod layout;
pub mod ledger;
mod lexical;
mod open;
mod read;
mod row;
mod semantic;
mod vault;
mod write;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use rusqlite::Connection;
use vitrine_contract::BlobRef;
use vitrine_contract::request::ByteRange;
use vitrine_contract::search::IndexCoverage;
use vitrine_engine::catalog::Catalog;
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::declaration::Declaration;
use vitrine_engine::gate::{ReadPlan, Scope};
use vitrine_engine::ingest::Incoming;
use vitrine_engine::keeping::{Keeper, KeptGrant, NewBlob, NewConnection, NewGrants, Outcome, Target};
use vitrine_engine::ledger::{Disclosure, Ledger, LedgerAsk, LedgerPage};
use vitrine_engine::port::{
    BearerRow, Changes, ChangesAsk, Dated, Found, FoundBlob, FoundField, GrantRow, Measured, PackageRow, Page, PageAsk,
    Row, RowAsk, ScopeStats, SearchAsk, Store as StorePort, StoreError, StoreResult, TokenRow, WindowAsk,
};
use vitrine_engine::token::TokenDigest;

use database::Database;
pub use in_use::{Held, alone};
use ledger::Book;
pub use open::OpenError;
pub use write::Readied;
use write::{Ahead, Batch};

/// An open store.
pub struct Store {
    database: Database,
    clock: Clock,
    cursor_key: [u8; 32],
    catalog: catalog::CatalogCache,
    grants: grants::GrantCache,
    stats: read::StatsCache,
    ledger: Book,
    _held: in_use::Held,
    vectors: semantic::VectorCache,
    rest: Rest,
}

/// What was seen of the word index when last looked at.
#[derive(Default)]
struct Rest {
    newest: AtomicI64,
    settled: AtomicBool,
}

impl Store {
    /// Opens the store at `path`, making it if it is not there and bringing an older one forward.
    pub fn open(path: &Path, clock: Clock, random: &Random) -> Result<Self, OpenError> {
        open::open(path, clock, random)
    }

    /// The account of every disclosure.
    pub fn ledger(&self) -> &Book {
        &self.ledger
    }

    /// Reads what some of the newest unread texts mean, so that they can be found by it; how many
    /// were read. Takes about a hundredth of a second of one core a passage: not for threads that serve.
    pub async fn read_meanings(&self, texts: usize) -> StoreResult<usize> {
        let taken = self.database.read(|tx| semantic::take(tx, &*self.catalog.current(tx)?, texts))?;
        if taken.is_empty() {
            return Ok(0);
        }
        let read = semantic::read(taken)?;
        self.database.write(|tx| semantic::keep(tx, &read)).await?;
        Ok(read.len())
    }

    /// Does for a batch of new records what can be done before it is written, beside the writing of others. What fails
    /// here is done, or fails, where it is written. Takes some hundredths of a second a megabyte: not for threads that
    /// serve.
    pub fn ready(&self, target: Target, batch: Vec<Incoming>) -> Readied {
        let batch = match self.ahead(&target, &batch).ok().flatten() {
            Some(ahead) => Batch::New(ahead.named(batch)),
            None => Batch::Changes(batch),
        };
        Readied { target, batch }
    }

    /// None when some records are not new.
    fn ahead(&self, target: &Target, batch: &[Incoming]) -> StoreResult<Option<Ahead>> {
        let (catalog, are_new) = self.database.read(|tx| {
            let catalog = self.catalog.current(tx)?;
            let are_new = write::are_new(tx, &catalog, target, batch)?;
            Ok((catalog, are_new))
        })?;
        if are_new { write::ahead(&catalog, target, batch).map_err(|fault| fault.0) } else { Ok(None) }
    }

    /// Writes a batch as [`Keeper::write`] does.
    pub async fn write_readied(&self, readied: Readied) -> StoreResult<Vec<Outcome>> {
        let Readied { target, batch } = readied;
        let changes = match batch {
            Batch::Changes(changes) => changes,
            Batch::New(mut ahead) => {
                match self.write_new(&target, &mut ahead).await {
                    Ok(Some(outcomes)) => return Ok(outcomes),
                    // Something came between: nothing was written, and is now with another look at what stands.
                    Ok(None) | Err(StoreError::Failed(_)) => {}
                    Err(error) => return Err(error),
                }
                ahead.into_changes().map_err(|fault| fault.0)?
            }
        };
        self.write_batch(&target, &changes).await
    }

    async fn write_new(&self, target: &Target, ahead: &mut Ahead) -> StoreResult<Option<Vec<Outcome>>> {
        let catalog = self.catalog().await?;
        let now = self.clock.now();
        self.database.write(|tx| write::new_batch(tx, &catalog, target, ahead, now)).await
    }

    async fn write_batch(&self, target: &Target, batch: &[Incoming]) -> StoreResult<Vec<Outcome>> {
        let catalog = self.catalog().await?;
        let now = self.clock.now();
        let outcomes = self.database.write(|tx| write::batch(tx, &catalog, target, batch, now)).await?;
        if batch.iter().any(|incoming| matches!(incoming, Incoming::Delete { .. })) {
            self.database.forget().await;
        }
        Ok(outcomes)
    }

    /// Puts a part of the word index in order, where nothing was written to it since this was last called; says whether
    /// there may be more to do. Takes up to a second, in which nobody else can write.
    pub async fn settle(&self) -> StoreResult<bool> {
        let Rest { newest, settled } = &self.rest;
        let now = self.database.read(lexical::newest)?.unwrap_or_default();
        if newest.swap(now, Ordering::Relaxed) != now {
            settled.store(false, Ordering::Relaxed);
            return Ok(true);
        }
        if settled.load(Ordering::Relaxed) {
            return Ok(false);
        }
        let (merged, now) = self.database.write(|tx| Ok((lexical::settle(tx)?, lexical::newest(tx)?))).await?;
        newest.store(now.unwrap_or_default(), Ordering::Relaxed);
        settled.store(!merged, Ordering::Relaxed);
        Ok(merged)
    }

    /// Runs `work`, and finds in the same state how far the data that the plan may see reaches.
    fn dated<T>(
        &self,
        plan: &ReadPlan,
        work: impl FnOnce(&Connection) -> fault::Result<T>,
    ) -> impl FnOnce(&Connection) -> fault::Result<Dated<T>> {
        |tx| Ok(Dated { answer: work(tx)?, newest: read::newest(tx, plan, &self.stats)? })
    }

    /// How many of all texts can be found by what they mean.
    pub fn meanings_read(&self) -> StoreResult<IndexCoverage> {
        self.database.inspect(semantic::coverage)
    }

    /// Checks the file and the indexes against the records; what it finds, in words.
    pub fn check(&self) -> StoreResult<Vec<String>> {
        self.database.inspect(open::integrity_faults)
    }
}

impl StorePort for Store {
    fn last_catalog(&self) -> Arc<Catalog> {
        self.catalog.last()
    }

    async fn catalog(&self) -> StoreResult<Arc<Catalog>> {
        self.database.read(|tx| self.catalog.current(tx))
    }

    async fn bearer(&self, digest: &TokenDigest) -> StoreResult<Option<BearerRow>> {
        self.database.read(|tx| self.grants.bearer(tx, digest))
    }

    async fn token(&self, digest: &TokenDigest) -> StoreResult<Option<TokenRow>> {
        self.database.read(|tx| grants::token(tx, digest))
    }

    async fn grant(&self, id: &str) -> StoreResult<Option<GrantRow>> {
        self.database.read(|tx| self.grants.grant(tx, id))
    }

    async fn package(&self, id: &str) -> StoreResult<Option<PackageRow>> {
        self.database.read(|tx| self.grants.package(tx, id))
    }

    fn cursor_key(&self) -> &[u8; 32] {
        &self.cursor_key
    }

    async fn page(&self, plan: &ReadPlan, ask: &PageAsk<'_>) -> StoreResult<Dated<Page>> {
        let page = self.dated(plan, |tx| read::page(tx, plan, ask));
        let is_whole = plan.conditions().is_empty() && plan.scopes().iter().all(Scope::sees_all_records);
        if is_whole { self.database.read(page) } else { self.database.scan(page) }
    }

    async fn count(&self, plan: &ReadPlan) -> StoreResult<u64> {
        self.database.scan(|tx| read::count(tx, plan))
    }

    async fn find(&self, plan: &ReadPlan, id: &str, ask: &RowAsk) -> StoreResult<Vec<Row>> {
        self.database.read(|tx| read::find(tx, plan, id, *ask))
    }

    async fn window(&self, plan: &ReadPlan, ask: &WindowAsk<'_>) -> StoreResult<Vec<FoundField>> {
        self.database.read(|tx| read::window(tx, plan, ask))
    }

    async fn measure(&self, plan: &ReadPlan) -> StoreResult<Dated<Measured>> {
        self.database.scan(self.dated(plan, |tx| read::measure(tx, plan)))
    }

    async fn changes(&self, plan: &ReadPlan, ask: &ChangesAsk) -> StoreResult<Dated<Changes>> {
        self.database.scan(self.dated(plan, |tx| read::changes(tx, plan, ask)))
    }

    async fn search(&self, plan: &ReadPlan, ask: &SearchAsk<'_>) -> StoreResult<Dated<Found>> {
        self.database.scan(self.dated(plan, |tx| read::search(tx, plan, &self.vectors, ask)))
    }

    async fn stats(&self, plan: &ReadPlan) -> StoreResult<Vec<ScopeStats>> {
        self.database.read(|tx| read::stats(tx, plan, &self.stats))
    }

    async fn blob(&self, plan: &ReadPlan, blob_id: &str, range: Option<ByteRange>) -> StoreResult<Option<FoundBlob>> {
        self.database.read(|tx| read::blob(tx, plan, blob_id, range))
    }
}

impl Ledger for Store {
    async fn enter(&self, disclosure: &Disclosure<'_>) -> StoreResult<()> {
        self.ledger.enter(disclosure).await
    }

    async fn entries(&self, ask: &LedgerAsk) -> StoreResult<LedgerPage> {
        self.ledger.entries(ask).await
    }

    async fn last_uses(&self, ids: &[&str]) -> StoreResult<BTreeMap<String, String>> {
        self.ledger.last_uses(ids).await
    }
}

impl Keeper for Store {
    async fn register_source(&self, declaration: &Declaration) -> StoreResult<()> {
        let now = self.clock.now();
        self.database.write(|tx| write::register_source(tx, declaration, now)).await
    }

    async fn add_connection(&self, connection: &NewConnection) -> StoreResult<()> {
        let now = self.clock.now();
        self.database.write(|tx| write::add_connection(tx, connection, now)).await
    }

    async fn rename_connection(&self, connection_id: &str, name: &str) -> StoreResult<bool> {
        self.database.write(|tx| write::rename_connection(tx, connection_id, name)).await
    }

    async fn remove_connection(&self, connection_id: &str) -> StoreResult<bool> {
        let removed = self.database.write(|tx| write::remove_connection(tx, connection_id)).await?;
        self.database.forget().await;
        Ok(removed)
    }

    async fn write(&self, target: &Target, batch: &[Incoming]) -> StoreResult<Vec<Outcome>> {
        self.write_batch(target, batch).await
    }

    async fn put_blob(&self, connection_id: &str, info: &BlobRef, bytes: &[u8]) -> StoreResult<()> {
        self.database.write(|tx| write::put_blob(tx, connection_id, info, bytes)).await
    }

    async fn put_blobs(&self, connection_id: &str, blobs: &[NewBlob]) -> StoreResult<()> {
        self.database.write(|tx| blobs.iter().try_for_each(|blob| write::put_new_blob(tx, connection_id, blob))).await
    }

    async fn add_grants(&self, new: &NewGrants) -> StoreResult<()> {
        let now = self.clock.now();
        self.database.write(|tx| grants::add(tx, new, now)).await
    }

    async fn add_token(&self, token: &TokenRow) -> StoreResult<()> {
        let now = self.clock.now();
        self.database.write(|tx| grants::add_token(tx, token, now)).await
    }

    async fn grants(&self) -> StoreResult<Vec<KeptGrant>> {
        self.database.read(grants::all)
    }

    async fn revoke_grant(&self, grant_id: &str) -> StoreResult<bool> {
        let now = self.clock.now();
        self.database.write(|tx| grants::revoke(tx, grant_id, now)).await
    }

    async fn revoke_package(&self, package_id: &str) -> StoreResult<bool> {
        let now = self.clock.now();
        self.database.write(|tx| grants::revoke_package(tx, package_id, now)).await
    }
}
