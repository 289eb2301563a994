//! Records grouped by a field's values or by calendar units.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use serde_json::Value;
use vitrine_contract::request::{Granularity, Metric};
use vitrine_contract::{time, values};
use vitrine_engine::gate::{Measure, MeasureField, ReadPlan, Scope};
use vitrine_engine::port::{Measured, MeasuredGroup};
use vitrine_engine::sort_key::{self, SortKey};

use super::compile::Part;
use super::measure::Sum;
use crate::fault::{Result, corrupt};
use crate::row::{Payload, value_of};

/// Entries of a calendar unit that are looked at one by one. Where there are more the database counts
/// them, which it does in half the time.
const FEW: u64 = 64;

/// What is known of one group.
#[derive(Default, Clone)]
struct Tally {
    count: u64,
    sum: Sum,
    least: Option<(SortKey, i64)>,
    greatest: Option<(SortKey, i64)>,
    distinct: BTreeSet<SortKey>,
    /// A record that shows the group's own value, when its key cannot.
    sample: Option<i64>,
}

pub(super) fn by_value(
    tx: &Connection,
    plan: &ReadPlan,
    measure: &Measure,
    field: &MeasureField,
    matched: u64,
) -> Result<Measured> {
    let mut groups: BTreeMap<Option<SortKey>, Tally> = BTreeMap::new();
    if measure.field.is_some() {
        each_record(tx, plan, measure, field, |key, metric, record| {
            groups.entry(key.cloned()).or_default().take(metric, record, measure.metric);
        })?;
    } else {
        count_values(tx, plan, field, &mut groups)?;
        let counted: u64 = groups.values().map(|tally| tally.count).sum();
        if matched > counted {
            groups.insert(None, Tally { count: matched - counted, ..Tally::default() });
        }
    }
    let mut ordered: Vec<(Option<SortKey>, Tally)> = groups.into_iter().collect();
    ordered.sort_by(|(a_key, a), (b_key, b)| {
        b.count.cmp(&a.count).then_with(|| none_last(a_key.as_ref(), b_key.as_ref()))
    });
    let mut measured = Measured { matched, ..Measured::default() };
    for (at, (key, tally)) in ordered.into_iter().enumerate() {
        if at >= measure.limit {
            measured.other += tally.count;
            continue;
        }
        let shown = match &key {
            None => Value::Null,
            Some(key) => shown_value(tx, key, field, tally.sample.unwrap_or_default())?,
        };
        measured.groups.push(tally.into_group(tx, shown, measure)?);
    }
    Ok(measured)
}

fn none_last(a: Option<&SortKey>, b: Option<&SortKey>) -> std::cmp::Ordering {
    (a.is_none(), a).cmp(&(b.is_none(), b))
}

fn count_values(
    tx: &Connection,
    plan: &ReadPlan,
    field: &MeasureField,
    groups: &mut BTreeMap<Option<SortKey>, Tally>,
) -> Result<()> {
    for scope in plan.scopes() {
        let (sql, parameters) =
            Part::values(plan, scope, field.number, true).select("x.value, count(*)", false, " GROUP BY x.value");
        let mut statement = tx.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(parameters))?;
        while let Some(row) = rows.next()? {
            let key = SortKey::from_bytes(row.get(0)?);
            let sample = if key.is_cut() { sample(tx, scope.cell(), field, &key)? } else { None };
            let tally = groups.entry(Some(key)).or_default();
            tally.count += row.get::<_, i64>(1)?.cast_unsigned();
            tally.sample = tally.sample.take().or(sample);
        }
    }
    Ok(())
}

fn sample(tx: &Connection, cell: i64, field: &MeasureField, key: &SortKey) -> Result<Option<i64>> {
    let mut statement = tx.prepare_cached(
        "SELECT record FROM by_value WHERE cell = ?1 AND field = ?2 AND value = ?3 AND died IS NULL LIMIT 1",
    )?;
    Ok(statement.query_row((cell, field.number, key.as_bytes()), |row| row.get(0)).optional()?)
}

/// Hands over the group key, the metric's key and the number of each matching record.
fn each_record(
    tx: &Connection,
    plan: &ReadPlan,
    measure: &Measure,
    group: &MeasureField,
    mut take: impl FnMut(Option<&SortKey>, Option<SortKey>, i64),
) -> Result<()> {
    let metric = measure.field.as_ref().ok_or_else(|| corrupt("a metric without a field"))?;
    for scope in plan.scopes() {
        let (sql, parameters) = Part::unordered(plan, scope).select("r.number, r.data, r.long", true, " ORDER BY r.id");
        let mut statement = tx.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(parameters))?;
        while let Some(row) = rows.next()? {
            let text = |at| row.get_ref(at).ok().and_then(|value| value.as_str_or_null().ok().flatten());
            let record = row.get(0)?;
            let payload = Payload {
                record,
                data: Cow::Borrowed(text(1).unwrap_or_default()),
                long: text(2).map(Cow::Borrowed),
                extra: false,
            };
            let key = |field: &MeasureField| -> Result<Option<SortKey>> {
                let json = if payload.long.is_some() {
                    value_of(tx, &payload, &field.name)?.map(Cow::Owned)
                } else {
                    let fields = values::fields(&payload.data);
                    fields.into_iter().find(|(name, _)| *name == field.name).map(|(_, json)| Cow::Borrowed(json))
                };
                Ok(json.and_then(|json| SortKey::of_json(field.kind, &json)))
            };
            take(key(group)?.as_ref(), key(metric)?, record);
        }
    }
    Ok(())
}

impl Tally {
    fn take(&mut self, metric: Option<SortKey>, record: i64, what: Metric) {
        self.count += 1;
        self.sample.get_or_insert(record);
        let Some(key) = metric else { return };
        match what {
            Metric::Sum => self.sum.add(&key),
            Metric::CountDistinct => {
                self.distinct.insert(key);
            }
            Metric::Min => {
                if self.least.as_ref().is_none_or(|(known, _)| key < *known) {
                    self.least = Some((key, record));
                }
            }
            Metric::Max => {
                if self.greatest.as_ref().is_none_or(|(known, _)| key > *known) {
                    self.greatest = Some((key, record));
                }
            }
            Metric::Count => {}
        }
    }

    fn into_group(self, tx: &Connection, key: Value, measure: &Measure) -> Result<MeasuredGroup> {
        let value = match (&measure.field, measure.metric) {
            (None, _) | (_, Metric::Count) => None,
            (Some(_), Metric::Sum) => Some(self.sum.value()),
            (Some(_), Metric::CountDistinct) => Some(self.distinct.len().into()),
            (Some(field), Metric::Min | Metric::Max) => match self.least.or(self.greatest) {
                Some((key, record)) => Some(shown_value(tx, &key, field, record)?),
                None => Some(Value::Null),
            },
        };
        Ok(MeasuredGroup { key, count: self.count, value })
    }
}

/// The value a key stands for; of a text too long for its key, the text of a record that has it.
pub(super) fn shown_value(tx: &Connection, key: &SortKey, field: &MeasureField, record: i64) -> Result<Value> {
    if field.dates
        && let Some(instant) = key.to_time()
    {
        return Ok(Value::String(TimeZone::UTC.to_datetime(instant).date().to_string()));
    }
    if let Some(value) = key.to_value() {
        return Ok(value);
    }
    let mut statement = tx.prepare_cached("SELECT data, long FROM record WHERE number = ?1")?;
    let (data, long): (String, Option<String>) = statement.query_row([record], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let payload = Payload { record, data: Cow::Owned(data), long: long.map(Cow::Owned), extra: false };
    let json = value_of(tx, &payload, &field.name)?.ok_or_else(|| corrupt("an indexed value is not in its record"))?;
    Ok(serde_json::from_str(&json)?)
}

/// Groups by calendar unit: entries come sorted by time, so each unit's end is computed once.
pub(super) fn by_calendar(
    tx: &Connection,
    plan: &ReadPlan,
    measure: &Measure,
    (field, unit, asked): (&MeasureField, Granularity, &TimeZone),
    matched: u64,
) -> Result<Measured> {
    // A date is the same day everywhere: it is counted where it is kept, and only its midnight is the zone's.
    let zone = if field.dates { &TimeZone::UTC } else { asked };
    let mut groups: BTreeMap<Option<Timestamp>, Tally> = BTreeMap::new();
    if measure.field.is_some() {
        each_record(tx, plan, measure, field, |key, metric, record| {
            let start =
                key.and_then(SortKey::to_time).and_then(|instant| Unit::around(instant, unit, zone)).map(|u| u.start);
            groups.entry(start).or_default().take(metric, record, measure.metric);
        })?;
    } else {
        count_units(tx, plan, (field, unit, zone), &mut groups)?;
        let counted: u64 = groups.values().map(|tally| tally.count).sum();
        if matched > counted {
            groups.insert(None, Tally { count: matched - counted, ..Tally::default() });
        }
    }
    let mut measured = Measured { matched, ..Measured::default() };
    let dated = groups.remove(&None);
    let in_order = groups.into_iter().chain(dated.map(|tally| (None, tally)));
    for (at, (start, tally)) in in_order.enumerate() {
        if at >= measure.limit {
            measured.other += tally.count;
            continue;
        }
        let midnight = |start: Timestamp| midnight(TimeZone::UTC.to_datetime(start).date(), asked).unwrap_or(start);
        let start = if field.dates { start.map(midnight) } else { start };
        let key = start.map_or(Value::Null, |start| Value::String(time::format(start)));
        measured.groups.push(tally.into_group(tx, key, measure)?);
    }
    Ok(measured)
}

fn count_units(
    tx: &Connection,
    plan: &ReadPlan,
    calendar: (&MeasureField, Granularity, &TimeZone),
    groups: &mut BTreeMap<Option<Timestamp>, Tally>,
) -> Result<()> {
    for scope in plan.scopes() {
        let mut from = Some(SortKey::from_bytes(Vec::new()));
        while let Some(start) = from {
            from = count_units_from(tx, (plan, scope), calendar, start, groups)?;
        }
    }
    Ok(())
}

/// Counts units from a key on, up to the end or the first unit that has many entries; where to go on from there.
fn count_units_from(
    tx: &Connection,
    (plan, scope): (&ReadPlan, &Scope),
    (field, granularity, zone): (&MeasureField, Granularity, &TimeZone),
    start: SortKey,
    groups: &mut BTreeMap<Option<Timestamp>, Tally>,
) -> Result<Option<SortKey>> {
    let entries = |from, to| {
        let mut part = Part::values(plan, scope, field.number, false);
        part.keep_between(&Bound::Included(from), &to);
        part
    };
    let (sql, parameters) = entries(start, Bound::Unbounded).select("x.value", false, " ORDER BY x.value");
    let mut statement = tx.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(parameters))?;
    let mut present: Option<(Unit, SortKey, u64)> = None;
    while let Some(row) = rows.next()? {
        let key = row.get_ref(0)?.as_blob().map_err(|_| corrupt("a key of the wrong type"))?;
        if let Some((unit, _, count)) = &mut present
            && key < unit.end.as_bytes()
            && *count < FEW
        {
            *count += 1;
            continue;
        }
        if let Some((unit, first, count)) = present.take() {
            let tally = groups.entry(Some(unit.start)).or_default();
            if count == FEW {
                let (sql, parameters) = entries(first, Bound::Excluded(unit.end.clone())).select("count(*)", false, "");
                let count =
                    tx.prepare_cached(&sql)?.query_row(params_from_iter(parameters), |row| row.get::<_, i64>(0));
                tally.count += count?.cast_unsigned();
                return Ok(Some(unit.end));
            }
            tally.count += count;
        }
        let unit = sort_key::decode_time(key).and_then(|instant| Unit::around(instant, granularity, zone));
        present = unit.map(|unit| (unit, SortKey::from_bytes(key.to_vec()), 1));
    }
    if let Some((unit, _, count)) = present {
        groups.entry(Some(unit.start)).or_default().count += count;
    }
    Ok(None)
}

/// One calendar unit: its first instant, and the key of the first instant after it.
struct Unit {
    start: Timestamp,
    end: SortKey,
}

impl Unit {
    /// The unit an instant lies in. Across a change of the clock, wall-clock units stay whole:
    /// the day of the change has 23 or 25 hours. Hours and minutes are counted on the instant's
    /// own offset, so that a repeated hour stays two.
    fn around(instant: Timestamp, granularity: Granularity, zone: &TimeZone) -> Option<Self> {
        if matches!(granularity, Granularity::Minute | Granularity::Hour) {
            let seconds = if granularity == Granularity::Hour { 3_600 } else { 60 };
            let offset = i64::from(zone.to_offset(instant).seconds());
            let local = instant.as_second() + offset;
            let start = Timestamp::from_second(local - local.rem_euclid(seconds) - offset).ok()?;
            let end = start.checked_add(seconds.seconds()).ok();
            let end = end.map(|end| zone.following(start).next().map_or(end, |change| end.min(change.timestamp())));
            let just_after = instant.checked_add(1.nanosecond()).unwrap_or(instant);
            let start = zone.preceding(just_after).next().map_or(start, |change| start.max(change.timestamp()));
            return Some(Self::between(start, end));
        }
        let date = zone.to_datetime(instant).date();
        let first = first_day(date, granularity)?;
        let after = match granularity {
            Granularity::Day => first.checked_add(1.day()),
            Granularity::Week => first.checked_add(1.week()),
            Granularity::Month => first.checked_add(1.month()),
            Granularity::Quarter => first.checked_add(3.months()),
            _ => first.checked_add(1.year()),
        };
        Some(Self::between(midnight(first, zone)?, after.ok().and_then(|after| midnight(after, zone))))
    }

    /// The last unit of the calendar has no end.
    fn between(start: Timestamp, end: Option<Timestamp>) -> Self {
        Self { start, end: end.map_or_else(SortKey::after_times, SortKey::time) }
    }
}

fn first_day(date: Date, granularity: Granularity) -> Option<Date> {
    match granularity {
        Granularity::Week => date.checked_sub(i64::from(date.weekday().to_monday_zero_offset()).days()).ok(),
        Granularity::Month => Some(date.first_of_month()),
        Granularity::Quarter => Date::new(date.year(), (date.month() - 1) / 3 * 3 + 1, 1).ok(),
        Granularity::Year => Some(date.first_of_year()),
        _ => Some(date),
    }
}

/// The first instant of a day; where midnight is skipped, the instant the clock resumes.
fn midnight(date: Date, zone: &TimeZone) -> Option<Timestamp> {
    zone.to_zoned(DateTime::from(date)).ok()?.start_of_day().ok().map(|zoned| zoned.timestamp())
}
