//! A change to a client's configuration: made, shown, and only then written.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use similar::TextDiff;
use vitrine_server::clients::{Entry, Format};

use super::edit::{self, Broken};
use super::file;

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

/// What would become of a file.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    before: Option<String>,
    after: String,
}

impl Change {
    /// Puts the entry in.
    pub(crate) fn adding(path: PathBuf, entry: &Entry) -> Result<Self, ChangeError> {
        Self::new(path, |text| {
            let known = edit::get(entry.format, text, entry.section)?;
            if known.as_ref().and_then(|known| known.as_object()) == Some(&entry.value) {
                return Ok(None);
            }
            edit::put(entry.format, text, entry.section, &entry.value).map(Some)
        })
    }

    /// Takes the entry out.
    pub(crate) fn removing(path: PathBuf, entry: &Entry) -> Result<Self, ChangeError> {
        Self::new(path, |text| edit::remove(entry.format, text, entry.section))
    }

    fn new(path: PathBuf, edit: impl Fn(&str) -> Result<Option<String>, Broken>) -> Result<Self, ChangeError> {
        let before = file::read(&path).map_err(|source| ChangeError::Io { path: path.clone(), source })?;
        let text = before.as_deref().unwrap_or_default();
        // Some editors on Windows start a file with this mark, which no parser here takes.
        let (mark, text) = text.strip_prefix('\u{feff}').map_or(("", text), |rest| ("\u{feff}", rest));
        let edited = edit(text).map_err(|source| ChangeError::Broken { path: path.clone(), source })?;
        let after = edited.map_or_else(|| format!("{mark}{text}"), |edited| format!("{mark}{edited}"));
        Ok(Self { path, before, after })
    }

    /// Whether there is nothing to do.
    pub(crate) fn is_none(&self) -> bool {
        self.before.as_deref().unwrap_or_default() == self.after
    }

    /// The difference, as people read it.
    pub(crate) fn difference(&self) -> String {
        let before = self.before.as_deref().unwrap_or_default();
        let name = self.path.display().to_string();
        let old = if self.before.is_some() { name.as_str() } else { "/dev/null" };
        TextDiff::from_lines(before, &self.after).unified_diff().header(old, &name).to_string()
    }

    /// Writes it, and says where the earlier version is kept.
    pub(crate) fn write(&self) -> Result<Option<PathBuf>, ChangeError> {
        let failed = |source| ChangeError::Io { path: self.path.clone(), source };
        file::replace(&self.path, self.before.as_deref(), &self.after).map_err(failed)
    }
}

/// What a client's file says of Vitrine at present.
pub(crate) fn present(path: &Path, (format, section): (Format, &str)) -> Result<Option<Value>, ChangeError> {
    let text = file::read(path).map_err(|source| ChangeError::Io { path: path.to_owned(), source })?;
    let text = text.as_deref().unwrap_or_default().trim_start_matches('\u{feff}');
    edit::get(format, text, section).map_err(|source| ChangeError::Broken { path: path.to_owned(), source })
}
