use super::*;

async fn introspect(app: &TestApp, bearer: &str, token: &str) -> Answer {
    let request = TestApp::request("POST", bearer, "/oauth/introspect")
        .header("content-type", "application/x-www-form-urlencoded");
    app.send(request.body(encoded(&[("token", token)]).into()).unwrap()).await
}

#[tokio::test]
async fn a_token_tells_its_kind_to_who_may_know() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let tokens = client.connect(&browser, &[]).await;
    let token = tokens["access_token"].as_str().unwrap();
    for bearer in [app.owner.as_str(), token] {
        let body = introspect(&app, bearer, token).await.json();
        assert_eq!((body["active"].as_bool(), body["pdpp_token_kind"].as_str()), (Some(true), Some("mcp_package")));
        assert_eq!(body["client_id"], client.id.as_str());
        assert_eq!(body["grant_package_id"], tokens["grant_package_id"]);
        assert_eq!(body["exp"].as_i64(), Some(app.clock.now().as_second() + 3_600));
    }
    let owner = introspect(&app, &app.owner, &app.owner).await.json();
    assert_eq!(owner["pdpp_token_kind"], "owner");
    for (bearer, asked) in [("", token), ("vtc_wrong", token), (token, app.owner.as_str())] {
        assert_eq!(refusal(&introspect(&app, bearer, asked).await), (401, "invalid_client".to_owned()));
    }
    app.clock.advance(3_600);
    assert_eq!(introspect(&app, &app.owner, token).await.json(), json!({ "active": false }));
    assert_eq!(introspect(&app, &app.owner, "vtc_unknown").await.json(), json!({ "active": false }));
}

#[tokio::test]
async fn a_client_ends_its_own_tokens() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let (client, other) = (Client::register(&app).await, Client::register(&app).await);
    let tokens = client.connect(&browser, &[]).await;
    let (access, refresh) = (tokens["access_token"].as_str().unwrap(), tokens["refresh_token"].as_str().unwrap());
    for token in [access, refresh] {
        let answer = post_form(&app, "/oauth/revoke", &[("token", token), ("client_id", &other.id)]).await;
        assert_eq!(answer.status, 400);
    }
    assert_eq!(reads(&app, &tokens, "cin_work").await.0, 200);
    let revoke = async |token: &str| {
        post_form(&app, "/oauth/revoke", &[("token", token), ("client_id", &client.id)]).await.status
    };
    assert_eq!(revoke("vtc_unknown").await, 200);
    assert_eq!(revoke(access).await, 200);
    assert_eq!(reads(&app, &tokens, "cin_work").await.0, 401);
    let again = client.refresh(refresh).await.json();
    assert_eq!(revoke(again["refresh_token"].as_str().unwrap()).await, 200);
    assert_eq!(reads(&app, &again, "cin_work").await.0, 401);
}
