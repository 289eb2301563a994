//! The feed of changes: what of the visible part of which record changed, up to one horizon.

use std::borrow::Cow;
use std::collections::VecDeque;

use rusqlite::Connection;
use vitrine_contract::time;
use vitrine_engine::gate::{ReadPlan, Scope, TimeWindow};
use vitrine_engine::port::{Change, ChangeKind, Changes, ChangesAsk, Row};

use super::{check_fresh, emitted_at, sequence};
use crate::fault::Result;
use crate::row::{Payload, Wanted, show};
use crate::write::Trace;

/// Events read at once from each scope.
const READ_AHEAD: i64 = 256;
/// Bytes of a page at most, as for pages of records.
const PAGE_BYTES: usize = 8 * 1024 * 1024;

pub(crate) fn changes(tx: &Connection, plan: &ReadPlan, ask: &ChangesAsk) -> Result<Changes> {
    check_fresh(tx, plan)?;
    let horizon = match ask.horizon {
        Some(horizon) => horizon,
        None => sequence(tx)?,
    };
    let after = ask.after.or(ask.since).unwrap_or(0);
    let mut feeds: Vec<Feed> = Vec::with_capacity(2 * plan.scopes().len());
    for (number, scope) in plan.scopes().iter().enumerate() {
        feeds.push(Feed::new(number, scope, after, horizon));
        if let (Some(_), Some(window)) = (ask.horizon, scope.window()) {
            feeds.push(Feed::of_erased(tx, window, Feed::new(number, scope, after, horizon))?);
        }
    }
    let mut changes = Changes { rows: Vec::new(), more: false, horizon };
    let mut bytes = 0;
    while let Some((number, event)) = next_event(tx, &mut feeds)? {
        let scope = &plan.scopes()[number];
        let what = match event.what {
            EventKind::Gone(gone) => gone.for_scope(scope, number, ask)?,
            EventKind::Record(record) => changed(tx, plan, number, record, event.sequence, ask)?,
        };
        let Some(what) = what else { continue };
        if changes.rows.len() == ask.rows || bytes > PAGE_BYTES {
            changes.more = true;
            break;
        }
        if let ChangeKind::Record(row) = &what {
            bytes += row.data.json().len();
        }
        changes.rows.push(Change { sequence: event.sequence, what });
    }
    Ok(changes)
}

/// The events of one scope, in order, read ahead in small batches.
struct Feed {
    /// Which of the plan's scopes.
    scope: usize,
    cell: i64,
    after: i64,
    horizon: i64,
    waiting: VecDeque<Event>,
    exhausted: bool,
}

struct Event {
    sequence: i64,
    what: EventKind,
}

enum EventKind {
    Record(i64),
    Gone(Gone),
}

/// What is left of a deleted record.
struct Gone {
    id: String,
    time: Option<Vec<u8>>,
    at: i64,
    trace: Option<String>,
}

impl Feed {
    fn new(number: usize, scope: &Scope, after: i64, horizon: i64) -> Self {
        Self { scope: number, cell: scope.cell(), after, horizon, waiting: VecDeque::new(), exhausted: false }
    }

    /// What left the scope's span of time in a session that goes on, and was deleted after its horizon:
    /// a deletion erases the events before it, and is no news by itself to whom the record had left.
    fn of_erased(tx: &Connection, window: &TimeWindow, blank: Self) -> Result<Self> {
        let mut feed = Self { exhausted: true, ..blank };
        let mut statement = tx.prepare_cached(
            "SELECT id, time, trace FROM gone WHERE cell = ?1 AND sequence > ?2 AND trace IS NOT NULL",
        )?;
        let mut rows = statement.query((feed.cell, feed.horizon))?;
        while let Some(row) = rows.next()? {
            let (id, time, text): (String, Option<Vec<u8>>, Option<String>) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let trace = Trace::parse(text.as_deref())?;
            let crossing = trace.last_crossing(window, time.as_deref(), feed.horizon);
            if let Some((sequence, at)) = crossing.filter(|(sequence, _)| *sequence > feed.after)
                && !trace.was_inside(window, time.as_deref(), feed.horizon)
            {
                feed.waiting.push_back(Event { sequence, what: EventKind::Gone(Gone { id, time, at, trace: text }) });
            }
        }
        feed.waiting.make_contiguous().sort_by_key(|event| event.sequence);
        Ok(feed)
    }

    fn fill(&mut self, tx: &Connection) -> Result<()> {
        if !self.waiting.is_empty() || self.exhausted {
            return Ok(());
        }
        let mut statement = tx.prepare_cached(
            "SELECT sequence, record, NULL, NULL, NULL, NULL FROM event WHERE cell = ?1 AND sequence > ?2 AND sequence <= ?3
             UNION ALL
             SELECT sequence, NULL, id, time, at, trace FROM gone WHERE cell = ?1 AND sequence > ?2 AND sequence <= ?3
             ORDER BY sequence LIMIT ?4",
        )?;
        let mut rows = statement.query((self.cell, self.after, self.horizon, READ_AHEAD))?;
        while let Some(row) = rows.next()? {
            let what = match row.get::<_, Option<i64>>(1)? {
                Some(record) => EventKind::Record(record),
                None => {
                    EventKind::Gone(Gone { id: row.get(2)?, time: row.get(3)?, at: row.get(4)?, trace: row.get(5)? })
                }
            };
            self.waiting.push_back(Event { sequence: row.get(0)?, what });
        }
        self.exhausted = self.waiting.is_empty();
        self.after = self.waiting.back().map_or(self.after, |event| event.sequence);
        Ok(())
    }
}

fn next_event(tx: &Connection, feeds: &mut [Feed]) -> Result<Option<(usize, Event)>> {
    for feed in feeds.iter_mut() {
        feed.fill(tx)?;
    }
    let first =
        feeds.iter().enumerate().filter_map(|(at, feed)| feed.waiting.front().map(|event| (event.sequence, at))).min();
    Ok(first.and_then(|(_, at)| feeds[at].waiting.pop_front().map(|event| (feeds[at].scope, event))))
}

impl Gone {
    /// A deletion is news to whoever could see the record when they last looked, even if it left
    /// their span of time before it was deleted.
    fn for_scope(self, scope: &Scope, number: usize, ask: &ChangesAsk) -> Result<Option<ChangeKind>> {
        let trace = Trace::parse(self.trace.as_deref())?;
        let inside = |since| scope.window().is_none_or(|window| trace.was_inside(window, self.time.as_deref(), since));
        let seen = ask.since.is_some_and(inside) && scope.resources().is_none_or(|ids| ids.contains(&self.id));
        Ok(seen.then(|| ChangeKind::Gone { scope: number, id: self.id, at: second(self.at) }))
    }
}

/// Whether this event is the last one, up to the horizon, at which what the caller may see of the
/// record changed; earlier ones are passed over, and later ones belong to the next session.
fn changed(
    tx: &Connection,
    plan: &ReadPlan,
    number: usize,
    record: i64,
    sequence: i64,
    ask: &ChangesAsk,
) -> Result<Option<ChangeKind>> {
    let scope = &plan.scopes()[number];
    let mut statement =
        tx.prepare_cached("SELECT id, time, emitted, born, data, long, trace, extra FROM record WHERE number = ?1")?;
    let mut rows = statement.query([record])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let id: String = row.get(0)?;
    if scope.resources().is_some_and(|ids| !ids.contains(&id)) {
        return Ok(None);
    }
    let time: Option<Vec<u8>> = row.get(1)?;
    let born: i64 = row.get(3)?;
    let trace = Trace::parse(row.get::<_, Option<String>>(6)?.as_deref())?;
    let crossing = scope.window().and_then(|window| trace.last_crossing(window, time.as_deref(), i64::MAX));
    let shown = trace.last_change(scope.visible()).unwrap_or(born).max(born).max(crossing.map_or(0, |(at, _)| at));
    let inside = scope.window().is_none_or(|window| window.contains(time.as_deref()));
    if inside {
        if shown != sequence {
            return Ok(None);
        }
        let (data, long): (String, Option<String>) = (row.get(4)?, row.get(5)?);
        let payload = Payload { record, data: Cow::Owned(data), long: long.map(Cow::Owned), extra: row.get(7)? };
        let wanted = Wanted::new(scope, &[], ask.row.preview_chars);
        let payload = show(tx, payload, wanted)?;
        return Ok(Some(ChangeKind::Record(Row {
            scope: number,
            id,
            key: Vec::new(),
            data: payload.data,
            cut: payload.cut,
            emitted_at: emitted_at(row.get(2)?),
            joins: Vec::new(),
        })));
    }
    let left = crossing.filter(|(at, _)| *at == sequence);
    let was_seen = |since: i64| {
        born <= since && scope.window().is_some_and(|window| trace.was_inside(window, time.as_deref(), since))
    };
    Ok(match left {
        Some((_, at)) if ask.since.is_some_and(was_seen) => {
            Some(ChangeKind::Gone { scope: number, id, at: second(at) })
        }
        _ => None,
    })
}

fn second(at: i64) -> String {
    jiff::Timestamp::from_second(at).map(time::format).unwrap_or_default()
}
