//! The binary and the router, from outside.

mod properties;
mod tidy;
