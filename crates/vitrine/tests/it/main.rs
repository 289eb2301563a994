//! The product from the outside: one module per file under `specs/`, and the rules of the house.

mod app;
mod binary;
mod bounds;
mod errors;
mod fixtures;
mod grants;
mod ingest;
mod owner_rest;
mod tidy;
mod wire;
