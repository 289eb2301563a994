//! The file in which a credential is kept: written in one step, for its owner alone, by one process at a time.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::{CachedClient, CredentialError, cache_file};
use crate::private;
use crate::provider::Address;

/// Keeps a credential for a provider, and says where.
pub(crate) fn write(cache_root: &Path, provider: &Address, kept: &CachedClient) -> Result<PathBuf, CredentialError> {
    let path = cache_file(cache_root, provider);
    write_to(&path, kept)
        .map_err(|error| CredentialError::Unwritable { path: path.clone(), why: error.to_string() })?;
    Ok(path)
}

/// Held by whoever renews the credential for a provider; ends when dropped. A refresh token can be used once, so two
/// processes must not both use it.
pub(crate) fn lock(cache_root: &Path, provider: &Address) -> io::Result<File> {
    let file = cache_file(cache_root, provider).with_extension("lock");
    let lock = File::options().create(true).append(true).open(file)?;
    lock.lock()?;
    Ok(lock)
}

fn write_to(path: &Path, kept: &CachedClient) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    private::directory(directory)?;
    // A temporary file is its owner's alone, and stays so under its new name.
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(&serde_json::to_vec_pretty(kept)?)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
