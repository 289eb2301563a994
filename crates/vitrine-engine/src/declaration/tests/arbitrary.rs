//! Nothing a source can write brings the reader down.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::Declaration;
use super::{gmail, parse, with};

/// JSON with a leaning towards the words declarations and schemas are made of.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "string",
        "object",
        "properties",
        "$ref",
        "#",
        "#/$defs/a",
        "$defs",
        "a",
        "anyOf",
        "not",
        "format",
        "date-time",
        "pattern",
        "[a-z]+$",
        "$id",
        "$schema",
        "id",
        "messages",
        "subject",
        "labels",
        "",
        "has_many",
        "gte",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, move |inner| {
        let key = prop_oneof![4 => word.clone().prop_map(str::to_owned), 1 => ".{0,8}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6).prop_map(|entries| Value::Object(Map::from_iter(entries))),
        ]
    })
}

/// Every place in the mailbox's declaration.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(object) => object.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(i, value)| (i.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (key, child) in children {
        let place = format!("{at}/{key}");
        places(child, &place, found);
        found.push(place);
    }
}

fn any_place() -> impl Strategy<Value = String> {
    let mut found = Vec::new();
    places(&gmail(), "", &mut found);
    prop::sample::select(found)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = Declaration::parse(&text);
    }

    #[test]
    fn any_json_is_read_or_refused(document in any_json()) {
        prop_assert!(parse(&document).is_err());
    }

    #[test]
    fn any_change_to_a_declaration_is_read_or_refused(place in any_place(), value in any_json()) {
        if let Ok(declaration) = parse(&with(gmail(), &place, value)) {
            for stream in declaration.streams.values() {
                let validator = stream.validator().expect("what was read compiles");
                let _ = validator.check(&json!({ "id": 1, "subject": "a", "labels": [[]] }));
            }
        }
    }
}
