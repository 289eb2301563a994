//! Grants, the gate, and the reads.

pub mod declaration;
