use serde_json::json;

use super::RECORDS;
use crate::app::TestApp;

#[tokio::test]
async fn a_package_reads_through_its_members() {
    let app = TestApp::with_mail().await;
    let streams = json!([{ "name": "messages", "fields": ["id", "subject"] }]);
    let token = app.grant(json!({ "package": true, "streams": streams })).await;
    assert_eq!(app.ids(&token, &format!("{RECORDS}?connection_id=cin_work")).await, ["w3", "w2", "w1"]);
    assert_eq!(app.ids(&token, &format!("{RECORDS}?connection_id=cin_home")).await, ["h1"]);
    assert_eq!(app.code(&token, &format!("{RECORDS}?connection_id=cin_work&fields=body")).await, "field_not_granted");
    for path in [
        RECORDS.to_owned(),
        format!("{RECORDS}/w1"),
        format!("{RECORDS}/w1/field-window?field=subject"),
        "/v1/streams/messages/aggregate?metric=count".to_owned(),
    ] {
        let (status, body) = app.get(&token, &path).await;
        let error = &body["error"];
        assert_eq!((status, &error["code"]), (409, &json!("ambiguous_connection")), "{path}");
        assert_eq!(error["retry_with"], "connection_id");
        assert_eq!(error["available_connections"].as_array().map(Vec::len), Some(2));
    }
    let (_, schema) = app.get(&token, "/v1/schema").await;
    assert_eq!(schema["bearer"]["token_kind"], "mcp_package");
}

#[tokio::test]
async fn a_package_ends_with_its_last_member() {
    let app = TestApp::with_mail().await;
    let request = json!({ "client_name": "Desk", "package": true });
    let given = app.post(&app.owner, "/v1/owner/grants", &request).await.json();
    let token = given["access_token"].as_str().unwrap();
    let members: Vec<(&str, &str)> = given["grants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|grant| (grant["grant_id"].as_str().unwrap(), grant["connection_id"].as_str().unwrap()))
        .collect();
    let [(first, first_connection), (last, last_connection)] = members[..] else { panic!("{given}") };
    assert_eq!(app.call("DELETE", &app.owner, &format!("/v1/owner/grants/{first}")).await.status, 204);
    let gone = app.code(token, &format!("{RECORDS}?connection_id={first_connection}")).await;
    assert_eq!(gone, "connection_not_granted");
    assert_eq!(app.code(token, &format!("{RECORDS}?connection_id={last_connection}")).await, "");
    assert_eq!(app.call("DELETE", &app.owner, &format!("/v1/owner/grants/{last}")).await.status, 204);
    assert_eq!(app.code(token, "/v1/schema").await, "grant_revoked");
}
