//! Records on their way into a store.

use jiff::Timestamp;
use serde::Serialize;
use vitrine_contract::time;

use super::when::{self, TODAY};

/// The records of one stream, one JSON object a line.
pub(crate) struct Load {
    /// The account they belong to.
    pub(crate) connection_id: &'static str,
    /// The stream they go to.
    pub(crate) stream: &'static str,
    /// The lines.
    pub(crate) lines: Vec<u8>,
}

#[derive(Serialize)]
struct Line<'a, D> {
    data: &'a D,
    emitted_at: String,
}

impl Load {
    pub(crate) fn of<D: Serialize>(
        connection_id: &'static str,
        stream: &'static str,
        records: impl IntoIterator<Item = (Timestamp, D)>,
    ) -> Self {
        let mut lines = Vec::new();
        for (happened, data) in records {
            // What lies in the future was known today.
            let emitted_at = time::format(happened.min(when::at(TODAY, 0, 0)));
            serde_json::to_writer(&mut lines, &Line { data: &data, emitted_at }).expect("records are plain data");
            lines.push(b'\n');
        }
        Self { connection_id, stream, lines }
    }
}

/// A reference to bytes kept beside a record.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct BlobRef {
    pub(crate) blob_id: String,
    pub(crate) mime_type: &'static str,
    pub(crate) size_bytes: i64,
    pub(crate) sha256: String,
}
