//! What a caller gets back from `/v1`, and in which order.

mod aggregates;
mod agreement;
mod blobs;
mod changes;
mod envelopes;
mod pages;
mod queries;
mod records;
mod windows;

const RECORDS: &str = "/v1/streams/messages/records";
