//! The HTTP server: reads under grants, the owner's endpoints, and the place where MCP is mounted.
//!
//! A request passes the envelope, which gives it an id and its answer a form; then the door it
//! knocks at (`/v1` or `/mcp`), which finds out who calls; and only then is it routed by path and
//! method.

mod app;
mod auth;
mod body;
pub mod clients;
mod drain;
mod envelope;
mod failure;
mod health;
mod lanes;
mod mcp;
mod metadata;
mod oauth;
pub mod owner;
mod pace;
mod pages;
mod peer;
mod resource;
mod router;
mod serve;
mod stall;

pub use app::{App, Guard, Limits};
pub use envelope::{PDPP_VERSION, RequestId};
pub use health::{STORE_HEADER, store_name};
pub use oauth::Documents;
pub use peer::Peer;
pub use router::{router, router_with_mcp};
pub use serve::serve;
