//! What comes in: one NDJSON line becomes one checked change, or is refused with a reason.

pub mod index;
mod json;
mod line;
mod session;

pub use index::{IndexLayout, RecordKeys, TextField};
pub use line::{Incoming, KeyFrom, Rejection, RejectionCode, prepare, prepare_found};
pub use session::{IngestResult, IngestSession, RejectedLine};

/// Longest line that is read, in bytes. Room for a text of 64 MiB with its escapes.
pub const MAX_LINE_BYTES: usize = 128 * 1024 * 1024;
/// Refused lines that a result lists at most.
pub const MAX_REJECTIONS: usize = 1_000;
