//! The decision: what the owner sees is what the client gets.

mod deciding;
mod preview;
mod showing;
