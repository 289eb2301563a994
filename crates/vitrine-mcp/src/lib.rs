//! The MCP adapter: six bounded read-only tools over the read contract.
//!
//! A call enters through the server, becomes a contract request in its tool's file, is answered by
//! whatever [`ReadApi`](vitrine_contract::ReadApi) the [`ReaderSource`] hands out, and leaves as two
//! channels, text and JSON, each enough alone. The adapter has no privileges: it cannot name the
//! engine or the store, and every read is authorized by the reader.

mod answer;
mod arguments;
mod batch;
mod budget;
mod declared;
mod envelope;
mod handles;
mod ids;
mod instructions;
mod render;
mod resources;
mod server;
mod source;
mod tails;
mod tools;
mod transport;
mod unreadable;
mod wire;

pub use instructions::INSTRUCTIONS;
pub use server::Adapter;
pub use source::{FixedReader, ReaderSource};
pub use tools::definitions as tool_definitions;
pub use transport::{McpService, http_service, serve_pipes, serve_stdio};
