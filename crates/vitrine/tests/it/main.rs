//! The binary, the router and the reads, from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod properties;
mod tidy;
