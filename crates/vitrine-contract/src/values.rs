//! JSON text taken apart without being rewritten.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The fields of a JSON object with the text of their values, in order. Anything else has none.
pub fn top_level(object: &str) -> Vec<(Cow<'_, str>, &RawValue)> {
    serde_json::from_str::<TopLevel<'_>>(object).map(|fields| fields.0).unwrap_or_default()
}

struct TopLevel<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for TopLevel<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = TopLevel<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::with_capacity(16);
                while let Some((Key(name), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    fields.push((name, value));
                }
                Ok(TopLevel(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_text() {
        let fields = top_level(r#"{"a":1e308,"b\u00e9":-0.0,"c":{"d":[1, 2]},"e":18446744073709551617}"#);
        let texts: Vec<_> = fields.iter().map(|(name, value)| (name.as_ref(), value.get())).collect();
        assert_eq!(texts, [("a", "1e308"), ("bé", "-0.0"), ("c", r#"{"d":[1, 2]}"#), ("e", "18446744073709551617")]);
        assert!(top_level("[1]").is_empty());
        assert!(top_level("{").is_empty());
    }
}
