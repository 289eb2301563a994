//! A whole store in one file: a plain tar archive of the database and the ledger, and last a
//! manifest with the digest of each file.
//!
//! The manifest comes last so that an archive that was cut off has none.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tar::{Builder, Header};
use vitrine_contract::{hexadecimal, ident, time};
use vitrine_engine::clock::Clock;
use vitrine_store::Store;

use crate::fault::Fault;
use crate::private;

/// The database's name, in an archive and in a data directory.
pub(crate) const DATABASE: &str = "vitrine.db";
/// The ledger's directory, in an archive and in a data directory.
pub(crate) const LEDGER: &str = "ledger";
const MANIFEST: &str = "manifest.json";
const VERSION: u32 = 1;
/// The manifest has a line for each segment of the ledger.
const MAX_MANIFEST_BYTES: u64 = 16 * 1024 * 1024;

/// What an archive holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    object: Tag,
    version: u32,
    /// When it was made.
    pub(crate) made_at: String,
    files: BTreeMap<String, Content>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Tag {
    #[serde(rename = "vitrine_backup")]
    Backup,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Content {
    bytes: u64,
    sha256: String,
}

/// Writes an archive of a store that may be in use. It appears whole, under its name, or not at all.
pub(crate) fn write(store: &Store, clock: &Clock, target: &Path) -> Result<u64, Fault> {
    let unwritable = |error: io::Error| Fault::unreadable(&target.display().to_string(), &error);
    if target.exists() {
        return Err(taken(target));
    }
    let beside = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let scratch = private::scratch(".vitrine-backup-", beside).map_err(unwritable)?;
    // The ledger is taken last: it may tell of more than the database holds, never of less.
    let database = scratch.path().join(DATABASE);
    store.copy_to(&database)?;
    let mut archive = tempfile::NamedTempFile::new_in(scratch.path()).map_err(unwritable)?;
    pack(store, clock, &database, archive.as_file_mut()).map_err(unwritable)?;
    let bytes = archive.as_file().metadata().map_err(unwritable)?.len();
    archive.persist_noclobber(target).map_err(|refused| match refused.error.kind() {
        io::ErrorKind::AlreadyExists => taken(target),
        _ => unwritable(refused.error),
    })?;
    sync_directory(beside).map_err(unwritable)?;
    Ok(bytes)
}

fn taken(target: &Path) -> Fault {
    Fault::declined("file_exists", format!("{} is there already. Name a file that is not.", target.display()))
}

fn pack(store: &Store, clock: &Clock, database: &Path, archive: &mut File) -> io::Result<()> {
    let mut tar = Builder::new(BufWriter::new(&mut *archive));
    let at = clock.now();
    let mut files = BTreeMap::new();
    let mut add = |name: String, source: File, bytes: u64| -> io::Result<()> {
        let mut source = Digesting::new(source.take(bytes));
        tar.append_data(&mut header(bytes, at.as_second()), &name, &mut source)?;
        files.insert(name, source.content());
        Ok(())
    };
    let copy = File::open(database)?;
    let length = copy.metadata()?.len();
    add(DATABASE.to_owned(), copy, length)?;
    for part in store.ledger().files().map_err(io::Error::other)? {
        add(format!("{LEDGER}/{}", part.name), part.file, part.length)?;
    }
    let manifest = Manifest { object: Tag::Backup, version: VERSION, made_at: time::format(at), files };
    let manifest = serde_json::to_vec(&manifest)?;
    tar.append_data(&mut header(manifest.len() as u64, at.as_second()), MANIFEST, manifest.as_slice())?;
    tar.into_inner()?.flush()?;
    archive.sync_all()
}

fn header(bytes: u64, at: i64) -> Header {
    let mut header = Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o600);
    header.set_mtime(at.unsigned_abs());
    header
}

/// Unpacks an archive into an empty directory, and checks every byte of it.
pub(crate) fn unpack(file: &Path, directory: &Path) -> Result<Manifest, Fault> {
    let name = file.display().to_string();
    let source = File::open(file).map_err(|error| Fault::unreadable(&name, &error))?;
    private::directory(&directory.join(LEDGER))?;
    let broken = |error: io::Error| match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::PermissionDenied => Fault::from(error),
        _ => not_a_backup(&name),
    };
    let mut manifest = None;
    let mut found = BTreeMap::new();
    for entry in tar::Archive::new(BufReader::new(source)).entries().map_err(broken)? {
        let entry = entry.map_err(broken)?;
        let path = entry.path().map_err(broken)?.to_str().unwrap_or_default().to_owned();
        if path == MANIFEST {
            let mut text = String::new();
            entry.take(MAX_MANIFEST_BYTES).read_to_string(&mut text).map_err(broken)?;
            manifest = serde_json::from_str::<Manifest>(&text).ok();
            break;
        }
        let place = place(&path, directory).filter(|_| entry.header().entry_type().is_file());
        let place = place.ok_or_else(|| not_a_backup(&name))?;
        let bytes = entry.size();
        let mut entry = Digesting::new(entry);
        let copied = io::copy(&mut entry, &mut private::file(&place)?).map_err(broken)?;
        if copied != bytes {
            return Err(not_a_backup(&name));
        }
        found.insert(path, entry.content());
    }
    let manifest = manifest.ok_or_else(|| not_a_backup(&name))?;
    if manifest.version != VERSION {
        return Err(Fault::declined("newer_backup", format!("{name} was made by a newer version: use that one.")));
    }
    if manifest.files != found || !found.contains_key(DATABASE) {
        return Err(not_a_backup(&name));
    }
    Ok(manifest)
}

/// Where a file of the archive goes; only what a backup can hold goes anywhere.
fn place(name: &str, directory: &Path) -> Option<PathBuf> {
    match name.split_once('/') {
        None if name == DATABASE => Some(directory.join(DATABASE)),
        Some((LEDGER, file)) if ident::is_name(file) => Some(directory.join(LEDGER).join(file)),
        _ => None,
    }
}

fn not_a_backup(name: &str) -> Fault {
    let message = format!("{name} is not a backup made by `vitrine backup`, or it is damaged or cut off.");
    Fault::declined("not_a_backup", message)
}

/// Makes a renamed file's new name last.
#[cfg(unix)]
pub(crate) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(not(unix))]
pub(crate) fn sync_directory(_directory: &Path) -> io::Result<()> {
    Ok(())
}

/// Takes the digest of what is read through it.
struct Digesting<R> {
    source: R,
    digest: Sha256,
    bytes: u64,
}

impl<R: Read> Digesting<R> {
    fn new(source: R) -> Self {
        Self { source, digest: Sha256::new(), bytes: 0 }
    }

    fn content(self) -> Content {
        Content { bytes: self.bytes, sha256: hexadecimal::encode(&self.digest.finalize()) }
    }
}

impl<R: Read> Read for Digesting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.digest.update(&buffer[..read]);
        self.bytes += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_backup_holds_goes_anywhere() {
        let directory = Path::new("/d");
        assert_eq!(place("vitrine.db", directory), Some("/d/vitrine.db".into()));
        assert_eq!(place("ledger/00000001.log", directory), Some("/d/ledger/00000001.log".into()));
        for foreign in ["", "other", "/vitrine.db", "ledger", "ledger/", "ledger/../x", "ledger/a/b", "../vitrine.db"] {
            assert_eq!(place(foreign, directory), None, "{foreign}");
        }
    }
}
