//! What comes in: one NDJSON line becomes one checked change, or is refused with a reason.

pub mod index;
mod json;
mod line;

pub use index::{IndexLayout, RecordKeys};
pub use line::{Incoming, Rejection, RejectionCode, prepare};

/// Longest line that is read, in bytes. Room for a text of 64 MiB with its escapes.
pub const MAX_LINE_BYTES: usize = 128 * 1024 * 1024;
