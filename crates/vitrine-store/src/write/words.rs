//! Keeps the word index in step with the records of a cell.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rusqlite::Connection;
use vitrine_engine::ingest::IndexLayout;

use crate::fault::Result;
use crate::lexical::{self, Builder, FieldText, LexicalField, Packed};
use crate::row::{Payload, Stored};
use crate::{catalog, semantic};

/// Enters and takes out the words of one cell's records.
#[derive(Clone)]
pub(super) struct WordKeeper {
    cell: i64,
    fields: Vec<LexicalField>,
}

/// A record whose words are to be entered.
#[derive(Clone, Copy)]
pub(super) struct Entering<'a> {
    pub(super) record: i64,
    pub(super) fields: &'a [(String, String)],
    pub(super) stored: &'a Stored,
}

impl Entering<'_> {
    /// About how many bytes it has.
    pub(super) fn size(&self) -> usize {
        self.stored.data.len() + self.stored.texts.iter().map(String::len).sum::<usize>()
    }
}

impl WordKeeper {
    pub(super) fn new(cell: i64, layout: &IndexLayout) -> Self {
        let fields = layout.texts().iter().filter(|field| field.lexical);
        Self { cell, fields: fields.map(|field| LexicalField::new(&field.name, field.number)).collect() }
    }

    /// Whether any of these fields is searched for words.
    pub(super) fn are_in(&self, changed: &BTreeSet<String>) -> bool {
        self.fields.iter().any(|field| changed.contains(&field.name))
    }

    /// Gathers the words of records, which come in the order of their numbers.
    pub(super) fn gather(&self, entering: &[Entering<'_>]) -> Result<Vec<Builder>> {
        let mut gathered = Vec::new();
        let mut builder = Builder::default();
        for Entering { record, fields, stored } in entering {
            for field in &self.fields {
                if let Some(slot) = stored.long.iter().position(|long| long.name == field.name) {
                    if !stored.long[slot].json {
                        builder.add(*record, field.number, &stored.texts[slot], true);
                    }
                } else if let Some((_, json)) = fields.iter().find(|(name, _)| *name == field.name)
                    && let Some(text) = lexical::string(json)?
                {
                    builder.add(*record, field.number, &text, false);
                }
            }
            if builder.is_full() {
                gathered.push(std::mem::take(&mut builder));
            }
        }
        gathered.push(builder);
        Ok(gathered)
    }

    /// Enters words that were packed.
    pub(super) fn enter(&self, tx: &Connection, packed: &[Packed]) -> Result<()> {
        packed.iter().try_for_each(|packed| lexical::write(tx, self.cell, packed))
    }

    /// Takes out the words of a record as it stands.
    pub(super) fn leave(&self, tx: &Connection, payload: &Payload<'_>) -> Result<()> {
        if self.fields.is_empty() {
            return Ok(());
        }
        lexical::remove(tx, self.cell, payload.record, &lexical::texts(tx, payload, &self.fields)?)
    }
}

/// Packs words that were gathered; the records' numbers count on from `before`.
pub(super) fn pack(gathered: Vec<Builder>, before: i64) -> Vec<Packed> {
    gathered.into_iter().filter_map(|builder| builder.pack(before)).collect()
}

/// Makes the word index of a cell anew.
pub(super) fn rebuild(tx: &Connection, cell: i64, layout: &IndexLayout) -> Result<()> {
    lexical::drop_cell(tx, cell)?;
    let keeper = WordKeeper::new(cell, layout);
    if keeper.fields.is_empty() {
        return Ok(());
    }
    let mut builder = Builder::default();
    let mut statement = tx.prepare("SELECT number, data, long FROM record WHERE cell = ?1 ORDER BY number")?;
    let mut rows = statement.query([cell])?;
    while let Some(row) = rows.next()? {
        let (record, data, long): (i64, String, Option<String>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let payload = Payload { record, data: Cow::Owned(data), long: long.map(Cow::Owned), extra: false };
        for FieldText { field, text, long } in lexical::texts(tx, &payload, &keeper.fields)? {
            builder.add(record, field, &text, long);
        }
        if builder.is_full() {
            keeper.enter(tx, std::mem::take(&mut builder).pack(0).as_slice())?;
        }
    }
    keeper.enter(tx, builder.pack(0).as_slice())
}

/// Makes the search indexes of a store that has none.
pub(crate) fn index_all(tx: &Connection) -> Result<()> {
    each_cell(tx, |cell, layout| {
        rebuild(tx, cell, layout)?;
        semantic::renew_cell(tx, cell, layout.texts())
    })
}

/// Makes the word indexes anew, of a store whose words were told apart in another way: a record's words are taken out
/// by reading its text again, which would miss the former ones.
pub(crate) fn index_words_anew(tx: &Connection) -> Result<()> {
    each_cell(tx, |cell, layout| rebuild(tx, cell, layout))
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
