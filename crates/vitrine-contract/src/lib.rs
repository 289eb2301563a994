//! The read contract: what may be asked of a resource server, and what it answers.
//!
//! REST handlers, the in-process reader and the HTTP client all speak these types, and the one
//! [`route`] table turns a path and query into a request and back. Nothing here reads or decides
//! anything.

pub mod chars;
pub mod error;
pub mod fields;
pub mod hexadecimal;
pub mod ident;
pub mod limits;
pub mod literal;
pub mod naming;
pub mod read_api;
pub mod record;
pub mod request;
pub mod route;
pub mod schema;
pub mod search;
pub mod time;
pub mod values;

pub use error::{ApiError, CandidateConnection, ErrorCode};
pub use fields::Fields;
pub use read_api::ReadApi;
pub use record::{Blob, BlobRef, Count, Expanded, List, ListMeta, Record, Warning};
pub use request::{ReadRequest, SearchMode};
