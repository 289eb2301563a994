//! One record, in each scope that has it.

use std::borrow::Cow;

use rusqlite::Connection;
use vitrine_engine::gate::{ReadPlan, Scope};
use vitrine_engine::port::{Row, RowAsk};

use super::{check_fresh, emitted_at};
use crate::fault::{Result, corrupt};
use crate::row::{Payload, Wanted, show};

pub(crate) fn find(tx: &Connection, plan: &ReadPlan, id: &str, ask: RowAsk) -> Result<Vec<Row>> {
    check_fresh(tx, plan)?;
    let mut found = Vec::new();
    for (number, scope) in plan.scopes().iter().enumerate() {
        let row = with_record(tx, scope, id, |payload, emitted| {
            let wanted = Wanted::new(scope, plan.joins(), ask.preview_chars);
            let shown = show(tx, payload, wanted)?;
            Ok(Row {
                scope: number,
                id: id.to_owned(),
                key: Vec::new(),
                data: shown.data,
                cut: shown.cut,
                emitted_at: emitted_at(emitted),
                joins: shown.joins,
            })
        })?;
        found.extend(row);
    }
    Ok(found)
}

/// Hands over a record's payload and time of emission, if the scope's caller may see it.
pub(super) fn with_record<T>(
    tx: &Connection,
    scope: &Scope,
    id: &str,
    work: impl FnOnce(Payload<'_>, i64) -> Result<T>,
) -> Result<Option<T>> {
    if scope.resources().is_some_and(|ids| !ids.contains(id)) {
        return Ok(None);
    }
    let mut statement =
        tx.prepare_cached("SELECT number, time, data, long, emitted, extra FROM record WHERE cell = ?1 AND id = ?2")?;
    let mut rows = statement.query((scope.cell(), id))?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let time = row.get_ref(1)?.as_blob_or_null().map_err(|_| corrupt("a time of the wrong type"))?;
    if scope.window().is_some_and(|window| !window.contains(time)) {
        return Ok(None);
    }
    let text = |at| row.get_ref(at).ok().and_then(|value| value.as_str_or_null().ok().flatten());
    let data = text(2).ok_or_else(|| corrupt("a record without a payload"))?;
    let payload = Payload {
        record: row.get(0)?,
        data: Cow::Borrowed(data),
        long: text(3).map(Cow::Borrowed),
        extra: row.get(5)?,
    };
    work(payload, row.get(4)?).map(Some)
}
