//! The authorization server's logic: who may ask, what the owner approves, which tokens follow.
//!
//! A client is known ([`client`]) and asks ([`ask`]); its request waits as a [`ceremony`] until
//! the owner has cut down what is on [`offer`], seen a [`preview`] of exactly that, and approved;
//! then codes and tokens are handed out ([`exchange`]). What must be remembered is stated in
//! [`vault`]. Nothing here knows HTTP.

pub mod ask;
pub mod ceremony;
pub mod client;
pub mod details;
pub mod device;
pub mod error;
pub mod exchange;
pub mod inspect;
pub mod offer;
pub mod params;
pub mod password;
pub mod pkce;
pub mod preview;
pub mod redirect;
pub mod session;
pub mod throttle;
pub mod vault;

use jiff::Timestamp;

use crate::clock::{Clock, Random};
use crate::keeping::Keeper;

pub use error::{OAuthCode, OAuthError};

/// The one scope there is: everything finer stands in grants.
pub const SCOPE: &str = "read";

/// The authorization server of a store.
pub struct Authority<'a, S> {
    store: &'a S,
    clock: &'a Clock,
    random: &'a Random,
    issuer: &'a str,
}

impl<'a, S: Keeper> Authority<'a, S> {
    /// The authority over `store`, known to clients as `issuer`.
    pub fn new(store: &'a S, clock: &'a Clock, random: &'a Random, issuer: &'a str) -> Self {
        Self { store, clock, random, issuer }
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Seconds since 1970 in so many seconds.
    fn in_seconds(&self, seconds: i64) -> i64 {
        self.now().as_second().saturating_add(seconds)
    }
}
