//! Other providers, as `HttpRead` sees them: looser ones, broken ones, and our own.

mod agreement;
mod credentials;
mod failures;
pub(crate) mod fake;
mod looser;
mod packages;
mod redirects;
mod windows;
