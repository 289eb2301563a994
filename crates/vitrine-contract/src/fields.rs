//! The payload of a record.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::values;

/// A JSON object, carried as the text it is stored in, so that numbers come back exactly as they
/// went in. It is looked into only when someone asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields(String);

impl Fields {
    /// Wraps the text of a JSON object.
    pub fn from_json(object: String) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<&RawValue>(&object)?;
        Ok(Self(object))
    }

    /// Wraps the text of a JSON object that was checked before it was stored.
    pub fn from_stored(object: String) -> Self {
        Self(object)
    }

    /// The object's text.
    pub fn json(&self) -> &str {
        &self.0
    }

    /// Each field with its value's text, in order.
    pub fn entries(&self) -> Vec<(Cow<'_, str>, &str)> {
        values::fields(&self.0)
    }

    /// The whole object as a value; numbers that fit no machine type are rounded.
    pub fn to_map(&self) -> Map<String, Value> {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

impl Default for Fields {
    fn default() -> Self {
        Self("{}".to_owned())
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<&RawValue>(&self.0).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| Self(Box::<str>::from(raw).into_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_survives_the_wire() {
        let text = r#"{"a":1e308,"b":[-0.0],"c":18446744073709551617}"#;
        let fields: Fields = serde_json::from_str(text).unwrap();
        assert_eq!(fields.json(), text);
        assert_eq!(serde_json::to_string(&fields).unwrap(), text);
        assert_eq!(fields.entries()[1].1, "[-0.0]");
        assert!(Fields::from_json("{".to_owned()).is_err());
    }
}
