//! Every code of the contract that the server can answer has a request here that makes it.

use std::collections::BTreeSet;

use axum::Router;
use axum::routing::get;
use serde_json::json;
use vitrine_contract::ErrorCode;
use vitrine_server::Limits;

use crate::app::{Answer, TestApp};
use crate::fixtures::{gmail, mail};

/// Codes that only another layer answers: the MCP adapter.
const NOT_OURS: &[ErrorCode] = &[
    ErrorCode::ConflictingConnectionId,
    ErrorCode::FieldWindowUnsupported,
    ErrorCode::AmbiguousSchemaDetail,
    ErrorCode::Conflict,
];

const RECORDS: &str = "/v1/streams/messages/records";
const YEAR: i64 = 366 * 24 * 3600;

struct Callers {
    app: TestApp,
    /// All of `cin_work` and `cin_home`.
    wide: String,
    /// Three fields of the mail of `cin_work`.
    narrow: String,
    revoked: String,
    /// Ends when the clock has moved by a year.
    ending: String,
}

async fn callers() -> Callers {
    let mcp = Router::new().route("/", get(async || -> &'static str { panic!("on purpose") }));
    let limits = Limits { json_bytes: 16 * 1024, ..Limits::default() };
    let app = TestApp::start_with(limits, Some(mcp)).await;
    app.source(&gmail()).await;
    for connection in ["cin_work", "cin_home"] {
        app.connection("gmail", connection).await;
        app.ingest(connection, "messages", &[mail(&format!("only_{connection}"), 1), mail("both", 2)]).await;
    }
    let wide = app.grant(json!({ "source": "gmail" })).await;
    let fields = json!([{ "name": "messages", "fields": ["id", "subject", "received_at"] }]);
    let narrow = app.grant(json!({ "connections": ["cin_work"], "streams": fields })).await;
    let ending = app.grant(json!({ "source": "gmail", "expires_at": "2026-12-01T00:00:00Z" })).await;
    let given = app.post(&app.owner, "/v1/owner/grants", &json!({ "client_name": "Desk", "source": "gmail" })).await;
    let given = given.json();
    let id = given["grants"][0]["grant_id"].as_str().expect("a grant id");
    assert_eq!(app.call("DELETE", &app.owner, &format!("/v1/owner/grants/{id}")).await.status, 204);
    let revoked = given["access_token"].as_str().expect("a token").to_owned();
    Callers { app, wide, narrow, revoked, ending }
}

/// One failing answer for each of the codes.
pub(crate) async fn failures() -> Vec<(ErrorCode, Answer)> {
    use ErrorCode as E;
    let Callers { app, wide, narrow, revoked, ending } = callers().await;
    let window = |query: &str| format!("{RECORDS}/only_cin_work/field-window{query}");
    let mut failures = Vec::new();
    for (code, token, path) in [
        (E::InvalidRequest, &wide, "/v1/schema?nope=1".to_owned()),
        (E::InvalidCursor, &wide, format!("{RECORDS}?cursor=abc")),
        (E::InvalidExpand, &wide, format!("{RECORDS}?expand=nope")),
        (E::InvalidFilter, &wide, format!("{RECORDS}?filter[body]=x")),
        (E::InvalidSort, &wide, format!("{RECORDS}?sort=subject")),
        (E::UnknownField, &wide, format!("{RECORDS}?fields=nope")),
        (E::InvalidWindow, &wide, window("?field=body&offset_chars=1&q=x")),
        (E::InvalidFieldPath, &wide, window("")),
        (E::InvalidId, &wide, format!("{RECORDS}/a%2Fb")),
        (E::AuthenticationError, &String::new(), "/v1/schema".to_owned()),
        (E::FieldNotGranted, &narrow, format!("{RECORDS}?fields=body")),
        (E::GrantStreamNotAllowed, &narrow, "/v1/streams/labels/records".to_owned()),
        (E::ConnectionNotGranted, &narrow, format!("{RECORDS}?connection_id=cin_home")),
        (E::GrantRevoked, &revoked, "/v1/schema".to_owned()),
        (E::OwnerTokenRefused, &app.owner, "/mcp".to_owned()),
        (E::NotFound, &wide, format!("{RECORDS}/nope")),
        (E::BlobNotFound, &wide, "/v1/blobs/nope".to_owned()),
        (E::FieldNotFound, &wide, window("?field=headers")),
        (E::MatchNotFound, &wide, window("?field=body&q=nope")),
        (E::AmbiguousConnection, &wide, format!("{RECORDS}/both")),
        (E::FieldNotText, &wide, window("?field=size")),
        (E::ApiError, &wide, "/mcp".to_owned()),
    ] {
        failures.push((code, app.call("GET", token, &path).await));
    }
    failures.push((E::MethodNotAllowed, app.call("POST", &wide, "/v1/schema").await));
    let versioned = TestApp::request("GET", &wide, "/v1/schema").header("pdpp-version", "1999-01-01");
    failures.push((E::UnsupportedVersion, app.send(versioned.body("".into()).expect("a request")).await));
    let large = app.call_with("POST", &app.owner, "/v1/owner/sources", "x".repeat(17 * 1024)).await;
    failures.push((E::PayloadTooLarge, large));
    let (_, page) = app.get(&wide, &format!("{RECORDS}?changes_since=beginning")).await;
    let bookmark = page["next_changes_since"].as_str().expect("a bookmark");
    app.clock.advance(YEAR);
    let stale = app.call("GET", &wide, &format!("{RECORDS}?changes_since={bookmark}")).await;
    failures.push((E::CursorExpired, stale));
    failures.push((E::RateLimitExceeded, limited().await));
    failures.push((E::GrantExpired, app.call("GET", &ending, "/v1/schema").await));
    failures
}

/// The answer to one request more than the limit allows.
async fn limited() -> Answer {
    let app = TestApp::start_with(Limits { requests_per_second: 1, ..Limits::default() }, None).await;
    for _ in 0..60 {
        assert_eq!(app.call("GET", &app.owner, "/v1/schema").await.status, 200);
    }
    app.call("GET", &app.owner, "/v1/schema").await
}

#[tokio::test]
async fn each_code_is_answered_where_it_belongs() {
    for (code, answer) in failures().await {
        assert_eq!((answer.code().as_str(), answer.status), (code.as_str(), code.status()), "{:?}", answer.json());
    }
}

#[tokio::test]
async fn no_code_is_left_out() {
    let seen: BTreeSet<String> = failures().await.iter().map(|(code, _)| code.as_str().to_owned()).collect();
    for code in ErrorCode::ALL.iter().filter(|code| !NOT_OURS.contains(code)) {
        assert!(seen.contains(code.as_str()), "nothing answers {}", code.as_str());
    }
}
