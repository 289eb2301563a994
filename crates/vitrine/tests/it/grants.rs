//! A token reads what its grant names and nothing else. The owner is a caller with a wide grant.

mod command_line;
mod ends;
mod packages;
mod scope;

const RECORDS: &str = "/v1/streams/messages/records";
