//! Answers of any provider, put into the contract's words.
//!
//! Each file reads one kind of answer and begins with the spellings it accepts, the contract's own
//! first. A member that is missing, or is not what it should be, counts as left out; what no
//! answer can do without makes it [`Unreadable`]. Payloads are carried as text, never rebuilt.

mod aggregate;
mod connectors;
mod list;
mod members;
mod places;
mod record;
mod record_uri;
mod schema;
mod search;
mod stream;
mod window;

pub(super) use aggregate::aggregation;
pub(super) use record::{record, records};
pub(super) use schema::{bearer_of, schema};
pub(super) use search::hits;
pub(super) use stream::{stream, streams};
pub(super) use window::{field_window, is_as_asked};

/// Why an answer cannot be understood: what was found instead, to stand after "answered with".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable(pub(super) String);

type Read<T> = Result<T, Unreadable>;

const CONNECTION_ID: &[&str] = &["connection_id", "connector_instance_id"];
const RECORD_ID: &[&str] = &["id", "record_id", "record_key"];

fn unreadable<T>(what: &str) -> Read<T> {
    Err(Unreadable(what.to_owned()))
}

#[cfg(test)]
mod tests;
