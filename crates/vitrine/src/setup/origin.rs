//! What a configuration was before Vitrine was written into it.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use vitrine_server::clients::{Client, Reach};

use super::edit;
use super::file;

/// What was there before.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Nothing.
    NoFile,
    /// A file, of which this is the kept version.
    Kept { path: PathBuf, text: String },
}

/// What a file was before Vitrine was written into it, if it is still exactly what that left. Nothing is noted down for
/// this: it is the version that becomes the file when the file's own entry is put into it.
pub(super) fn origin(path: &Path, client: Client, now: &str) -> Option<Origin> {
    let (format, section) = client.file_form()?;
    let entry = edit::get(format, now, section).ok()??;
    let entry = entry.as_object()?;
    let led_here = |text: &str| text != now && edit::put(format, text, section, entry).is_ok_and(|put| put == now);
    let kept = file::kept(path).into_iter().find(|(_, text)| led_here(text));
    match kept {
        Some((path, text)) => Some(Origin::Kept { path, text }),
        None => (led_here("") && is_ours(client, entry)).then_some(Origin::NoFile),
    }
}

/// Whether an entry has the form in which Vitrine writes it, and nothing that a person added.
fn is_ours(client: Client, entry: &Map<String, Value>) -> bool {
    let forms = [Reach::Command { program: String::new(), args: Vec::new() }, Reach::Url(String::new())];
    forms.iter().filter_map(|reach| client.entry(reach)).any(|form| form.value.keys().eq(entry.keys()))
}
