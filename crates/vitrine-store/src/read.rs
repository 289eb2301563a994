//! Read plans carried out. Every function takes a [`ReadPlan`] and first makes sure that it was
//! made from the catalog as it is now.

mod blobs;
mod changes;
mod compile;
mod find;
mod groups;
mod measure;
mod page;
mod recheck;
mod search;
mod stats;
mod window;

use rusqlite::Connection;
use vitrine_engine::gate::ReadPlan;
use vitrine_engine::port::StoreError;

use crate::catalog;
use crate::fault::Result;

pub(crate) use blobs::blob;
pub(crate) use changes::changes;
pub(crate) use find::find;
pub(crate) use measure::{count, measure};
pub(crate) use page::page;
pub(crate) use search::search;
pub(crate) use stats::{StatsCache, newest, stats};
pub(crate) use window::window;

fn check_fresh(tx: &Connection, plan: &ReadPlan) -> Result<()> {
    if catalog::version(tx)? == plan.catalog_version() { Ok(()) } else { Err(StoreError::Stale.into()) }
}

/// The number of the last change to any record.
fn sequence(tx: &Connection) -> Result<i64> {
    Ok(tx.prepare_cached("SELECT sequence FROM counter")?.query_row([], |row| row.get(0))?)
}

/// When a record was emitted, as the contract writes it.
fn emitted_at(nanoseconds: i64) -> String {
    jiff::Timestamp::from_nanosecond(nanoseconds.into()).map(vitrine_contract::time::format).unwrap_or_default()
}
