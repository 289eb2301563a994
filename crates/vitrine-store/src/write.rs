//! Everything that changes the store.

mod ahead;
mod batch;
mod blobs;
mod forget;
mod index;
mod order;
mod registry;
mod rows;
mod trace;
mod words;

pub use ahead::Readied;
pub(crate) use ahead::{Ahead, Batch, ahead, are_new};
pub(crate) use batch::{batch, new_batch};
pub(crate) use blobs::{PART_BYTES, put_blob, put_new_blob};
pub(crate) use registry::{add_connection, register_source, remove_connection, rename_connection};
pub(crate) use trace::Trace;
pub(crate) use words::{follow_model, index_all as index_all_words, index_words_anew};
