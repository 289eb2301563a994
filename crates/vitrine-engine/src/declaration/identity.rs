//! What a record is called: the key a line carries, made canonical and fit to stand in a handle.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use vitrine_contract::ident::is_record_id;

use super::Stream;

/// Longest canonical key.
pub const MAX_KEY_BYTES: usize = 4_096;
/// Starts every id that was derived and not taken over from the key.
const DERIVED_PREFIX: &str = "k~";
/// From here on a JSON number with a fraction or exponent no longer tells neighbours apart.
const EXACT_FLOAT_LIMIT: f64 = 9_007_199_254_740_992.0;

/// Why a record has no usable key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    /// Neither the key nor the data says.
    #[error("the record has no key: give `key`, or `{field}` in the data")]
    Missing {
        /// The primary-key field without a value.
        field: String,
    },
    /// Nothing but empty text.
    #[error("the key is empty")]
    Empty,
    /// Longer than [`MAX_KEY_BYTES`].
    #[error("the key is longer than {MAX_KEY_BYTES} bytes")]
    TooLong,
    /// A boolean, an object, a nested list.
    #[error("a key is made of strings and numbers, not of {found}")]
    NotScalar {
        /// The JSON type that was found.
        found: &'static str,
    },
    /// A number that JSON readers round, so that two keys could become one.
    #[error("the key is a number too large to be exact; send it as a string")]
    Inexact,
    /// Not as many parts as the stream's primary key.
    #[error("the key has {found} parts where the stream's primary key has {expected}")]
    Parts {
        /// Parts of the primary key.
        expected: usize,
        /// Parts of the key.
        found: usize,
    },
    /// The key and the data name different records.
    #[error("the key and the data disagree on `{field}`")]
    Disagrees {
        /// The primary-key field that differs.
        field: String,
    },
}

/// The id of a record with this data. A null `key` is derived from the data.
pub fn record_id(stream: &Stream, data: &Map<String, Value>, key: &Value) -> Result<String, IdentityError> {
    let parts = if key.is_null() { parts_of_data(stream, data)? } else { parts_of_key(stream, key)? };
    for (field, part) in stream.primary_key.iter().zip(&parts) {
        match data.get(field) {
            None | Some(Value::Null) => {}
            Some(value) if part_text(value, field)? == *part => {}
            Some(_) => return Err(IdentityError::Disagrees { field: field.clone() }),
        }
    }
    canonical(parts).map(|canonical| handle_safe(&canonical))
}

/// The canonical string of a key that comes without data.
pub fn canonical_key(stream: &Stream, key: &Value) -> Result<String, IdentityError> {
    canonical(parts_of_key(stream, key)?)
}

/// The id a canonical key goes by: itself if it may stand in a handle, else one derived from it.
/// Keys that look derived are derived too, so that no two keys share an id.
pub fn handle_safe(canonical: &str) -> String {
    if is_record_id(canonical) && !canonical.starts_with(DERIVED_PREFIX) {
        return canonical.to_owned();
    }
    format!("{DERIVED_PREFIX}{}", URL_SAFE_NO_PAD.encode(Sha256::digest(canonical.as_bytes())))
}

fn parts_of_key(stream: &Stream, key: &Value) -> Result<Vec<String>, IdentityError> {
    let given = match key {
        Value::Array(parts) => parts.as_slice(),
        single => std::slice::from_ref(single),
    };
    if given.len() != stream.primary_key.len() {
        return Err(IdentityError::Parts { expected: stream.primary_key.len(), found: given.len() });
    }
    given.iter().zip(&stream.primary_key).map(|(part, field)| part_text(part, field)).collect()
}

fn parts_of_data(stream: &Stream, data: &Map<String, Value>) -> Result<Vec<String>, IdentityError> {
    let part = |field: &String| part_text(data.get(field).unwrap_or(&Value::Null), field);
    stream.primary_key.iter().map(part).collect()
}

fn part_text(part: &Value, field: &str) -> Result<String, IdentityError> {
    match part {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            Some(0.0) => Ok("0".to_owned()),
            Some(float) if float.abs() < EXACT_FLOAT_LIMIT => Ok(float.to_string()),
            _ => Err(IdentityError::Inexact),
        },
        Value::Number(number) => Ok(number.to_string()),
        Value::Null => Err(IdentityError::Missing { field: field.to_owned() }),
        Value::Bool(_) => Err(IdentityError::NotScalar { found: "a boolean" }),
        Value::Array(_) => Err(IdentityError::NotScalar { found: "a list" }),
        Value::Object(_) => Err(IdentityError::NotScalar { found: "an object" }),
    }
}

fn canonical(mut parts: Vec<String>) -> Result<String, IdentityError> {
    if parts.iter().all(String::is_empty) {
        return Err(IdentityError::Empty);
    }
    let canonical = match parts.len() {
        1 => parts.remove(0),
        _ => Value::from(parts).to_string(),
    };
    if canonical.len() > MAX_KEY_BYTES { Err(IdentityError::TooLong) } else { Ok(canonical) }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::super::tests::{gmail, parse};
    use super::*;

    fn stream(name: &str) -> Stream {
        parse(&gmail()).expect("the mailbox is well declared").streams[name].as_ref().clone()
    }

    fn id(name: &str, data: &Value, key: &Value) -> Result<String, IdentityError> {
        record_id(&stream(name), data.as_object().expect("data is an object"), key)
    }

    #[test]
    fn a_single_key_is_its_own_text() {
        for (key, expected) in [
            (json!("m1"), "m1"),
            (json!(["m1"]), "m1"),
            (json!(42), "42"),
            (json!(-42.0), "-42"),
            (json!(-0.0), "0"),
            (json!(1.5), "1.5"),
            (json!(u64::MAX), "18446744073709551615"),
        ] {
            assert_eq!(canonical_key(&stream("messages"), &key).as_deref(), Ok(expected), "{key}");
        }
    }

    #[test]
    fn a_compound_key_is_a_list_of_strings() {
        let attachments = stream("attachments");
        assert_eq!(canonical_key(&attachments, &json!(["m1", 2])).as_deref(), Ok(r#"["m1","2"]"#));
        assert_eq!(canonical_key(&attachments, &json!(["", 2])).as_deref(), Ok(r#"["","2"]"#));
        assert_eq!(
            id("attachments", &json!({ "message_id": "m1", "part": 2 }), &Value::Null).as_deref(),
            Ok(r#"["m1","2"]"#)
        );
    }

    #[test]
    fn the_key_and_the_data_must_agree() {
        let part = |field: &str| Err(IdentityError::Disagrees { field: field.to_owned() });
        assert_eq!(id("messages", &json!({ "id": 7 }), &json!("7")).as_deref(), Ok("7"));
        assert_eq!(id("messages", &json!({ "id": 7.0 }), &json!(7)).as_deref(), Ok("7"));
        assert_eq!(id("messages", &json!({ "id": null }), &json!("7")).as_deref(), Ok("7"));
        assert_eq!(id("messages", &json!({}), &json!("7")).as_deref(), Ok("7"));
        assert_eq!(id("messages", &json!({ "id": "8" }), &json!("7")), part("id"));
        assert_eq!(id("attachments", &json!({ "part": 3 }), &json!(["m1", 2])), part("part"));
    }

    #[test]
    fn what_cannot_be_a_key_is_refused() {
        let missing = |field: &str| IdentityError::Missing { field: field.to_owned() };
        for (stream_name, key, error) in [
            ("messages", json!(""), IdentityError::Empty),
            ("messages", json!([""]), IdentityError::Empty),
            ("attachments", json!(["", ""]), IdentityError::Empty),
            ("messages", json!([]), IdentityError::Parts { expected: 1, found: 0 }),
            ("messages", json!(["a", "b"]), IdentityError::Parts { expected: 1, found: 2 }),
            ("attachments", json!("a"), IdentityError::Parts { expected: 2, found: 1 }),
            ("messages", json!(true), IdentityError::NotScalar { found: "a boolean" }),
            ("messages", json!({}), IdentityError::NotScalar { found: "an object" }),
            ("messages", json!([["a"]]), IdentityError::NotScalar { found: "a list" }),
            ("messages", json!(1e20), IdentityError::Inexact),
            ("messages", json!("k".repeat(4_097)), IdentityError::TooLong),
            ("messages", Value::Null, missing("id")),
            ("attachments", json!(["a", null]), missing("part")),
        ] {
            assert_eq!(canonical_key(&stream(stream_name), &key), Err(error.clone()), "{key}");
            assert_eq!(id(stream_name, &json!({}), &key), Err(if key.is_null() { missing("id") } else { error }));
        }
        assert_eq!(canonical_key(&stream("messages"), &json!("k".repeat(4_096))).map(|key| key.len()), Ok(4_096));
    }

    #[test]
    fn keys_that_cannot_stand_in_a_handle_are_derived() {
        assert_eq!(handle_safe("m1"), "m1");
        assert_eq!(handle_safe("a/b"), "k~wUzdwDP2S53qgOpnXPKAoBXmclFgkKViZ4EVPcaP6hE");
        for key in ["a b", "..", "", "k~x", &"a".repeat(201), "a\u{202E}b"] {
            let derived = handle_safe(key);
            assert_eq!((derived.starts_with(DERIVED_PREFIX), derived.len()), (true, 45), "{key:?}");
            assert_ne!(handle_safe(&derived), derived, "a key that looks derived is derived again");
        }
    }

    proptest! {
        #[test]
        fn ids_are_handle_safe_and_told_apart(keys in prop::collection::vec(r"(k~)?[a-c/\\. ~é\u{0}\u{202E}]{0,4}|.{0,210}", 1..60)) {
            let mut owners = HashMap::new();
            for key in &keys {
                let id = handle_safe(key);
                prop_assert!(is_record_id(&id), "{:?} became {:?}", key, id);
                prop_assert_eq!(*owners.entry(id).or_insert(key), key);
            }
        }
    }
}
