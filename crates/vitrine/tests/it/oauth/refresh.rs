use super::*;

fn refresh_of(tokens: &Value) -> &str {
    tokens["refresh_token"].as_str().expect("a refresh token")
}

#[tokio::test]
async fn refreshing_gives_new_tokens_under_the_same_grant() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let first = client.connect(&browser, &[]).await;
    app.clock.advance(3_600);
    assert_eq!(reads(&app, &first, "cin_work").await.0, 401);
    let second = client.refresh(refresh_of(&first)).await.json();
    assert_ne!(refresh_of(&first), refresh_of(&second));
    assert_eq!(second["grant_package_id"], first["grant_package_id"]);
    assert_eq!(reads(&app, &second, "cin_work").await.0, 200);
    app.clock.advance(89 * 24 * 3_600);
    assert_eq!(client.refresh(refresh_of(&second)).await.status, 200);
}

#[tokio::test]
async fn a_superseded_refresh_token_ends_the_family() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let other = client.connect(&browser, &[]).await;
    let first = client.connect(&browser, &[]).await;
    let second = client.refresh(refresh_of(&first)).await.json();
    assert_eq!(refusal(&client.refresh(refresh_of(&first)).await), (400, "invalid_grant".to_owned()));
    for tokens in [&first, &second] {
        assert_eq!(reads(&app, tokens, "cin_work").await.0, 401);
        assert_eq!(refusal(&client.refresh(refresh_of(tokens)).await), (400, "invalid_grant".to_owned()));
    }
    assert_eq!(reads(&app, &other, "cin_work").await.0, 200);
}

#[tokio::test]
async fn a_refresh_token_used_by_two_at_once_ends_the_family() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let first = client.connect(&browser, &[]).await;
    let (one, two) = tokio::join!(client.refresh(refresh_of(&first)), client.refresh(refresh_of(&first)));
    let good = if one.status == 200 { one } else { two };
    assert_eq!(good.status, 200);
    assert_eq!(reads(&app, &good.json(), "cin_work").await.0, 401);
}

#[tokio::test]
async fn a_stolen_refresh_token_is_worth_nothing_to_another_client() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let (client, thief) = (Client::register(&app).await, Client::register(&app).await);
    let tokens = client.connect(&browser, &[]).await;
    assert_eq!(refusal(&thief.refresh(refresh_of(&tokens)).await), (400, "invalid_grant".to_owned()));
    assert_eq!(client.refresh(refresh_of(&tokens)).await.status, 200);
}

#[tokio::test]
async fn refreshing_ends_with_the_grant() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let tokens = client.connect(&browser, &[("authorization_details", &details(&work_mail()))]).await;
    let grant = tokens["grant_id"].as_str().unwrap();
    app.call("DELETE", &app.owner, &format!("/v1/owner/grants/{grant}")).await;
    assert_eq!(refusal(&client.refresh(refresh_of(&tokens)).await), (400, "invalid_grant".to_owned()));
}

#[tokio::test]
async fn an_unused_refresh_token_ends_after_ninety_days() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let tokens = client.connect(&browser, &[]).await;
    app.clock.advance(90 * 24 * 3_600);
    assert_eq!(refusal(&client.refresh(refresh_of(&tokens)).await), (400, "invalid_grant".to_owned()));
}
