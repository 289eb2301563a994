//! The index of meanings: vectors of the passages of a record's fields.
//!
//! Writing a record only notes which of its texts are unread. [`reading`] reads them afterwards, the
//! newest first, away from every transaction. Vectors belong to a record and a field, so that a
//! search compares only what its caller may see; they go when their text does.

mod cache;
mod model;
mod reading;
mod unread;

pub(crate) use cache::{CellVectors, VectorCache, newest, vector};
pub(crate) use model::{drop_of_other_models, is_current as is_current_model};
pub(crate) use reading::{keep, read, take};
pub(crate) use unread::{Bringing, coverage, drop_cell, forget_record, has_text, renew, renew_cell};
