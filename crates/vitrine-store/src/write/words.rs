//! Keeps the word index in step with the records of a cell.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rusqlite::Connection;
use vitrine_engine::ingest::IndexLayout;

use crate::fault::Result;
use crate::lexical::{self, Builder, FieldText, LexicalField};
use crate::row::{Payload, Stored};
use crate::{catalog, semantic};

/// Enters and takes out the words of one cell's records.
pub(super) struct WordKeeper {
    cell: i64,
    fields: Vec<LexicalField>,
    builder: Builder,
}

impl WordKeeper {
    pub(super) fn new(cell: i64, layout: &IndexLayout) -> Self {
        let fields = layout.texts().iter().filter(|field| field.lexical);
        let fields = fields.map(|field| LexicalField::new(&field.name, field.number)).collect();
        Self { cell, fields, builder: Builder::new(cell) }
    }

    /// Whether any of these fields is searched for words.
    pub(super) fn are_in(&self, changed: &BTreeSet<String>) -> bool {
        self.fields.iter().any(|field| changed.contains(&field.name))
    }

    /// Enters the words of a record with these fields, as it is about to stand.
    pub(super) fn enter(
        &mut self,
        tx: &Connection,
        record: i64,
        fields: &[(String, String)],
        stored: &Stored,
    ) -> Result<()> {
        for field in &self.fields {
            if let Some(slot) = stored.long.iter().position(|long| long.name == field.name) {
                if !stored.long[slot].json {
                    self.builder.add(tx, record, field.number, &stored.texts[slot], true)?;
                }
            } else if let Some((_, json)) = fields.iter().find(|(name, _)| *name == field.name)
                && let Some(text) = lexical::string(json)?
            {
                self.builder.add(tx, record, field.number, &text, false)?;
            }
        }
        if self.builder.is_full() { self.builder.write(tx) } else { Ok(()) }
    }

    /// Takes out the words of a record as it stands.
    pub(super) fn leave(&mut self, tx: &Connection, payload: &Payload<'_>) -> Result<()> {
        if self.fields.is_empty() {
            return Ok(());
        }
        if self.builder.holds(payload.record) {
            self.builder.write(tx)?;
        }
        lexical::remove(tx, self.cell, payload.record, &lexical::texts(tx, payload, &self.fields)?)
    }

    /// Writes what was entered.
    pub(super) fn finish(&mut self, tx: &Connection) -> Result<()> {
        self.builder.write(tx)
    }
}

/// Makes the word index of a cell anew.
pub(super) fn rebuild(tx: &Connection, cell: i64, layout: &IndexLayout) -> Result<()> {
    lexical::drop_cell(tx, cell)?;
    let mut keeper = WordKeeper::new(cell, layout);
    if keeper.fields.is_empty() {
        return Ok(());
    }
    let mut statement = tx.prepare("SELECT number, data, long FROM record WHERE cell = ?1 ORDER BY number")?;
    let mut rows = statement.query([cell])?;
    while let Some(row) = rows.next()? {
        let (record, data, long): (i64, String, Option<String>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let payload = Payload { record, data: Cow::Owned(data), long: long.map(Cow::Owned), extra: false };
        for FieldText { field, text, long } in lexical::texts(tx, &payload, &keeper.fields)? {
            keeper.builder.add(tx, record, field, &text, long)?;
        }
        if keeper.builder.is_full() {
            keeper.builder.write(tx)?;
        }
    }
    keeper.finish(tx)
}

/// Makes the search indexes of a store that has none.
pub(crate) fn index_all(tx: &Connection) -> Result<()> {
    each_cell(tx, |cell, layout| {
        rebuild(tx, cell, layout)?;
        semantic::renew_cell(tx, cell, layout.texts())
    })
}

/// Has everything read anew that was read with another model: its vectors say nothing to this one.
pub(crate) fn follow_model(tx: &Connection) -> Result<()> {
    if semantic::drop_of_other_models(tx)? {
        each_cell(tx, |cell, layout| semantic::renew_cell(tx, cell, layout.texts()))?;
    }
    Ok(())
}

fn each_cell(tx: &Connection, work: impl Fn(i64, &IndexLayout) -> Result<()>) -> Result<()> {
    let catalog = catalog::load(tx, 0)?;
    for connection in &catalog.connections {
        for (name, cell) in &connection.cells {
            if let Some(stream) = connection.stream(name) {
                work(*cell, &IndexLayout::of(&connection.source, stream))?;
            }
        }
    }
    Ok(())
}
