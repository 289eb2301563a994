//! What importers find comes into a store: `run` checks, batches and writes.

mod run;
mod summary;

pub(crate) use run::import;
