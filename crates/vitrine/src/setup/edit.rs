//! One entry in a text of any of the formats: read it, put it in, take it out.

mod habits;
mod json;
mod toml;
mod yaml;

use serde_json::{Map, Value};
use vitrine_server::clients::{Format, SERVER_NAME};

use habits::Habits;

/// Why a configuration cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Broken {
    /// It is not what its format allows.
    #[error("it is not valid {format}: {why}")]
    Syntax {
        /// The format.
        format: &'static str,
        /// What the parser says.
        why: String,
    },
    /// It is valid, but what should list servers does not.
    #[error("`{0}` in it is not a table of servers")]
    NotATable(String),
    /// The edited text would say something else than intended.
    #[error("it is written in a way that cannot be edited safely")]
    Unsafe,
}

/// What a configuration says of Vitrine.
pub(crate) fn get(format: Format, text: &str, section: &str) -> Result<Option<Value>, Broken> {
    Ok(read(format, text)?.get(section).and_then(|servers| servers.get(SERVER_NAME)).cloned())
}

/// The text with the entry in it, in place of an older one.
pub(crate) fn put(format: Format, text: &str, section: &str, value: &Map<String, Value>) -> Result<String, Broken> {
    let (habits, text) = Habits::of(text);
    let mut meant = read(format, text)?;
    let edited = match format {
        Format::Json | Format::JsonWithComments => json::put(text, section, value),
        Format::Toml => toml::put(text, section, value),
        Format::Yaml => yaml::put(text, section, value),
    }?;
    let servers = meant.entry(section).or_insert_with(|| Map::new().into());
    if servers.is_null() {
        *servers = Map::new().into();
    }
    let Value::Object(servers) = servers else { return Err(Broken::NotATable(section.to_owned())) };
    servers.insert(SERVER_NAME.to_owned(), value.clone().into());
    checked(format, habits.applied_to(edited), &meant)
}

/// The text without the entry, or nothing where there is none. A table that only listed Vitrine goes with it.
pub(crate) fn remove(format: Format, text: &str, section: &str) -> Result<Option<String>, Broken> {
    let (habits, text) = Habits::of(text);
    let mut meant = read(format, text)?;
    let Some(Value::Object(servers)) = meant.get_mut(section) else { return Ok(None) };
    if servers.remove(SERVER_NAME).is_none() {
        return Ok(None);
    }
    let whole = servers.is_empty();
    if whole {
        meant.remove(section);
    }
    let edited = match format {
        Format::Json | Format::JsonWithComments => json::remove(text, section, whole),
        Format::Toml => toml::remove(text, section, whole),
        Format::Yaml => yaml::remove(text, section, whole),
    }?;
    checked(format, habits.applied_to(edited), &meant).map(Some)
}

/// The edited text, if it says what was meant and nothing else was touched.
fn checked(format: Format, edited: String, meant: &Map<String, Value>) -> Result<String, Broken> {
    match read(format, &edited) {
        Ok(says) if says == *meant => Ok(edited),
        _ => Err(Broken::Unsafe),
    }
}

fn read(format: Format, text: &str) -> Result<Map<String, Value>, Broken> {
    let (_, text) = Habits::of(text);
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match format {
        Format::Json | Format::JsonWithComments => json::read(text, format),
        Format::Toml => toml::read(text),
        Format::Yaml => yaml::read(text),
    }
}

#[cfg(test)]
mod tests;
