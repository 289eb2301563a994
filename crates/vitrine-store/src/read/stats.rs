//! How much there is, as far as each scope may see.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use rusqlite::{Connection, params_from_iter};
use vitrine_engine::gate::{ReadPlan, Scope, TimeWindow};
use vitrine_engine::port::ScopeStats;

use super::compile::Part;
use super::{check_fresh, emitted_at};
use crate::fault::Result;

/// Entries that are kept at most, of each kind.
const MAX_ENTRIES: usize = 4_096;

/// Numbers of narrowed scopes, good until their cell changes.
#[derive(Default)]
pub(crate) struct StatsCache {
    counts: Kept<u64>,
    newest: Kept<Option<i64>>,
}

/// Values by scope, each with the change of its cell that it was found after.
struct Kept<T>(Mutex<HashMap<Key, (i64, T)>>);

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

/// Count and newest of each scope.
pub(crate) fn stats(tx: &Connection, plan: &ReadPlan, cache: &StatsCache) -> Result<Vec<ScopeStats>> {
    each(tx, plan, |scope, cell| {
        let count = if scope.sees_all_records() {
            cell.records
        } else {
            cache.counts.or_find(scope, cell, || count_visible(tx, scope))?
        };
        Ok(ScopeStats { count, newest: newest_of(tx, scope, cell, cache)?.map(emitted_at) })
    })
}

/// Newest of each scope, which is cheaper to keep up with than its count.
pub(crate) fn newest(tx: &Connection, plan: &ReadPlan, cache: &StatsCache) -> Result<Vec<Option<Timestamp>>> {
    let instant = |nanoseconds: i64| Timestamp::from_nanosecond(nanoseconds.into()).ok();
    each(tx, plan, |scope, cell| Ok(newest_of(tx, scope, cell, cache)?.and_then(instant)))
}

fn each<T>(tx: &Connection, plan: &ReadPlan, find: impl Fn(&Scope, &Cell) -> Result<T>) -> Result<Vec<T>> {
    check_fresh(tx, plan)?;
    let mut statement = tx.prepare_cached("SELECT records, changed, newest FROM cell WHERE number = ?1")?;
    let mut all = Vec::with_capacity(plan.scopes().len());
    for scope in plan.scopes() {
        let cell = statement.query_row([scope.cell()], |row| {
            Ok(Cell { records: row.get::<_, i64>(0)?.cast_unsigned(), changed: row.get(1)?, newest: row.get(2)? })
        })?;
        all.push(find(scope, &cell)?);
    }
    Ok(all)
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Kept<T> {
    fn or_find(&self, scope: &Scope, cell: &Cell, find: impl FnOnce() -> Result<T>) -> Result<T> {
        let key = Key { cell: scope.cell(), window: scope.window().cloned(), resources: scope.resources().cloned() };
        let lock = || self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((changed, value)) = lock().get(&key)
            && *changed == cell.changed
        {
            return Ok(value.clone());
        }
        let value = find()?;
        let mut entries = lock();
        if entries.len() >= MAX_ENTRIES {
            entries.clear();
        }
        entries.insert(key, (cell.changed, value.clone()));
        Ok(value)
    }
}

fn count_visible(tx: &Connection, scope: &Scope) -> Result<u64> {
    let (sql, parameters) = Part::visible(scope).select("count(*)", false, "");
    let count: i64 = tx.prepare_cached(&sql)?.query_row(params_from_iter(parameters), |row| row.get(0))?;
    Ok(count.cast_unsigned())
}

fn newest_of(tx: &Connection, scope: &Scope, cell: &Cell, cache: &StatsCache) -> Result<Option<i64>> {
    if scope.sees_all_records() {
        return Ok(cell.newest);
    }
    cache.newest.or_find(scope, cell, || newest_visible(tx, scope))
}

/// A span that reaches into the present is best searched from the newest record back; any other
/// from what lies in it.
fn newest_visible(tx: &Connection, scope: &Scope) -> Result<Option<i64>> {
    let open_end = scope.resources().is_none() && scope.window().is_some_and(|window| window.until.is_none());
    let since = scope.window().and_then(|window| window.since.as_ref()).filter(|_| open_end);
    if let Some(since) = since {
        let sql = "SELECT max(emitted) FROM (SELECT emitted FROM record INDEXED BY record_emitted WHERE cell = ?1 AND time >= ?2 ORDER BY emitted DESC LIMIT 1)";
        return Ok(tx.prepare_cached(sql)?.query_row((scope.cell(), since.as_bytes()), |row| row.get(0))?);
    }
    let (sql, parameters) = Part::visible(scope).select("max(r.emitted)", true, "");
    Ok(tx.prepare_cached(&sql)?.query_row(params_from_iter(parameters), |row| row.get(0))?)
}
