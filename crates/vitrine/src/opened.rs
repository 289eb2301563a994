//! The store a command works on.

use std::path::PathBuf;
use std::sync::Arc;

use etcetera::{BaseStrategy, choose_base_strategy};
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::owner::{Owner, OwnerError};
use vitrine_store::Store;

use crate::archive::{DATABASE, LEDGER};
use crate::cli::Place;
use crate::fault::Fault;

/// An opened store, with the clock and the randomness of the machine.
pub(crate) struct Opened {
    pub(crate) store: Arc<Store>,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
}

impl Opened {
    /// The store at a place, where there is one.
    pub(crate) fn existing(place: &Place) -> Result<Option<Self>, Fault> {
        Self::beside(place, &[DATABASE])
    }

    /// The store at a place, for commands that only take something out: in a directory that was mistyped they would
    /// find nothing, and call that a success.
    pub(crate) fn there(place: &Place) -> Result<Self, Fault> {
        Self::existing(place)?.ok_or_else(|| no_store(place))
    }

    /// As [`Self::there`], for what is asked of the ledger, which can outlive its database.
    pub(crate) fn with_ledger(place: &Place) -> Result<Self, Fault> {
        Self::beside(place, &[DATABASE, LEDGER])?.ok_or_else(|| no_store(place))
    }

    fn beside(place: &Place, names: &[&str]) -> Result<Option<Self>, Fault> {
        let directory = embedded(place)?;
        let found = names.iter().any(|name| directory.join(name).exists());
        found.then(|| Self::at(place)).transpose()
    }

    pub(crate) fn at(place: &Place) -> Result<Self, Fault> {
        let directory = embedded(place)?;
        let (clock, random) = (Clock::System, Random::System);
        let store = Store::open(&directory.join(DATABASE), clock.clone(), &random)?;
        Ok(Self { store: Arc::new(store), clock, random })
    }

    /// The grants and packages that can be read under, each with the name of its client.
    pub(crate) async fn active_grants(&self) -> Result<Vec<(String, String)>, OwnerError> {
        let now = self.clock.now();
        let mut active: Vec<(String, String)> = Vec::new();
        for kept in self.owner().grants().await? {
            if kept.revoked_at.is_some() || kept.grant.expired(now) {
                continue;
            }
            let id = kept.package_id.unwrap_or(kept.grant.grant_id);
            if !active.iter().any(|(known, _)| *known == id) {
                active.push((id, kept.grant.client.client_display.name));
            }
        }
        Ok(active)
    }

    pub(crate) fn owner(&self) -> Owner<'_, Store> {
        Owner::new(&*self.store, &self.clock, &self.random)
    }
}

fn no_store(place: &Place) -> Fault {
    let directory = match embedded(place) {
        Ok(directory) => directory,
        Err(fault) => return fault,
    };
    let directory = std::path::absolute(&directory).unwrap_or(directory);
    Fault::configuration(format!(
        "There is no store in {}. Name the directory of yours with --data-dir (VITRINE_DATA_DIR); importing something or \
         adding a source makes one.",
        directory.display()
    ))
}

/// The directory of the embedded store, unless another one is meant.
pub(crate) fn embedded(place: &Place) -> Result<PathBuf, Fault> {
    if place.database_url.as_ref().is_some_and(|url| !url.is_empty()) {
        // The URL may hold a password, so it is not repeated.
        return Err(Fault::configuration(
            "This version keeps records in the embedded store only. Leave out --database-url \
             (VITRINE_DATABASE_URL) and use --data-dir.",
        ));
    }
    directory_of(place)
}

/// The directory of the embedded store.
pub(crate) fn directory_of(place: &Place) -> Result<PathBuf, Fault> {
    let named = place.data_dir.as_ref().filter(|directory| !directory.as_os_str().is_empty());
    named.map_or_else(default_directory, |directory| Ok(directory.clone()))
}

/// The directory that commands have to name, where it is not the default one.
pub(crate) fn unusual_directory(place: &Place) -> Result<Option<PathBuf>, Fault> {
    let directory = std::path::absolute(directory_of(place)?)?;
    Ok(Some(directory).filter(|directory| default_directory().ok().as_ref() != Some(directory)))
}

fn default_directory() -> Result<PathBuf, Fault> {
    let base = choose_base_strategy()
        .map_err(|_| Fault::configuration("There is no home directory. Name a directory with --data-dir."))?;
    Ok(base.data_dir().join("vitrine"))
}
