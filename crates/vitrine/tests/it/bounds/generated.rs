use axum::body::Body;
use axum::http::{HeaderValue, Request};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::app::TestApp;

/// Pieces that come close to meaning something.
fn segment() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => proptest::sample::select(vec![
            "v1", "mcp", "schema", "streams", "messages", "records", "w1", "field-window", "aggregate", "search",
            "semantic", "blobs", "ingest", "owner", "sources", "connections", "grants", "packages", "healthz",
            ".well-known", "..", "%2e%2e", "%2F", "%00", "%ff", "", "*", "{stream}",
        ]).prop_map(str::to_owned),
        1 => "[a-z0-9%._~:@!$&'()*+,;=-]{0,12}",
    ]
}

fn parameter() -> impl Strategy<Value = String> {
    let name = proptest::sample::select(vec![
        "limit",
        "cursor",
        "order",
        "sort",
        "count",
        "filter[size][gte]",
        "filter[",
        "filter[]",
        "filter[a][b][c]",
        "fields",
        "view",
        "expand",
        "expand[]",
        "expand_limit[attachments]",
        "expand_limit",
        "changes_since",
        "field",
        "offset_chars",
        "limit_chars",
        "q",
        "before_chars",
        "metric",
        "group_by",
        "group_by_time",
        "granularity",
        "time_zone",
        "streams",
        "connection_id",
        "%ff",
        "",
    ]);
    let value = prop_oneof![
        proptest::sample::select(vec![
            "1",
            "0",
            "-1",
            "99999999999999999999",
            "asc",
            "exact",
            "count",
            "sum",
            "size",
            "body",
            "received_at",
            "month",
            "Europe/Berlin",
            "beginning",
            "cin_work",
            "%00",
            "%ff",
            "%F0%9F%98%80",
            "=",
            "",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z0-9%+_.,-]{0,40}",
    ];
    (name, value).prop_map(|(name, value)| format!("{name}={value}"))
}

fn request() -> impl Strategy<Value = (String, String, Vec<u8>, Vec<u8>)> {
    let method = proptest::sample::select(vec!["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"]);
    let path = proptest::collection::vec(segment(), 0..7);
    let query = proptest::collection::vec(parameter(), 0..4);
    let body = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..200),
        r#"[\[\]{}":,a-z0-9\n\\-]{0,80}"#.prop_map(String::into_bytes),
    ];
    let header = proptest::collection::vec(any::<u8>(), 0..30);
    (method, path, query, header, body).prop_map(|(method, path, query, header, body)| {
        let under = if path.first().is_some_and(|first| first == "v1") { "" } else { "/v1" };
        (method.to_owned(), format!("{under}/{}?{}", path.join("/"), query.join("&")), header, body)
    })
}

#[test]
fn no_request_stops_the_server() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let app = runtime.block_on(TestApp::with_mail());
    let config = Config { cases: 1_500, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&request(), |(method, uri, header, body)| {
            let Ok(mut request) = TestApp::request(&method, &app.owner, &uri).body(Body::from(body)) else {
                return Ok(());
            };
            if let Ok(value) = HeaderValue::from_bytes(&header) {
                for name in ["range", "content-type", "content-length", "if-range"] {
                    request.headers_mut().insert(name, value.clone());
                }
            }
            let answer = runtime.block_on(app.send(request));
            prop_assert!(answer.status < 500, "{method} {uri}: {:?}", answer.json());
            let silent = method == "HEAD";
            prop_assert!(answer.status < 400 || silent || !answer.code().is_empty(), "{method} {uri}: no code");
            Ok(())
        })
        .unwrap();
    let alive: Request<Body> = TestApp::request("GET", &app.owner, "/v1/schema").body(Body::empty()).unwrap();
    assert_eq!(runtime.block_on(app.send(alive)).status, 200);
}
