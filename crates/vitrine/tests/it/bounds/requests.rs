use serde_json::json;

use crate::app::{PUBLIC_URL, TestApp};
use crate::errors::failures;

const RECORDS: &str = "/v1/streams/messages/records";

#[tokio::test]
async fn errors_have_one_form() {
    for (code, answer) in failures().await {
        let body = answer.json();
        let error = &body["error"];
        assert_eq!(body.as_object().map(serde_json::Map::len), Some(1), "{body}");
        assert_eq!(error["code"], code.as_str());
        assert_eq!(answer.status, code.status(), "{body}");
        let family = match answer.status {
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            409 => "conflict_error",
            410 => "gone_error",
            429 => "rate_limit_error",
            500 => "api_error",
            _ => "invalid_request_error",
        };
        assert_eq!(error["type"], family, "{body}");
        assert!(error["message"].as_str().is_some_and(|message| message.ends_with('.')), "{body}");
        assert_eq!(error["request_id"], answer.header("request-id"));
        assert!(answer.header("request-id").starts_with("req_"));
        assert_eq!(answer.header("pdpp-version"), "2026-04-06");
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
}

#[tokio::test]
async fn unknown_parameters_are_refused() {
    let app = TestApp::with_mail().await;
    for path in [
        "/v1/schema?nope=1",
        "/v1/streams?limit=1",
        "/v1/streams/messages?limit=1",
        "/v1/streams/messages/records?nope",
        "/v1/streams/messages/records?FIELDS=id",
        "/v1/streams/messages/records/w1?limit=1",
        "/v1/streams/messages/records/w1/field-window?field=body&nope=",
        "/v1/streams/messages/aggregate?metric=count&nope=1",
        "/v1/search?q=a&nope=1",
        "/v1/blobs/b?nope=1",
        "/v1/owner/sources?nope=1",
        "/v1/owner/connections?nope=1",
        "/v1/owner/connections/cin_work?nope=1",
        "/v1/owner/grants?nope=1",
    ] {
        let answer = app.call("GET", &app.owner, path).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "invalid_request"), "{path}");
        let named = answer.json()["error"]["param"].clone();
        assert!(named.as_str().is_some_and(|name| path.contains(name)), "{path}: {named}");
    }
}

#[tokio::test]
async fn doubled_parameters_are_refused() {
    let app = TestApp::with_mail().await;
    for query in [
        "limit=1&limit=2",
        "limit=1&limit=1",
        "order=asc&order=asc",
        "connection_id=cin_work&connection_id=cin_work",
        "filter[sender]=a&filter[sender]=b",
        "filter[size][gte]=1&filter[size][gte]=2",
        "filter[size]=1&filter[size][gte]=2",
        "cursor=a&cursor=b",
        "l%69mit=1&limit=2",
    ] {
        assert_eq!(app.get(&app.owner, &format!("{RECORDS}?{query}")).await.0, 400, "{query}");
    }
    let twice = "/v1/ingest/messages?connection_id=cin_work&connection_id=cin_home";
    assert_eq!(app.call("POST", &app.owner, twice).await.code(), "invalid_request");
}

#[tokio::test]
async fn limits_are_positive_numbers() {
    let app = TestApp::with_mail().await;
    for limit in ["0", "-1", "x", "", "1.5", "1e3", "%2B1", "٣"] {
        let path = format!("{RECORDS}?limit={limit}");
        assert_eq!(app.code(&app.owner, &path).await, "invalid_request", "{limit}");
    }
}

#[tokio::test]
async fn unsupported_versions_are_refused() {
    let app = TestApp::with_mail().await;
    for (version, status) in [("2026-04-06", 200), ("2026-04-07", 400), ("", 400), ("latest", 400)] {
        let request = TestApp::request("GET", &app.owner, "/v1/streams").header("PDPP-Version", version);
        let answer = app.send(request.body("".into()).unwrap()).await;
        assert_eq!(answer.status, status, "{version}");
        assert_eq!(answer.code(), if status == 200 { "" } else { "unsupported_version" });
    }
}

#[tokio::test]
async fn unknown_methods_get_a_typed_answer() {
    let app = TestApp::with_mail().await;
    for (path, allowed) in [
        ("/v1/schema", "GET,HEAD"),
        ("/v1/streams/messages/aggregate", "GET,HEAD"),
        ("/v1/streams/messages/records/w1", "GET,HEAD,DELETE"),
        ("/v1/blobs/b", "GET,HEAD,PUT"),
        ("/v1/owner/sources", "GET,HEAD,POST"),
        ("/v1/owner/connections/c", "GET,HEAD,PATCH,DELETE"),
        ("/v1/ingest/messages", "POST"),
        ("/healthz", "GET,HEAD"),
    ] {
        for method in ["OPTIONS", "TRACE", "BREW"] {
            let answer = app.call(method, &app.owner, path).await;
            assert_eq!((answer.status, answer.code().as_str()), (405, "method_not_allowed"), "{method} {path}");
            assert_eq!(answer.header("allow"), allowed, "{method} {path}");
        }
    }
    let answer = app.call("POST", &app.owner, "/v1/nothing").await;
    assert_eq!((answer.status, answer.code().as_str()), (404, "not_found"));
}

#[tokio::test]
async fn authentication_comes_before_routing() {
    let app = TestApp::start().await;
    let root = format!("{PUBLIC_URL}/.well-known/oauth-protected-resource");
    for (path, metadata) in [
        ("/v1", root.clone()),
        ("/v1/", root.clone()),
        ("/v1/schema", root.clone()),
        ("/v1/schema?nope=1", root.clone()),
        ("/v1/nothing", root.clone()),
        ("/v1/owner/grants", root.clone()),
        ("/v1/ingest/messages", root.clone()),
        ("/v1/%ff", root.clone()),
        ("/mcp", format!("{root}/mcp")),
        ("/mcp/", format!("{root}/mcp")),
        ("/mcp/nothing", format!("{root}/mcp")),
    ] {
        for method in ["GET", "HEAD", "POST", "DELETE", "BREW"] {
            let answer = app.call(method, "", path).await;
            assert_eq!(answer.status, 401, "{method} {path}");
            let challenge = format!("Bearer resource_metadata=\"{metadata}\"");
            assert_eq!(answer.header("www-authenticate"), challenge, "{method} {path}");
            if method != "HEAD" {
                assert_eq!(answer.json()["error"]["resource_metadata"], json!(metadata), "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn refusals_of_the_mcp_transport_have_the_form_of_all_errors() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    let long = format!("{hello}{}", " ".repeat(300_000));
    for (method, header, value, body, status, code) in [
        ("POST", "x-nothing", "-", &long, 413, "payload_too_large"),
        ("POST", "host", "evil.example", &hello, 403, "invalid_request"),
        ("POST", "origin", "https://evil.example", &hello, 403, "invalid_request"),
        ("POST", "content-type", "text/plain", &hello, 415, "invalid_request"),
        ("POST", "accept", "text/html", &hello, 406, "invalid_request"),
        ("POST", "mcp-protocol-version", "1999-01-01", &hello, 400, "invalid_request"),
        ("GET", "x-nothing", "-", &hello, 405, "method_not_allowed"),
        ("DELETE", "x-nothing", "-", &hello, 405, "method_not_allowed"),
        ("PUT", "x-nothing", "-", &hello, 405, "method_not_allowed"),
    ] {
        let mut request = TestApp::request(method, &token, "/mcp").body(body.clone().into()).unwrap();
        for (name, usual) in [
            ("host", "127.0.0.1"),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ] {
            request.headers_mut().insert(name, usual.parse().unwrap());
        }
        request.headers_mut().insert(header, value.parse().unwrap());
        let answer = app.send(request).await;
        let said = format!("{method} {header}: {value}: {}", String::from_utf8_lossy(&answer.body));
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{said}");
        let error = &answer.json()["error"];
        let family = if status == 403 { "permission_error" } else { "invalid_request_error" };
        assert_eq!(
            (&error["type"], &error["request_id"]),
            (&json!(family), &json!(answer.header("request-id"))),
            "{said}"
        );
        assert!(error["message"].as_str().is_some_and(|message| message.ends_with('.')), "{said}");
        assert_eq!(
            (answer.header("content-type"), answer.header("pdpp-version")),
            ("application/json", "2026-04-06"),
            "{said}"
        );
        assert_eq!(answer.header("allow"), if status == 405 { "POST" } else { "" }, "{said}");
    }
}

#[tokio::test]
async fn encoded_paths_stay_inside_their_segment() {
    let app = TestApp::with_mail().await;
    for (path, status) in [
        ("/v1/streams/messages%2Frecords", 404),
        ("/v1/streams/messages/records/w1%2Ffield-window", 400),
        ("/v1/streams/messages/records/..%2F..%2Fowner", 400),
        ("/v1/streams/messages/records/%2e%2e", 400),
        ("/v1/streams/messages/records/a%00b", 400),
        ("/v1/streams/messages/records/a%5Cb", 400),
        ("/v1/streams/messages/records/%ff", 400),
        ("/v1/streams/%ff/records", 400),
        ("/v1/owner/grants/%ff", 400),
        ("/v1/owner%2Fgrants", 404),
        ("/v1/owner/connections/cin_work%2F..", 404),
        ("/v1/blobs/%00", 404),
        ("/v1//schema", 404),
        ("/v1/./schema", 404),
        ("/v1/schema/", 404),
        ("/v1/streams/messages/../labels", 404),
        ("/%761/schema", 404),
        ("//v1/schema", 404),
    ] {
        let answer = app.call("GET", &app.owner, path).await;
        assert_eq!(answer.status, status, "{path}: {:?}", answer.json());
        assert!(!answer.code().is_empty(), "{path}");
    }
    let reachable = app.call("GET", &app.owner, "/v1/s%63hema").await;
    assert_eq!(reachable.status, 200, "an encoded letter is that letter");
}

#[tokio::test]
async fn long_urls_are_refused() {
    let app = TestApp::with_mail().await;
    let path = format!("{RECORDS}?cursor={}", "a".repeat(61 * 1024));
    assert_eq!(app.code(&app.owner, &path).await, "invalid_request");
    let many: Vec<String> = (0..300).map(|n| format!("filter[f{n}]=1")).collect();
    assert_eq!(app.code(&app.owner, &format!("{RECORDS}?{}", many.join("&"))).await, "invalid_request");
}
