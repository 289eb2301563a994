//! Schemas that do not fit: what gives way first, what is left out in the end, and which call shows that.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::any_shape::{run, written_calls};
use crate::fake::{Fake, Stream};
use crate::host::{Host, Outcome, none};

/// A stream of fields that take their values from a list.
fn wide_stream(connector: &str, name: &str, fields: &[String]) -> Stream {
    let schema = json!({"type": "string", "description": "What it is for.", "enum": ["one", "two", "three"]});
    Stream {
        connector: connector.into(),
        name: name.into(),
        fields: fields.iter().map(|field| (field.clone(), "string".into(), schema.clone())).collect(),
        expand: Vec::new(),
        views: Vec::new(),
        only_of: Vec::new(),
    }
}

fn names(count: usize, chars: usize, of: &str) -> Vec<String> {
    (0..count).map(|n| format!("{of}{n:0>width$}", width = chars - of.len())).collect()
}

async fn host_of(connections: Vec<(String, String)>, streams: Vec<Stream>) -> Host {
    let mut fake = Fake { package: true, ..Fake::default() };
    for (id, connector) in &connections {
        fake.connection(id, connector, "A label that takes some room of its own");
    }
    *fake.streams.lock().unwrap() = streams;
    Host::connect(fake).await
}

/// Which of these names stand in the text, and which in the JSON.
fn seen(shown: &Outcome, names: &[String]) -> [BTreeSet<String>; 2] {
    let structured = shown.structured.to_string();
    [&shown.text, &structured].map(|channel| {
        let words: BTreeSet<&str> = channel.split(|c: char| !c.is_ascii_alphanumeric() && !"_-.".contains(c)).collect();
        names.iter().filter(|name| words.contains(name.as_str())).cloned().collect()
    })
}

/// Every call that either channel offers.
fn offered(shown: &Outcome) -> Vec<(String, Value)> {
    fn walk(value: &Value, calls: &mut Vec<(String, Value)>) {
        match value {
            Value::Object(object) => {
                if let (Some(tool), Some(args)) = (object.get("tool").and_then(Value::as_str), object.get("args")) {
                    calls.push((tool.to_owned(), args.clone()));
                }
                object.values().for_each(|inner| walk(inner, calls));
            }
            Value::Array(list) => list.iter().for_each(|inner| walk(inner, calls)),
            _ => {}
        }
    }
    let mut calls = Vec::new();
    walk(&shown.structured, &mut calls);
    for tool in ["schema", "query_records"] {
        calls.extend(written_calls(&shown.text, tool).into_iter().map(|args| (tool.to_owned(), args)));
    }
    calls
}

#[tokio::test]
async fn views_give_way_to_fields() {
    let fields = names(60, 25, "quantity_");
    let views = (0..12).map(|n| (format!("view_{n:02}"), fields[n..n + 31].to_vec())).collect();
    let stream = Stream { views, ..wide_stream("source", "m", &fields) };
    let host = host_of(vec![("cin_one".into(), "source".into())], vec![stream]).await;
    for call in [json!({"stream": "m"}), json!({"stream": "m", "detail": "full"})] {
        let shown = host.ok("schema", call.clone()).await;
        assert_eq!(seen(&shown, &fields).map(|listed| listed.len()), [60, 60], "{call}");
        assert!(shown.text.contains("view_00 (31 fields)"), "{}", shown.text);
        assert!(!offered(&shown).contains(&("schema".into(), call)));
    }
    let compact = host.ok("schema", json!({"stream": "m"})).await.structured;
    let row = &compact["data"]["connectors"][0]["streams"][0];
    assert_eq!(row["views"][11], json!({"id": "view_11", "field_count": 31}));
    assert_eq!(row["fields"].as_object().unwrap().len(), 60);
}

#[tokio::test]
async fn a_stream_of_many_sources_shows_fields_of_each_and_leads_on() {
    for sources in [10, 20, 30] {
        let connectors = names(sources, 8, "source");
        let streams = connectors
            .iter()
            .map(|connector| wide_stream(connector, "messages", &names(40, 16, &format!("f_{connector}_"))));
        let connections = connectors.iter().map(|connector| (format!("cin_{connector}"), connector.clone()));
        let host = host_of(connections.collect(), streams.collect()).await;
        let call = json!({"stream": "messages"});
        let shown = host.ok("schema", call.clone()).await;
        for connector in &connectors {
            for listed in seen(&shown, &names(40, 16, &format!("f_{connector}_"))) {
                assert!(!listed.is_empty(), "{connector}: {}", shown.text);
            }
        }
        let calls = offered(&shown);
        assert!(!calls.is_empty() && calls.iter().all(|(_, args)| *args != call), "{calls:?}");
        for args in [&calls[0].1, &written_calls(&shown.text, "schema")[0]] {
            assert!(args["stream"] == "messages" && args["connection_id"].is_string(), "{args}");
            let narrow = host.ok("schema", args.clone()).await;
            let own = args["connection_id"].as_str().unwrap().replace("cin_", "f_");
            assert_eq!(seen(&narrow, &names(40, 16, &format!("{own}_"))).map(|listed| listed.len()), [40, 40]);
        }
    }
}

#[tokio::test]
async fn more_sources_than_can_show_fields_are_listed_to_choose_from() {
    let connectors = names(400, 10, "source");
    let streams = connectors.iter().map(|connector| wide_stream(connector, "messages", &names(40, 16, "f_")));
    let connections: Vec<_> = connectors.iter().map(|c| (format!("cin_{c}"), c.clone())).collect();
    let ids: Vec<String> = connections.iter().map(|(id, _)| id.clone()).collect();
    let host = host_of(connections, streams.collect()).await;
    let shown = host.ok("schema", json!({"stream": "messages"})).await;
    assert!(seen(&shown, &ids).iter().all(|listed| listed.len() > 60), "{}", shown.text);
    let next = json!({"stream": "messages", "connection_id": "cin_source0000"});
    assert_eq!(shown.structured["data"]["next"], json!({"tool": "schema", "args": next}));
    assert_eq!(written_calls(&shown.text, "schema"), [next]);
}

#[tokio::test]
async fn every_field_name_is_in_the_compact_schema_or_in_the_full_one() {
    for (count, chars) in [(300, 50), (1_999, 6)] {
        let fields = names(count, chars, "f");
        let host = host_of(vec![("cin_one".into(), "source".into())], vec![wide_stream("source", "m", &fields)]).await;
        let compact = json!({"stream": "m", "connection_id": "cin_one"});
        let full = json!({"stream": "m", "connection_id": "cin_one", "detail": "full"});
        let (some, others) = (host.ok("schema", compact.clone()).await, host.ok("schema", full.clone()).await);
        for (one, other) in seen(&some, &fields).into_iter().zip(seen(&others, &fields)) {
            assert_eq!(one.union(&other).count(), count, "{} and {} of {count}", one.len(), other.len());
        }
        let [_, structured] = seen(&others, &fields);
        assert_eq!(structured.len(), count, "they fit 40,000 characters");
        assert!(others.text.chars().count() > 9_500, "{}", others.text.chars().count());
        assert!(offered(&some).contains(&("schema".into(), full)), "{}", some.text);
        assert!(written_calls(&others.text, "schema").contains(&compact), "{}", others.text);
        assert!(!others.text.contains("can be asked for by name"));
    }
}

#[tokio::test]
async fn names_past_all_bounds_are_counted() {
    let fields = names(9_000, 12, "f");
    let host = host_of(vec![("cin_one".into(), "source".into())], vec![wide_stream("source", "m", &fields)]).await;
    let full = host.ok("schema", json!({"stream": "m", "detail": "full"})).await;
    let [text, structured] = seen(&full, &fields);
    assert!(text.len() > 600 && structured.len() > 2_500, "{} {}", text.len(), structured.len());
    assert!(full.text.contains(&format!("{} more fields not listed", 9_000 - text.len())), "{}", full.text);
    let row = &full.structured["data"]["connectors"][0]["streams"][0];
    assert_eq!(row["fields_omitted"], 9_000 - structured.len());
    let records = json!({"stream": "m", "connection_id": "cin_one", "limit": 1});
    assert_eq!(written_calls(&full.text, "query_records"), [records]);
}

#[tokio::test]
async fn as_many_connection_ids_are_listed_as_fit() {
    let listed = |shown: &Outcome, ids: &[String]| seen(shown, ids).map(|listed| listed.len());
    for (count, chars, of_stream, of_all) in [(500, 20, 350, 500), (1_000, 45, 170, 780)] {
        let ids = names(count, chars, "cin_");
        let connections = ids.iter().map(|id| (id.clone(), "source".to_owned())).collect();
        let host = host_of(connections, vec![wide_stream("source", "m", &names(10, 8, "f"))]).await;
        let stream = host.ok("schema", json!({"stream": "m"})).await;
        assert!(listed(&stream, &ids).iter().all(|n| *n >= of_stream), "{:?}", listed(&stream, &ids));
        assert_eq!(seen(&stream, &names(10, 8, "f")).map(|listed| listed.len()), [10, 10]);
        assert!(offered(&stream).contains(&("schema".into(), none())), "{}", stream.text);
        let all = host.ok("schema", none()).await;
        assert!(listed(&all, &ids).iter().all(|n| *n >= of_all), "{:?}", listed(&all, &ids));
        assert!(written_calls(&all.text, "schema").iter().all(|args| args["stream"] == "<name>"), "no call lists more");
    }
}

#[tokio::test]
async fn ids_that_the_index_leaves_out_are_listed_by_the_call_it_names() {
    let connectors = names(20, 8, "source");
    let ids = |connector: &str| names(50, 60, &format!("cin_{connector}_"));
    let connections = connectors.iter().flat_map(|c| ids(c).into_iter().map(|id| (id, c.clone())));
    let streams = connectors.iter().map(|c| wide_stream(c, &format!("stream_of_{c}"), &names(10, 8, "f")));
    let host = host_of(connections.collect(), streams.collect()).await;
    let index = host.ok("schema", none()).await;
    for (n, connector) in connectors.iter().enumerate() {
        let ids = ids(connector);
        assert!(seen(&index, &ids).iter().all(|listed| (20..50).contains(&listed.len())), "{}", index.text);
        let call = &index.structured["data"]["connectors"][n]["connections_next"]["args"];
        assert_eq!(*call, json!({"stream": format!("stream_of_{connector}")}));
        assert!(written_calls(&index.text, "schema").contains(call));
        let stream = host.ok("schema", call.clone()).await;
        assert_eq!(seen(&stream, &ids).map(|listed| listed.len()), [50, 50]);
    }
}

#[tokio::test]
async fn names_that_no_result_holds_hide_no_others() {
    let endless = "x".repeat(20_000);
    let fields = [endless.clone(), "subject".to_owned()];
    let stream = Stream { expand: vec![endless.clone()], ..wide_stream("source", "m", &fields) };
    let connections = ["cin_one", &endless].map(|id| (id.to_owned(), "source".to_owned())).to_vec();
    let host = host_of(connections, vec![stream, wide_stream("source", &endless, &fields)]).await;
    let calls = [json!({"stream": "m"}), json!({"stream": "m", "detail": "full"}), none()];
    for (call, expected) in calls.into_iter().zip(["subject", "subject", "m"]) {
        let shown = host.ok("schema", call.clone()).await;
        for listed in seen(&shown, &[expected.to_owned(), "cin_one".to_owned()]) {
            assert_eq!(listed.len(), 2, "{call}: {}", shown.text);
        }
    }
}

/// One source of a grant: accounts, streams, fields of each and the length of names, views, and whether half of the
/// accounts have streams of their own.
type Extent = (usize, usize, usize, usize, usize, bool);

/// From one account to more than can be listed.
fn any_extent() -> impl Strategy<Value = Vec<Extent>> {
    let size = |small: usize, large: usize| prop_oneof![3 => 1..=small, 1 => 1..=large];
    let source = (size(3, 300), size(3, 40), size(20, 600), 16..=60_usize, size(2, 40), any::<bool>());
    prop_oneof![prop::collection::vec(source.clone(), 1..4), source.prop_map(|one| vec![one; 25])]
}

/// A grant of this extent, whose sources may have stream names in common.
fn grant(sources: Vec<Extent>, shared: bool) -> (Vec<(String, String)>, Vec<Stream>) {
    let (mut connections, mut streams) = (Vec::new(), Vec::new());
    for (n, (accounts, kinds, fields, chars, views, split)) in sources.into_iter().enumerate() {
        let connector = format!("source{n:02}");
        let ids = names(accounts, chars, &format!("cin_{n:02}_"));
        let fields = names(fields, chars, "field_");
        for kind in 0..kinds.min(2_000 / fields.len() + 1) {
            let own = if shared { String::new() } else { format!("_{n}") };
            let mut stream = wide_stream(&connector, &format!("stream_{kind:02}{own}"), &fields);
            stream.views = (0..views).map(|v| (format!("view_{v}"), fields.clone())).collect();
            for (at, field) in stream.fields.iter_mut().enumerate() {
                ["string", "integer", "number", "boolean"][at % 4].clone_into(&mut field.1);
            }
            if split && accounts > 1 {
                let (some, others) = ids.split_at(accounts / 2);
                streams.push(Stream { only_of: some.to_vec(), ..stream.clone() });
                stream.only_of = others.to_vec();
            }
            streams.push(stream);
        }
        connections.extend(ids.into_iter().map(|id| (id, connector.clone())));
    }
    (connections, streams)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is left out, the way on leads on: no schema answer names the call it answers, nor one that fails.
    #[test]
    fn no_schema_leads_back_to_itself(sources in any_extent(), shared: bool) {
        run(async {
            let (connections, streams) = grant(sources, shared);
            let (stream, connection) = (streams[0].name.clone(), connections[0].0.clone());
            let first_field = streams[0].fields[0].0.clone();
            let host = host_of(connections, streams).await;
            let narrow = json!({"stream": stream, "connection_id": connection});
            let full = json!({"stream": stream, "connection_id": connection, "detail": "full"});
            let of_connection = json!({"connection_id": connection});
            let mut open = vec![none(), of_connection, json!({"stream": stream}), narrow.clone(), full];
            let mut asked = BTreeSet::new();
            while let Some(arguments) = open.pop() {
                if !asked.insert(arguments.to_string()) || asked.len() > 24 {
                    continue;
                }
                let shown = host.ok("schema", arguments.clone()).await;
                for (tool, args) in offered(&shown) {
                    assert!(tool != "schema" || args != arguments, "{arguments} names itself: {}", shown.text);
                    if tool != "schema" || args["stream"] == "<name>" {
                        continue;
                    }
                    let known = ["detail", "stream", "connection_id"];
                    assert!(args.as_object().unwrap().keys().all(|name| known.contains(&name.as_str())), "{args}");
                    open.push(args);
                }
            }
            let fields = seen(&host.ok("schema", narrow).await, &[first_field]);
            assert!(fields.iter().all(|listed| listed.len() == 1), "fields stay");
        });
    }
}
