//! Text in, vector out: a sentence encoder that is part of the binary, the passages it reads and the scans over its vectors.
//!
//! It knows no store and no grants. [`passages`] cuts a text, [`Encoder`] turns each passage into a [`Vector`], and
//! [`scan`] compares a query with many of them.

mod encoder;
mod model;
mod passages;
pub mod scan;
mod vector;
mod wordpiece;
mod words;

pub use encoder::{EncodeError, Encoder};
pub use passages::passages;
pub use vector::{BYTES, Bits, DIMENSIONS, Vector};

/// Names what made a vector. Vectors of different models cannot be compared.
pub const MODEL_ID: &str = "all-minilm-l6-v2-int8-pca256-1";
