use proptest::prelude::*;
use serde_json::{Map, Value};
use vitrine_contract::request::{
    AggregateRequest, FieldWindowRequest, ReadRequest, RecordRequest, RecordsRequest, SchemaRequest, SearchRequest,
    StreamsRequest,
};

use super::*;

/// Names that mean something somewhere, so that what stands under them gets read.
const NAMES: &[&str] = &[
    "data",
    "results",
    "hits",
    "id",
    "record_uri",
    "stream",
    "streams",
    "name",
    "connection_id",
    "connection_ids",
    "connector_instance_id",
    "connector_key",
    "connectors",
    "granted_connections",
    "field_capabilities",
    "fields",
    "expand_capabilities",
    "expanded",
    "match_windows",
    "evidence_excerpts",
    "window",
    "text",
    "start_chars",
    "end_chars",
    "match_start_chars",
    "match_end_chars",
    "total_chars",
    "groups",
    "value",
    "count",
    "meta",
    "next_cursor",
    "has_more",
    "emitted_at",
];

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-3_i64..9).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
        "(pdpp://record/)?[a-z%/:=-]{0,9}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(NAMES), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

fn answer() -> impl Strategy<Value = Value> {
    prop::collection::vec((prop::sample::select(NAMES), json()), 0..9)
        .prop_map(|members| Value::Object(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Map<_, _>>()))
}

proptest! {
    #[test]
    fn no_answer_breaks_the_reader_and_every_window_holds_together(answer in answer()) {
        let body = answer.to_string();
        let records_request = RecordsRequest { stream: "m".into(), ..Default::default() };
        let _ = records(&body, &ReadRequest::Records(records_request.clone()), &records_request);
        let _ = record(&body, &RecordRequest::default());
        let _ = streams(&body, &ReadRequest::Streams(StreamsRequest::default()));
        let _ = stream(&body);
        let _ = schema(&body, &SchemaRequest::default());
        let _ = aggregation(&body, &AggregateRequest::default());
        if let Ok(read) = field_window(&body, &FieldWindowRequest::default()) {
            let window = read.window;
            prop_assert_eq!(window.end_chars - window.start_chars, window.text.chars().count() as u64);
        }
        let search_request = SearchRequest::default();
        if let Ok(list) = hits(&body, &ReadRequest::Search(search_request.clone()), &search_request) {
            prop_assert!(list.data.iter().all(|hit| !hit.record_key.is_empty()));
            // Only a record of a stream can be read on, so only that has proof.
            prop_assert!(list.data.iter().all(|hit| !hit.stream.is_empty() || hit.match_windows.is_empty()));
            for window in list.data.iter().flat_map(|hit| &hit.match_windows) {
                prop_assert_eq!(window.end_chars - window.start_chars, window.text.chars().count() as u64);
                prop_assert!(window.start_chars <= window.match_start_chars && window.match_end_chars <= window.end_chars);
            }
        }
    }

    #[test]
    fn no_text_breaks_the_reader(body in ".{0,40}") {
        let _ = schema(&body, &SchemaRequest::default());
        let _ = record(&body, &RecordRequest::default());
    }
}
