//! Reads the known keys of a JSON object by their types and names the one that is wrong.
//!
//! Keys nobody asks for are left alone, so that a later revision can add some. A known key that is
//! `null` counts as left out.

use serde_json::{Map, Value};

use super::error::DeclarationError;

/// Entries of a list at most.
const MAX_ENTRIES: usize = 2_000;
/// Longest name of a field.
const MAX_FIELD_NAME_CHARS: usize = 128;

/// An object of the document and where it stands.
#[derive(Clone)]
pub(super) struct Shape<'a> {
    object: &'a Map<String, Value>,
    stream: Option<&'a str>,
    path: String,
}

impl<'a> Shape<'a> {
    pub(super) fn of(value: &'a Value, stream: Option<&'a str>, path: &str) -> Result<Self, DeclarationError> {
        let object = value.as_object().ok_or_else(|| {
            let field = (!path.is_empty()).then_some(path);
            DeclarationError::new(stream, field, "wrong_type", "this must be a JSON object")
        })?;
        Ok(Self { object, stream, path: path.to_owned() })
    }

    /// The same object, with errors from here on naming the stream and not its place in the list.
    pub(super) fn named(&self, stream: &'a str) -> Self {
        Self { object: self.object, stream: Some(stream), path: String::new() }
    }

    pub(super) fn refuse(&self, key: &str, rule: impl Into<String>, message: impl Into<String>) -> DeclarationError {
        DeclarationError::new(self.stream, Some(&self.at(key)), rule, message)
    }

    pub(super) fn value(&self, key: &str) -> Option<&'a Value> {
        self.object.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn required<T>(&self, key: &str, value: Option<T>) -> Result<T, DeclarationError> {
        value.ok_or_else(|| self.refuse(key, "missing", "this key is required; add it"))
    }

    /// Text of at most `max` characters, not empty.
    pub(super) fn text(&self, key: &str, max: usize) -> Result<Option<&'a str>, DeclarationError> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| self.wrong_type(key, "a string"))?;
        match text.chars().nth(max) {
            Some(_) => Err(self.refuse(key, "too_long", format!("keep it to {max} characters"))),
            None if text.trim().is_empty() => Err(self.refuse(key, "empty", "this must not be blank; fill it in")),
            None => Ok(Some(text)),
        }
    }

    /// An identifier.
    pub(super) fn name(&self, key: &str) -> Result<Option<&'a str>, DeclarationError> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let name = value.as_str().ok_or_else(|| self.wrong_type(key, "a string"))?;
        if vitrine_contract::ident::is_name(name) {
            return Ok(Some(name));
        }
        let grammar = "use 1 to 64 letters, digits, `.`, `_` or `-`, starting with a letter or digit, without `..`";
        Err(self.refuse(key, "invalid_name", grammar))
    }

    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, DeclarationError> {
        self.value(key).map(|value| value.as_bool().ok_or_else(|| self.wrong_type(key, "true or false"))).transpose()
    }

    pub(super) fn whole_number(&self, key: &str) -> Result<Option<u64>, DeclarationError> {
        self.value(key).map(|value| value.as_u64().ok_or_else(|| self.wrong_type(key, "a whole number"))).transpose()
    }

    pub(super) fn object(&self, key: &str) -> Result<Option<Shape<'a>>, DeclarationError> {
        self.value(key).map(|value| Shape::of(value, self.stream, &self.at(key))).transpose()
    }

    /// The entries of an object, in order.
    pub(super) fn entries(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.object.keys().map(String::as_str)
    }

    pub(super) fn list(&self, key: &str) -> Result<Option<&'a [Value]>, DeclarationError> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let list = value.as_array().ok_or_else(|| self.wrong_type(key, "a list"))?;
        if list.len() > MAX_ENTRIES {
            return Err(self.refuse(key, "too_many", format!("keep the list to {MAX_ENTRIES} entries")));
        }
        Ok(Some(list))
    }

    pub(super) fn objects(&self, key: &str) -> Result<Vec<Shape<'a>>, DeclarationError> {
        let list = self.list(key)?.unwrap_or_default();
        list.iter()
            .enumerate()
            .map(|(i, value)| Shape::of(value, self.stream, &self.at(&format!("{key}[{i}]"))))
            .collect()
    }

    /// A list of strings.
    pub(super) fn texts(&self, key: &str) -> Result<Option<Vec<&'a str>>, DeclarationError> {
        let Some(list) = self.list(key)? else { return Ok(None) };
        let text = |(i, value): (usize, &'a Value)| {
            value.as_str().ok_or_else(|| self.wrong_type(&format!("{key}[{i}]"), "a string"))
        };
        list.iter().enumerate().map(text).collect::<Result<_, _>>().map(Some)
    }

    fn wrong_type(&self, key: &str, expected: &str) -> DeclarationError {
        self.refuse(key, "wrong_type", format!("this must be {expected}"))
    }

    fn at(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

/// Whether a request can name the field: `fields` splits at commas, `filter[…]` ends at a bracket.
pub(super) fn is_field_name(name: &str) -> bool {
    !name.trim().is_empty()
        && name.chars().nth(MAX_FIELD_NAME_CHARS).is_none()
        && !name.chars().any(|c| c.is_control() || matches!(c, ',' | '[' | ']'))
}
