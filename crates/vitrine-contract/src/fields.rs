//! The payload of a record.

use std::borrow::Cow;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::values;

/// A JSON object, carried as the text it is stored in, so that numbers come back exactly as they
/// went in.
#[derive(Debug, Clone)]
pub struct Fields(Form);

#[derive(Debug, Clone)]
enum Form {
    Whole(Box<RawValue>),
    Parts(Vec<(String, Box<RawValue>)>),
}

impl Fields {
    /// Wraps the text of a JSON object.
    pub fn from_json(object: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(object).map(|raw| Self(Form::Whole(raw)))
    }

    /// An object of these fields, in this order.
    pub fn from_parts(parts: Vec<(String, Box<RawValue>)>) -> Self {
        Self(Form::Parts(parts))
    }

    /// Each field with its value's text, in order.
    pub fn entries(&self) -> Vec<(Cow<'_, str>, &RawValue)> {
        match &self.0 {
            Form::Whole(raw) => values::top_level(raw.get()),
            Form::Parts(parts) => {
                parts.iter().map(|(name, raw)| (Cow::Borrowed(name.as_str()), raw.as_ref())).collect()
            }
        }
    }

    /// The whole object as a value; numbers that fit no machine type are rounded.
    pub fn to_map(&self) -> Map<String, Value> {
        match &self.0 {
            Form::Whole(raw) => serde_json::from_str(raw.get()).unwrap_or_default(),
            Form::Parts(parts) => {
                let value = |raw: &RawValue| serde_json::from_str(raw.get()).unwrap_or_default();
                parts.iter().map(|(name, raw)| (name.clone(), value(raw))).collect()
            }
        }
    }

    /// The object's text.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// About how many bytes it takes on the wire.
    pub fn bytes(&self) -> usize {
        match &self.0 {
            Form::Whole(raw) => raw.get().len(),
            Form::Parts(parts) => parts.iter().map(|(name, raw)| name.len() + raw.get().len() + 4).sum(),
        }
    }
}

impl Default for Fields {
    fn default() -> Self {
        Self(Form::Parts(Vec::new()))
    }
}

/// Equal when they have the same fields with the same text, in the same order.
impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        let text = |fields: &Self| {
            fields.entries().iter().map(|(n, v)| (n.to_string(), v.get().to_owned())).collect::<Vec<_>>()
        };
        text(self) == text(other)
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Form::Whole(raw) => raw.serialize(serializer),
            Form::Parts(parts) => {
                let mut map = serializer.serialize_map(Some(parts.len()))?;
                for (name, raw) in parts {
                    map.serialize_entry(name, raw)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| Self(Form::Whole(raw)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_the_same_object() {
        let text = r#"{"a":1e308,"b":[-0.0]}"#;
        let whole = Fields::from_json(text.to_owned()).unwrap();
        let part = |json: &str| RawValue::from_string(json.to_owned()).unwrap();
        let parts = Fields::from_parts(vec![("a".into(), part("1e308")), ("b".into(), part("[-0.0]"))]);
        assert_eq!(whole, parts);
        assert_eq!(serde_json::to_string(&parts).unwrap(), text);
        assert_eq!(serde_json::to_string(&whole).unwrap(), text);
        assert_eq!(whole.to_map(), parts.to_map());
    }
}
