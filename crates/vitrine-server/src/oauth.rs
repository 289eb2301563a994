//! The authorization server's endpoints, one a file.

mod address;
mod answer;
pub(crate) mod authorize;
mod clients;
pub(crate) mod device;
mod documents;
mod form;
pub(crate) mod introspect;
pub(crate) mod metadata;
pub(crate) mod par;
pub(crate) mod register;
pub(crate) mod revoke;
pub(crate) mod token;

pub use documents::Documents;
pub(crate) use form::pairs;
