//! Browser histories: the SQLite files of Chrome and its relatives, and of Firefox.

pub(super) mod chrome;
pub(super) mod firefox;
#[cfg(test)]
mod tests;

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;
use vitrine_contract::time;

use super::export::Export;
use super::sink::{ImportError, Sink};

const DECLARATION: &str = include_str!("declarations/browser.json");
/// Characters kept of an address; longer ones carry data.
const MAX_URL_CHARS: usize = 4_000;

/// A visit as either browser keeps it.
struct Visit {
    number: i64,
    /// Unless the browser has forgotten it.
    url: Option<String>,
    title: Option<String>,
    micros: i64,
    how: &'static str,
    duration_ms: Option<i64>,
}

#[derive(Serialize)]
struct VisitRecord<'a> {
    id: String,
    url: String,
    host: Option<&'a str>,
    title: Option<&'a str>,
    how: &'static str,
    duration_ms: Option<i64>,
    visited_at: String,
}

/// The tables a history must have.
fn has_tables(export: &mut Export, tables: [&str; 2]) -> Result<bool, ImportError> {
    let Some(member) = export.members().first().cloned().filter(|_| export.members().len() == 1) else {
        return Ok(false);
    };
    if !export.head(&member, 16)?.starts_with(b"SQLite format 3\0") {
        return Ok(false);
    }
    let Some(path) = export.path_of(&member) else { return Ok(false) };
    let copy = Copy::of(&path)?;
    let Ok(database) = copy.open() else { return Ok(false) };
    let found = database.query_row(
        "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN (?1, ?2)",
        tables,
        |row| row.get::<_, i64>(0),
    );
    Ok(found == Ok(2))
}

/// A copy of a database and its log: the browser may have the original open, and locks it.
struct Copy(tempfile::TempDir);

impl Copy {
    fn of(path: &Path) -> Result<Self, ImportError> {
        let directory = tempfile::tempdir()?;
        std::fs::copy(path, directory.path().join("history"))?;
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        if Path::new(&log).is_file() {
            std::fs::copy(&log, directory.path().join("history-wal"))?;
        }
        Ok(Self(directory))
    }

    fn open(&self) -> rusqlite::Result<Connection> {
        // The log is taken into the copy, which must be writable for that.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = Connection::open_with_flags(self.0.path().join("history"), flags)?;
        database.pragma_update(None, "trusted_schema", false)?;
        database.pragma_update(None, "query_only", true)?;
        Ok(database)
    }
}

/// Reads each row of `query` with `visit`.
fn read_visits(
    export: &mut Export,
    sink: &mut Sink<'_>,
    query: &str,
    visit: fn(&rusqlite::Row<'_>) -> rusqlite::Result<Visit>,
) -> Result<(), ImportError> {
    let damaged =
        |error: rusqlite::Error| ImportError::Damaged(format!("The history cannot be read to its end: {error}."));
    let Some(path) = export.members().first().cloned().and_then(|member| export.path_of(&member)) else {
        return Err(ImportError::Wrong("Unpack the history first: it must be a file of its own.".to_owned()));
    };
    let copy = Copy::of(&path)?;
    let database = copy.open().map_err(damaged)?;
    let mut statement = database.prepare(query).map_err(damaged)?;
    let mut rows = statement.query([]).map_err(damaged)?;
    while let Some(row) = rows.next().map_err(damaged)? {
        match visit(row) {
            Ok(visit) => visit.record(sink)?,
            Err(_) => sink.reject("a visit that is damaged", format!("{:?}", row.get_ref(0))),
        }
    }
    export.note_read(&path);
    Ok(())
}

impl Visit {
    fn record(&self, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        let Some(url) = &self.url else {
            sink.leave_out("a visit whose address the browser has deleted", format!("visit {}", self.number));
            return Ok(());
        };
        if !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) {
            sink.leave_out("a page of the browser itself or a file", format!("visit {}", self.number));
            return Ok(());
        }
        let Some(at) = Timestamp::from_microsecond(self.micros).ok().filter(|at| at.as_second() > 0) else {
            sink.reject("a visit without a time", format!("visit {}", self.number));
            return Ok(());
        };
        let host = url.split("//").nth(1).and_then(|rest| rest.split(['/', '?', '#']).next());
        let host = host.map(|host| host.rsplit('@').next().unwrap_or(host)).filter(|host| !host.is_empty());
        let record = VisitRecord {
            id: format!("{}-{}", self.micros, self.number),
            url: url.chars().take(MAX_URL_CHARS).collect(),
            host,
            title: self.title.as_deref().filter(|title| !title.is_empty()),
            how: self.how,
            duration_ms: self.duration_ms,
            visited_at: time::format(at),
        };
        sink.record("visits", Some(at), &record)
    }
}
