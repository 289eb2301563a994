//! The store a command works on.

use std::path::PathBuf;
use std::sync::Arc;

use etcetera::{BaseStrategy, choose_base_strategy};
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::owner::Owner;
use vitrine_store::Store;

use crate::cli::Place;
use crate::fault::Fault;

/// An opened store, with the clock and the randomness of the machine.
pub(crate) struct Opened {
    pub(crate) store: Arc<Store>,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
}

impl Opened {
    pub(crate) fn at(place: Place) -> Result<Self, Fault> {
        if place.database_url.is_some() {
            // The URL may hold a password, so it is not repeated.
            return Err(Fault::configuration(
                "This version keeps records in the embedded store only. Leave out --database-url \
                 (VITRINE_DATABASE_URL) and use --data-dir.",
            ));
        }
        let directory = place.data_dir.map_or_else(default_directory, Ok)?;
        let (clock, random) = (Clock::System, Random::System);
        let store = Store::open(&directory.join("vitrine.db"), clock.clone(), &random)?;
        Ok(Self { store: Arc::new(store), clock, random })
    }

    pub(crate) fn owner(&self) -> Owner<'_, Store> {
        Owner::new(&*self.store, &self.clock, &self.random)
    }
}

fn default_directory() -> Result<PathBuf, Fault> {
    let base = choose_base_strategy()
        .map_err(|_| Fault::configuration("There is no home directory. Name a directory with --data-dir."))?;
    Ok(base.data_dir().join("vitrine"))
}
