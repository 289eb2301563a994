//! Everything as plain files: declarations, records as NDJSON, blobs, and a manifest.
//!
//! ```text
//! manifest.json
//! sources/{connector_key}.json
//! records/{connection_id}/{stream}.ndjson     lines as `vitrine ingest` takes them
//! blobs/{connection_id}/{number}
//! ```
//!
//! Grants and the ledger are not in it: a backup holds those.

mod load;
mod write;

use serde::{Deserialize, Serialize};
use vitrine_contract::BlobRef;

pub(crate) use load::load;
pub(crate) use write::{Written, write};

const MANIFEST: &str = "manifest.json";
const VERSION: u32 = 1;

/// What an export holds.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    object: Tag,
    version: u32,
    made_at: String,
    /// Files with a declaration each, in the order to register them.
    sources: Vec<String>,
    connections: Vec<Account>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Tag {
    #[serde(rename = "vitrine_export")]
    Export,
}

#[derive(Debug, Serialize, Deserialize)]
struct Account {
    connection_id: String,
    connector_key: String,
    display_name: String,
    streams: Vec<Lines>,
    blobs: Vec<BlobFile>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Lines {
    name: String,
    file: String,
    records: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct BlobFile {
    file: String,
    #[serde(flatten)]
    about: BlobRef,
}
