use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use vitrine::provider::credential::{CredentialError, check_kind};
use vitrine::provider::{HttpRead, Options};
use vitrine_contract::request::{BlobRequest, RecordsRequest, SchemaRequest};
use vitrine_contract::{ErrorCode, ReadApi};

use super::fake::{Fake, call, response};
use crate::app::TestApp;

#[tokio::test]
async fn a_provider_that_says_owner_is_believed() {
    for (bearer, refused) in [
        (json!({ "token_kind": "owner" }), true),
        (json!({ "token_kind": "anything" }), true),
        (json!({ "token_kind": "client" }), false),
        (json!({ "token_kind": "mcp_package" }), false),
        (json!({}), false),
        (json!(null), false),
    ] {
        let provider = Fake::json(&json!({ "connectors": [], "bearer": bearer })).await;
        let checked = check_kind(&provider.reader()).await;
        assert_eq!(checked.is_err_and(|error| error.is_refusal()), refused, "{bearer}");
        assert_eq!(provider.seen()[0].path_and_query, "/v1/schema?view=compact");
    }
}

#[tokio::test]
async fn a_provider_that_cannot_tell_is_not_a_refusal() {
    let provider = Fake::saying(401, "text/plain", "Who are you?").await;
    let error = check_kind(&provider.reader()).await.unwrap_err();
    assert!(!error.is_refusal());
    assert!(matches!(error, CredentialError::Provider(error) if error.status == 401));
}

/// A provider whose schema cannot be had at first; from then on it tells whose credential it was given.
async fn telling_late(schema: serde_json::Value) -> Fake {
    let asked_before = Arc::new(AtomicBool::new(false));
    Fake::answering(move |path| {
        let is_schema = path.starts_with("/v1/schema");
        ready(if is_schema && !asked_before.swap(true, Ordering::SeqCst) {
            response(500, "text/plain", "Not now.")
        } else if is_schema {
            response(200, "application/json", schema.to_string())
        } else {
            response(200, "application/json", json!({ "data": [] }).to_string())
        })
    })
    .await
}

#[tokio::test]
async fn a_provider_that_says_owner_later_is_believed_then() {
    let bearer = json!({ "token_kind": "owner" });
    for schema in [
        json!({ "connectors": [], "bearer": bearer }),
        json!({ "connectors": [], "data": { "bearer": bearer } }),
        json!({ "bearer": bearer }),
    ] {
        let provider = telling_late(schema.clone()).await;
        let reader = provider.reader().for_agent();
        assert!(check_kind(&reader).await.is_ok());
        let records = RecordsRequest { stream: "messages".into(), ..RecordsRequest::default() };
        assert!(reader.records(&records).await.is_ok(), "nobody has said so yet");
        let refused = reader.schema(&SchemaRequest::default()).await.unwrap_err();
        assert_eq!((refused.code, refused.status), (ErrorCode::OwnerTokenRefused, 403), "{schema}");

        let seen = provider.seen().len();
        let again = reader.clone();
        assert_eq!(again.records(&records).await.unwrap_err().code, ErrorCode::OwnerTokenRefused);
        assert_eq!(again.schema(&SchemaRequest::default()).await.unwrap_err().code, ErrorCode::OwnerTokenRefused);
        assert_eq!(again.blob(&BlobRequest::default()).await.unwrap_err().code, ErrorCode::OwnerTokenRefused);
        assert_eq!(provider.seen().len(), seen, "nothing more is read with it");
    }
}

#[tokio::test]
async fn no_tool_reads_with_a_credential_that_turned_out_to_be_the_owners() {
    for (tool, arguments) in
        [("schema", json!({})), ("query_records", json!({ "stream": "messages", "expand": ["attachments"] }))]
    {
        let provider = telling_late(json!({ "connectors": [], "bearer": { "token_kind": "owner" } })).await;
        let answer = call(&provider, tool, arguments).await;
        assert_eq!(answer["structuredContent"]["error"]["code"], "owner_token_refused", "{answer}");
        assert!(provider.seen().iter().all(|asked| asked.path_and_query.starts_with("/v1/schema")));
    }
}

#[tokio::test]
async fn our_own_server_tells_an_owner_from_a_client() {
    let app = TestApp::with_mail().await;
    let base = format!("http://{}", app.listen().await);
    let client = app.grant(json!({ "connections": ["cin_work"] })).await;
    let package = app.grant(json!({ "package": true })).await;
    for (token, refused) in [(&app.owner, true), (&client, false), (&package, false)] {
        let reader = HttpRead::new(&base, token, Options::default()).unwrap();
        assert_eq!(check_kind(&reader).await.is_err(), refused);
    }
}
