//! What an importer finds, gathered for a test.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;
use vitrine_engine::declaration::Declaration;
use vitrine_engine::ingest::{KeyFrom, prepare};
use vitrine_engine::keeping::NewBlob;

use super::{Export, ImportError, Kind, Outlet, Settings, Sink, Skip, Stopped};

#[derive(Default)]
pub(crate) struct Found {
    pub(crate) records: Vec<(String, Value)>,
    /// When each record counts as emitted.
    pub(crate) emitted: Vec<Value>,
    pub(crate) blobs: Vec<NewBlob>,
    pub(crate) skips: Vec<Skip>,
    pub(crate) notes: Vec<String>,
}

impl Outlet for Found {
    fn line(&mut self, stream: &str, line: &[u8]) -> Result<(), Stopped> {
        let mut line: Value = serde_json::from_slice(line).expect("a line is JSON");
        self.emitted.push(line["emitted_at"].take());
        self.records.push((stream.to_owned(), line["data"].take()));
        Ok(())
    }

    fn blob(&mut self, blob: NewBlob) -> Result<(), Stopped> {
        self.blobs.push(blob);
        Ok(())
    }

    fn skip(&mut self, skip: Skip) {
        self.skips.push(skip);
    }

    fn note(&mut self, note: String) {
        self.notes.push(note);
    }
}

impl Found {
    /// The records of one stream.
    pub(crate) fn of(&self, stream: &str) -> Vec<&Value> {
        self.records.iter().filter(|(name, _)| name == stream).map(|(_, data)| data).collect()
    }

    pub(crate) fn reasons(&self) -> Vec<&str> {
        self.skips.iter().map(|skip| skip.reason.as_ref()).collect()
    }
}

pub(crate) fn settings() -> Settings {
    let now: Timestamp = "2026-11-15T12:00:00Z".parse().expect("a time");
    Settings { time_zone: TimeZone::get("Europe/Berlin").unwrap_or(TimeZone::UTC), date_order: None, now }
}

/// Everything in an export, each record as its declaration says it must be.
pub(crate) fn read(kind: Kind, name: &str, bytes: impl AsRef<[u8]>) -> Found {
    let mut export = Export::of_bytes(name, bytes.as_ref()).expect("it opens");
    kind.check(&mut export).expect("it is of this kind");
    let (found, end) = read_export(kind, &mut export, &settings());
    end.expect("it is whole");
    found
}

pub(crate) fn read_export(kind: Kind, export: &mut Export, settings: &Settings) -> (Found, Result<(), ImportError>) {
    let mut found = Found::default();
    let prepared = kind.prepare(export, settings, "Test").expect("it can be prepared");
    let declaration = Declaration::parse(&prepared.declaration).expect("a good declaration");
    let end = prepared.read(export, settings, &mut Sink::new(&mut found, settings.now));
    for (name, data) in &found.records {
        let stream = declaration.stream(name).unwrap_or_else(|| panic!("no stream {name}"));
        let line = serde_json::json!({ "data": data, "emitted_at": "2026-01-01T00:00:00Z" }).to_string();
        let checked = prepare(line.as_bytes(), stream, &stream.validator().expect("it compiles"), KeyFrom::Data);
        assert!(checked.is_ok(), "{name}: {checked:?} {data}");
        for (field, _) in data.as_object().expect("an object") {
            assert!(stream.fields.iter().any(|declared| declared.name == *field), "{name}: {field} is not declared");
        }
    }
    (found, end)
}

/// A ZIP archive with these files.
pub(crate) fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::Write as _;
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a member");
        zip.write_all(bytes).expect("its bytes");
    }
    zip.finish().expect("an archive").into_inner()
}
