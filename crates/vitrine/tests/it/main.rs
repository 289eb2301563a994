//! The binary, the router and the reads, from outside.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod app;
mod backup;
mod binary;
mod bounds;
mod browser;
mod command_line;
mod connect;
mod consent;
mod declarations;
mod demo;
mod docs;
mod doctor;
mod errors;
mod fixtures;
mod grants;
mod guides;
mod imports;
mod ingest;
mod ledger;
mod mcp_content_ladder;
mod mcp_entrypoint_surface;
mod mcp_evidence_and_continuations;
mod oauth;
mod owner_pages;
mod owner_rest;
mod properties;
mod provider;
mod reads;
mod reference;
mod search;
mod serving;
mod setup;
mod tidy;
mod wire;
