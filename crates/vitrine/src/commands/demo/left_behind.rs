//! Stores of earlier demos that were killed before they could remove them.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use vitrine_store::alone;

use super::PREFIX;
use crate::archive::DATABASE;

/// Removes them, where they are beside this demo's own directory. What cannot be removed stays.
pub(super) fn remove(own: &Path) {
    let (Some(above), Ok(metadata)) = (own.parent(), fs::symlink_metadata(own)) else { return };
    let beside = fs::read_dir(above).into_iter().flatten().filter_map(|entry| entry.ok().map(|entry| entry.path()));
    for directory in beside.filter(|directory| directory != own && is_left_behind(directory, &metadata)) {
        if let Err(error) = take_away(&directory) {
            tracing::debug!(%error, directory = %directory.display(), "an earlier demo's store stays");
        }
    }
}

/// Whether a directory was made as this demo's own was, and got as far as having a store. One that is just being made
/// has none yet; from then on its maker holds the store.
fn is_left_behind(directory: &PathBuf, own: &Metadata) -> bool {
    let named = directory.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
    named
        && fs::symlink_metadata(directory).is_ok_and(|found| found.is_dir() && is_alike(&found, own))
        && directory.join(DATABASE).is_file()
}

/// Of the same account and closed to all others, so that nobody else has put anything into it.
#[cfg(unix)]
fn is_alike(found: &Metadata, own: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    found.uid() == own.uid() && found.mode() == own.mode()
}

/// Temporary files are each account's own.
#[cfg(not(unix))]
fn is_alike(_found: &Metadata, _own: &Metadata) -> bool {
    true
}

/// Unless a process still uses it.
fn take_away(directory: &Path) -> Result<(), crate::fault::Fault> {
    let held = alone(&directory.join(DATABASE))?;
    fs::remove_dir_all(directory)?;
    drop(held);
    Ok(())
}
