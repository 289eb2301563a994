//! The configuration files of MCP clients: where they are on this machine, and how to put one entry in or take it out
//! while everything else in them stays as it was.

pub(crate) mod change;
pub(crate) mod edit;
mod file;
pub(crate) mod machine;
mod made;
mod origin;
