//! What an importer finds, and who takes it.

use std::borrow::Cow;
use std::io;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use vitrine_contract::{BlobRef, time};
use vitrine_engine::keeping::NewBlob;

use super::hash;

/// Earliest and latest emission that stores keep, in seconds: the years 1700 and 2200.
const EMISSIONS: std::ops::RangeInclusive<i64> = -8_520_336_000..=7_258_118_400;

/// Why an import ended before the end of its export.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It is not what was said; nothing was taken from it.
    #[error("{0}")]
    Wrong(String),
    /// It is damaged from some place on; what came before was taken.
    #[error("{0}")]
    Damaged(String),
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    /// Whoever takes the records has stopped.
    #[error("the import was stopped")]
    Stopped(#[from] Stopped),
}

/// Whoever takes the records wants no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

/// Something of an export that becomes no record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// Why, the same words for the same reason.
    pub reason: Cow<'static, str>,
    /// Where it stands.
    pub place: String,
    /// Whether it should have become one: damaged, not merely left out.
    pub rejected: bool,
}

/// Bytes that a record refers to, called by their content, so that the same are kept once.
pub(crate) fn blob(mime_type: String, bytes: Vec<u8>) -> NewBlob {
    let sha256 = hash::hexadecimal(&bytes);
    let reference = BlobRef {
        blob_id: format!("sha256-{sha256}"),
        mime_type: Some(mime_type),
        size_bytes: Some(bytes.len() as u64),
        sha256: Some(sha256),
    };
    NewBlob { reference, bytes }
}

/// Takes what an importer finds.
pub trait Outlet {
    /// A record of a stream, as a line of an ingest.
    fn line(&mut self, stream: &str, line: &[u8]) -> Result<(), Stopped>;
    /// Bytes, before the record that refers to them.
    fn blob(&mut self, blob: NewBlob) -> Result<(), Stopped>;
    /// Something that becomes no record.
    fn skip(&mut self, skip: Skip);
    /// Something the owner should know of how the export was read, in a sentence.
    fn note(&mut self, note: String);
    /// Takes records as values, where there is no use for lines.
    fn values(&mut self) -> Option<&mut dyn Values> {
        None
    }
}

/// Takes records that were never written as lines.
pub trait Values {
    /// A record of a stream, which happened `at` that time.
    fn record(&mut self, stream: &str, at: Timestamp, data: Map<String, Value>) -> Result<(), Stopped>;
}

/// The importer's end of an [`Outlet`].
pub struct Sink<'a> {
    outlet: &'a mut dyn Outlet,
    line: Vec<u8>,
    now: Timestamp,
}

#[derive(Serialize)]
struct Line<'a, D> {
    data: &'a D,
    emitted_at: String,
}

impl<'a> Sink<'a> {
    /// A sink into `outlet`. What has no time of its own counts as emitted `now`.
    pub fn new(outlet: &'a mut dyn Outlet, now: Timestamp) -> Self {
        Self { outlet, line: Vec::new(), now }
    }

    /// A record of `stream`, which happened `at` that time. What lies ahead was known now.
    pub(crate) fn record(
        &mut self,
        stream: &str,
        at: Option<Timestamp>,
        data: &impl Serialize,
    ) -> Result<(), ImportError> {
        let at = self.emission(at);
        if let Some(values) = self.outlet.values()
            && let Value::Object(data) = serde_json::to_value(data).map_err(io::Error::from)?
        {
            return Ok(values.record(stream, at, data)?);
        }
        self.line(stream, at, data)
    }

    /// Like [`Self::record`], of what is a value already.
    pub(crate) fn row(
        &mut self,
        stream: &str,
        at: Option<Timestamp>,
        data: Map<String, Value>,
    ) -> Result<(), ImportError> {
        let at = self.emission(at);
        match self.outlet.values() {
            Some(values) => Ok(values.record(stream, at, data)?),
            None => self.line(stream, at, &data),
        }
    }

    fn emission(&self, at: Option<Timestamp>) -> Timestamp {
        at.filter(|at| *at <= self.now && EMISSIONS.contains(&at.as_second())).unwrap_or(self.now)
    }

    fn line(&mut self, stream: &str, at: Timestamp, data: &impl Serialize) -> Result<(), ImportError> {
        self.line.clear();
        let line = Line { data, emitted_at: time::format(at) };
        serde_json::to_writer(&mut self.line, &line).map_err(io::Error::from)?;
        Ok(self.outlet.line(stream, &self.line)?)
    }

    /// Bytes that the next records refer to.
    pub(crate) fn blob(&mut self, blob: NewBlob) -> Result<(), ImportError> {
        Ok(self.outlet.blob(blob)?)
    }

    /// Something left out on purpose.
    pub(crate) fn leave_out(&mut self, reason: impl Into<Cow<'static, str>>, place: impl Into<String>) {
        self.outlet.skip(Skip { reason: reason.into(), place: place.into(), rejected: false });
    }

    /// Something that cannot become a record.
    pub(crate) fn reject(&mut self, reason: impl Into<Cow<'static, str>>, place: impl Into<String>) {
        self.outlet.skip(Skip { reason: reason.into(), place: place.into(), rejected: true });
    }

    /// How the export was read, where it could be read another way.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.outlet.note(note.into());
    }
}
