//! Other providers: no resume cursors, no previews, and answers of any size.

use serde_json::{Value, json};
use vitrine_contract::{ApiError, ErrorCode};

use crate::fake::{Fake, Outage};
use crate::host::{Host, none};

#[tokio::test]
async fn a_page_that_does_not_fit_is_asked_for_again_with_fewer_rows() {
    let rows = (0..50).map(|n| json!({"id": n, "body": "words and more words ".repeat(40)})).collect();
    let host = Host::connect(Fake::single(rows).foreign()).await;
    let page = host.ok("query_records", json!({"stream": "things", "limit": 50})).await;
    let rows = page.structured["data"]["data"].as_array().unwrap().len();
    assert!(rows > 3 && rows < 50, "{rows}");
    assert_eq!(page.structured["data"]["next_cursor"], format!("at:{rows}"), "the provider's own cursor");
    assert_eq!(host.calls.count(), 2);
}

#[tokio::test]
async fn long_fields_are_cut_here_when_the_provider_does_not() {
    let host = Host::connect(
        Fake::single(vec![json!({"id": 1, "body": "word ".repeat(9_000), "tree": vec!["x"; 400]})]).foreign(),
    )
    .await;
    let page = host.ok("query_records", json!({"stream": "things"})).await;
    let rung = &page.structured["content_ladder"]["records"][0];
    assert_eq!(rung["field_windows"][0]["size_chars"], 45_000);
    assert_eq!(rung["json_fields"], json!(["tree"]));
    assert_eq!(page.structured["data"]["data"][0]["data"]["body"].as_str().unwrap().len(), 400);
}

#[tokio::test]
async fn a_verbose_error_is_bounded() {
    let mut error = ApiError::new(ErrorCode::Other("odd".repeat(500)), "words ".repeat(50_000));
    error.extra.insert("dump".into(), json!("x".repeat(100_000)));
    error.param = Some("p".repeat(10_000));
    let host = Host::connect(Fake { fail_with: Some(error), ..Fake::person() }).await;
    let failed = host.call("schema", json!({})).await;
    assert!(failed.is_error && failed.text.len() < 3_000);
}

#[tokio::test]
async fn an_error_of_the_providers_own_is_passed_on() {
    let mut error = ApiError::new(ErrorCode::Other("quota_exceeded".into()), "Come back tomorrow.");
    error.extra.insert("reset_at".into(), json!("2026-05-02"));
    let host = Host::connect(Fake { fail_with: Some(error), ..Fake::person() }).await;
    let failed = host.call("search", json!({"query": "x"})).await;
    assert_eq!(failed.code(), "quota_exceeded");
    assert_eq!(failed.structured["error"]["reset_at"], "2026-05-02");
    assert!(failed.text.contains("Come back tomorrow.") && failed.text.contains("2026-05-02"));
}

#[tokio::test]
async fn without_a_schema_the_resource_server_decides_on_expansion() {
    let host = Host::connect(Fake { outage: Some(Outage::Schema), ..Fake::person() }).await;
    let arguments = json!({"stream": "notes", "connection_id": "cin_notes", "expand": ["notes"]});
    let page: Value = host.ok("query_records", arguments).await.structured;
    assert!(page["data"]["data"][0]["expanded"]["notes"].is_object());
}

#[tokio::test]
async fn a_refused_credential_is_not_retried() {
    let refused = ApiError::new(ErrorCode::OwnerTokenRefused, "Connect with a grant instead of the owner's token.");
    let host = Host::connect(Fake { fail_with: Some(refused), ..Fake::person() }).await;
    for (tool, arguments) in [("schema", none()), ("search", json!({"query": "zebra"}))] {
        let outcome = host.call(tool, arguments).await;
        assert_eq!(outcome.code(), "owner_token_refused");
        assert!(outcome.text.contains("Do not retry"));
    }
    assert_eq!(host.calls.count(), 2);
}
