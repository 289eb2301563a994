use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use vitrine_server::{Documents, Guard, Limits};

use super::*;

const DOCUMENT: &str = "https://client.example/oauth.json";

#[tokio::test]
async fn a_client_registers_itself() {
    let app = TestApp::start().await;
    let metadata = json!({ "client_name": "Desk", "redirect_uris": ["http://localhost:1/cb"], "software_id": "ignored",
        "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"] });
    let answer = register(&app, &metadata).await;
    assert_eq!((answer.status, answer.header("cache-control")), (201, "no-store"));
    let body = answer.json();
    assert!(body["client_id"].as_str().is_some_and(|id| id.len() > 10));
    assert_eq!(body["redirect_uris"], json!(["http://localhost:1/cb"]));
    assert_eq!(body.get("client_secret"), None);
}

#[tokio::test]
async fn a_registration_that_could_lead_astray_is_refused() {
    let app = TestApp::start().await;
    for (metadata, error) in [
        (json!({}), "invalid_redirect_uri"),
        (json!({ "redirect_uris": [] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": ["http://evil.example/cb"] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": ["javascript:alert(1)"] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": ["https://a.example/#b"] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": "https://a.example" }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": vec!["https://a.example/"; 21] }), "invalid_redirect_uri"),
        (json!({ "redirect_uris": ["https://a.example/"], "client_name": 1 }), "invalid_client_metadata"),
        (
            json!({ "redirect_uris": ["https://a.example/"], "token_endpoint_auth_method": "private_key_jwt" }),
            "invalid_client_metadata",
        ),
        (json!([]), "invalid_client_metadata"),
    ] {
        assert_eq!(refusal(&register(&app, &metadata).await), (400, error.to_owned()), "{metadata}");
    }
    let long = json!({ "redirect_uris": ["https://a.example/"], "client_name": "x".repeat(100_000) });
    assert_eq!(register(&app, &long).await.status, 400);
}

#[tokio::test]
async fn a_client_with_a_secret_must_know_it() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let body = register(&app, &json!({ "redirect_uris": ["http://127.0.0.1/callback"] })).await.json();
    let (id, secret) = (body["client_id"].as_str().unwrap(), body["client_secret"].as_str().unwrap());
    let client = Client { app: &app, id: id.to_owned() };
    let code = client.code(&browser, &[]).await;
    let params = [("grant_type", "authorization_code"), ("code", &code), ("code_verifier", VERIFIER)];
    assert_eq!(refusal(&client.token(&params).await), (401, "invalid_client".to_owned()));
    let wrong = [&params[..], &[("client_secret", "wrong")]].concat();
    assert_eq!(refusal(&client.token(&wrong).await), (401, "invalid_client".to_owned()));
    let basic = STANDARD.encode(format!("{id}:{secret}"));
    let request = TestApp::request("POST", "", "/oauth/token")
        .header("authorization", format!("Basic {basic}"))
        .header("content-type", "application/x-www-form-urlencoded");
    assert_eq!(app.send(request.body(encoded(&params).into()).unwrap()).await.status, 200);
}

#[tokio::test]
async fn a_client_describes_itself_at_its_own_address() {
    let document =
        json!({ "client_id": DOCUMENT, "client_name": "Desk", "redirect_uris": ["http://127.0.0.1/callback"] });
    let documents = Documents::Given(BTreeMap::from([
        (DOCUMENT.to_owned(), document),
        ("https://liar.example/x".to_owned(), json!({ "client_id": DOCUMENT, "redirect_uris": [REDIRECT] })),
    ]));
    let app = TestApp::start_guarded(Limits::default(), None, Guard::with(documents)).await;
    app.fill_with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client { app: &app, id: DOCUMENT.to_owned() };
    let (_, page) = client.ask(&browser, &[]).await;
    assert!(text(&page).contains("describes itself at <strong>client.example</strong>"), "{}", text(&page));
    let tokens = client.connect(&browser, &[]).await;
    assert_eq!(reads(&app, &tokens, "cin_work").await.0, 200);
    let liar = Client { app: &app, id: "https://liar.example/x".to_owned() };
    let answer = browser.get(&liar.authorize_path(&[])).await;
    assert_eq!((answer.status, answer.header("location")), (400, ""));
}

#[tokio::test]
async fn a_client_that_cannot_be_looked_up_is_answered_on_this_machine_alone() {
    let guard = Guard::with(Documents::Given(BTreeMap::new()));
    let app = TestApp::start_guarded(Limits::default(), None, guard).await;
    app.fill_with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client { app: &app, id: DOCUMENT.to_owned() };
    let (_, page) = client.ask(&browser, &[]).await;
    assert!(text(&page).contains("not verified") && text(&page).contains("could not be reached"), "{}", text(&page));
    for elsewhere in ["https://client.example/callback", "http://127.0.0.1.evil.example/callback", "app:/callback"] {
        let answer = browser.get(&client.authorize_path(&[("redirect_uri", elsewhere)])).await;
        assert_eq!((answer.status, answer.header("location")), (400, ""), "{elsewhere}");
    }
    let tokens = client.connect(&browser, &[]).await;
    assert_eq!(reads(&app, &tokens, "cin_work").await.0, 200);
}

#[tokio::test]
async fn no_document_is_fetched_from_the_inside() {
    let app = TestApp::start().await;
    let browser = Browser::signed_in(&app).await;
    for id in [
        "https://127.0.0.1/x",
        "https://localhost/x",
        "https://[::1]/x",
        "https://169.254.169.254/latest/meta-data",
        "https://10.0.0.1/x",
        "https://client.example:22/x",
        "https://client.example/../x",
        "http://client.example/x",
        "file:///etc/passwd",
    ] {
        let client = Client { app: &app, id: id.to_owned() };
        let answer = browser.get(&client.authorize_path(&[])).await;
        assert_eq!((answer.status, answer.header("location")), (400, ""), "{id}");
    }
}

#[tokio::test]
async fn registering_has_an_end_but_never_shuts_out_an_approved_client() {
    let app = TestApp::start_with(Limits { refusals_per_second: 0, ..Limits::default() }, None).await;
    app.fill_with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let tokens = client.connect(&browser, &[]).await;
    let unused = Client::register(&app).await;
    app.clock.advance(1);
    for _ in 0..1_000 {
        Client::register(&app).await;
    }
    let refresh = tokens["refresh_token"].as_str().unwrap();
    assert_eq!(client.refresh(refresh).await.status, 200);
    assert_eq!(browser.get(&unused.authorize_path(&[])).await.status, 400);
}

#[tokio::test]
async fn nobody_registers_in_crowds() {
    let app = TestApp::start_with(Limits { refusals_per_second: 1, ..Limits::default() }, None).await;
    let metadata = json!({ "redirect_uris": ["http://127.0.0.1/callback"] });
    for _ in 0..60 {
        assert_eq!(register(&app, &metadata).await.status, 201);
    }
    let answer = register(&app, &metadata).await;
    assert_eq!((answer.status, answer.header("retry-after")), (429, "1"));
}
