//! What can be wrong with a store, its server and the clients of a machine. One file a check; each finding says what
//! to do.

mod clients;
mod clock;
mod credentials;
mod disk;
mod environment;
mod fetch;
mod ledger;
mod meanings;
mod owners;
mod public;
mod server;
mod store;
mod tools;

use std::path::PathBuf;

use serde::Serialize;
use vitrine_engine::clock::Clock;
use vitrine_server::clients::Here;

use crate::opened::Opened;
use crate::provider::credential::Surroundings;
use crate::setup::machine::Machine;

/// What is examined.
pub(crate) struct Patient {
    pub(crate) data_dir: PathBuf,
    /// The store, where there is one, or why it does not open.
    pub(crate) store: Result<Option<Opened>, String>,
    /// Whether another kind of store was asked for.
    pub(crate) database_url: bool,
    pub(crate) surroundings: Surroundings,
    pub(crate) machine: Option<Machine>,
    /// This program.
    pub(crate) program: PathBuf,
    /// Program and store, for what there is to type.
    pub(crate) here: Here,
    pub(crate) cache_root: PathBuf,
    /// Where the server listens when it runs.
    pub(crate) listen: String,
    /// The origin under which clients reach it, where it has one of its own.
    pub(crate) public_url: Option<String>,
    pub(crate) clock: Clock,
}

/// Something to mend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    pub(crate) problem: String,
    pub(crate) fix: String,
}

/// A check and what it found.
#[derive(Debug, Serialize)]
pub(crate) struct Examined {
    pub(crate) check: &'static str,
    pub(crate) findings: Vec<Finding>,
    /// How things stand, where that is worth knowing even if all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) state: Option<String>,
}

impl Finding {
    fn new(problem: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { problem: problem.into(), fix: fix.into() }
    }
}

/// Runs every check.
pub(crate) async fn examine(patient: &Patient) -> Vec<Examined> {
    let of = |check, findings| Examined { check, findings, state: None };
    vec![
        of("environment", environment::check(patient).await),
        of("store", store::check(patient)),
        ledger::check(patient),
        meanings::check(patient),
        of("disk", disk::check(patient)),
        of("clock", clock::check(patient).await),
        of("server", server::check(patient).await),
        of("public address", public::check(patient).await),
        of("clients", clients::check(patient).await),
        of("tool lists", tools::check(patient)),
        of("cached credentials", credentials::check(patient).await),
    ]
}
