//! Pages: each scope's rows in order, merged into one order.

use std::borrow::Cow;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use vitrine_contract::request::Order;
use vitrine_engine::gate::{PageOrder, ReadPlan, Scope};
use vitrine_engine::port::{Page, PageAsk, Position, Row};
use vitrine_engine::sort_key::ABSENT;

use super::compile::{AsOf, Part, Phase};
use super::recheck::Recheck;
use super::{check_fresh, emitted_at, sequence};
use crate::fault::{Result, corrupt};
use crate::row::{Payload, Wanted, show};

/// A compound statement has a limit; more scopes are read in several.
const SCOPES_PER_STATEMENT: usize = 200;
/// What is read of a record, after its place.
const PAYLOAD: &str = "r.data, r.long, r.emitted, r.extra";
/// A page ends early, with a cursor, rather than grow past this.
const PAGE_BYTES: usize = 8 * 1024 * 1024;

pub(crate) fn page(tx: &Connection, plan: &ReadPlan, ask: &PageAsk<'_>) -> Result<Page> {
    check_fresh(tx, plan)?;
    let present = sequence(tx)?;
    let horizon = ask.horizon.unwrap_or(present);
    let as_of = if horizon == present { AsOf::Now } else { AsOf::Sequence(horizon) };
    let wanted: Vec<Wanted<'_>> =
        plan.scopes().iter().map(|scope| Wanted::new(scope, plan.joins(), ask.row.preview_chars)).collect();
    let mut page = Page { rows: Vec::with_capacity(ask.rows), more: false, horizon };
    for phase in phases(plan, ask) {
        if !page.more {
            read_phase(tx, plan, ask, (as_of, *phase), &wanted, &mut page)?;
        }
    }
    Ok(page)
}

/// Ascending, what has no value comes last by itself; descending, it is read after the rest.
fn phases(plan: &ReadPlan, ask: &PageAsk<'_>) -> &'static [Phase] {
    match plan.order() {
        PageOrder::Field(_, Order::Desc) if ask.after.is_some_and(|position| position.key == ABSENT) => {
            &[Phase::Absent]
        }
        PageOrder::Field(_, Order::Desc) => &[Phase::Present, Phase::Absent],
        _ => &[Phase::Whole],
    }
}

/// Adds the rows of one phase until the page is full, in rows or in bytes.
fn read_phase(
    tx: &Connection,
    plan: &ReadPlan,
    ask: &PageAsk<'_>,
    (as_of, phase): (AsOf, Phase),
    wanted: &[Wanted<'_>],
    page: &mut Page,
) -> Result<()> {
    let rechecks: Option<Vec<Recheck<'_>>> =
        (as_of != AsOf::Now).then(|| plan.scopes().iter().map(|scope| Recheck::of(plan, scope)).collect());
    let mut after = ask.after.cloned();
    loop {
        let room = ask.rows - page.rows.len();
        let (found, ended_early) =
            read_rows(tx, plan, (as_of, phase), after.as_ref(), room + 1, wanted, rechecks.as_deref())?;
        let all = found.len() <= room && !ended_early;
        // Rows that are left out make room for those that follow.
        after = rechecks.as_ref().and(found.last()).map(|found| found.row.position(plan));
        let mut bytes: usize = page.rows.iter().map(|row| row.data.json().len()).sum();
        for Found { row, is_meant } in found {
            bytes += row.data.json().len();
            if !is_meant {
                continue;
            }
            if page.rows.len() == ask.rows || (bytes > PAGE_BYTES && !page.rows.is_empty()) {
                page.more = true;
                return Ok(());
            }
            page.rows.push(row);
        }
        if all {
            return Ok(());
        }
        if ended_early && !page.rows.is_empty() {
            page.more = true;
            return Ok(());
        }
    }
}

/// A row, and whether it still is what the plan asks for.
struct Found {
    row: Row,
    is_meant: bool,
}

/// Up to `most` rows after a place, in order; whether it was left at fewer because they are large.
fn read_rows(
    tx: &Connection,
    plan: &ReadPlan,
    (as_of, phase): (AsOf, Phase),
    after: Option<&Position>,
    most: usize,
    wanted: &[Wanted<'_>],
    rechecks: Option<&[Recheck<'_>]>,
) -> Result<(Vec<Found>, bool)> {
    let scopes: Vec<(usize, &Scope)> = plan.scopes().iter().enumerate().collect();
    let mut found: Vec<Found> = Vec::with_capacity(most);
    let (mut bytes, mut ended_early) = (0, false);
    let several = plan.scopes().len() > SCOPES_PER_STATEMENT;
    for scopes in scopes.chunks(SCOPES_PER_STATEMENT) {
        let (sql, parameters) = compound(plan, scopes, after, as_of, phase, most);
        let mut statement = tx.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(parameters))?;
        while let Some(row) = rows.next()? {
            let row = read_row(tx, row, wanted, rechecks)?;
            bytes += row.row.data.json().len();
            found.push(row);
            // In one statement rows come in order, so what follows need not be read.
            if !several && bytes > PAGE_BYTES {
                ended_early = rows.next()?.is_some();
                break;
            }
        }
    }
    if several {
        found.sort_by(|Found { row: a, .. }, Found { row: b, .. }| {
            let order = (&a.key, &a.id, a.scope).cmp(&(&b.key, &b.id, b.scope));
            if plan.order().direction() == Order::Desc { order.reverse() } else { order }
        });
        found.truncate(most);
    }
    Ok((found, ended_early))
}

/// The ordered parts of several scopes under one order. Scopes are sorted by connection, so their
/// number breaks ties as the connection id would.
fn compound(
    plan: &ReadPlan,
    scopes: &[(usize, &Scope)],
    after: Option<&Position>,
    as_of: AsOf,
    phase: Phase,
    wanted: usize,
) -> (String, Vec<Value>) {
    let by_id = matches!(plan.order(), PageOrder::Id(_));
    let direction = plan.order().direction();
    let word = if direction == Order::Desc { "DESC" } else { "ASC" };
    let narrowed = |scope: &Scope| {
        let mut part = Part::ordered(plan, scope, as_of);
        match after.filter(|position| phase != Phase::Absent || position.key == ABSENT) {
            Some(position) => {
                part.in_phase(if phase == Phase::Absent { phase } else { Phase::Whole });
                part.after(position, &scope.connection().connection_id, direction, by_id);
            }
            None => part.in_phase(phase),
        }
        part
    };
    let place = |part: &Part, number: usize| {
        format!("{} AS k, {} AS i, {} AS n, {number} AS c", part.key, part.id, part.record)
    };
    let order = if by_id { format!("i {word}") } else { format!("k {word}, i {word}") };
    if let [(number, scope)] = scopes {
        let part = narrowed(scope);
        let columns = format!("{}, {PAYLOAD}", place(&part, *number));
        return part.select(&columns, true, &format!(" ORDER BY {order} LIMIT {wanted}"));
    }
    let mut parts = Vec::with_capacity(scopes.len());
    let mut parameters = Vec::new();
    for (number, scope) in scopes {
        let part = narrowed(scope);
        let columns = place(&part, *number);
        let (sql, mut values) = part.select(&columns, false, "");
        parts.push(sql);
        parameters.append(&mut values);
    }
    // The join keeps the order of what drives it.
    let sql = format!(
        "SELECT k, i, n, c, {PAYLOAD} FROM ({} ORDER BY {order}, c {word} LIMIT {wanted}) CROSS JOIN record r ON r.number = n",
        parts.join(" UNION ALL ")
    );
    (sql, parameters)
}

fn read_row(
    tx: &Connection,
    row: &rusqlite::Row<'_>,
    wanted: &[Wanted<'_>],
    rechecks: Option<&[Recheck<'_>]>,
) -> Result<Found> {
    let scope = usize::try_from(row.get::<_, i64>(3)?).map_err(|_| corrupt("a scope below zero"))?;
    let text = |at| row.get_ref(at).ok().and_then(|value| value.as_str_or_null().ok().flatten());
    let data = text(4).ok_or_else(|| corrupt("a record without a payload"))?;
    let is_meant = rechecks.map_or(Ok(true), |rechecks| rechecks[scope].is_met_by(data, text(5)))?;
    let payload = Payload {
        record: row.get(2)?,
        data: Cow::Borrowed(data),
        long: text(5).map(Cow::Borrowed),
        extra: row.get(7)?,
    };
    let shown = show(tx, payload, wanted[scope])?;
    let row = Row {
        scope,
        id: row.get(1)?,
        key: row.get(0)?,
        data: shown.data,
        cut: shown.cut,
        emitted_at: emitted_at(row.get(6)?),
        joins: shown.joins,
    };
    Ok(Found { row, is_meant })
}
