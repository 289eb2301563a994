use serde_json::json;

use super::RECORDS;
use crate::app::{PUBLIC_URL, TestApp};
use crate::binary::Binary;
use crate::wire;

#[tokio::test]
async fn an_expired_grant_is_refused() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "source": "gmail", "expires_at": "2026-06-01T00:01:00Z" })).await;
    app.clock.advance(59);
    assert_eq!(app.code(&token, RECORDS).await, "");
    app.clock.advance(1);
    let (status, body) = app.get(&token, RECORDS).await;
    assert_eq!((status, &body["error"]["code"]), (403, &json!("grant_expired")));
    let (_, shown) = app.get(&app.owner, "/v1/owner/grants").await;
    assert_eq!(shown["data"][0]["status"], "expired");
}

#[tokio::test(flavor = "multi_thread")]
async fn revocation_holds_from_the_next_request() {
    let binary = Binary::with_accounts();
    let served = binary.serve();
    let owner = binary.owner_token();
    for over_rest in [true, false] {
        let given = binary.json(&["grant", "create", "--client", "Desk", "--connection", "cin_work"]);
        let token = given["access_token"].as_str().unwrap();
        let id = given["grants"][0]["grant_id"].as_str().unwrap();
        assert_eq!(wire::request(served.address, "GET", RECORDS, token, "").await.0, 200);
        if over_rest {
            let path = format!("/v1/owner/grants/{id}");
            assert_eq!(wire::request(served.address, "DELETE", &path, &owner, "").await.0, 204);
        } else {
            binary.json(&["grant", "revoke", id]);
        }
        let (status, body) = wire::request(served.address, "GET", RECORDS, token, "").await;
        assert_eq!((status, &body["error"]["code"]), (403, &json!("grant_revoked")));
    }
}

#[tokio::test]
async fn a_missing_or_unknown_token_is_challenged() {
    let app = TestApp::with_mail().await;
    let url = format!("{PUBLIC_URL}/.well-known/oauth-protected-resource");
    for authorization in ["", "Bearer", "Bearer nope", "Basic bm9wZQ==", "Bearer \u{e9}", "nope"] {
        let mut request = TestApp::request("GET", "", RECORDS);
        if !authorization.is_empty() {
            request = request.header("authorization", authorization.as_bytes());
        }
        let answer = app.send(request.body("".into()).unwrap()).await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "authentication_error"), "{authorization}");
        assert_eq!(answer.header("www-authenticate"), format!("Bearer resource_metadata=\"{url}\""));
        assert_eq!(answer.json()["error"]["resource_metadata"], json!(url));
    }
    let in_query = app.get("", &format!("{RECORDS}?access_token={}", app.owner)).await;
    assert_eq!(in_query.0, 401, "a token in the URL would end up in logs");
}

#[tokio::test]
async fn tokens_are_stored_as_hashes() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "source": "gmail" })).await;
    for token in [&token, &app.owner] {
        let secret = token.split_once('_').unwrap().1;
        for entry in std::fs::read_dir(app.directory()).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
        }
    }
}

#[tokio::test]
async fn clients_cannot_use_the_owner_s_endpoints() {
    let app = TestApp::with_mail().await;
    let one = app.grant(json!({ "source": "gmail" })).await;
    let package = app.grant(json!({ "package": true })).await;
    for token in [&one, &package] {
        for (method, path) in [
            ("GET", "/v1/owner/sources"),
            ("POST", "/v1/owner/sources"),
            ("GET", "/v1/owner/connections"),
            ("POST", "/v1/owner/connections"),
            ("GET", "/v1/owner/connections/cin_work"),
            ("PATCH", "/v1/owner/connections/cin_work"),
            ("DELETE", "/v1/owner/connections/cin_work"),
            ("GET", "/v1/owner/grants"),
            ("POST", "/v1/owner/grants"),
            ("GET", "/v1/owner/grants/x"),
            ("DELETE", "/v1/owner/grants/x"),
            ("GET", "/v1/owner/packages/x"),
            ("DELETE", "/v1/owner/packages/x"),
        ] {
            let answer = app.call_with(method, token, path, "{}").await;
            let error = &answer.json()["error"];
            assert_eq!((answer.status, &error["code"]), (403, &json!("owner_token_required")), "{method} {path}");
            assert_eq!(error["type"], "permission_error");
        }
    }
}
