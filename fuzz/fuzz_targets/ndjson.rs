//! Any line is refused with a reason or is a change whose id and fields are fit to be stored.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use vitrine_contract::ident;
use vitrine_engine::declaration::{Declaration, RecordValidator, Stream};
use vitrine_engine::ingest::{Incoming, KeyFrom, prepare};

const DECLARATION: &str = r#"{"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://example.test/box"},
"connector_key":"box","declaration_version":"1","streams":[{"name":"items","semantics":"mutable_state",
"schema":{"type":"object","properties":{"id":{"type":["string","integer"]},"at":{"type":"string","format":"date-time"},"n":{"type":"number"},"any":{}},
"required":["id"]},"primary_key":["id"],"cursor_field":"at","consent_time_field":"at"}]}"#;

static ITEMS: LazyLock<(Stream, RecordValidator)> = LazyLock::new(|| {
    let declaration = Declaration::parse(DECLARATION).expect("a good declaration");
    let stream = declaration.stream("items").expect("it has items").clone();
    let validator = stream.validator().expect("it compiles");
    (stream, validator)
});

fuzz_target!(|line: &[u8]| {
    let (stream, validator) = &*ITEMS;
    match prepare(line, stream, validator, KeyFrom::Line) {
        Err(rejection) => assert!(!rejection.message.is_empty(), "a refusal says why"),
        Ok(Incoming::Delete { id, .. }) => assert!(ident::is_record_id(&id)),
        Ok(Incoming::Upsert { id, fields, .. }) => {
            assert!(ident::is_record_id(&id));
            for (_, json) in &fields {
                vitrine_contract::Fields::from_json(json.clone()).expect("each value is JSON");
            }
        }
    }
});
