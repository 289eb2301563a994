//! The MCP adapter: six bounded read-only tools over the read contract.
//!
//! A call enters through the server, becomes a contract request in its tool's file, is answered by
//! whatever [`ReadApi`](vitrine_contract::ReadApi) the [`ReaderSource`] hands out, and leaves as two
//! channels, text and JSON, each enough alone. The adapter has no privileges: it cannot name the
//! engine or the store, and every read is authorized by the reader.

mod budget;
mod handles;
mod ids;
