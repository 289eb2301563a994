//! Sources and connections.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};
use vitrine_contract::time;
use vitrine_engine::catalog::{Catalog, Source};
use vitrine_engine::declaration::Declaration;
use vitrine_engine::ingest::IndexLayout;
use vitrine_engine::keeping::NewConnection;
use vitrine_engine::sort_key::SortKey;

use super::batch::keys_of;
use super::index::{self, Entry};
use super::words;
use crate::catalog;
use crate::fault::{Result, refused};
use crate::grants;
use crate::lexical;
use crate::row::Payload;
use crate::semantic;

/// Registers a source or replaces its declaration, and brings the indexes of its records along.
pub(crate) fn register_source(tx: &Connection, declaration: &Declaration, now: Timestamp) -> Result<()> {
    let before = catalog::load(tx, 0)?;
    let known = before.sources.iter().find(|s| s.declaration.connector_key == declaration.connector_key);
    let elsewhere = before.sources.iter().find(|s| s.declaration.source_id == declaration.source_id);
    if known.map(|s| &s.declaration.source_id) != elsewhere.map(|s| &s.declaration.source_id) {
        return Err(refused(format!(
            "`{}` and `{}` already belong to different sources. Keep both as they were, or choose new ones.",
            declaration.connector_key, declaration.source_id
        )));
    }
    if known.is_some_and(|known| known.declaration.document == declaration.document) {
        return Ok(());
    }
    if let Some(known) = known {
        refuse_new_meaning(&before, known, declaration)?;
    }
    let number = source_number(tx, declaration)?;
    tx.execute(
        "INSERT INTO declaration (source, body, registered_at) VALUES (?1, ?2, ?3)",
        (number, declaration.document.to_string(), time::format(now)),
    )?;
    number_fields(tx, number, declaration)?;
    let mut statement = tx.prepare("SELECT number FROM connection WHERE source = ?1")?;
    let connections: Vec<i64> = statement.query_map([number], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    for connection in connections {
        add_cells(tx, connection, declaration)?;
    }
    catalog::touch(tx)?;
    if let Some(known) = known {
        reindex(tx, known, &catalog::load(tx, 0)?, declaration)?;
    }
    Ok(())
}

/// What identifies a record and what its consent is measured on must not change under it.
fn refuse_new_meaning(catalog: &Catalog, known: &Arc<Source>, declaration: &Declaration) -> Result<()> {
    if catalog.connections_of(&declaration.connector_key).next().is_none() {
        return Ok(());
    }
    for (name, before) in &known.declaration.streams {
        let Some(after) = declaration.stream(name) else { continue };
        let changed = [
            ("primary_key", before.primary_key != after.primary_key),
            ("consent_time_field", before.consent_time_field != after.consent_time_field),
            ("semantics", before.semantics != after.semantics),
        ];
        if let Some((rule, _)) = changed.into_iter().find(|(_, changed)| *changed) {
            return Err(refused(format!(
                "Stream `{name}`: `{rule}` cannot change while there are connections of this source. Give the stream a new name instead."
            )));
        }
    }
    Ok(())
}

fn source_number(tx: &Connection, declaration: &Declaration) -> Result<i64> {
    tx.execute(
        "INSERT OR IGNORE INTO source (connector_key, source_id) VALUES (?1, ?2)",
        (&declaration.connector_key, &declaration.source_id),
    )?;
    Ok(tx.query_row("SELECT number FROM source WHERE source_id = ?1", [&declaration.source_id], |row| row.get(0))?)
}

fn number_fields(tx: &Connection, source: i64, declaration: &Declaration) -> Result<()> {
    let mut statement = tx.prepare(
        "INSERT OR IGNORE INTO field (source, stream, name, number)
         SELECT ?1, ?2, ?3, coalesce(max(number), 0) + 1 FROM field WHERE source = ?1 AND stream = ?2",
    )?;
    for stream in declaration.streams.values() {
        for field in &stream.fields {
            statement.execute((source, &stream.name, &field.name))?;
        }
    }
    Ok(())
}

fn add_cells(tx: &Connection, connection: i64, declaration: &Declaration) -> Result<()> {
    for stream in declaration.streams.keys() {
        tx.execute("INSERT OR IGNORE INTO cell (connection, stream) VALUES (?1, ?2)", (connection, stream))?;
    }
    Ok(())
}

/// Makes the index entries of every record anew where the new declaration asks for others.
fn reindex(tx: &Connection, before: &Source, after: &Catalog, declaration: &Declaration) -> Result<()> {
    let Some(source) = after.source(&declaration.connector_key) else { return Ok(()) };
    let mut changed: BTreeMap<&str, IndexLayout> = BTreeMap::new();
    for (name, stream) in &declaration.streams {
        let layout = IndexLayout::of(source, stream);
        let former = before.declaration.stream(name).map(|stream| IndexLayout::of(before, stream));
        if former.as_ref() != Some(&layout) {
            changed.insert(name, layout);
        }
    }
    for connection in after.connections_of(&declaration.connector_key) {
        for (name, layout) in &changed {
            if let Some(cell) = connection.cells.get(*name) {
                reindex_cell(tx, *cell, layout)?;
            }
        }
    }
    Ok(())
}

fn reindex_cell(tx: &Connection, cell: i64, layout: &IndexLayout) -> Result<()> {
    tx.execute("DELETE FROM by_value WHERE cell = ?1", [cell])?;
    tx.execute("DELETE FROM by_order WHERE cell = ?1", [cell])?;
    let mut select = tx.prepare("SELECT number, id, born, data, long FROM record WHERE cell = ?1")?;
    let mut update = tx.prepare("UPDATE record SET place = ?2, time = ?3, extra = ?4 WHERE number = ?1")?;
    let mut rows = select.query([cell])?;
    while let Some(row) = rows.next()? {
        let (record, id, born): (i64, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let (data, long): (String, Option<String>) = (row.get(3)?, row.get(4)?);
        let payload = Payload { record, data: Cow::Owned(data), long: long.map(Cow::Owned), extra: false };
        let keys = keys_of(tx, layout, &payload)?;
        index::enter(tx, Entry { cell, record, id: &id }, &keys, born)?;
        update.execute((record, index::place(&keys), keys.time.as_ref().map(SortKey::as_bytes), keys.undeclared))?;
    }
    words::rebuild(tx, cell, layout)?;
    semantic::renew_cell(tx, cell, layout.texts())
}

pub(crate) fn add_connection(tx: &Connection, new: &NewConnection, now: Timestamp) -> Result<()> {
    let source: Option<i64> = tx
        .query_row("SELECT number FROM source WHERE connector_key = ?1", [&new.connector_key], |row| row.get(0))
        .optional()?;
    let Some(source) = source else {
        return Err(refused(format!("There is no source `{}`. Register its declaration first.", new.connector_key)));
    };
    let added = tx.execute(
        "INSERT OR IGNORE INTO connection (connection_id, source, display_name, created_at) VALUES (?1, ?2, ?3, ?4)",
        (&new.connection_id, source, &new.display_name, time::format(now)),
    )?;
    if added == 0 {
        return Err(refused(format!("There is a connection `{}` already. Choose another id.", new.connection_id)));
    }
    if grants::active(tx)?.iter().any(|grant| grant.connections().contains(new.connection_id.as_str())) {
        return Err(refused(format!(
            "An active grant still names a former connection `{}`. Revoke it, or choose another id.",
            new.connection_id
        )));
    }
    let connection = tx.last_insert_rowid();
    let catalog = catalog::load(tx, 0)?;
    if let Some(source) = catalog.source(&new.connector_key) {
        add_cells(tx, connection, &source.declaration)?;
    }
    catalog::touch(tx)
}

pub(crate) fn rename_connection(tx: &Connection, connection_id: &str, name: &str) -> Result<bool> {
    let renamed =
        tx.execute("UPDATE connection SET display_name = ?2 WHERE connection_id = ?1", (connection_id, name))?;
    catalog::touch(tx)?;
    Ok(renamed > 0)
}

/// Removes a connection and everything that came through it.
pub(crate) fn remove_connection(tx: &Connection, connection_id: &str) -> Result<bool> {
    let number: Option<i64> = tx
        .query_row("SELECT number FROM connection WHERE connection_id = ?1", [connection_id], |row| row.get(0))
        .optional()?;
    let Some(number) = number else { return Ok(false) };
    let cells = "SELECT number FROM cell WHERE connection = ?1";
    tx.execute(
        &format!("DELETE FROM piece WHERE record IN (SELECT number FROM record WHERE cell IN ({cells}))"),
        [number],
    )?;
    let mut statement = tx.prepare(cells)?;
    for cell in statement.query_map([number], |row| row.get(0))? {
        let cell = cell?;
        lexical::drop_cell(tx, cell)?;
        semantic::drop_cell(tx, cell)?;
    }
    for table in ["record", "by_value", "by_order", "event", "gone", "blob_use"] {
        tx.execute(&format!("DELETE FROM {table} WHERE cell IN ({cells})"), [number])?;
    }
    tx.execute("DELETE FROM blob_part WHERE blob IN (SELECT number FROM blob WHERE connection = ?1)", [number])?;
    tx.execute("DELETE FROM blob WHERE connection = ?1", [number])?;
    tx.execute("DELETE FROM cell WHERE connection = ?1", [number])?;
    tx.execute("DELETE FROM connection WHERE number = ?1", [number])?;
    catalog::touch(tx)?;
    Ok(true)
}
