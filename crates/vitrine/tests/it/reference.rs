//! The references in `docs/`: the one for REST agrees with the route table, the one for MCP is made from the tools.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use vitrine_contract::request::{
    AggregateRequest, BlobRequest, CountMode, FieldWindowRequest, Filter, Granularity, Metric, Order, ReadRequest,
    RecordRequest, RecordsRequest, SchemaRequest, SearchMode, SearchRequest, Sort, StreamRequest, StreamsRequest,
};
use vitrine_contract::route;

use crate::app::TestApp;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn paths() -> serde_json::Map<String, Value> {
    let text = std::fs::read_to_string(root().join("docs/openapi.json")).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    document["paths"].as_object().unwrap().clone()
}

/// A path with something in the place of its parameters.
fn place(path: &str) -> String {
    path.replace("{stream}", "messages").replace("{id}", "m1").replace("{blob_id}", "b1")
}

/// A query parameter: its name, how it would be written, whether it must be there.
type Parameter = (String, String, bool);

/// The query parameters of an endpoint.
fn parameters(operation: &Value) -> Vec<Parameter> {
    let listed = operation["parameters"].as_array().cloned().unwrap_or_default();
    let mut found = Vec::new();
    for parameter in listed.iter().filter(|parameter| parameter["in"] == "query") {
        let name = parameter["name"].as_str().unwrap().to_owned();
        let written = match &parameter["example"] {
            Value::Object(members) => {
                let (key, value) = members.iter().next().unwrap();
                format!("{name}[{key}]={}", value.to_string().trim_matches('"'))
            }
            value => format!("{name}={}", value.to_string().trim_matches('"')),
        };
        found.push((name, written, parameter["required"] == true));
    }
    found
}

/// The reads: what the route table knows.
fn reads() -> Vec<(String, Vec<Parameter>)> {
    let is_read = |path: &str| !path.starts_with("/v1/owner") && !path.starts_with("/v1/ingest");
    paths()
        .iter()
        .filter(|(path, operations)| is_read(path) && operations["get"].is_object())
        .map(|(path, operations)| (path.clone(), parameters(&operations["get"])))
        .collect()
}

#[test]
fn each_documented_parameter_is_taken_and_no_other() {
    for (path, parameters) in reads() {
        let required: Vec<&str> = parameters.iter().filter(|p| p.2).map(|p| p.1.as_str()).collect();
        let read = |more: &str| {
            let query: Vec<&str> = required.iter().copied().chain([more]).filter(|part| !part.is_empty()).collect();
            route::parse(&place(&path), &query.join("&"))
        };
        assert!(read("").is_ok(), "{path}");
        for (_, written, _) in parameters.iter().filter(|p| !p.2) {
            assert!(read(written).is_ok(), "{path}?{written}: {:?}", read(written));
        }
        assert!(read("nonsense=1").is_err(), "{path}");
    }
}

/// A request of each kind with everything that can be asked.
fn whole_requests() -> Vec<ReadRequest> {
    let text = |text: &str| Some(text.to_owned());
    let ReadRequest::Records(filtered) = route::parse("/v1/streams/messages/records", "filter[thread_id]=t1").unwrap()
    else {
        panic!("a request for records");
    };
    let filter: Filter = filtered.filter;
    vec![
        ReadRequest::Schema(SchemaRequest { compact: true, stream: text("messages"), connection_id: text("c") }),
        ReadRequest::Streams(StreamsRequest { connection_id: text("c") }),
        ReadRequest::Stream(StreamRequest { stream: "messages".into(), connection_id: text("c") }),
        ReadRequest::Records(RecordsRequest {
            stream: "messages".into(),
            limit: Some(1),
            cursor: text("c"),
            order: Some(Order::Asc),
            sort: Some(Sort { field: "f".into(), direction: Some(Order::Asc) }),
            count: CountMode::Exact,
            filter: filter.clone(),
            fields: Some(vec!["f".into()]),
            view: None,
            expand: vec!["attachments".into()],
            expand_limit: [("attachments".to_owned(), 1)].into(),
            changes_since: text("b"),
            connection_id: text("c"),
            preview_chars: None,
        }),
        ReadRequest::Record(RecordRequest {
            stream: "messages".into(),
            id: "m1".into(),
            fields: Some(vec!["f".into()]),
            expand: vec!["attachments".into()],
            expand_limit: [("attachments".to_owned(), 1)].into(),
            connection_id: text("c"),
            preview_chars: None,
        }),
        ReadRequest::FieldWindow(FieldWindowRequest {
            stream: "messages".into(),
            id: "m1".into(),
            field: text("f"),
            offset_chars: Some(1),
            limit_chars: Some(1),
            q: text("q"),
            before_chars: Some(1),
            after_chars: Some(1),
            connection_id: text("c"),
        }),
        ReadRequest::Aggregate(AggregateRequest {
            stream: "messages".into(),
            metric: Metric::Sum,
            field: text("f"),
            group_by: text("f"),
            group_by_time: text("f"),
            granularity: Some(Granularity::Day),
            time_zone: text("UTC"),
            limit: Some(1),
            filter: filter.clone(),
            connection_id: text("c"),
        }),
        ReadRequest::Search(SearchRequest {
            mode: SearchMode::Hybrid,
            q: "q".into(),
            streams: vec!["messages".into()],
            limit: Some(1),
            cursor: text("c"),
            filter,
            connection_id: text("c"),
        }),
        ReadRequest::Blob(BlobRequest { blob_id: "b1".into(), range: None, connection_id: text("c") }),
    ]
}

#[test]
fn each_parameter_of_the_route_table_is_documented() {
    let reads = reads();
    for request in whole_requests() {
        let written = route::path_and_query(&request);
        let (path, query) = written.split_once('?').unwrap();
        let (_, documented) = reads.iter().find(|(known, _)| place(known) == path).expect(path);
        for pair in query.split('&') {
            let name = pair.split(['=', '[', '%']).next().unwrap();
            assert!(documented.iter().any(|(known, ..)| known == name), "{path}: `{name}` is not documented");
        }
    }
}

#[tokio::test]
async fn each_documented_endpoint_is_there_and_no_other_method() {
    let app = TestApp::with_mail().await;
    for (path, operations) in paths() {
        for method in METHODS {
            let answer = app.call(&method.to_uppercase(), &app.owner, &place(&path)).await;
            assert_eq!(answer.status != 405, operations[method].is_object(), "{method} {path}: {}", answer.json());
            let said = answer.json()["error"]["message"].as_str().unwrap_or_default().to_owned();
            assert!(!said.contains("nothing at this path"), "{method} {path}");
        }
    }
}

#[test]
fn each_route_of_the_server_is_documented() {
    let source = std::fs::read_to_string(root().join("crates/vitrine-server/src/router.rs")).unwrap();
    let v1 = source.split("fn v1<").nth(1).unwrap().split("\n}").next().unwrap();
    let documented: BTreeSet<String> = paths().keys().cloned().collect();
    let routes: Vec<&str> = v1.split('"').skip(1).step_by(2).filter(|text| text.starts_with('/')).collect();
    assert!(routes.len() > 8, "{routes:?}");
    for route in routes {
        assert!(documented.contains(&format!("/v1{route}")), "/v1{route} is not in docs/openapi.json");
    }
}

fn tools() -> String {
    let mut page =
        "# The MCP tools\n\nMade from the tools' own definitions, as clients see them. All six only read.\n".to_owned();
    for tool in vitrine_mcp::tool_definitions() {
        let description = tool.description.as_deref().unwrap_or_default();
        writeln!(page, "\n## `{}`\n\n{description}\n", tool.name).unwrap();
        page += "| argument | type | about |\n| --- | --- | --- |\n";
        let required = tool.input_schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let properties = tool.input_schema.get("properties").and_then(Value::as_object).unwrap();
        for (name, schema) in properties {
            let must = if required.contains(&Value::from(name.as_str())) { ", required" } else { "" };
            writeln!(page, "| `{name}` | {}{must} | {} |", kind(schema), about(schema)).unwrap();
        }
    }
    page
}

fn kind(schema: &Value) -> String {
    match (schema["enum"].as_array(), schema["type"].as_str()) {
        (Some(words), _) => {
            words.iter().map(|word| format!("`{}`", word.as_str().unwrap_or_default())).collect::<Vec<_>>().join(" ")
        }
        (None, Some("array")) => format!("list of {}", kind(&schema["items"])),
        (None, Some(kind)) => kind.to_owned(),
        (None, None) => "any".to_owned(),
    }
}

fn about(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace('|', "\\|").replace('\n', " ")
}

/// With `UPDATE_DOCS=1` the page is written instead.
#[test]
fn the_tool_reference_is_made_from_the_definitions() {
    let (file, page) = (root().join("docs/tools.md"), tools());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, &page).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == page, "docs/tools.md is out of date: run this test with UPDATE_DOCS=1");
}
