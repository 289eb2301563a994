use super::*;

const DEVICE: &str = "urn:ietf:params:oauth:grant-type:device_code";

async fn start(client: &Client<'_>) -> Value {
    let answer = post_form(client.app, "/oauth/device_authorization", &[("client_id", &client.id)]).await;
    assert_eq!((answer.status, answer.header("cache-control")), (200, "no-store"), "{:?}", answer.json());
    answer.json()
}

async fn poll(client: &Client<'_>, started: &Value) -> Answer {
    let code = started["device_code"].as_str().unwrap();
    client.token(&[("grant_type", DEVICE), ("device_code", code)]).await
}

/// The consent page that a typed code leads to.
async fn typed(browser: &Browser<'_>, started: &Value) -> Answer {
    let page = browser.get("/device").await;
    let code = started["user_code"].as_str().unwrap().to_lowercase();
    let answer = browser.submit(&form(&page, "/device").with("user_code", &code)).await;
    browser.get(answer.header("location")).await
}

#[tokio::test]
async fn a_device_is_approved_elsewhere() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let started = start(&client).await;
    assert!(
        started["verification_uri_complete"].as_str().unwrap().starts_with("https://vitrine.example/device?user_code=")
    );
    assert_eq!(refusal(&poll(&client, &started).await).1, "authorization_pending");
    let page = typed(&browser, &started).await;
    let done = browser.submit(&allow(&page)).await;
    assert_eq!((done.status, done.header("location")), (200, ""));
    app.clock.advance(5);
    let tokens = poll(&client, &started).await.json();
    assert_eq!(reads(&app, &tokens, "cin_work").await.0, 200);
    assert_eq!(refusal(&poll(&client, &started).await).1, "invalid_grant");
    assert_eq!(reads(&app, &tokens, "cin_work").await.0, 401, "a device code that comes twice ends what it issued");
}

#[tokio::test]
async fn a_device_that_asks_too_often_is_slowed_down() {
    let app = TestApp::with_mail().await;
    let client = Client::register(&app).await;
    let started = start(&client).await;
    let mut said = Vec::new();
    for seconds in [0, 4, 9, 10] {
        app.clock.advance(seconds);
        said.push(refusal(&poll(&client, &started).await).1);
    }
    assert_eq!(said, ["authorization_pending", "slow_down", "slow_down", "slow_down"]);
    app.clock.advance(20);
    assert_eq!(refusal(&poll(&client, &started).await).1, "authorization_pending");
}

#[tokio::test]
async fn a_refused_or_forgotten_device_learns_of_it() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let (client, other) = (Client::register(&app).await, Client::register(&app).await);
    let started = start(&client).await;
    let page = typed(&browser, &started).await;
    browser.submit(&form(&page, "/consent/").with("decision", "deny")).await;
    assert_eq!(refusal(&poll(&client, &started).await), (400, "access_denied".to_owned()));
    let forgotten = start(&client).await;
    assert_eq!(refusal(&poll(&other, &forgotten).await).1, "invalid_grant");
    app.clock.advance(600);
    assert_eq!(refusal(&poll(&client, &forgotten).await).1, "expired_token");
}

#[tokio::test]
async fn a_device_code_is_no_authorization_code() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let started = start(&client).await;
    browser.submit(&allow(&typed(&browser, &started).await)).await;
    assert_eq!(refusal(&client.redeem(started["device_code"].as_str().unwrap()).await).1, "invalid_grant");
    let code = client.code(&browser, &[]).await;
    assert_eq!(refusal(&client.token(&[("grant_type", DEVICE), ("device_code", &code)]).await).1, "invalid_grant");
}

#[tokio::test]
async fn user_codes_cannot_be_guessed_quickly() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let page = browser.get("/device").await;
    let guess = form(&page, "/device").with("user_code", "BBBB-BBBB");
    for _ in 0..5 {
        assert_eq!(browser.submit(&guess).await.status, 422);
    }
    let answer = browser.submit(&guess).await;
    assert_eq!((answer.status, answer.header("retry-after")), (429, "1"));
}
