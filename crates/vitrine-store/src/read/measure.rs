//! Counts, sums, extremes and groups.

use std::collections::BTreeSet;

use rusqlite::{Connection, params_from_iter};
use serde_json::Value;
use vitrine_contract::request::Metric;
use vitrine_engine::gate::{Grouping, Measure, MeasureField, ReadPlan, Scope};
use vitrine_engine::port::Measured;
use vitrine_engine::sort_key::{KeyNumber, SortKey};

use super::compile::Part;
use super::{check_fresh, groups};
use crate::fault::{Result, corrupt};

pub(crate) fn count(tx: &Connection, plan: &ReadPlan) -> Result<u64> {
    check_fresh(tx, plan)?;
    matched(tx, plan)
}

pub(crate) fn measure(tx: &Connection, plan: &ReadPlan) -> Result<Measured> {
    check_fresh(tx, plan)?;
    let measure = plan.measure().ok_or_else(|| corrupt("a plan without a measure was measured"))?;
    let matched = matched(tx, plan)?;
    match &measure.group {
        Grouping::None => {
            Ok(Measured { matched, value: Some(overall(tx, plan, measure, matched)?), ..Measured::default() })
        }
        Grouping::Value(field) => groups::by_value(tx, plan, measure, field, matched),
        Grouping::Calendar(field, unit, zone) => groups::by_calendar(tx, plan, measure, (field, *unit, zone), matched),
    }
}

/// How many records the plan matches.
fn matched(tx: &Connection, plan: &ReadPlan) -> Result<u64> {
    let mut total = 0;
    for scope in plan.scopes() {
        let count: i64 = if plan.conditions().is_empty() && scope.sees_all_records() {
            tx.prepare_cached("SELECT records FROM cell WHERE number = ?1")?
                .query_row([scope.cell()], |row| row.get(0))?
        } else {
            let (sql, parameters) = Part::unordered(plan, scope).select("count(*)", false, "");
            tx.prepare_cached(&sql)?.query_row(params_from_iter(parameters), |row| row.get(0))?
        };
        total += count.cast_unsigned();
    }
    Ok(total)
}

fn overall(tx: &Connection, plan: &ReadPlan, measure: &Measure, matched: u64) -> Result<Value> {
    let Some(field) = &measure.field else { return Ok(matched.into()) };
    match measure.metric {
        Metric::Count => Ok(matched.into()),
        Metric::Sum => {
            let mut sum = Sum::default();
            for scope in plan.scopes() {
                each_key(tx, plan, scope, field, |key| sum.add(&key))?;
            }
            Ok(sum.value())
        }
        Metric::CountDistinct => {
            let mut distinct = BTreeSet::new();
            for scope in plan.scopes() {
                let (sql, parameters) =
                    Part::values(plan, scope, field.number, true).select("DISTINCT x.value", false, "");
                let mut statement = tx.prepare_cached(&sql)?;
                let mut rows = statement.query(params_from_iter(parameters))?;
                while let Some(row) = rows.next()? {
                    distinct.insert(row.get::<_, Vec<u8>>(0)?);
                }
            }
            Ok(distinct.len().into())
        }
        Metric::Min | Metric::Max => {
            let mut best: Option<(SortKey, Value)> = None;
            for scope in plan.scopes() {
                let Some((key, value)) = extreme(tx, plan, scope, field, measure.metric)? else { continue };
                if best.as_ref().is_none_or(|(known, _)| (measure.metric == Metric::Min) == (key < *known)) {
                    best = Some((key, value));
                }
            }
            Ok(best.map_or(Value::Null, |(_, value)| value))
        }
    }
}

fn extreme(
    tx: &Connection,
    plan: &ReadPlan,
    scope: &Scope,
    field: &MeasureField,
    metric: Metric,
) -> Result<Option<(SortKey, Value)>> {
    let word = if metric == Metric::Min { "ASC" } else { "DESC" };
    let tail = format!(" ORDER BY x.value {word}, x.id {word} LIMIT 1");
    let (sql, parameters) = Part::values(plan, scope, field.number, false).select("x.value, x.record", false, &tail);
    let mut statement = tx.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(parameters))?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let key = SortKey::from_bytes(row.get(0)?);
    let value = groups::shown_value(tx, &key, field, row.get(1)?)?;
    Ok(Some((key, value)))
}

fn each_key(
    tx: &Connection,
    plan: &ReadPlan,
    scope: &Scope,
    field: &MeasureField,
    mut take: impl FnMut(SortKey),
) -> Result<()> {
    let (sql, parameters) =
        Part::values(plan, scope, field.number, false).select("x.value", false, " ORDER BY x.value, x.id");
    let mut statement = tx.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(parameters))?;
    while let Some(row) = rows.next()? {
        take(SortKey::from_bytes(row.get(0)?));
    }
    Ok(())
}

/// A sum that is exact over whole numbers, and over decimals as people write them.
#[derive(Default, Clone)]
pub(super) struct Sum {
    whole: i128,
    /// Millionths of what is not whole, as long as every number has at most six decimals.
    millionths: i128,
    inexact: Option<f64>,
}

impl Sum {
    pub(super) fn add(&mut self, key: &SortKey) {
        match key.to_number() {
            None => {}
            Some(KeyNumber::Integer(n)) => self.whole = self.whole.saturating_add(n),
            Some(KeyNumber::Double(n)) => match as_millionths(n) {
                Some(millionths) => self.millionths += millionths,
                None => *self.inexact.get_or_insert(0.0) += n,
            },
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a sum of that size is a double to every reader")]
    pub(super) fn value(&self) -> Value {
        let total = self.whole.saturating_mul(MILLION).saturating_add(self.millionths);
        match self.inexact {
            None if total % MILLION == 0 => KeyNumber::Integer(total / MILLION).into_value(),
            None => Value::from(total as f64 / MILLION as f64),
            Some(rest) => Value::from(total as f64 / MILLION as f64 + rest),
        }
    }
}

const MILLION: i128 = 1_000_000;

/// A double as millionths, if it is the double nearest to a decimal with six places.
#[expect(clippy::cast_possible_truncation, clippy::float_cmp, reason = "checked by going back")]
fn as_millionths(n: f64) -> Option<i128> {
    let scaled = (n * 1e6).round();
    if scaled.abs() > 9e15 {
        return None;
    }
    (scaled / 1e6 == n).then_some(scaled as i128)
}
