//! An import from its export into a store: one thread reads and checks, one does what can be done ahead, and the store
//! writes.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use indicatif::ProgressBar;
use jiff::Timestamp;
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use vitrine_engine::declaration::{RecordValidator, Stream};
use vitrine_engine::ingest::{Incoming, KeyFrom, Rejection, prepare, prepare_found};
use vitrine_engine::keeping::{Keeper, NewBlob, Outcome, Target};
use vitrine_engine::owner::ConnectionShown;
use vitrine_engine::port::Store as _;
use vitrine_import::{Export, ImportError, Kind, Outlet, Prepared, Settings, Sink, Skip, Stopped, Values};
use vitrine_store::{Readied, Store};

use super::summary::Summary;
use crate::fault::Fault;

const BATCH_RECORDS: usize = 10_000;
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// A batch of more than this holds a large file, and is let through alone.
const LARGE_BYTES: usize = 2 * BATCH_BYTES;
/// Batches that wait for the store.
const WAITING_BATCHES: usize = 1;
/// Ids remembered to notice one that comes twice. Beyond this many, the later one wins.
const MAX_REMEMBERED: usize = 3_600_000;

/// Reads an export into a connection.
pub(crate) async fn import(
    store: &Arc<Store>,
    kind: Kind,
    prepared: Prepared,
    mut export: Export,
    connection: ConnectionShown,
    settings: Settings,
    bar: &ProgressBar,
) -> Result<Summary, Fault> {
    // The reader hands a batch over when the next thread is free for it, so that few are in memory.
    let (found, received) = sync_channel(0);
    let (sender, batches) = mpsc::channel(WAITING_BATCHES);
    let mut gatherer = Gatherer::new(store, &connection.connection_id, found).await?;
    let ahead = Readier { store: Arc::clone(store), connection_id: connection.connection_id.clone(), sender };
    let layout = tokio::task::spawn_blocking(move || ahead.ready_all(&received));
    let (progress, size) = (export.progress(), export.size());
    // What was read to prepare counts for nothing now.
    progress.store(0, Ordering::Relaxed);
    bar.set_length(size);
    let reading = tokio::task::spawn_blocking(move || {
        let read = prepared.read(&mut export, &settings, &mut Sink::new(&mut gatherer, settings.now));
        // What was found before a fault is kept.
        let sent = gatherer.send();
        (read.and_then(|()| Ok(sent?)), export.changed())
    });
    let mut writer = Writer { store, summary: Summary::new(kind.name(), connection.clone()), connection, batches };
    let written = writer
        .write_all(|summary| {
            bar.set_position(progress.load(Ordering::Relaxed).min(size));
            bar.set_message(format!("{} records", summary.seen()));
        })
        .await;
    // Nobody is left to take what the reader has: it stops with its next batch.
    let Writer { mut summary, batches, .. } = writer;
    drop(batches);
    let (read, changed) = reading.await.map_err(std::io::Error::from)?;
    layout.await.map_err(std::io::Error::from)?;
    if let Err(fault) = written {
        summary.stopped = Some(fault.to_string());
    } else if let Err(error) = read {
        summary.stopped = Some(error.to_string());
    }
    if changed {
        summary.warning = Some("The file changed while it was read. Run the same command again.".to_owned());
    }
    Ok(summary)
}

/// What is gathered before it goes to the store.
#[derive(Default)]
struct Gathered {
    blobs: Vec<NewBlob>,
    records: BTreeMap<String, Vec<Incoming>>,
    skips: Vec<Skip>,
    notes: Vec<String>,
    count: usize,
    bytes: usize,
}

/// What goes to the store at once.
#[derive(Default)]
struct Batch {
    blobs: Vec<NewBlob>,
    records: Vec<Readied>,
    skips: Vec<Skip>,
    notes: Vec<String>,
}

/// Checks records and gathers them into batches.
struct Gatherer {
    streams: BTreeMap<String, (Arc<Stream>, RecordValidator)>,
    sender: SyncSender<Gathered>,
    gathered: Gathered,
    remembered: HashSet<u64>,
    hasher: RandomState,
}

impl Gatherer {
    async fn new(store: &Arc<Store>, connection_id: &str, sender: SyncSender<Gathered>) -> Result<Self, Fault> {
        let catalog = store.catalog().await?;
        let mut streams = BTreeMap::new();
        if let Some(connection) = catalog.connection(connection_id) {
            for (name, stream) in &connection.source.declaration.streams {
                let validator = stream.validator().map_err(vitrine_engine::owner::OwnerError::from)?;
                streams.insert(name.clone(), (Arc::clone(stream), validator));
            }
        }
        let (remembered, hasher) = (HashSet::new(), RandomState::new());
        Ok(Self { streams, sender, gathered: Gathered::default(), remembered, hasher })
    }

    fn is_repeated(&mut self, stream: &str, id: &str) -> bool {
        let hash = self.hasher.hash_one((stream, id));
        if self.remembered.len() < MAX_REMEMBERED {
            !self.remembered.insert(hash)
        } else {
            self.remembered.contains(&hash)
        }
    }

    fn grown(&mut self, bytes: usize) -> Result<(), Stopped> {
        let Gathered { count, bytes: size, .. } = &mut self.gathered;
        *count += 1;
        *size += bytes;
        if *count >= BATCH_RECORDS || *size >= BATCH_BYTES { self.send() } else { Ok(()) }
    }

    fn send(&mut self) -> Result<(), Stopped> {
        let gathered = std::mem::take(&mut self.gathered);
        let is_large = gathered.bytes > LARGE_BYTES;
        self.sender.send(gathered).map_err(|_| Stopped)?;
        if is_large {
            // The first waits behind the large one until that is being written, the second for the first.
            self.sender.send(Gathered::default()).map_err(|_| Stopped)?;
            self.sender.send(Gathered::default()).map_err(|_| Stopped)?;
        }
        Ok(())
    }

    fn take(&mut self, stream: &str, prepared: Result<Incoming, Rejection>) -> Result<(), Stopped> {
        let mut bytes = 0;
        match prepared {
            Err(rejection) => {
                let place = format!("{stream}, {}", rejection.code.as_str());
                self.skip(Skip { reason: rejection.message.into(), place, rejected: true });
            }
            Ok(Incoming::Upsert { id, .. }) if self.is_repeated(stream, &id) => {
                let reason = "an id that came before; the first one counts".into();
                self.skip(Skip { reason, place: format!("{stream} {id}"), rejected: false });
            }
            Ok(incoming) => {
                bytes = size(&incoming);
                match self.gathered.records.get_mut(stream) {
                    Some(records) => records.push(incoming),
                    None => drop(self.gathered.records.insert(stream.to_owned(), vec![incoming])),
                }
            }
        }
        self.grown(bytes)
    }
}

/// About how many bytes a change says.
fn size(incoming: &Incoming) -> usize {
    match incoming {
        Incoming::Upsert { fields, .. } => fields.iter().map(|(name, json)| name.len() + json.len() + 4).sum(),
        Incoming::Delete { .. } => 0,
    }
}

impl Values for Gatherer {
    fn record(&mut self, stream: &str, at: Timestamp, data: Map<String, Value>) -> Result<(), Stopped> {
        let Some((declared, validator)) = self.streams.get(stream) else { return Err(Stopped) };
        let prepared = prepare_found(data, at, declared, validator);
        self.take(stream, prepared)
    }
}

impl Outlet for Gatherer {
    fn line(&mut self, stream: &str, line: &[u8]) -> Result<(), Stopped> {
        let Some((declared, validator)) = self.streams.get(stream) else { return Err(Stopped) };
        let prepared = prepare(line, declared, validator, KeyFrom::Data);
        self.take(stream, prepared)
    }

    fn blob(&mut self, blob: NewBlob) -> Result<(), Stopped> {
        let bytes = blob.bytes.len();
        self.gathered.blobs.push(blob);
        self.grown(bytes)
    }

    fn skip(&mut self, skip: Skip) {
        self.gathered.skips.push(skip);
    }

    fn note(&mut self, note: String) {
        self.gathered.notes.push(note);
    }

    fn values(&mut self) -> Option<&mut dyn Values> {
        Some(self)
    }
}

/// Does for each batch what can be done before it is written.
struct Readier {
    store: Arc<Store>,
    connection_id: String,
    sender: mpsc::Sender<Batch>,
}

impl Readier {
    /// Goes on until nobody sends or takes batches any more.
    fn ready_all(self, gathered: &Receiver<Gathered>) {
        while let Ok(Gathered { blobs, records, skips, notes, .. }) = gathered.recv() {
            let ready = |(stream, records)| {
                self.store.ready(Target { connection_id: self.connection_id.clone(), stream }, records)
            };
            let batch = Batch { blobs, records: records.into_iter().map(ready).collect(), skips, notes };
            if self.sender.blocking_send(batch).is_err() {
                return;
            }
        }
    }
}

/// Writes batches and keeps count.
struct Writer<'a> {
    store: &'a Store,
    connection: ConnectionShown,
    summary: Summary,
    batches: mpsc::Receiver<Batch>,
}

impl Writer<'_> {
    async fn write_all(&mut self, mut report: impl FnMut(&Summary)) -> Result<(), Fault> {
        let interrupted = tokio::signal::ctrl_c();
        tokio::pin!(interrupted);
        loop {
            let batch = tokio::select! {
                batch = self.batches.recv() => batch,
                _ = &mut interrupted => return Err(Fault::interrupted()),
            };
            let Some(batch) = batch else { return Ok(()) };
            self.write(batch).await?;
            report(&self.summary);
        }
    }

    async fn write(&mut self, batch: Batch) -> Result<(), Fault> {
        if !batch.blobs.is_empty() {
            self.store.put_blobs(&self.connection.connection_id, &batch.blobs).await?;
        }
        for records in batch.records {
            let stream = records.target().stream.clone();
            for outcome in self.store.write_readied(records).await? {
                match outcome {
                    Outcome::Accepted => self.summary.imported(&stream),
                    Outcome::Unchanged => self.summary.unchanged(&stream),
                    Outcome::Rejected(code) => {
                        let reason = "a record that was kept before with other content, and never changes".into();
                        self.summary.skip(Skip { reason, place: code.as_str().to_owned(), rejected: true });
                    }
                }
            }
        }
        batch.skips.into_iter().for_each(|skip| self.summary.skip(skip));
        batch.notes.iter().for_each(|note| self.summary.note(note));
        Ok(())
    }
}

impl From<ImportError> for Fault {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Unreadable(error) => Self::from(error),
            other => Self::wrong_file(other.to_string()),
        }
    }
}
