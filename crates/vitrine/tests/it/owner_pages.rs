//! The owner's pages: who gets in, and what they do.

mod connecting;
mod grants;
mod ledger;
mod signing_in;
