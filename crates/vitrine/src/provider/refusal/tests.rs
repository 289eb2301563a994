use http::HeaderValue;
use serde_json::json;
use vitrine_contract::request::{FieldWindowRequest, SchemaRequest};

use super::*;

fn read(status: u16, content_type: &'static str, body: &str) -> ApiError {
    read_as(&ReadRequest::Schema(SchemaRequest::default()), status, content_type, body)
}

fn read_as(request: &ReadRequest, status: u16, content_type: &'static str, body: &str) -> ApiError {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(content_type))]);
    let status = StatusCode::from_u16(status).unwrap();
    Refusal { status, headers: &headers, body: body.as_bytes(), token: "tok_secret_of_a_test" }.to_error(request)
}

#[test]
fn an_error_object_keeps_all_it_says() {
    let error = json!({
        "type": "conflict_error", "code": "ambiguous_connection", "message": "Say which.", "param": "connection_id",
        "request_id": "req_1", "retry_with": "connection_id", "available_connection_count": 40, "truncated": true,
        "available_connections": [
            { "connection_id": "a", "connector_key": "gmail", "display_name": "A", "grant_id": "g", "has_stream": false },
            { "connector_instance_id": "b" },
        ],
        "docs": { "see": 1 },
    });
    let error = read(409, "application/json", &json!({ "error": error }).to_string());
    assert_eq!((error.code, error.status), (ErrorCode::AmbiguousConnection, 409));
    assert_eq!((error.param.as_deref(), error.request_id.as_deref()), (Some("connection_id"), Some("req_1")));
    assert_eq!(error.retry_with.as_deref(), Some("connection_id"));
    let candidates = error.available_connections.unwrap();
    assert_eq!(candidates.total, 40);
    assert_eq!(candidates.listed.iter().map(|c| c.connection_id.as_str()).collect::<Vec<_>>(), ["b", "a"]);
    let said: Vec<_> = candidates.listed.iter().map(|c| c.has_stream).collect();
    assert_eq!(said, [None, Some(false)], "nothing is made up");
    assert_eq!(Value::Object(error.extra), json!({ "docs": { "see": 1 } }));
}

#[test]
fn every_looser_form_has_a_code_and_a_message() {
    for (status, content_type, body, code, message) in [
        (400, "application/json", r#"{"error":"No such thing"}"#, "invalid_request", "No such thing"),
        (401, "application/json", r#"{"error":"invalid_token","error_description":"Gone."}"#, "invalid_token", "Gone."),
        (403, "application/json", r#"{"message":"Not yours"}"#, "permission_error", "Not yours"),
        (400, "application/json", r#"{"code":"odd","message":"Odd"}"#, "odd", "Odd"),
        (403, "application/json", r#"{"error":"grant_revoked","message":"Gone."}"#, "grant_revoked", "Gone."),
        (404, "application/json", r#""Nothing here""#, "not_found", "Nothing here"),
        (429, "text/plain", " Slow\u{0} down\n", "rate_limit_exceeded", "Slow down"),
    ] {
        let error = read(status, content_type, body);
        assert_eq!((error.code.as_str(), error.message.as_str(), error.status), (code, message, status), "{body}");
        assert!(error.extra.is_empty(), "{body}");
    }
    for (status, content_type, body, code) in [
        (502, "text/html", "<html>Bad Gateway</html>", "provider_unavailable"),
        (500, "text/plain", "<!doctype html>", "api_error"),
        (500, "text/html", "Sorry", "api_error"),
        (418, "application/json", "[1]", "invalid_request"),
        (410, "application/json", "", "cursor_expired"),
        (403, "application/json", r#"{"error":{"code":"","message":7}}"#, "permission_error"),
        (403, "application/json", r#"{"error":"grant_revoked"}"#, "grant_revoked"),
        (403, "application/json", r#""grant_expired""#, "grant_expired"),
    ] {
        let error = read(status, content_type, body);
        assert_eq!(error.code.as_str(), code, "{body}");
        assert!(error.message.contains(&status.to_string()), "{}", error.message);
    }
}

#[test]
fn a_field_window_path_that_is_not_there_is_told_from_a_record_that_is_not() {
    let window = ReadRequest::FieldWindow(FieldWindowRequest::default());
    let code = |status, body: &str| read_as(&window, status, "application/json", body).code;
    for body in ["", "Not Found", r#"{"error":"not found"}"#, r#"{"message":"Cannot GET"}"#, r#"{"error":{}}"#] {
        assert_eq!(code(404, body), ErrorCode::FieldWindowUnsupported, "{body}");
    }
    for (status, body) in [
        (404, r#"{"error":{"code":"route_not_found","message":"No route."}}"#),
        (404, r#"{"error":{"code":"no_such_endpoint"}}"#),
        (405, ""),
        (405, r#"{"error":{"code":"method_not_allowed"}}"#),
        (501, r#"{"error":{"code":"not_implemented"}}"#),
    ] {
        assert_eq!(code(status, body), ErrorCode::FieldWindowUnsupported, "{status} {body}");
    }
    assert_eq!(read(405, "application/json", "").code, ErrorCode::MethodNotAllowed);
    assert_eq!(code(404, r#"{"error":{"code":"not_found"}}"#), ErrorCode::NotFound);
    assert_eq!(code(404, r#"{"error":{"code":"field_not_found"}}"#), ErrorCode::FieldNotFound);
    assert_eq!(code(400, ""), ErrorCode::InvalidRequest);
}

#[test]
fn a_token_that_is_repeated_is_taken_out() {
    for body in [
        r#"{"error":{"code":"x","message":"bad tok_secret_of_a_test","seen":["tok_secret_of_a_test"]}}"#,
        r#"{"error":"tok_secret_of_a_test is bad"}"#,
        r#"{"message":"tok\u005fsecret_of_a_test"}"#,
        "tok_secret_of_a_test?",
    ] {
        let error = read(401, "application/json", body);
        assert!(!error.to_body().to_string().contains("tok_secret_of_a_test"), "{body}");
    }
}

#[test]
fn a_short_token_damages_no_error() {
    let headers = HeaderMap::new();
    let body = br#"{"error":{"type":"token_error","code":"token_ended","message":"The token has ended."}}"#;
    for token in ["tok", "token_ended_token_ended"] {
        let refusal = Refusal { status: StatusCode::UNAUTHORIZED, headers: &headers, body, token };
        let error = refusal.to_error(&ReadRequest::Schema(SchemaRequest::default()));
        assert_eq!((error.code.as_str(), error.message.as_str()), ("token_ended", "The token has ended."));
    }
    let body = br#"{"error":{"code":"a_token_that_is_a_code","message":"a_token_that_is_a_code"}}"#;
    let refusal =
        Refusal { status: StatusCode::UNAUTHORIZED, headers: &headers, body, token: "a_token_that_is_a_code" };
    let error = refusal.to_error(&ReadRequest::Schema(SchemaRequest::default()));
    assert_eq!((error.code.as_str(), error.message.as_str()), ("a_token_that_is_a_code", "…"));
}

#[test]
fn connections_that_have_the_stream_go_first_however_many_there_are() {
    let rows: Vec<Value> = (0..30)
        .map(|n| json!({ "connection_id": format!("c{n:02}"), "connector_key": "gmail", "has_stream": n >= 28 }))
        .collect();
    let error = json!({ "error": { "code": "ambiguous_connection", "available_connections": rows } });
    let error = read(409, "application/json", &error.to_string());
    assert_eq!(error.retry_with.as_deref(), Some("connection_id"));
    let candidates = error.available_connections.unwrap();
    let ids: Vec<&str> = candidates.listed.iter().map(|c| c.connection_id.as_str()).collect();
    assert_eq!((ids.len(), &ids[..3], candidates.total), (12, &["c28", "c29", "c00"][..], 30));
}

#[test]
fn a_long_message_is_cut() {
    let error = read(400, "text/plain", &"é".repeat(5_000));
    assert_eq!(error.message.chars().count(), MAX_MESSAGE_CHARS);
}
