//! The adapter through a real MCP client, over a reader that remembers what it was asked.

mod bounds;
mod content_ladder;
mod definitions;
mod entrypoint_surface;
mod evidence_and_continuations;
mod fake;
mod host;
mod journeys;
mod mistakes;
mod protocol;
mod providers;
mod self_contained_ids;
mod tool_footprint;
