//! A configuration file on disk: read within bounds, kept aside, replaced in one step.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::made;

/// No configuration is longer; what is, is something else.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Earlier versions are numbered until here.
const MAX_BACKUPS: u32 = 1_000;

/// The text of a file, or nothing where there is no file.
pub(super) fn read(path: &Path) -> io::Result<Option<String>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut text = String::new();
    file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is longer than {MAX_BYTES} bytes")));
    }
    Ok(Some(text))
}

/// What keeps a file from being written, where something does.
pub(super) fn check_writable(path: &Path) -> io::Result<()> {
    let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    if is_link && !path.exists() {
        let target = fs::read_link(path)?;
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            format!("it is a link to {}, which is not there; make that file, or remove the link", target.display()),
        ));
    }
    if fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly()) {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it is read-only; make it writable (chmod u+w), and run the command again",
        ));
    }
    Ok(())
}

/// Replaces a file in one step, with its own permissions and through links, if it still says what it said when the
/// change was made.
pub(super) fn replace(path: &Path, before: Option<&str>, after: &str) -> io::Result<()> {
    let path = real(path);
    exchange(&path, before, after, || Ok(()))
}

/// As [`replace`], and returns where the earlier version is kept.
pub(super) fn replace_keeping(path: &Path, before: Option<&str>, after: &str) -> io::Result<Option<PathBuf>> {
    let path = real(path);
    exchange(&path, before, after, || before.map(|before| keep(&path, before)).transpose())
}

/// Removes a file that still says what it said when that was decided.
pub(super) fn remove(path: &Path, before: &str) -> io::Result<()> {
    let path = real(path);
    check_same(&path, Some(before))?;
    fs::remove_file(path)
}

/// Takes away the directories that were made for a file, as far as nothing else is in them.
pub(super) fn clear_up(path: &Path) -> io::Result<()> {
    made::unmake(&real(path))
}

/// The versions of a file that are kept beside it, the newest first.
pub(super) fn kept(path: &Path) -> Vec<(PathBuf, String)> {
    let path = real(path);
    let names = (1..=MAX_BACKUPS).map(|number| backup_name(&path, number));
    let mut kept: Vec<_> = names.filter_map(|name| Some((fs::metadata(&name).ok()?.modified().ok()?, name))).collect();
    kept.sort_by(|a, b| b.cmp(a));
    kept.into_iter().filter_map(|(_, name)| read(&name).ok().flatten().map(|text| (name, text))).collect()
}

/// A link, as people who keep their settings elsewhere have, stays a link.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Writes the new version beside the file, and changes their places once `ready` is done with the earlier one.
fn exchange<T>(path: &Path, before: Option<&str>, after: &str, ready: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    made::make(path)?;
    let exchanged = exchange_in_place(path, before, after, ready);
    if exchanged.is_err() && !path.exists() {
        made::unmake(path)?;
    }
    exchanged
}

fn exchange_in_place<T>(
    path: &Path,
    before: Option<&str>,
    after: &str,
    ready: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    let directory = path.parent().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut fresh = tempfile::NamedTempFile::new_in(directory)?;
    fresh.write_all(after.as_bytes())?;
    if before.is_some() {
        fresh.as_file().set_permissions(fs::metadata(path)?.permissions())?;
    }
    fresh.as_file().sync_all()?;
    check_same(path, before)?;
    let done = ready()?;
    fresh.persist(path).map_err(|error| error.error)?;
    Ok(done)
}

fn check_same(path: &Path, before: Option<&str>) -> io::Result<()> {
    if read(path)?.as_deref() == before {
        return Ok(());
    }
    Err(io::Error::other("another program changed it just now; run the command again"))
}

/// Writes an earlier version beside the file, under the first name that is free.
fn keep(path: &Path, before: &str) -> io::Result<PathBuf> {
    for name in (1..=MAX_BACKUPS).map(|number| backup_name(path, number)) {
        match OpenOptions::new().write(true).create_new(true).open(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(mut backup) => {
                backup.set_permissions(fs::metadata(path)?.permissions())?;
                backup.write_all(before.as_bytes())?;
                backup.sync_all()?;
                return Ok(name);
            }
        }
    }
    Err(io::Error::other("there are too many backups beside it; remove some"))
}

fn backup_name(path: &Path, number: u32) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".vitrine-backup");
    if number > 1 {
        name.push(format!("-{number}"));
    }
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn each_version_is_kept() {
        let directory = directory();
        let path = directory.path().join("deep/er/mcp.json");
        assert_eq!(replace_keeping(&path, None, "one").unwrap(), None);
        let first = replace_keeping(&path, Some("one"), "two").unwrap().unwrap();
        let second = replace_keeping(&path, Some("two"), "three").unwrap().unwrap();
        assert_eq!(read(&path).unwrap().as_deref(), Some("three"));
        assert_eq!(read(&first).unwrap().as_deref(), Some("one"));
        assert_eq!(read(&second).unwrap().as_deref(), Some("two"));
        assert_eq!(kept(&path), [(second, "two".to_owned()), (first, "one".to_owned())]);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 4, "and what was made is noted");
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let directory = directory();
        let path = directory.path().join("mcp.json");
        fs::write(&path, "theirs").unwrap();
        assert!(replace(&path, Some("seen"), "ours").is_err());
        assert!(replace_keeping(&path, None, "ours").is_err());
        assert!(remove(&path, "seen").is_err());
        assert_eq!(read(&path).unwrap().as_deref(), Some("theirs"));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = directory();
        let (real, link) = (directory.path().join("real.json"), directory.path().join("link.json"));
        fs::write(&real, "one").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        let backup = replace_keeping(&link, Some("one"), "two").unwrap().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(read(&real).unwrap().as_deref(), Some("two"));
        for path in [&real, &backup] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o640);
        }
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let directory = directory();
        let path = directory.path().join("mcp.json");
        fs::write(&path, [0xff, 0xfe, b'{']).unwrap();
        assert!(read(&path).is_err());
        assert_eq!(read(&directory.path().join("none")).unwrap(), None);
    }
}
