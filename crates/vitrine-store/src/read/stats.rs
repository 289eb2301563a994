//! How much there is, as far as each scope may see.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use vitrine_engine::gate::{ReadPlan, Scope, TimeWindow};
use vitrine_engine::port::ScopeStats;

use super::compile::Part;
use super::{check_fresh, emitted_at};
use crate::fault::Result;

/// Entries that are kept at most.
const MAX_ENTRIES: usize = 4_096;

/// Numbers of narrowed scopes, good until their cell changes.
#[derive(Default)]
pub(crate) struct StatsCache(Mutex<HashMap<Key, (i64, ScopeStats)>>);

#[derive(PartialEq, Eq, Hash)]
struct Key {
    cell: i64,
    window: Option<TimeWindow>,
    resources: Option<Arc<BTreeSet<String>>>,
}

struct Cell {
    records: u64,
    changed: i64,
    newest: Option<i64>,
}

pub(crate) fn stats(tx: &Connection, plan: &ReadPlan, cache: &StatsCache) -> Result<Vec<ScopeStats>> {
    check_fresh(tx, plan)?;
    let mut statement = tx.prepare_cached("SELECT records, changed, newest FROM cell WHERE number = ?1")?;
    let mut all = Vec::with_capacity(plan.scopes().len());
    for scope in plan.scopes() {
        let cell = statement.query_row([scope.cell()], |row| {
            Ok(Cell { records: row.get::<_, i64>(0)?.cast_unsigned(), changed: row.get(1)?, newest: row.get(2)? })
        })?;
        all.push(if scope.sees_all_records() {
            ScopeStats { count: cell.records, newest: cell.newest.map(emitted_at) }
        } else {
            cached(tx, plan, scope, &cell, cache)?
        });
    }
    Ok(all)
}

fn cached(tx: &Connection, plan: &ReadPlan, scope: &Scope, cell: &Cell, cache: &StatsCache) -> Result<ScopeStats> {
    let key = Key { cell: scope.cell(), window: scope.window().cloned(), resources: scope.resources().cloned() };
    let lock = || cache.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((changed, stats)) = lock().get(&key)
        && *changed == cell.changed
    {
        return Ok(stats.clone());
    }
    let stats = ScopeStats { count: count_visible(tx, plan, scope)?, newest: newest(tx, plan, scope)?.map(emitted_at) };
    let mut entries = lock();
    if entries.len() >= MAX_ENTRIES {
        entries.clear();
    }
    entries.insert(key, (cell.changed, stats.clone()));
    Ok(stats)
}

fn count_visible(tx: &Connection, plan: &ReadPlan, scope: &Scope) -> Result<u64> {
    let (sql, parameters) = Part::unordered(plan, scope).select("count(*)", false, "");
    let count: i64 = tx.prepare_cached(&sql)?.query_row(params_from_iter(parameters), |row| row.get(0))?;
    Ok(count.cast_unsigned())
}

/// A span that reaches into the present is best searched from the newest record back; any other
/// from what lies in it.
fn newest(tx: &Connection, plan: &ReadPlan, scope: &Scope) -> Result<Option<i64>> {
    let open_end = scope.resources().is_none() && scope.window().is_some_and(|window| window.until.is_none());
    let since = scope.window().and_then(|window| window.since.as_ref()).filter(|_| open_end);
    if let Some(since) = since {
        let sql = "SELECT max(emitted) FROM (SELECT emitted FROM record INDEXED BY record_emitted WHERE cell = ?1 AND time >= ?2 ORDER BY emitted DESC LIMIT 1)";
        return Ok(tx.prepare_cached(sql)?.query_row((scope.cell(), since.as_bytes()), |row| row.get(0))?);
    }
    let (sql, parameters): (String, Vec<Value>) = Part::unordered(plan, scope).select("max(r.emitted)", true, "");
    Ok(tx.prepare_cached(&sql)?.query_row(params_from_iter(parameters), |row| row.get(0))?)
}
