//! Index entries of a record: made when it is, moved when it changes, gone when it is.

use std::collections::BTreeSet;

use rusqlite::Connection;
use vitrine_engine::ingest::RecordKeys;
use vitrine_engine::sort_key::ABSENT;

use super::order::EntryOrder;
use crate::fault::Result;

/// A record's place in the indexes.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) cell: i64,
    pub(super) record: i64,
    pub(super) id: &'a str,
}

/// One row of an index, apart from the record it belongs to.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum IndexRow<'a> {
    ByValue { field: i64, value: &'a [u8], place: &'a [u8] },
    ByOrder { field: i64, value: &'a [u8] },
}

/// The place of a record in its stream.
pub(super) fn place(keys: &RecordKeys) -> &[u8] {
    keys.cursor.as_ref().map_or(ABSENT, |key| key.as_bytes())
}

fn rows(keys: &RecordKeys) -> impl Iterator<Item = IndexRow<'_>> {
    let by_value = keys.by_value.iter().map(|(field, value)| IndexRow::ByValue {
        field: *field,
        value: value.as_bytes(),
        place: place(keys),
    });
    let by_order = keys.by_order.iter().map(|(field, value)| IndexRow::ByOrder {
        field: *field,
        value: value.as_ref().map_or(ABSENT, |key| key.as_bytes()),
    });
    by_value.chain(by_order)
}

fn set_of_rows(keys: &RecordKeys) -> BTreeSet<IndexRow<'_>> {
    rows(keys).collect()
}

/// A new record and the change that brings it.
#[derive(Clone, Copy)]
pub(super) struct New<'a> {
    pub(super) record: i64,
    pub(super) id: &'a str,
    pub(super) keys: &'a RecordKeys,
    pub(super) born: i64,
}

/// Enters new records, in the order of the indexes, so that each page is written to once.
pub(super) fn enter_new(tx: &Connection, cell: i64, records: &[New<'_>], order: &EntryOrder) -> Result<()> {
    let table = "by_value (cell, field, value, place, id, born, record)";
    super::rows::insert(tx, table, &order.by_value, |at, values| {
        let New { record, id, keys, born } = records[at.record];
        let (field, value) = &keys.by_value[at.key];
        values.push(cell)?;
        values.push(field)?;
        values.push(value.as_bytes())?;
        values.push(place(keys))?;
        values.push(id)?;
        values.push(born)?;
        values.push(record)
    })?;
    let table = "by_order (cell, field, value, id, born, record)";
    super::rows::insert(tx, table, &order.by_order, |at, values| {
        let New { record, id, keys, born } = records[at.record];
        let (field, value) = &keys.by_order[at.key];
        values.push(cell)?;
        values.push(field)?;
        values.push(value.as_ref().map_or(ABSENT, |key| key.as_bytes()))?;
        values.push(id)?;
        values.push(born)?;
        values.push(record)
    })
}

/// Enters a record whose entries were all removed.
pub(super) fn enter(tx: &Connection, entry: Entry<'_>, keys: &RecordKeys, sequence: i64) -> Result<()> {
    set_of_rows(keys).iter().try_for_each(|row| insert(tx, entry, row, sequence))
}

/// Moves what changed: the former entry ends with this change, a new one starts with it.
pub(super) fn replace(
    tx: &Connection,
    entry: Entry<'_>,
    former: &RecordKeys,
    keys: &RecordKeys,
    sequence: i64,
) -> Result<()> {
    let (former, present) = (set_of_rows(former), set_of_rows(keys));
    for row in former.difference(&present) {
        end(tx, entry, row, sequence)?;
    }
    for row in present.difference(&former) {
        insert(tx, entry, row, sequence)?;
    }
    Ok(())
}

/// Takes a record out, former entries included.
pub(super) fn remove(tx: &Connection, entry: Entry<'_>, keys: &RecordKeys) -> Result<()> {
    for row in &set_of_rows(keys) {
        match row {
            IndexRow::ByValue { field, value, place } => tx
                .prepare_cached(
                    "DELETE FROM by_value WHERE cell = ?1 AND field = ?2 AND value = ?3 AND place = ?4 AND id = ?5",
                )?
                .execute((entry.cell, field, value, place, entry.id))?,
            IndexRow::ByOrder { field, value } => tx
                .prepare_cached("DELETE FROM by_order WHERE cell = ?1 AND field = ?2 AND value = ?3 AND id = ?4")?
                .execute((entry.cell, field, value, entry.id))?,
        };
    }
    for table in ["by_value", "by_order"] {
        tx.prepare_cached(&format!("DELETE FROM {table} WHERE cell = ?1 AND id = ?2 AND died IS NOT NULL"))?
            .execute((entry.cell, entry.id))?;
    }
    Ok(())
}

fn insert(tx: &Connection, entry: Entry<'_>, row: &IndexRow<'_>, born: i64) -> Result<()> {
    match row {
        IndexRow::ByValue { field, value, place } => tx
            .prepare_cached("INSERT INTO by_value (cell, field, value, place, id, born, record) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
            .execute((entry.cell, field, value, place, entry.id, born, entry.record))?,
        IndexRow::ByOrder { field, value } => tx
            .prepare_cached("INSERT INTO by_order (cell, field, value, id, born, record) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute((entry.cell, field, value, entry.id, born, entry.record))?,
    };
    Ok(())
}

fn end(tx: &Connection, entry: Entry<'_>, row: &IndexRow<'_>, died: i64) -> Result<()> {
    match row {
        IndexRow::ByValue { field, value, place } => tx
            .prepare_cached(
                "UPDATE by_value SET died = ?6 WHERE cell = ?1 AND field = ?2 AND value = ?3 AND place = ?4 AND id = ?5 AND died IS NULL",
            )?
            .execute((entry.cell, field, value, place, entry.id, died))?,
        IndexRow::ByOrder { field, value } => tx
            .prepare_cached("UPDATE by_order SET died = ?5 WHERE cell = ?1 AND field = ?2 AND value = ?3 AND id = ?4 AND died IS NULL")?
            .execute((entry.cell, field, value, entry.id, died))?,
    };
    Ok(())
}
