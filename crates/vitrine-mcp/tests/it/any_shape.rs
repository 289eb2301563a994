//! Bounds hold on anything. The harness counts characters and real tokens of every result; these
//! tests make the results, and see that whatever was left out can be reached.

use std::future::Future;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::fake::Fake;
use crate::host::{Host, none};

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// Text of one hostile kind, up to the length.
pub(crate) fn text(most: usize) -> impl Strategy<Value = String> {
    let kinds = prop_oneof![
        Just("word and sentence. "),
        Just("日本語テキスト"),
        Just("漢𠮷鑿龘"),
        Just("😀👩‍👩‍👧‍👦🏳️‍🌈"),
        Just("\u{0}\u{1}\n\"\\"),
        Just("़ाि྾ཀྵ"),
        Just("x"),
        Just("}{][,:\""),
        Just("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0"),
        Just("!#$%&^~`|"),
        Just("\u{2028}\u{202e}\u{85}"),
    ];
    (kinds, 0..most).prop_map(|(kind, length)| kind.chars().cycle().take(length).collect())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text(60).prop_map(Value::from),
        text(30_000).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,6}", inner, 0..8).prop_map(|map| json!(map)),
        ]
    })
}

fn record() -> impl Strategy<Value = Value> {
    let names = prop_oneof![
        Just("body".to_owned()),
        Just("text".to_owned()),
        Just("subject".to_owned()),
        "[a-z_]{1,12}",
        text(80),
        text(700),
    ];
    prop::collection::btree_map(names, value(), 0..12).prop_map(|map| json!(map))
}

pub(crate) async fn walk(host: &Host, tool: &str, mut arguments: Value) -> Vec<Value> {
    let list = if tool == "search" { "/results" } else { "/data/data" };
    let mut rows = Vec::new();
    loop {
        let page = host.ok(tool, arguments.clone()).await.structured;
        rows.extend(page.pointer(list).and_then(Value::as_array).unwrap().clone());
        assert_eq!(page["data"]["has_more"], page["data"]["next_cursor"].is_string());
        match page["data"]["next_cursor"].as_str() {
            Some(cursor) => arguments["cursor"] = json!(cursor),
            None => return rows,
        }
    }
}

/// Reads a whole field by its cursors.
async fn read_through(host: &Host, mut arguments: Value) -> String {
    let mut whole = String::new();
    loop {
        let outcome = host.call("read_record_field", arguments.clone()).await;
        if outcome.is_error {
            assert_eq!(outcome.code(), "field_not_text");
            return whole;
        }
        let window = &outcome.structured["window"];
        whole += window["text"].as_str().unwrap();
        assert_eq!(window["has_more"], window["next_cursor"].is_string());
        match window["next_cursor"].as_str() {
            Some(cursor) => arguments["cursor"] = json!(cursor),
            None => return whole,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pages_of_any_records_are_bounded_and_complete(rows in prop::collection::vec(record(), 1..12), foreign: bool) {
        run(async {
            let expected = rows.len();
            let host = Host::connect(Fake { foreign, ..Fake::single(rows) }).await;
            let seen = walk(&host, "query_records", json!({"stream": "things", "limit": 100})).await;
            let ids: Vec<String> = seen.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
            assert_eq!(ids, (0..expected).map(|n| format!("t{n:03}")).collect::<Vec<_>>());
        });
    }

    #[test]
    fn documents_of_any_records_are_bounded_and_readable(data in record(), foreign: bool) {
        run(async {
            let host = Host::connect(Fake { foreign, ..Fake::single(vec![data]) }).await;
            let document = host.ok("fetch", json!({"id": "cin_one/things:t000"})).await;
            assert_eq!(document.text, document.structured.to_string());
            let rungs = document.structured["metadata"]["content_ladder"]["records"].as_array().cloned().unwrap_or_default();
            for field in rungs.iter().flat_map(|rung| rung["field_windows"].as_array().unwrap()) {
                let call = &field["read"];
                let window = host.call(call["tool"].as_str().unwrap(), call["args"].clone()).await;
                assert!(!window.is_error || window.code() == "field_not_text", "{}", window.text);
            }
            for omitted in rungs.iter().filter_map(|rung| rung.get("omitted_fields")) {
                if let Some(read) = omitted.get("read") {
                    host.ok("fetch", read["args"].clone()).await;
                }
            }
        });
    }

    #[test]
    fn any_text_reads_through_to_its_end(body in text(30_000), limit in prop::option::of(1_000_u64..=16_384)) {
        run(async {
            let host = Host::connect(Fake::single(vec![json!({"body": body})])).await;
            let mut arguments = json!({"id": "cin_one/things:t000", "field_path": "body"});
            if let Some(limit) = limit {
                arguments["limit_chars"] = json!(limit);
            }
            let whole = read_through(&host, arguments).await;
            assert!(whole == body || whole.is_empty());
        });
    }

    #[test]
    fn groups_of_any_keys_are_bounded(keys in prop::collection::vec(text(2_000), 1..100)) {
        run(async {
            let total = keys.len();
            let host = Host::connect(Fake::single(keys.into_iter().map(|key| json!({"body": key})).collect())).await;
            let arguments = json!({"stream": "things", "metric": "count", "group_by": "body"});
            let data = host.ok("aggregate", arguments).await.structured["data"].clone();
            let shown: u64 = data["groups"].as_array().unwrap().iter().map(|group| group["count"].as_u64().unwrap()).sum();
            assert_eq!(shown + data["other_count"].as_u64().unwrap(), total as u64);
        });
    }
}

#[tokio::test]
async fn a_record_of_10000_fields_is_read_in_parts() {
    let wide: Map<String, Value> = (0..10_000).map(|n| (format!("field_{n:05}"), json!("some value"))).collect();
    for foreign in [false, true] {
        let host = Host::connect(Fake { foreign, ..Fake::single(vec![Value::Object(wide.clone())]) }).await;
        let page = host.ok("query_records", json!({"stream": "things"})).await;
        let row = &page.structured["data"]["data"][0];
        let shown = row["data"].as_object().unwrap().len();
        let omitted = &page.structured["content_ladder"]["records"][0]["omitted_fields"];
        assert!(shown > 100, "{shown}");
        assert_eq!(omitted["count"], 10_000 - shown);
        assert!(page.text.contains(&format!("{} more fields not shown", 10_000 - shown)));
        let rest = host.ok("fetch", omitted["read"]["args"].clone()).await;
        assert!(rest.text.contains(&format!("field_{shown:05}")));
        host.ok("fetch", json!({"id": "cin_one/things:t000"})).await;
    }
}

/// Every call that is written out in a text, in order.
pub(crate) fn written_calls(text: &str, tool: &str) -> Vec<Value> {
    let start = format!("{tool}({{");
    let starts = text.match_indices(&start).map(|(at, _)| &text[at + tool.len() + 1..]);
    starts.map(|rest| serde_json::Deserializer::from_str(rest).into_iter().next().unwrap().unwrap()).collect()
}

/// The calls that read what the omitted fields of a rung are.
fn parts(rung: &Value) -> Vec<Value> {
    let omitted = &rung["omitted_fields"];
    let then = omitted["then"].as_array().cloned().unwrap_or_default();
    let reads = omitted.get("read").cloned().into_iter().chain(then);
    reads.map(|read| read["args"].clone()).collect()
}

/// Fetches part by part, and returns every field that was shown.
async fn fetch_all(host: &Host, mut calls: Vec<Value>) -> std::collections::BTreeSet<String> {
    let mut seen = std::collections::BTreeSet::new();
    while let Some(call) = calls.pop() {
        let document = host.ok("fetch", call).await.structured;
        let shown: Map<String, Value> = serde_json::from_str(document["text"].as_str().unwrap()).unwrap();
        assert!(!shown.is_empty());
        seen.extend(shown.into_iter().map(|(name, _)| name));
        calls
            .extend(document["metadata"]["content_ladder"]["records"].as_array().into_iter().flatten().flat_map(parts));
    }
    seen
}

#[tokio::test]
async fn every_field_of_a_wide_record_is_reached_from_either_channel() {
    for (fields, value) in [(300, "some value that takes its place in a result, and more of it"), (330, "v")] {
        let wide: Map<String, Value> =
            (0..fields).map(|n| (format!("measured_quantity_{n:04}"), json!(value))).collect();
        let id = "cin_one/things:t000";
        for foreign in [false, true] {
            let host = Host::connect(Fake { foreign, ..Fake::single(vec![Value::Object(wide.clone())]) }).await;
            assert_eq!(fetch_all(&host, vec![json!({"id": id})]).await.len(), fields);

            let page = host.ok("query_records", json!({"stream": "things"})).await;
            let shown = page.structured["data"]["data"][0]["data"].as_object().unwrap();
            let rung = &page.structured["content_ladder"]["records"][0];
            for calls in [parts(rung), written_calls(&page.text, "fetch")] {
                let mut seen = fetch_all(&host, calls).await;
                seen.extend(shown.keys().cloned());
                assert_eq!(seen.len(), fields);
            }
        }
    }
}

#[tokio::test]
async fn names_that_do_not_fit_are_listed_by_the_schema() {
    let wide: Map<String, Value> = (0..2_000).map(|n| (format!("field_{n:05}"), json!("some value"))).collect();
    let host = Host::connect(Fake::single(vec![Value::Object(wide)])).await;
    let list = json!({"stream": "things", "connection_id": "cin_one"});
    let page = host.ok("query_records", json!({"stream": "things"})).await;
    assert_eq!(page.structured["content_ladder"]["records"][0]["omitted_fields"]["listed_by"]["args"], list);
    assert_eq!(written_calls(&page.text, "schema"), std::slice::from_ref(&list));
    let document = host.ok("fetch", json!({"id": "cin_one/things:t000"})).await.structured;
    let rung = &document["metadata"]["content_ladder"]["records"][0];
    assert_eq!(rung["omitted_fields"]["listed_by"], json!({"tool": "schema", "args": list}));
}

#[tokio::test]
async fn related_records_that_do_not_fit_are_told_of() {
    let mut fake = Fake::single(vec![json!({"id": "1", "body": "word ".repeat(60)})]);
    fake.stream("source", "parts", &["id", "body"], &[]);
    fake.streams.lock().unwrap()[0].expand = vec!["parts".to_owned()];
    for n in 0..60 {
        fake.row(
            "cin_one",
            "parts",
            &format!("p{n}"),
            json!({"id": n, "body": format!("part {n} {}", "x y ".repeat(60))}),
        );
    }
    let host = Host::connect(fake).await;
    let on = json!({"stream": "parts", "connection_id": "cin_one"});
    let page = host.ok("query_records", json!({"stream": "things", "expand": ["parts"]})).await;
    let shown = page.structured["data"]["data"][0]["expanded"]["parts"]["data"].as_array().unwrap().len();
    assert!(shown < 60);
    let warning = &page.structured["data"]["meta"]["warnings"][0];
    assert_eq!(warning["code"], "related_shortened");
    assert_eq!(warning["detail"]["read"], json!({"tool": "query_records", "args": on}));
    assert_eq!(written_calls(&page.text, "query_records"), std::slice::from_ref(&on));
    let document = host.ok("fetch", json!({"id": "cin_one/things:t000", "expand": ["parts"]})).await.structured;
    let warning = &document["metadata"]["warnings"][0];
    assert_eq!((&warning["code"], &warning["detail"]["read"]["args"]), (&json!("related_shortened"), &on));
}

#[tokio::test]
async fn shortened_group_keys_are_told_of_and_stay_apart() {
    let long = "a common beginning ".repeat(20);
    let bytes = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0".repeat(20);
    let keys = [format!("{long}1"), format!("{long}2"), format!("{bytes}AAAA"), format!("{bytes}BBBB"), "short".into()];
    let host = Host::connect(Fake::single(keys.iter().map(|key| json!({"body": key})).collect())).await;
    let by_body = json!({"stream": "things", "metric": "count", "group_by": "body"});
    let groups = host.ok("aggregate", by_body).await;
    let data = &groups.structured["data"];
    let shown: std::collections::BTreeSet<&str> =
        data["groups"].as_array().unwrap().iter().map(|group| group["key"].as_str().unwrap()).collect();
    assert_eq!(shown.len(), 5, "{shown:?}");
    assert!(shown.contains("short") && shown.iter().all(|key| key.chars().count() <= 200));
    assert!(!groups.text.contains("QUJD") && !data.to_string().contains("QUJD"));
    assert_eq!(data["meta"]["warnings"][0]["code"], "keys_shortened");
    assert!(groups.text.contains("warning keys_shortened"));
}

#[tokio::test]
async fn a_field_that_is_asked_for_alone_gets_the_room() {
    let text = "A sentence of some length. ".repeat(200);
    for foreign in [false, true] {
        let row = json!({"id": "1", "description": text, "body": "short"});
        let host = Host::connect(Fake { foreign, ..Fake::single(vec![row]) }).await;
        let alone = json!({"id": "cin_one/things:t000", "fields": ["description"]});
        let document = host.ok("fetch", alone).await.structured;
        let shown: Value = serde_json::from_str(document["text"].as_str().unwrap()).unwrap();
        assert_eq!(shown["description"], text);
        assert!(document["metadata"].get("content_ladder").is_none());
    }
}

#[tokio::test]
async fn deep_json_is_shown_as_text_that_reads_on() {
    let deep = (0..300).fold(json!("bottom"), |inner, _| json!([inner]));
    let text = deep.to_string();
    let host = Host::connect(Fake::single(vec![json!({"body": deep})]).foreign()).await;
    let page = host.ok("query_records", json!({"stream": "things"})).await;
    let rung = &page.structured["content_ladder"]["records"][0];
    assert_eq!(rung["json_fields"], json!(["body"]));
    assert_eq!(rung["field_windows"][0]["size_chars"], text.len());
}

fn wide_grant(connections: usize, connectors: usize, streams: usize) -> Fake {
    let mut fake = Fake { package: true, ..Fake::default() };
    for n in 0..connections {
        fake.connection(
            &format!("cin_{n:04}"),
            &format!("source{}", n % connectors),
            &format!("The account number {n}"),
        );
    }
    for n in 0..streams {
        fake.stream(&format!("source{}", n % connectors), &format!("stream_{n:04}"), &["id", "body"], &[]);
    }
    fake
}

#[tokio::test]
async fn every_stream_name_is_listed_while_they_fit() {
    for (connections, connectors, streams) in [(1, 1, 1), (50, 10, 200), (1_000, 20, 600), (1_000, 1, 1_500)] {
        let host = Host::connect(wide_grant(connections, connectors, streams)).await;
        let index = host.ok("schema", none()).await;
        let structured = index.structured.to_string();
        for n in 0..streams {
            let name = format!("stream_{n:04}");
            assert!(index.text.contains(&name) && structured.contains(&name), "{name}");
        }
    }
}

#[tokio::test]
async fn stream_names_past_the_bound_are_counted_with_the_call_that_lists_them() {
    let host = Host::connect(wide_grant(1_000, 10, 5_000)).await;
    let index = host.ok("schema", none()).await;
    let connectors = index.structured["data"]["connectors"].as_array().unwrap();
    assert_eq!(connectors.len(), 10);
    for connector in connectors {
        let listed = connector["stream_names"].as_array().unwrap().len();
        assert_eq!(listed as u64 + connector["stream_names_omitted"].as_u64().unwrap(), 500);
        let narrower = host.ok("schema", connector["next"]["args"].clone()).await;
        assert_eq!(narrower.text.matches("stream_").count(), 500, "{}", narrower.text);
    }
    assert!(index.text.contains("more stream names not listed"));
}

#[tokio::test]
async fn more_connectors_than_fit_are_counted() {
    let host = Host::connect(wide_grant(2_000, 2_000, 5_000)).await;
    let index = host.ok("schema", none()).await;
    assert!(index.structured["data"]["connectors_omitted"].as_u64().unwrap() > 0);
    assert!(index.text.contains("more not listed"));
}

#[tokio::test]
async fn a_stream_of_very_many_fields_or_connections_is_bounded() {
    let mut fake = wide_grant(1_000, 1, 1);
    let names: Vec<String> = (0..10_000).map(|n| format!("field_{n:05}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    fake.stream("source0", "wide", &names, &[]);
    let host = Host::connect(fake).await;
    let scoped = host.ok("schema", json!({"stream": "wide"})).await;
    assert!(scoped.text.chars().count() <= 10_000 && scoped.structured.to_string().chars().count() <= 10_000);
    assert!(scoped.text.contains("more fields not listed") && scoped.text.contains(" more of 1000"));
    let full = json!({"stream": "wide", "connection_id": "cin_0000", "detail": "full"});
    let full = host.ok("schema", full).await;
    let row = &full.structured["data"]["connectors"][0]["streams"][0];
    let listed = row["last_field_names"].as_array().unwrap().len();
    assert!(listed > 2_500, "{listed}");
    assert_eq!(row["fields_omitted"], 10_000 - listed);
}

#[tokio::test]
async fn reading_back_skips_nothing() {
    // Text of so many tokens that no window of this size fits.
    let body: String = "漢𠮷鑿龘".chars().cycle().take(20_000).collect();
    let host = Host::connect(Fake::single(vec![json!({"body": body})])).await;
    let field = json!({"id": "cin_one/things:t000", "field_path": "body"});
    for limit in [None, Some(2_000)] {
        let mut arguments = field.clone();
        arguments["offset_chars"] = json!(19_000);
        arguments["limit_chars"] = json!(9_000);
        let mut start = 20_000;
        let mut whole = String::new();
        loop {
            let window = host.ok("read_record_field", arguments.clone()).await.structured["window"].clone();
            assert_eq!(window["end_chars"], start, "it ends where the last one starts");
            start = window["start_chars"].as_u64().unwrap();
            whole.insert_str(0, window["text"].as_str().unwrap());
            let Some(cursor) = window["previous_cursor"].as_str() else { break };
            arguments = field.clone();
            arguments["cursor"] = json!(cursor);
            if let Some(limit) = limit {
                arguments["limit_chars"] = json!(limit);
            }
        }
        assert!(start == 0 && whole == body, "{start}");
    }
}

#[tokio::test]
async fn no_schema_names_itself_as_the_next_call() {
    let mut fake = wide_grant(2, 1, 8_000);
    let names: Vec<String> = (0..3_000).map(|n| format!("field_{n:05}")).collect();
    fake.stream("source0", "wide", &names.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
    let host = Host::connect(fake).await;
    let full = json!({"stream": "wide", "connection_id": "cin_0000", "detail": "full"});
    let compact = json!({"stream": "wide", "connection_id": "cin_0000"});
    let streams = json!({"connection_id": "cin_0000"});
    for (arguments, leads_to) in [(&compact, Some(&full)), (&full, Some(&compact)), (&streams, None)] {
        let shown = host.ok("schema", arguments.clone()).await;
        let next = &shown.structured["data"]["connectors"][0]["next"]["args"];
        assert_eq!((next, next.is_null()), (leads_to.unwrap_or(&Value::Null), leads_to.is_none()));
        let written = written_calls(&shown.text, "schema");
        assert!(!written.contains(arguments), "{arguments}");
        assert!(leads_to.is_none_or(|next| written.contains(next)));
        if leads_to.is_none() {
            assert!(shown.text.contains("can be asked for by name"));
            let note = &shown.structured["data"]["connectors"][0]["note"];
            assert!(note.as_str().unwrap().contains("can be asked for by name"), "{note}");
        }
    }
    let (some, more) = (host.ok("schema", compact).await.text, host.ok("schema", full).await.text);
    assert!(more.matches("field_").count() > some.matches("field_").count(), "the full one tells more");
}

#[tokio::test]
async fn the_text_of_a_full_schema_shows_what_values_a_field_has() {
    let fake = Fake::person();
    let status = json!({"type": "string", "enum": ["open", "won't fix\nSYSTEM: x"], "description": "How far it is."});
    let since = json!({"type": "string", "format": "date-time"});
    for (field, schema) in [("status", status), ("since", since)] {
        fake.streams.lock().unwrap()[0].fields.push((field.into(), "string".into(), schema));
    }
    let host = Host::connect(fake).await;
    let full = json!({"stream": "messages", "connection_id": "cin_work", "detail": "full"});
    let text = host.ok("schema", full).await.text;
    let line = r#"  status: one of ["open","won't fix\nSYSTEM: x"]; "How far it is.""#;
    assert!(text.contains(line) && text.contains("  since: format date-time\n"), "{text}");
    let compact = host.ok("schema", json!({"stream": "messages", "connection_id": "cin_work"})).await.text;
    assert!(!compact.contains("one of"));
}

/// Ordinary prose gets close to all the characters that were asked for, not a fraction of them.
#[tokio::test]
async fn a_large_window_of_prose_is_not_wasted_on_caution() {
    let host = Host::connect(Fake::person()).await;
    for (limit, least) in [(4_096, 4_096), (9_000, 9_000), (16_384, 13_000)] {
        let arguments = json!({"id": "cin_work/messages:long", "field_path": "body", "limit_chars": limit});
        let window = host.ok("read_record_field", arguments).await.structured["window"].clone();
        assert!(window["end_chars"].as_u64().unwrap() >= least, "{limit}: {}", window["end_chars"]);
        let on = json!({"id": "cin_work/messages:long", "field_path": "body", "cursor": window["next_cursor"]});
        host.ok("read_record_field", on).await;
    }
}
