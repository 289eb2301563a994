use serde_json::json;
use vitrine::provider::credential::{CredentialError, check_kind};
use vitrine::provider::{HttpRead, Options};

use super::fake::Fake;
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
