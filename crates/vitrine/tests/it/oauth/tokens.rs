use super::*;

fn no_good() -> (u16, String) {
    (400, "invalid_grant".to_owned())
}

#[tokio::test]
async fn a_code_that_comes_twice_ends_what_it_issued() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let code = client.code(&browser, &[]).await;
    let tokens = client.redeem(&code).await.json();
    assert_eq!(reads(&app, &tokens, "cin_work").await.0, 200);
    assert_eq!(refusal(&client.redeem(&code).await), no_good());
    assert_eq!(reads(&app, &tokens, "cin_work").await.0, 401);
    assert_eq!(refusal(&client.refresh(tokens["refresh_token"].as_str().unwrap()).await), no_good());
}

#[tokio::test]
async fn a_code_redeemed_by_two_at_once_is_good_for_neither() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let code = client.code(&browser, &[]).await;
    let (one, two) = tokio::join!(client.redeem(&code), client.redeem(&code));
    let (good, bad) = if one.status == 200 { (one, two) } else { (two, one) };
    assert_eq!((good.status, refusal(&bad)), (200, no_good()));
    assert_eq!(reads(&app, &good.json(), "cin_work").await.0, 401);
}

#[tokio::test]
async fn a_code_ends_after_a_minute() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let (late, in_time) = (client.code(&browser, &[]).await, client.code(&browser, &[]).await);
    app.clock.advance(59);
    assert_eq!(client.redeem(&in_time).await.status, 200);
    app.clock.advance(1);
    assert_eq!(refusal(&client.redeem(&late).await), no_good());
}

#[tokio::test]
async fn a_stolen_code_is_worth_nothing() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let (client, thief) = (Client::register(&app).await, Client::register(&app).await);
    let code = client.code(&browser, &[]).await;
    assert_eq!(refusal(&thief.redeem(&code).await), no_good());
    let other = "x".repeat(43);
    let base = [("grant_type", "authorization_code"), ("code", code.as_str())];
    let tries: [(&[(&str, &str)], &str); 5] = [
        (&[("code_verifier", &other)], "invalid_grant"),
        (&[("code_verifier", CHALLENGE)], "invalid_grant"),
        (&[], "invalid_request"),
        (&[("code_verifier", VERIFIER), ("redirect_uri", "http://127.0.0.1:1/callback")], "invalid_grant"),
        (&[("code_verifier", VERIFIER), ("resource", "https://evil.example/")], "invalid_target"),
    ];
    for (params, error) in tries {
        let answer = client.token(&[&base[..], params].concat()).await;
        assert_eq!(refusal(&answer), (400, error.to_owned()), "{params:?}");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
    assert_eq!(client.redeem(&code).await.status, 200);
}

#[tokio::test]
async fn a_single_use_grant_issues_one_access_token() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let mut once = work_mail();
    once[0]["access_mode"] = json!("single_use");
    let tokens = client.connect(&browser, &[("authorization_details", &details(&once))]).await;
    assert_eq!(tokens.get("refresh_token"), None);
    assert_eq!(tokens["authorization_details"][0]["access_mode"], "single_use");
    assert_eq!(reads(&app, &tokens, "cin_work").await.0, 200);
    app.clock.advance(3_600);
    assert_eq!(reads(&app, &tokens, "cin_work").await.0, 401);
}

#[tokio::test]
async fn other_grant_types_are_not_known() {
    let app = TestApp::with_mail().await;
    let client = Client::register(&app).await;
    for (kind, error) in [
        ("password", "unsupported_grant_type"),
        ("client_credentials", "unsupported_grant_type"),
        ("", "invalid_request"),
    ] {
        assert_eq!(refusal(&client.token(&[("grant_type", kind)]).await), (400, error.to_owned()), "{kind}");
    }
    assert_eq!(refusal(&post_form(&app, "/oauth/token", &[]).await), (401, "invalid_client".to_owned()));
    let doubled = client.token(&[("grant_type", "refresh_token"), ("grant_type", "refresh_token")]).await;
    assert_eq!(refusal(&doubled), (400, "invalid_request".to_owned()));
    let json = app.call_with("POST", "", "/oauth/token", "{}").await;
    assert_eq!(refusal(&json), (400, "invalid_request".to_owned()));
}

#[tokio::test]
async fn a_clock_that_is_set_back_ends_nothing_and_prolongs_nothing() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let tokens = client.connect(&browser, &[]).await;
    let access = tokens["access_token"].as_str().unwrap();
    let reads = async |token: &str| app.get(token, "/v1/streams").await.0;
    let code = client.code(&browser, &[]).await;

    app.clock.advance(-600);
    assert_eq!(reads(access).await, 200);
    let renewed = client.refresh(tokens["refresh_token"].as_str().unwrap()).await.json();
    assert!(renewed["error"].is_null(), "{renewed}");
    let newer = renewed["access_token"].as_str().unwrap();
    assert_eq!(reads(newer).await, 200);
    assert_eq!(client.redeem(&code).await.status, 200);
    assert_eq!(refusal(&client.redeem(&code).await).1, "invalid_grant");
    let late = client.code(&browser, &[]).await;

    app.clock.advance(600);
    assert_eq!(refusal(&client.redeem(&late).await).1, "invalid_grant", "a minute has passed");
    app.clock.advance(tokens["expires_in"].as_i64().unwrap() - 599);
    assert_eq!((reads(access).await, reads(newer).await), (200, 401));
    app.clock.advance(599);
    assert_eq!(reads(access).await, 401);
    assert!(app.store.ledger().verify(None).unwrap().ok);
}
