//! A change to a client's configuration: made, shown, and only then written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use similar::TextDiff;
use vitrine_server::clients::{Client, Entry, Format};

use super::edit::{self, Broken};
use super::file;
use super::origin::{Origin, origin};

/// Why a configuration was left as it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChangeError {
    /// It could not be read or written.
    #[error("{}: {source}. It was left as it is.", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It cannot be edited.
    #[error("{}: {source}. It was left as it is: mend it by hand, then run the command again.", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Why.
        source: Broken,
    },
}

/// What would become of a file; nothing is no file.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    before: Option<String>,
    after: Option<String>,
    earlier: Earlier,
}

/// What becomes of the version that is there.
#[derive(Debug)]
enum Earlier {
    /// It is kept beside the file.
    Kept,
    /// What was there before Vitrine came can be had back without it.
    Dropped,
    /// Nor is the kept version needed any more: it is back in place.
    Restored(PathBuf),
}

impl Change {
    /// Puts the entry in. In place of an entry written before, it goes into what was there before that.
    pub(crate) fn adding(path: PathBuf, client: Client, entry: &Entry) -> Result<Self, ChangeError> {
        Self::new(path, |path, before| {
            let text = before.unwrap_or_default();
            let known = edit::get(entry.format, text, entry.section)?;
            if known.as_ref().and_then(Value::as_object) == Some(&entry.value) {
                return Ok(None);
            }
            let put = |text: &str| edit::put(entry.format, text, entry.section, &entry.value).map(Some);
            Ok(Some(match origin(path, client, text) {
                Some(Origin::NoFile) => (put("")?, Earlier::Dropped),
                Some(Origin::Kept { text, .. }) => (put(&text)?, Earlier::Dropped),
                None => (put(text)?, Earlier::Kept),
            }))
        })
    }

    /// Puts back what was there before the entry was written, or takes the entry out of what has changed since.
    pub(crate) fn removing(path: PathBuf, client: Client, entry: &Entry) -> Result<Self, ChangeError> {
        Self::new(path, |path, before| {
            let text = before.unwrap_or_default();
            Ok(match origin(path, client, text) {
                Some(Origin::NoFile) => Some((None, Earlier::Dropped)),
                Some(Origin::Kept { path, text }) => Some((Some(text), Earlier::Restored(path))),
                None => edit::remove(entry.format, text, entry.section)?.map(|edited| (Some(edited), Earlier::Kept)),
            })
        })
    }

    fn new(
        path: PathBuf,
        edit: impl Fn(&Path, Option<&str>) -> Result<Option<(Option<String>, Earlier)>, Broken>,
    ) -> Result<Self, ChangeError> {
        let failed = |source| ChangeError::Io { path: path.clone(), source };
        let before = file::read(&path).map_err(failed)?;
        let edited =
            edit(&path, before.as_deref()).map_err(|source| ChangeError::Broken { path: path.clone(), source })?;
        let Some((after, earlier)) = edited else {
            return Ok(Self { path, after: before.clone(), before, earlier: Earlier::Dropped });
        };
        file::check_writable(&path).map_err(failed)?;
        Ok(Self { path, before, after, earlier })
    }

    /// Whether there is nothing to do.
    pub(crate) fn is_none(&self) -> bool {
        self.before == self.after
    }

    /// Whether the file is as it was before Vitrine came.
    pub(crate) fn restores(&self) -> bool {
        !self.is_none() && (self.after.is_none() || matches!(self.earlier, Earlier::Restored(_)))
    }

    /// The difference, as people read it.
    pub(crate) fn difference(&self) -> String {
        let text = |version: &'_ Option<String>| version.clone().unwrap_or_default();
        let name = |version: &Option<String>| match version {
            Some(_) => self.path.display().to_string(),
            None => "/dev/null".to_owned(),
        };
        let (before, after) = (text(&self.before), text(&self.after));
        let (old, new) = (name(&self.before), name(&self.after));
        TextDiff::from_lines(&before, &after).unified_diff().header(&old, &new).to_string()
    }

    /// Writes it, and says where the earlier version is kept.
    pub(crate) fn write(&self) -> Result<Option<PathBuf>, ChangeError> {
        self.exchange().map_err(|source| ChangeError::Io { path: self.path.clone(), source })
    }

    /// Takes away the directories that were made for the file, as far as nothing else is in them.
    pub(crate) fn clear_up(&self) -> Result<(), ChangeError> {
        file::clear_up(&self.path).map_err(|source| ChangeError::Io { path: self.path.clone(), source })
    }

    fn exchange(&self) -> io::Result<Option<PathBuf>> {
        let before = self.before.as_deref();
        match (&self.after, &self.earlier) {
            (None, _) => file::remove(&self.path, before.unwrap_or_default())?,
            (Some(after), Earlier::Kept) => return file::replace_keeping(&self.path, before, after),
            (Some(after), Earlier::Dropped) => file::replace(&self.path, before, after)?,
            (Some(after), Earlier::Restored(kept)) => {
                file::replace(&self.path, before, after)?;
                fs::remove_file(kept)?;
            }
        }
        Ok(None)
    }
}

/// What a client's file says of Vitrine at present.
pub(crate) fn present(path: &Path, (format, section): (Format, &str)) -> Result<Option<Value>, ChangeError> {
    let text = file::read(path).map_err(|source| ChangeError::Io { path: path.to_owned(), source })?;
    edit::get(format, text.as_deref().unwrap_or_default(), section)
        .map_err(|source| ChangeError::Broken { path: path.to_owned(), source })
}
