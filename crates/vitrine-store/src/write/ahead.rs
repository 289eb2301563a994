//! What can be done for new records before the store is locked, while others are written.

use std::collections::HashSet;

use jiff::Timestamp;
use rusqlite::Connection;
use vitrine_engine::catalog::{Catalog, FieldNumber};
use vitrine_engine::ingest::{Incoming, IndexLayout, RecordKeys};
use vitrine_engine::keeping::Target;

use super::order::EntryOrder;
use super::words::{Entering, WordKeeper};
use crate::fault::{Result, corrupt};
use crate::lexical::Builder;
use crate::row::Stored;
use crate::semantic;

/// A batch, and what was done for it before it is written.
pub struct Readied {
    pub(crate) target: Target,
    pub(crate) batch: Batch,
}

pub(crate) enum Batch {
    /// Changes for which nothing was done.
    Changes(Vec<Incoming>),
    /// What became of new records.
    New(Ahead),
}

impl Readied {
    /// Where it goes.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Whether anything could be done for it.
    pub fn is_laid_out(&self) -> bool {
        matches!(self.batch, Batch::New(_))
    }
}

/// New records, laid out and with their words gathered. It holds for as long as the registry is as
/// it was and none of them has come in another way.
pub(crate) struct Ahead {
    /// The registry's version.
    pub(super) version: i64,
    /// Their ids.
    pub(super) ids: Vec<String>,
    pub(super) laid: Vec<Laid>,
    /// The order of their index entries.
    pub(super) order: EntryOrder,
    /// Their words; the first of them has the number 1.
    pub(super) words: Vec<Builder>,
}

impl Ahead {
    /// With the ids of the changes it was made of, of which nothing else is needed any more.
    pub(crate) fn named(self, changes: Vec<Incoming>) -> Self {
        let id = |change| match change {
            Incoming::Upsert { id, .. } | Incoming::Delete { id, .. } => id,
        };
        Self { ids: changes.into_iter().map(id).collect(), ..self }
    }

    /// The changes that brought them.
    pub(crate) fn into_changes(self) -> Result<Vec<Incoming>> {
        let change = |(id, laid): (String, Laid)| {
            let emitted_at = Timestamp::from_nanosecond(i128::from(laid.emitted))
                .map_err(|_| corrupt("an emission time that was kept is none"))?;
            Ok(Incoming::Upsert { id, emitted_at, fields: laid.stored.fields() })
        };
        self.ids.into_iter().zip(self.laid).map(change).collect()
    }
}

/// A record, laid out for the store.
#[derive(Debug, Clone)]
pub(super) struct Laid {
    /// When it was emitted, in nanoseconds.
    pub(super) emitted: i64,
    pub(super) stored: Stored,
    pub(super) keys: RecordKeys,
    /// The fields whose meaning is to be read.
    pub(super) unread: Vec<FieldNumber>,
}

impl Laid {
    pub(super) fn new(layout: &IndexLayout, emitted_at: Timestamp, fields: &[(String, String)]) -> Result<Self> {
        Self::of(layout, emitted_at, fields, Stored::new(fields))
    }

    /// Of a payload that is laid out already.
    pub(super) fn of(
        layout: &IndexLayout,
        emitted_at: Timestamp,
        fields: &[(String, String)],
        stored: Stored,
    ) -> Result<Self> {
        let keys = layout.keys(fields.iter().map(|(name, json)| (name.as_str(), json.as_str())));
        let has_text = semantic::has_text(fields);
        let unread = layout.texts().iter().filter(|field| field.semantic && has_text(&field.name));
        let unread = unread.map(|field| field.number).collect();
        Ok(Self { emitted: nanoseconds(emitted_at)?, stored, keys, unread })
    }
}

/// Whether every change brings a record that does not stand in the store.
pub(crate) fn are_new(tx: &Connection, catalog: &Catalog, target: &Target, changes: &[Incoming]) -> Result<bool> {
    let Some(cell) = catalog.connection(&target.connection_id).and_then(|found| found.cells.get(&target.stream)) else {
        return Ok(false);
    };
    let mut seen = HashSet::with_capacity(changes.len());
    let come_once = changes.iter().all(|change| matches!(change, Incoming::Upsert { .. }) && seen.insert(change.id()));
    Ok(come_once && none_stands(tx, *cell, changes)?)
}

fn none_stands(tx: &Connection, cell: i64, changes: &[Incoming]) -> Result<bool> {
    let mut find = tx.prepare_cached("SELECT 1 FROM record WHERE cell = ?1 AND id = ?2")?;
    for change in changes {
        if find.exists((cell, change.id()))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Does what can be done for new records; nothing for a stream that is none.
pub(crate) fn ahead(catalog: &Catalog, target: &Target, changes: &[Incoming]) -> Result<Option<Ahead>> {
    let Some(connection) = catalog.connection(&target.connection_id) else { return Ok(None) };
    let (Some(stream), Some(cell)) = (connection.stream(&target.stream), connection.cells.get(&target.stream)) else {
        return Ok(None);
    };
    let layout = IndexLayout::of(&connection.source, stream);
    let mut laid = Vec::with_capacity(changes.len());
    let mut all_fields = Vec::with_capacity(changes.len());
    for change in changes {
        let Incoming::Upsert { emitted_at, fields, .. } = change else { return Ok(None) };
        laid.push(Laid::new(&layout, *emitted_at, fields)?);
        all_fields.push(fields);
    }
    let entering = (1..).zip(&all_fields).zip(&laid);
    let entering: Vec<_> =
        entering.map(|((record, fields), laid)| Entering { record, fields, stored: &laid.stored }).collect();
    let words = WordKeeper::new(*cell, &layout).gather(&entering)?;
    let order = EntryOrder::of(changes.iter().map(Incoming::id).zip(laid.iter().map(|laid| &laid.keys)));
    Ok(Some(Ahead { version: catalog.version, ids: Vec::new(), laid, order, words }))
}

fn nanoseconds(emitted_at: Timestamp) -> Result<i64> {
    i64::try_from(emitted_at.as_nanosecond()).map_err(|_| corrupt("an emission time that was checked is out of range"))
}
