//! From a store to files.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use vitrine_contract::request::{Order, RecordsRequest};
use vitrine_contract::{ApiError, Fields, ReadApi, Record, limits, time};
use vitrine_engine::catalog::Connection;
use vitrine_engine::declaration::Stream;
use vitrine_engine::port::Store as _;
use vitrine_engine::{Caller, LocalRead};
use vitrine_store::Store;

use super::{Account, BlobFile, Lines, MANIFEST, Manifest, Tag, VERSION};
use crate::archive::sync_directory;
use crate::fault::Fault;
use crate::opened::Opened;
use crate::private;

/// How much was written.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Written {
    pub(crate) connections: u64,
    pub(crate) records: u64,
    pub(crate) blobs: u64,
}

/// A line as `vitrine ingest` takes it.
#[derive(Serialize)]
struct Line<'a> {
    key: Value,
    data: &'a Fields,
    emitted_at: &'a str,
}

/// Writes everything into a new directory, which appears whole or not at all.
pub(crate) async fn write(opened: &Opened, target: &Path) -> Result<Written, Fault> {
    let name = target.display().to_string();
    if target.exists() {
        return Err(Fault::declined("directory_exists", format!("{name} is there already. Name one that is not.")));
    }
    let beside = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let scratch = private::scratch(".vitrine-export-", beside)?;
    let mut export = Export { opened, directory: scratch.path(), written: Written::default() };
    export.all().await?;
    let written = export.written;
    sync_directory(scratch.path())?;
    fs::rename(scratch.keep(), target).map_err(|error| Fault::unreadable(&name, &error))?;
    sync_directory(beside)?;
    Ok(written)
}

struct Export<'a> {
    opened: &'a Opened,
    directory: &'a Path,
    written: Written,
}

impl Export<'_> {
    async fn all(&mut self) -> Result<(), Fault> {
        let catalog = self.opened.store.catalog().await?;
        let mut sources = Vec::new();
        for source in &catalog.sources {
            let file = format!("sources/{}.json", source.declaration.connector_key);
            let mut out = self.create(&file)?;
            serde_json::to_writer_pretty(&mut out, &source.declaration.document).map_err(io::Error::from)?;
            finish(out)?;
            sources.push(file);
        }
        let mut connections = Vec::new();
        for connection in &catalog.connections {
            connections.push(self.account(connection).await?);
            self.written.connections += 1;
        }
        let made_at = time::format(self.opened.clock.now());
        let manifest = Manifest { object: Tag::Export, version: VERSION, made_at, sources, connections };
        let mut out = self.create(MANIFEST)?;
        serde_json::to_writer_pretty(&mut out, &manifest).map_err(io::Error::from)?;
        Ok(finish(out)?)
    }

    async fn account(&mut self, connection: &Connection) -> Result<Account, Fault> {
        let id = &connection.connection_id;
        let mut streams = Vec::new();
        for stream in connection.source.declaration.streams.values() {
            let file = format!("records/{id}/{}.ndjson", stream.name);
            let records = self.records(id, stream, &file).await?;
            streams.push(Lines { name: stream.name.clone(), file, records });
        }
        let mut blobs = Vec::new();
        for (number, about) in (1..).zip(self.opened.store.blobs(id)?) {
            let file = format!("blobs/{id}/{number:06}");
            let mut out = self.create(&file)?;
            self.opened.store.write_blob(id, &about.blob_id, &mut out)?;
            finish(out)?;
            self.written.blobs += 1;
            blobs.push(BlobFile { file, about });
        }
        Ok(Account {
            connection_id: id.to_string(),
            connector_key: connection.connector_key.to_string(),
            display_name: connection.display_name.to_string(),
            streams,
            blobs,
        })
    }

    /// A stream as it is at one moment: a walk does not move under writes.
    async fn records(&mut self, connection_id: &str, stream: &Stream, file: &str) -> Result<u64, Fault> {
        let mut out = self.create(file)?;
        let reader = self.reader();
        let mut request = RecordsRequest {
            stream: stream.name.clone(),
            connection_id: Some(connection_id.to_owned()),
            limit: Some(limits::MAX_LIMIT.into()),
            order: Some(Order::Asc),
            ..RecordsRequest::default()
        };
        let mut records = 0;
        loop {
            let page = reader.records(&request).await.map_err(unread)?;
            for record in &page.data {
                let Some(data) = &record.data else { continue };
                let line = Line { key: key(stream, record, data), data, emitted_at: &record.emitted_at };
                serde_json::to_writer(&mut out, &line).map_err(io::Error::from)?;
                out.write_all(b"\n")?;
                records += 1;
            }
            match page.next_cursor {
                Some(cursor) => request.cursor = Some(cursor),
                None => break,
            }
        }
        finish(out)?;
        self.written.records += records;
        Ok(records)
    }

    /// The owner's own reads: no disclosure, so no ledger.
    fn reader(&self) -> LocalRead<Store> {
        let Opened { store, clock, random } = self.opened;
        LocalRead::new(Arc::clone(store), Caller::owner(), clock.clone(), random.clone(), "".into())
    }

    fn create(&self, file: &str) -> io::Result<BufWriter<File>> {
        let path = self.directory.join(file);
        if let Some(parent) = path.parent() {
            private::directory(parent)?;
        }
        private::file(&path).map(BufWriter::new)
    }
}

fn finish(out: BufWriter<File>) -> io::Result<()> {
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

/// The key a record came under: as its data says, else as its id does.
fn key(stream: &Stream, record: &Record, data: &Fields) -> Value {
    let entries = data.entries();
    let part = |field: &String| {
        let found = entries.iter().find(|(name, _)| name == field)?;
        serde_json::from_str(found.1).ok().filter(|value: &Value| !value.is_null())
    };
    let parts: Option<Vec<Value>> = stream.primary_key.iter().map(part).collect();
    match parts {
        Some(mut parts) if parts.len() == 1 => parts.remove(0),
        Some(parts) => Value::Array(parts),
        None if stream.primary_key.len() == 1 => Value::String(record.id.clone()),
        None => serde_json::from_str(&record.id).unwrap_or_else(|_| Value::String(record.id.clone())),
    }
}

fn unread(error: ApiError) -> Fault {
    Fault::declined("read_failed", error.message)
}
