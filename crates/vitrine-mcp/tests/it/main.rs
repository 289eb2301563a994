//! The adapter through a real MCP client, over a reader that remembers what it was asked.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod any_hits;
mod any_shape;
mod binary_content;
mod definitions;
mod fake;
mod host;
mod journeys;
mod mcp_content_ladder;
mod mcp_entrypoint_surface;
mod mcp_evidence_and_continuations;
mod mcp_self_contained_ids;
mod mcp_tool_footprint;
mod mistakes;
mod protocol;
mod providers;
mod wide_schemas;
