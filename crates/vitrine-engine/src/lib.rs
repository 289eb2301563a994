//! Grants, the gate that turns a request into a read plan, and the reads themselves.
//!
//! A read goes one way: [`caller`] says who asks, [`gate`] decides what may be seen and makes a
//! [`gate::ReadPlan`], a [`port::Store`] carries the plan out, and [`LocalRead`] puts the answer
//! into the contract's words.

pub mod caller;
pub mod catalog;
pub mod clock;
pub mod cursor;
pub mod declaration;
pub mod gate;
pub mod grant;
pub mod ingest;
pub mod keeping;
pub mod ledger;
mod local_read;
pub mod oauth;
pub mod owner;
pub mod port;
pub mod sort_key;
pub mod text_match;
pub mod token;
pub mod words;

pub use caller::Caller;
pub use ledger::Ledgered;
pub use local_read::{LocalRead, SEARCH_MODES};
