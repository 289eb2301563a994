//! A batch of changes, stored whole or not at all.

use std::borrow::Cow;
use std::collections::BTreeSet;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension};
use vitrine_contract::{time, values};
use vitrine_engine::catalog::Catalog;
use vitrine_engine::cursor::LIFETIME_SECONDS;
use vitrine_engine::declaration::Semantics;
use vitrine_engine::ingest::{Incoming, IndexLayout, RecordKeys, RejectionCode};
use vitrine_engine::keeping::{Outcome, Target};
use vitrine_engine::sort_key::SortKey;

use super::index::{self, Entry};
use super::words::WordKeeper;
use super::{Trace, blobs, forget};
use crate::catalog;
use crate::fault::{Result, corrupt, refused};
use crate::row::{self, Payload, Stored};
use crate::semantic::{self, Bringing};

pub(crate) fn batch(
    tx: &Connection,
    known: &Catalog,
    target: &Target,
    incoming: &[Incoming],
    now: Timestamp,
) -> Result<Vec<Outcome>> {
    let fresh;
    let catalog = if catalog::version(tx)? == known.version {
        known
    } else {
        fresh = catalog::load(tx, catalog::version(tx)?)?;
        &fresh
    };
    let mut writer = CellWriter::new(tx, catalog, target, now)?;
    let outcomes = incoming.iter().map(|change| writer.take(change)).collect::<Result<_>>()?;
    writer.finish()?;
    forget::old_entries(tx, now)?;
    Ok(outcomes)
}

/// Writes to one cell.
struct CellWriter<'a> {
    tx: &'a Connection,
    cell: i64,
    layout: IndexLayout,
    words: WordKeeper,
    semantics: Semantics,
    now: Timestamp,
    sequence: i64,
    first_sequence: i64,
    added: i64,
    newest: Option<i64>,
    lost_newest: bool,
}

/// A record as it stands in the store.
struct Standing {
    number: i64,
    data: String,
    long: Option<String>,
    place: Vec<u8>,
    time: Option<Vec<u8>>,
    emitted: i64,
    born: i64,
    placed: i64,
    trace: Option<String>,
}

impl Standing {
    fn payload(&self) -> Payload<'_> {
        Payload {
            record: self.number,
            data: Cow::Borrowed(&self.data),
            long: self.long.as_deref().map(Cow::Borrowed),
            extra: false,
        }
    }
}

impl<'a> CellWriter<'a> {
    fn new(tx: &'a Connection, catalog: &Catalog, target: &Target, now: Timestamp) -> Result<Self> {
        let connection = catalog
            .connection(&target.connection_id)
            .ok_or_else(|| refused(format!("There is no connection `{}` any more.", target.connection_id)))?;
        let (Some(stream), Some(cell)) = (connection.stream(&target.stream), connection.cells.get(&target.stream))
        else {
            return Err(refused(format!("The connection has no stream `{}`.", target.stream)));
        };
        let sequence: i64 = tx.prepare_cached("SELECT sequence FROM counter")?.query_row([], |row| row.get(0))?;
        let newest =
            tx.prepare_cached("SELECT newest FROM cell WHERE number = ?1")?.query_row([cell], |row| row.get(0))?;
        let layout = IndexLayout::of(&connection.source, stream);
        Ok(Self {
            tx,
            cell: *cell,
            words: WordKeeper::new(*cell, &layout),
            layout,
            semantics: stream.semantics,
            now,
            sequence,
            first_sequence: sequence,
            added: 0,
            newest,
            lost_newest: false,
        })
    }

    fn take(&mut self, incoming: &Incoming) -> Result<Outcome> {
        match incoming {
            Incoming::Upsert { id, emitted_at, fields } => match self.standing(id)? {
                None => self.insert(id, emitted_at, fields),
                Some(standing) => self.update(&standing, id, emitted_at, fields),
            },
            Incoming::Delete { id, .. } => match self.standing(id)? {
                None => Ok(Outcome::Unchanged),
                Some(standing) => self.delete(&standing, id),
            },
        }
    }

    fn insert(&mut self, id: &str, emitted_at: &str, fields: &[(String, String)]) -> Result<Outcome> {
        let sequence = self.next_sequence();
        let stored = Stored::new(fields);
        let keys = self.layout.keys(fields.iter().map(|(name, json)| (name.as_str(), json.as_str())));
        let emitted = nanoseconds(emitted_at)?;
        self.tx
            .prepare_cached(
                "INSERT INTO record (cell, id, place, time, emitted, born, placed, data, long, extra) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7, ?8, ?9)",
            )?
            .execute((
                self.cell,
                id,
                index::place(&keys),
                keys.time.as_ref().map(SortKey::as_bytes),
                emitted,
                sequence,
                &stored.data,
                stored.long_json()?,
                keys.undeclared,
            ))?;
        let entry = Entry { cell: self.cell, record: self.tx.last_insert_rowid(), id };
        self.insert_pieces(entry.record, &stored)?;
        self.words.enter(self.tx, entry.record, fields, &stored)?;
        semantic::note(self.tx, self.bringing(entry.record, sequence), self.layout.texts(), has_text(fields))?;
        index::enter(self.tx, entry, &keys, sequence)?;
        blobs::note_uses(self.tx, self.cell, entry.record, &keys)?;
        self.note_event(sequence, entry.record)?;
        self.added += 1;
        self.newest = self.newest.max(Some(emitted));
        Ok(Outcome::Accepted)
    }

    fn update(
        &mut self,
        standing: &Standing,
        id: &str,
        emitted_at: &str,
        fields: &[(String, String)],
    ) -> Result<Outcome> {
        let stored = Stored::new(fields);
        let changed = changed_fields(standing, &stored)?;
        if changed.is_empty() {
            return Ok(Outcome::Unchanged);
        }
        if self.semantics == Semantics::AppendOnly {
            return Ok(Outcome::Rejected(RejectionCode::ImmutableRecord));
        }
        let sequence = self.next_sequence();
        let entry = Entry { cell: self.cell, record: standing.number, id };
        let former = self.keys_of(standing)?;
        let keys = self.layout.keys(fields.iter().map(|(name, json)| (name.as_str(), json.as_str())));
        index::replace(self.tx, entry, &former, &keys, sequence)?;
        let new_words = self.words.are_in(&changed);
        if new_words {
            self.words.leave(self.tx, &standing.payload())?;
        }
        let trace = self.trace(standing, &changed, &keys, sequence)?;
        let emitted = nanoseconds(emitted_at)?;
        let moved = index::place(&keys) != standing.place;
        self.tx
            .prepare_cached(
                "UPDATE record SET place = ?2, time = ?3, emitted = ?4, placed = ?5, data = ?6, long = ?7, trace = ?8, extra = ?9 WHERE number = ?1",
            )?
            .execute((
                standing.number,
                index::place(&keys),
                keys.time.as_ref().map(SortKey::as_bytes),
                emitted,
                if moved { sequence } else { standing.placed },
                &stored.data,
                stored.long_json()?,
                trace.to_json()?,
                keys.undeclared,
            ))?;
        if standing.long.is_some() {
            self.tx.prepare_cached("DELETE FROM piece WHERE record = ?1")?.execute([standing.number])?;
        }
        self.insert_pieces(standing.number, &stored)?;
        if new_words {
            self.words.enter(self.tx, standing.number, fields, &stored)?;
        }
        let bringing = self.bringing(standing.number, sequence);
        let is_changed = |field: &str| changed.contains(field);
        semantic::renew(self.tx, bringing, self.layout.texts(), is_changed, has_text(fields))?;
        blobs::forget_uses(self.tx, standing.number)?;
        blobs::note_uses(self.tx, self.cell, standing.number, &keys)?;
        self.note_event(sequence, standing.number)?;
        self.note_emitted(standing.emitted, Some(emitted));
        Ok(Outcome::Accepted)
    }

    /// Removes a record. Only its id, its window time and the time of deletion stay, for the feed.
    fn delete(&mut self, standing: &Standing, id: &str) -> Result<Outcome> {
        let sequence = self.next_sequence();
        let entry = Entry { cell: self.cell, record: standing.number, id };
        let keys = self.keys_of(standing)?;
        index::remove(self.tx, entry, &keys)?;
        self.words.leave(self.tx, &standing.payload())?;
        semantic::forget_record(self.tx, self.cell, standing.number)?;
        let trace = Trace::parse(standing.trace.as_deref())?;
        for past in trace.sequences().chain([standing.born]) {
            self.tx
                .prepare_cached("DELETE FROM event WHERE cell = ?1 AND sequence = ?2")?
                .execute((self.cell, past))?;
        }
        self.tx.prepare_cached("DELETE FROM piece WHERE record = ?1")?.execute([standing.number])?;
        self.tx.prepare_cached("DELETE FROM record WHERE number = ?1")?.execute([standing.number])?;
        blobs::forget_uses(self.tx, standing.number)?;
        blobs::drop_unused(self.tx, self.cell, &keys)?;
        self.tx
            .prepare_cached("INSERT INTO gone (cell, sequence, id, time, at, trace) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute((
                self.cell,
                sequence,
                id,
                &standing.time,
                self.now.as_second(),
                trace.without_fields().to_json()?,
            ))?;
        self.added -= 1;
        self.note_emitted(standing.emitted, None);
        Ok(Outcome::Accepted)
    }

    fn finish(mut self) -> Result<()> {
        self.words.finish(self.tx)?;
        if self.sequence == self.first_sequence {
            return Ok(());
        }
        let newest = if self.lost_newest {
            self.tx
                .prepare_cached("SELECT max(emitted) FROM record WHERE cell = ?1")?
                .query_row([self.cell], |row| row.get(0))?
        } else {
            self.newest
        };
        self.tx
            .prepare_cached("UPDATE cell SET records = records + ?2, changed = ?3, newest = ?4 WHERE number = ?1")?
            .execute((self.cell, self.added, self.sequence, newest))?;
        self.tx.prepare_cached("UPDATE counter SET sequence = ?1")?.execute([self.sequence])?;
        Ok(())
    }

    fn standing(&self, id: &str) -> Result<Option<Standing>> {
        let mut statement = self.tx.prepare_cached(
            "SELECT number, data, long, place, time, emitted, born, placed, trace FROM record WHERE cell = ?1 AND id = ?2",
        )?;
        let standing = statement.query_row((self.cell, id), |row| {
            Ok(Standing {
                number: row.get(0)?,
                data: row.get(1)?,
                long: row.get(2)?,
                place: row.get(3)?,
                time: row.get(4)?,
                emitted: row.get(5)?,
                born: row.get(6)?,
                placed: row.get(7)?,
                trace: row.get(8)?,
            })
        });
        Ok(standing.optional()?)
    }

    /// The keys a standing record is indexed under.
    fn keys_of(&self, standing: &Standing) -> Result<RecordKeys> {
        keys_of(self.tx, &self.layout, &standing.payload())
    }

    fn trace(
        &self,
        standing: &Standing,
        changed: &BTreeSet<String>,
        keys: &RecordKeys,
        sequence: i64,
    ) -> Result<Trace> {
        let mut trace = Trace::parse(standing.trace.as_deref())?;
        let before: BTreeSet<i64> = trace.sequences().collect();
        for field in changed {
            trace.field_changed(field, sequence);
        }
        if keys.time.as_ref().map(SortKey::as_bytes) != standing.time.as_deref() {
            trace.time_changed(standing.time.clone(), sequence, self.now.as_second(), LIFETIME_SECONDS);
        }
        let after: BTreeSet<i64> = trace.sequences().chain([standing.born]).collect();
        for past in before.difference(&after) {
            self.tx
                .prepare_cached("DELETE FROM event WHERE cell = ?1 AND sequence = ?2")?
                .execute((self.cell, past))?;
        }
        Ok(trace)
    }

    fn bringing(&self, record: i64, stamp: i64) -> Bringing {
        Bringing { cell: self.cell, record, stamp }
    }

    fn insert_pieces(&self, record: i64, stored: &Stored) -> Result<()> {
        let mut statement =
            self.tx.prepare_cached("INSERT INTO piece (record, slot, part, text) VALUES (?1, ?2, ?3, ?4)")?;
        for (slot, text) in (0_i64..).zip(&stored.texts) {
            for (part, piece) in (0_i64..).zip(row::pieces(text)) {
                statement.execute((record, slot, part, piece))?;
            }
        }
        Ok(())
    }

    fn note_event(&self, sequence: i64, record: i64) -> Result<()> {
        self.tx
            .prepare_cached("INSERT INTO event (cell, sequence, record) VALUES (?1, ?2, ?3)")?
            .execute((self.cell, sequence, record))?;
        Ok(())
    }

    fn note_emitted(&mut self, former: i64, present: Option<i64>) {
        if Some(former) == self.newest && present < self.newest {
            self.lost_newest = true;
        }
        self.newest = self.newest.max(present);
    }

    fn next_sequence(&mut self) -> i64 {
        self.sequence += 1;
        self.sequence
    }
}

/// Whether a field of a payload holds text.
fn has_text(fields: &[(String, String)]) -> impl Fn(&str) -> bool {
    move |name| fields.iter().any(|(field, json)| field == name && semantic::is_text(json))
}

/// The keys a stored payload is indexed under.
pub(super) fn keys_of(tx: &Connection, layout: &IndexLayout, payload: &Payload<'_>) -> Result<RecordKeys> {
    let mut fields: Vec<(Cow<'_, str>, Cow<'_, str>)> =
        values::top_level(&payload.data).into_iter().map(|(name, json)| (name, Cow::Borrowed(json.get()))).collect();
    for long in row::long_fields(payload.long.as_deref())? {
        let value = row::value_of(tx, payload, &long.name)?.ok_or_else(|| corrupt("a long field is not listed"))?;
        if let Some(field) = fields.iter_mut().find(|(name, _)| *name == long.name) {
            field.1 = Cow::Owned(value);
        }
    }
    Ok(layout.keys(fields.iter().map(|(name, json)| (name.as_ref(), json.as_ref()))))
}

/// The fields whose value is not what it was, those that came and went included.
fn changed_fields(standing: &Standing, stored: &Stored) -> Result<BTreeSet<String>> {
    let former_long = row::long_fields(standing.long.as_deref())?;
    let former: Vec<_> = values::top_level(&standing.data).into_iter().map(|(name, json)| (name, json.get())).collect();
    let present: Vec<_> = values::top_level(&stored.data).into_iter().map(|(name, json)| (name, json.get())).collect();
    let mut changed = BTreeSet::new();
    for (name, json) in &present {
        let same_json = former.iter().any(|(known, value)| known == name && value == json);
        let long = |fields: &[row::LongField]| fields.iter().find(|field| field.name == *name).cloned();
        if !same_json || long(&former_long) != long(&stored.long) {
            changed.insert(name.to_string());
        }
    }
    let gone = former.iter().filter(|(name, _)| !present.iter().any(|(known, _)| known == name));
    changed.extend(gone.map(|(name, _)| name.to_string()));
    Ok(changed)
}

fn nanoseconds(emitted_at: &str) -> Result<i64> {
    let instant = time::parse(emitted_at).ok_or_else(|| corrupt("an emission time that was checked is none"))?;
    i64::try_from(instant.as_nanosecond()).map_err(|_| corrupt("an emission time that was checked is out of range"))
}
