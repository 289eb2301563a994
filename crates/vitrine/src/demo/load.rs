//! Records on their way into a store.

use jiff::Timestamp;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use vitrine_contract::{hexadecimal, time};
use vitrine_engine::keeping::NewBlob;

use super::when::{self, TODAY};

/// The records of one stream, one JSON object a line.
pub(crate) struct Load {
    /// The account they belong to.
    pub(crate) connection_id: &'static str,
    /// The stream they go to.
    pub(crate) stream: &'static str,
    /// The lines.
    pub(crate) lines: Vec<u8>,
    /// The bytes that some of them refer to.
    pub(crate) blobs: Vec<NewBlob>,
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
        Self { connection_id, stream, lines, blobs: Vec::new() }
    }

    pub(crate) fn with_blobs(self, blobs: Vec<NewBlob>) -> Self {
        Self { blobs, ..self }
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

impl BlobRef {
    /// Refers to these bytes from now on.
    pub(crate) fn hold(&mut self, bytes: Vec<u8>) -> NewBlob {
        self.size_bytes = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
        self.sha256 = hexadecimal::encode(&Sha256::digest(&bytes));
        let reference = vitrine_contract::BlobRef {
            blob_id: self.blob_id.clone(),
            mime_type: Some(self.mime_type.to_owned()),
            size_bytes: Some(bytes.len() as u64),
            sha256: Some(self.sha256.clone()),
        };
        NewBlob { reference, bytes }
    }
}
