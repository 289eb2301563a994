//! A part of one field, read from the pieces that hold it.

use rusqlite::Connection;
use vitrine_contract::{BlobRef, values};
use vitrine_engine::gate::ReadPlan;
use vitrine_engine::port::{FieldPart, FoundField, WindowAsk, WindowPart};
use vitrine_engine::text_match::Finder;

use super::check_fresh;
use super::find::with_record;
use crate::fault::Result;
use crate::row::{self, Payload, slot_number};

pub(crate) fn window(tx: &Connection, plan: &ReadPlan, ask: &WindowAsk<'_>) -> Result<Vec<FoundField>> {
    check_fresh(tx, plan)?;
    let mut found = Vec::new();
    for (number, scope) in plan.scopes().iter().enumerate() {
        let visible = scope.projection().contains(ask.field);
        let value =
            with_record(
                tx,
                scope,
                ask.id,
                |payload, _| {
                    if visible { read(tx, &payload, ask) } else { Ok(FieldPart::Missing) }
                },
            )?;
        found.extend(value.map(|value| FoundField { scope: number, value }));
    }
    Ok(found)
}

fn read(tx: &Connection, payload: &Payload<'_>, ask: &WindowAsk<'_>) -> Result<FieldPart> {
    let long = row::long_fields(payload.long.as_deref())?;
    if let Some(slot) = long.iter().position(|field| field.name == ask.field) {
        let total = long[slot].chars;
        let cut = |start, count| row::read_text(tx, payload.record, slot, start, count);
        let search = |finder: &mut Finder| {
            let mut statement =
                tx.prepare_cached("SELECT text FROM piece WHERE record = ?1 AND slot = ?2 ORDER BY part")?;
            let mut rows = statement.query((payload.record, slot_number(slot)))?;
            while let Some(row) = rows.next()? {
                if let Some(found) = row.get_ref(0)?.as_str().ok().and_then(|piece| finder.feed(piece)) {
                    return Ok(Some(found));
                }
            }
            Ok(None)
        };
        return part(long[slot].json, total, &ask.part, cut, search);
    }
    let Some((_, json)) = values::fields(&payload.data).into_iter().find(|(name, _)| name == ask.field) else {
        return Ok(FieldPart::Missing);
    };
    let (text, is_json) = match json.as_bytes()[0] {
        b'"' => (serde_json::from_str::<String>(json)?, false),
        // What it refers to is bytes, whatever the field was declared as.
        b'{' if BlobRef::of_json(json).is_some() => return Ok(FieldPart::NotText),
        b'{' | b'[' => (json.to_owned(), true),
        _ => return Ok(FieldPart::NotText),
    };
    let cut = |start: u64, count: u64| {
        let (start, count) =
            (usize::try_from(start).unwrap_or(usize::MAX), usize::try_from(count).unwrap_or(usize::MAX));
        Ok(text.chars().skip(start).take(count).collect())
    };
    part(is_json, text.chars().count() as u64, &ask.part, cut, |finder| Ok(finder.feed(&text)))
}

fn part(
    json: bool,
    total: u64,
    part: &WindowPart<'_>,
    cut: impl FnOnce(u64, u64) -> Result<String>,
    search: impl FnOnce(&mut Finder) -> Result<Option<(u64, u64)>>,
) -> Result<FieldPart> {
    let (start, count, found) = match *part {
        WindowPart::At { offset, limit } => (offset.min(total), limit, None),
        WindowPart::Around { needle, before, after, limit } => {
            let found = match Finder::new(needle) {
                Some(mut finder) => search(&mut finder)?,
                None => None,
            };
            let Some((from, to)) = found else { return Ok(FieldPart::NoMatch) };
            // Where both sides do not fit, each gets half, and what the other does not need.
            let room = limit.saturating_sub(to - from);
            let before = before.min(room.saturating_sub(after.min(room / 2)));
            let start = from.saturating_sub(before);
            (start, (to + after - start).min(limit), found)
        }
    };
    let text = cut(start, count.min(total - start))?;
    Ok(FieldPart::Text { json, text, start, total, found })
}
