//! A batch of changes, stored whole or not at all.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row};
use vitrine_contract::values;
use vitrine_engine::catalog::Catalog;
use vitrine_engine::cursor::LIFETIME_SECONDS;
use vitrine_engine::declaration::Semantics;
use vitrine_engine::ingest::{Incoming, IndexLayout, RecordKeys, RejectionCode};
use vitrine_engine::keeping::{Outcome, Target};
use vitrine_engine::sort_key::SortKey;

use super::ahead::{Ahead, Laid};
use super::index::{self, Entry, New};
use super::order::EntryOrder;
use super::rows::Values;
use super::words::{self, Entering, WordKeeper};
use super::{Trace, blobs, forget, rows};
use crate::catalog;
use crate::fault::{Result, corrupt, refused};
use crate::lexical::Packed;
use crate::row::{self, Payload, Stored};
use crate::semantic::{self, Bringing};

/// Reads a [`Standing`] record.
const STANDING: &str =
    "SELECT number, data, long, place, time, emitted, born, placed, trace FROM record WHERE cell = ?1 AND id = ?2";
/// What a new record's row holds besides its number.
const RECORD: &str = "cell, id, place, time, emitted, born, placed, data, long, extra";
/// Bytes of records whose words are worth a thread of their own.
const THREAD_BYTES: usize = 64 * 1024;

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
    let mut outcomes = Vec::with_capacity(incoming.len());
    let mut rest = incoming;
    while !rest.is_empty() {
        let (run, others) = rest.split_at(run_length(rest));
        outcomes.extend(writer.take(run)?);
        rest = others;
    }
    writer.finish()?;
    forget::old_entries(tx, now)?;
    Ok(outcomes)
}

/// Stores new records that were laid out ahead; nothing when the registry is not as it was. Where one of them stands by
/// now this fails, for their ids are unique: nothing was looked up before.
pub(crate) fn new_batch(
    tx: &Connection,
    known: &Catalog,
    target: &Target,
    ahead: &mut Ahead,
    now: Timestamp,
) -> Result<Option<Vec<Outcome>>> {
    if ahead.version != known.version || catalog::version(tx)? != known.version {
        return Ok(None);
    }
    let mut writer = CellWriter::new(tx, known, target, now)?;
    let outcomes = writer.take_new(ahead)?;
    writer.finish()?;
    forget::old_entries(tx, now)?;
    Ok(Some(outcomes))
}

/// How many changes come before the second one of any record.
fn run_length(changes: &[Incoming]) -> usize {
    let mut seen = HashSet::new();
    changes.iter().position(|change| !seen.insert(change.id())).unwrap_or(changes.len())
}

/// Writes to one cell.
struct CellWriter<'a> {
    tx: &'a Connection,
    cell: i64,
    layout: IndexLayout,
    words: WordKeeper,
    semantics: Semantics,
    now: Timestamp,
    /// The highest number of any record.
    record: i64,
    sequence: i64,
    first_sequence: i64,
    added: i64,
    newest: Option<i64>,
    lost_newest: bool,
}

/// What is to be done for a change.
enum Step<'r> {
    Nothing(Outcome),
    Insert(Coming<'r>),
    Update { coming: Coming<'r>, standing: Standing, changed: BTreeSet<String> },
    Delete { id: &'r str, standing: Standing },
}

/// A record as it is to stand.
struct Coming<'r> {
    record: i64,
    id: &'r str,
    laid: Cow<'r, Laid>,
    /// Its fields, where its words are yet to be gathered.
    fields: &'r [(String, String)],
}

impl Coming<'_> {
    /// Gives its row the values of [`RECORD`].
    fn bind(&self, cell: i64, sequence: i64, values: &mut Values<'_, '_>) -> Result<()> {
        values.push(cell)?;
        values.push(self.id)?;
        values.push(self.place())?;
        values.push(self.time())?;
        values.push(self.laid.emitted)?;
        values.push(sequence)?;
        values.push(sequence)?;
        values.push(&self.laid.stored.data)?;
        values.push(self.laid.stored.long_json()?)?;
        values.push(self.laid.keys.undeclared)
    }

    fn place(&self) -> &[u8] {
        index::place(&self.laid.keys)
    }

    fn time(&self) -> Option<&[u8]> {
        self.laid.keys.time.as_ref().map(SortKey::as_bytes)
    }

    fn words(&self) -> Entering<'_> {
        Entering { record: self.record, fields: self.fields, stored: &self.laid.stored }
    }
}

/// The rows of new records, written together.
#[derive(Default)]
struct NewRows<'s> {
    /// Each with the number of its change.
    records: Vec<(&'s Coming<'s>, i64)>,
    unread: Vec<(i64, i64, i64)>,
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

impl Step<'_> {
    fn outcome(&self) -> Outcome {
        match self {
            Self::Nothing(outcome) => *outcome,
            _ => Outcome::Accepted,
        }
    }
}

impl Standing {
    fn of_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
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
    }

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
        let record = tx.query_row("SELECT coalesce(max(number), 0) FROM record", [], |row| row.get(0))?;
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
            record,
            sequence,
            first_sequence: sequence,
            added: 0,
            newest,
            lost_newest: false,
        })
    }

    /// Takes in changes of which no two are about the same record.
    fn take(&mut self, run: &[Incoming]) -> Result<Vec<Outcome>> {
        let mut find = self.tx.prepare_cached(STANDING)?;
        let mut steps = Vec::with_capacity(run.len());
        for change in run {
            let standing = find.query_row((self.cell, change.id()), Standing::of_row).optional()?;
            steps.push(self.decide(change, standing)?);
        }
        let mut entering: Vec<Entering<'_>> = steps.iter().filter_map(|step| self.new_words(step)).collect();
        entering.sort_unstable_by_key(|entering| entering.record);
        let keeper = self.words.clone();
        let many = entering.iter().map(Entering::size).sum::<usize>() >= THREAD_BYTES;
        self.write_with_words(&steps, None, many, || Ok(words::pack(keeper.gather(&entering)?, 0)))
    }

    /// Takes in records for which everything was done that can be.
    fn take_new(&mut self, ahead: &mut Ahead) -> Result<Vec<Outcome>> {
        let Ahead { ids, laid, order, words, .. } = ahead;
        let (before, words) = (self.record, std::mem::take(words));
        let mut steps = Vec::with_capacity(ids.len());
        for (id, laid) in ids.iter().zip(laid) {
            self.record += 1;
            steps.push(Step::Insert(Coming { record: self.record, id, laid: Cow::Borrowed(laid), fields: &[] }));
        }
        self.write_with_words(&steps, Some(order), true, || Ok(words::pack(words, before)))
    }

    /// Does everything: the words are packed beside, on another thread when there are `many`.
    fn write_with_words(
        &mut self,
        steps: &[Step<'_>],
        order: Option<&EntryOrder>,
        many: bool,
        pack: impl FnOnce() -> Result<Vec<Packed>> + Send,
    ) -> Result<Vec<Outcome>> {
        let (packed, written) = beside(many, pack, || self.write(steps, order));
        written?;
        self.words.enter(self.tx, &packed?)?;
        Ok(steps.iter().map(Step::outcome).collect())
    }

    /// Finds out what is to be done for a change, without doing anything.
    fn decide<'r>(&mut self, change: &'r Incoming, standing: Option<Standing>) -> Result<Step<'r>> {
        match (change, standing) {
            (Incoming::Delete { .. }, None) => Ok(Step::Nothing(Outcome::Unchanged)),
            (Incoming::Delete { id, .. }, Some(standing)) => Ok(Step::Delete { id, standing }),
            (Incoming::Upsert { id, emitted_at, fields }, None) => {
                self.record += 1;
                let laid = Laid::new(&self.layout, *emitted_at, fields)?;
                Ok(Step::Insert(Coming { record: self.record, id, laid: Cow::Owned(laid), fields }))
            }
            (Incoming::Upsert { id, emitted_at, fields }, Some(standing)) => {
                let stored = Stored::new(fields);
                let changed = changed_fields(&standing, &stored)?;
                if changed.is_empty() {
                    return Ok(Step::Nothing(Outcome::Unchanged));
                }
                if self.semantics == Semantics::AppendOnly {
                    return Ok(Step::Nothing(Outcome::Rejected(RejectionCode::ImmutableRecord)));
                }
                let laid = Laid::of(&self.layout, *emitted_at, fields, stored)?;
                let coming = Coming { record: standing.number, id, laid: Cow::Owned(laid), fields };
                Ok(Step::Update { coming, standing, changed })
            }
        }
    }

    /// The record whose words a step enters, if it does.
    fn new_words<'s>(&self, step: &'s Step<'_>) -> Option<Entering<'s>> {
        match step {
            Step::Insert(coming) => Some(coming.words()),
            Step::Update { coming, changed, .. } if self.words.are_in(changed) => Some(coming.words()),
            _ => None,
        }
    }

    /// Does everything but enter words. The entries of new records come in this `order`, if it is known.
    fn write(&mut self, steps: &[Step<'_>], order: Option<&EntryOrder>) -> Result<()> {
        let mut rows = NewRows::default();
        for step in steps {
            match step {
                Step::Nothing(_) => {}
                Step::Insert(coming) => self.insert(coming, &mut rows)?,
                Step::Update { coming, standing, changed } => self.update(coming, standing, changed)?,
                Step::Delete { id, standing } => self.delete(standing, id)?,
            }
        }
        self.write_rows(&rows, order)
    }

    fn insert<'s>(&mut self, coming: &'s Coming<'s>, rows: &mut NewRows<'s>) -> Result<()> {
        let sequence = self.next_sequence();
        rows.records.push((coming, sequence));
        let Laid { emitted, stored, keys, unread } = &*coming.laid;
        rows.unread.extend(unread.iter().map(|field| (coming.record, *field, sequence)));
        self.insert_pieces(coming.record, stored)?;
        blobs::note_uses(self.tx, self.cell, coming.record, keys)?;
        self.added += 1;
        self.newest = self.newest.max(Some(*emitted));
        Ok(())
    }

    fn write_rows(&self, rows: &NewRows<'_>, order: Option<&EntryOrder>) -> Result<()> {
        let NewRows { records, unread } = rows;
        self.write_records(records, unread)?;
        let found;
        let order = if let Some(order) = order {
            order
        } else {
            found = EntryOrder::of(records.iter().map(|(coming, _)| (coming.id, &coming.laid.keys)));
            &found
        };
        let new = records.iter().map(|(coming, born)| New {
            record: coming.record,
            id: coming.id,
            keys: &coming.laid.keys,
            born: *born,
        });
        let records: Vec<New<'_>> = new.collect();
        index::enter_new(self.tx, self.cell, &records, order)
    }

    fn write_records(&self, records: &[(&Coming<'_>, i64)], unread: &[(i64, i64, i64)]) -> Result<()> {
        let (tx, cell) = (self.tx, self.cell);
        let (first, others) = records.split_at(records.len().min(1));
        rows::insert(tx, &format!("record (number, {RECORD})"), first, |(coming, sequence), values| {
            values.push(coming.record)?;
            coming.bind(cell, *sequence, values)
        })?;
        // The others' numbers follow by themselves. Given ones could be none, and a statement that can fail so copies
        // every page before it changes it.
        rows::insert(tx, &format!("record ({RECORD})"), others, |(coming, sequence), values| {
            coming.bind(cell, *sequence, values)
        })?;
        if records.last().is_some_and(|(coming, _)| coming.record != tx.last_insert_rowid()) {
            return Err(corrupt("records are not numbered in order"));
        }
        rows::insert(tx, "event (cell, sequence, record)", records, |(coming, sequence), values| {
            values.push(cell)?;
            values.push(sequence)?;
            values.push(coming.record)
        })?;
        rows::insert(tx, "unread (record, field, cell, stamp)", unread, |(record, field, stamp), values| {
            values.push(record)?;
            values.push(field)?;
            values.push(cell)?;
            values.push(stamp)
        })
    }

    fn update(&mut self, coming: &Coming<'_>, standing: &Standing, changed: &BTreeSet<String>) -> Result<()> {
        let Coming { id, fields, laid, .. } = coming;
        let Laid { emitted, stored, keys, .. } = &**laid;
        let sequence = self.next_sequence();
        let entry = Entry { cell: self.cell, record: standing.number, id };
        index::replace(self.tx, entry, &self.keys_of(standing)?, keys, sequence)?;
        if self.words.are_in(changed) {
            self.words.leave(self.tx, &standing.payload())?;
        }
        let trace = self.trace(standing, changed, keys, sequence)?;
        let moved = coming.place() != standing.place;
        self.tx
            .prepare_cached(
                "UPDATE record SET place = ?2, time = ?3, emitted = ?4, placed = ?5, data = ?6, long = ?7, trace = ?8, extra = ?9 WHERE number = ?1",
            )?
            .execute((
                standing.number,
                coming.place(),
                coming.time(),
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
        self.insert_pieces(standing.number, stored)?;
        let bringing = Bringing { cell: self.cell, record: standing.number, stamp: sequence };
        let is_changed = |field: &str| changed.contains(field);
        semantic::renew(self.tx, bringing, self.layout.texts(), is_changed, semantic::has_text(fields))?;
        blobs::forget_uses(self.tx, standing.number)?;
        blobs::note_uses(self.tx, self.cell, standing.number, keys)?;
        self.tx.prepare_cached("INSERT INTO event (cell, sequence, record) VALUES (?1, ?2, ?3)")?.execute((
            self.cell,
            sequence,
            standing.number,
        ))?;
        self.note_emitted(standing.emitted, Some(*emitted));
        Ok(())
    }

    /// Removes a record. Only its id, its window time and the time of deletion stay, for the feed.
    fn delete(&mut self, standing: &Standing, id: &str) -> Result<()> {
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
        Ok(())
    }

    fn finish(self) -> Result<()> {
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

/// Does one thing here and another beside it, on a thread of its own when that is worth it.
fn beside<A: Send, B>(is_worth_it: bool, other: impl FnOnce() -> A + Send, here: impl FnOnce() -> B) -> (A, B) {
    if !is_worth_it {
        let done = here();
        return (other(), done);
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(other);
        let done = here();
        (other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), done)
    })
}

/// The keys a stored payload is indexed under.
pub(super) fn keys_of(tx: &Connection, layout: &IndexLayout, payload: &Payload<'_>) -> Result<RecordKeys> {
    let mut fields: Vec<(Cow<'_, str>, Cow<'_, str>)> =
        values::fields(&payload.data).into_iter().map(|(name, json)| (name, Cow::Borrowed(json))).collect();
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
    if standing.data == stored.data && standing.long.is_none() && stored.long.is_empty() {
        return Ok(BTreeSet::new());
    }
    let former_long = row::long_fields(standing.long.as_deref())?;
    let former = values::fields(&standing.data);
    let present = values::fields(&stored.data);
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
