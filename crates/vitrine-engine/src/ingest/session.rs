//! An ingest from its first byte to its result: lines are split off, checked and written in
//! batches, so that neither a long stream nor a long line needs more memory than a batch.

use std::sync::Arc;

use serde::Serialize;

use super::line::{Incoming, KeyFrom, Rejection, RejectionCode, prepare};
use super::{MAX_LINE_BYTES, MAX_REJECTIONS};
use crate::catalog::Connection;
use crate::declaration::RecordValidator;
use crate::keeping::{Keeper, Outcome, Target};
use crate::owner::OwnerError;

const BATCH_LINES: usize = 4_000;
/// Some programs begin every file with it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// What became of an ingest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IngestResult {
    /// `"ingest_result"`.
    pub object: &'static str,
    /// The stream.
    pub stream: String,
    /// Lines that were not empty.
    pub records_attempted: u64,
    /// Lines stored.
    pub records_accepted: u64,
    /// Lines that were there already.
    pub records_unchanged: u64,
    /// Lines refused.
    pub records_rejected: u64,
    /// Which, and why; the first thousand.
    pub rejections: Vec<RejectedLine>,
}

/// A refused line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RejectedLine {
    /// Its place among the lines that were not empty, from 0.
    pub input_index: u64,
    /// The kind of fault.
    pub code: &'static str,
    /// What to mend.
    pub message: String,
}

/// An ingest under way.
pub struct IngestSession<'a, S> {
    store: &'a S,
    target: Target,
    connection: Arc<Connection>,
    validator: RecordValidator,
    key_from: KeyFrom,
    line: Vec<u8>,
    overlong: bool,
    batch: Vec<(u64, Incoming)>,
    batch_bytes: usize,
    result: IngestResult,
}

impl<'a, S: Keeper> IngestSession<'a, S> {
    /// Starts an ingest into a stream of a connection.
    pub async fn start(store: &'a S, target: Target) -> Result<Self, OwnerError> {
        let catalog = store.catalog().await?;
        let connection = catalog
            .connection(&target.connection_id)
            .ok_or_else(|| OwnerError::NotFound(format!("There is no connection `{}`.", target.connection_id)))?;
        let stream = connection.stream(&target.stream).ok_or_else(|| {
            OwnerError::NotFound(format!("Source `{}` has no stream `{}`.", connection.connector_key, target.stream))
        })?;
        let result = IngestResult {
            object: "ingest_result",
            stream: target.stream.clone(),
            records_attempted: 0,
            records_accepted: 0,
            records_unchanged: 0,
            records_rejected: 0,
            rejections: Vec::new(),
        };
        Ok(Self {
            store,
            validator: stream.validator()?,
            connection: Arc::clone(connection),
            target,
            key_from: KeyFrom::Line,
            line: Vec::new(),
            overlong: false,
            batch: Vec::new(),
            batch_bytes: 0,
            result,
        })
    }

    /// Takes keys from elsewhere than the lines.
    #[must_use]
    pub fn keyed(self, key_from: KeyFrom) -> Self {
        Self { key_from, ..self }
    }

    /// Takes the next bytes in.
    pub async fn push(&mut self, mut bytes: &[u8]) -> Result<(), OwnerError> {
        while let Some(end) = bytes.iter().position(|b| *b == b'\n') {
            self.extend_line(&bytes[..end]);
            bytes = &bytes[end + 1..];
            self.end_line().await?;
        }
        self.extend_line(bytes);
        Ok(())
    }

    /// Writes what is left and says what became of it all.
    pub async fn finish(mut self) -> Result<IngestResult, OwnerError> {
        self.end_line().await?;
        self.flush().await?;
        self.result.rejections.sort_by_key(|rejected| rejected.input_index);
        Ok(self.result)
    }

    /// Lines seen so far.
    pub fn lines(&self) -> u64 {
        self.result.records_attempted
    }

    fn extend_line(&mut self, bytes: &[u8]) {
        if self.line.len() + bytes.len() > MAX_LINE_BYTES {
            self.overlong = true;
            self.line = Vec::new();
        }
        if !self.overlong {
            self.line.extend_from_slice(bytes);
        }
    }

    async fn end_line(&mut self) -> Result<(), OwnerError> {
        let mut line = std::mem::take(&mut self.line);
        if self.result.records_attempted == 0 && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        let overlong = std::mem::take(&mut self.overlong);
        if !overlong && line.trim_ascii().is_empty() {
            return Ok(());
        }
        let index = self.result.records_attempted;
        self.result.records_attempted += 1;
        let Some(stream) = self.connection.stream(&self.target.stream) else { return Ok(()) };
        let prepared = if overlong {
            let message = format!("The line is longer than {MAX_LINE_BYTES} bytes.");
            Err(Rejection::new(RejectionCode::MalformedNdjson, message))
        } else {
            prepare(&line, stream, &self.validator, self.key_from)
        };
        match prepared {
            Err(rejection) => self.reject(index, rejection.code, rejection.message),
            Ok(incoming) => {
                self.batch.push((index, incoming));
                self.batch_bytes += line.len();
            }
        }
        if self.batch.len() >= BATCH_LINES || self.batch_bytes >= BATCH_BYTES {
            self.flush().await?;
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), OwnerError> {
        self.batch_bytes = 0;
        if self.batch.is_empty() {
            return Ok(());
        }
        let (indexes, batch): (Vec<u64>, Vec<Incoming>) = std::mem::take(&mut self.batch).into_iter().unzip();
        let outcomes = self.store.write(&self.target, &batch).await?;
        for ((index, change), outcome) in indexes.into_iter().zip(&batch).zip(outcomes) {
            match outcome {
                Outcome::Accepted => self.result.records_accepted += 1,
                // Whoever wants a record gone has it gone.
                Outcome::Unchanged if matches!(change, Incoming::Delete { .. }) => self.result.records_accepted += 1,
                Outcome::Unchanged => self.result.records_unchanged += 1,
                Outcome::Rejected(code) => {
                    let message = "The key is known with another payload, and records of this stream never change.";
                    self.reject(index, code, message.to_owned());
                }
            }
        }
        Ok(())
    }

    fn reject(&mut self, input_index: u64, code: RejectionCode, message: String) {
        self.result.records_rejected += 1;
        if self.result.rejections.len() < MAX_REJECTIONS {
            self.result.rejections.push(RejectedLine { input_index, code: code.as_str(), message });
        }
    }
}
