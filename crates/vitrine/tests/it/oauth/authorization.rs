use super::*;

#[tokio::test]
async fn a_client_is_approved_and_reads() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let (_, page) = client.ask(&browser, &[("resource", "https://vitrine.example/mcp")]).await;
    let answer = browser.submit(&allow(&page)).await;
    let back = answered(&answer);
    assert_eq!((back["state"].as_str(), back["iss"].as_str()), ("a state", issuer()));
    let tokens = client.redeem(&back["code"]).await;
    assert_eq!(tokens.header("cache-control"), "no-store");
    let tokens = tokens.json();
    assert_eq!(tokens["pdpp_token_kind"], "mcp_package");
    assert_eq!((tokens["token_type"].as_str(), tokens["expires_in"].as_i64()), (Some("Bearer"), Some(3600)));
    for connection in ["cin_work", "cin_home"] {
        assert_eq!(reads(&app, &tokens, connection).await.0, 200);
    }
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "query_records", "arguments": { "stream": "messages", "connection_id": "cin_work" } } });
    let called = app.mcp(tokens["access_token"].as_str().unwrap(), &call).await;
    assert_eq!(called.status, 200, "{}", text(&called));
    assert!(text(&called).contains("Subject w1"), "{}", text(&called));
}

#[tokio::test]
async fn details_become_a_grant_of_just_that() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let tokens = client.connect(&browser, &[("authorization_details", &details(&work_mail()))]).await;
    assert_eq!(tokens["pdpp_token_kind"], "client");
    let granted = &tokens["authorization_details"][0]["streams"][0];
    assert_eq!(granted["fields"], json!(["id", "received_at", "subject"]));
    let (status, page) = reads(&app, &tokens, "cin_work").await;
    assert_eq!((status, page["data"][0]["data"].as_object().map(serde_json::Map::len)), (200, Some(3)));
    assert_eq!(reads(&app, &tokens, "cin_home").await.0, 403);
    assert_eq!(
        app.code(tokens["access_token"].as_str().unwrap(), "/v1/streams/labels/records").await,
        "grant_stream_not_allowed"
    );
}

#[tokio::test]
async fn several_connections_become_a_package() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let both = json!([{ "type": DATA_ACCESS, "source": "gmail", "streams": [{ "name": "messages" }] }]);
    let tokens = client.connect(&browser, &[("authorization_details", &details(&both))]).await;
    let package = tokens["grant_package_id"].as_str().unwrap();
    let (_, shown) = app.get(&app.owner, &format!("/v1/owner/packages/{package}")).await;
    let members: Vec<&str> =
        shown["grants"].as_array().unwrap().iter().map(|g| g["grant_id"].as_str().unwrap()).collect();
    assert_eq!(members.len(), 2);
    for grant in shown["grants"].as_array().unwrap() {
        assert_eq!(grant["streams"][0]["instance_ids"].as_array().map(Vec::len), Some(1));
    }
    app.call("DELETE", &app.owner, &format!("/v1/owner/grants/{}", members[0])).await;
    let statuses = [reads(&app, &tokens, "cin_work").await.0, reads(&app, &tokens, "cin_home").await.0];
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    app.call("DELETE", &app.owner, &format!("/v1/owner/packages/{package}")).await;
    assert_eq!(reads(&app, &tokens, "cin_home").await.1["error"]["code"], "grant_revoked");
}

#[tokio::test]
async fn nothing_is_sent_to_an_unverified_address() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    for (name, value) in [
        ("client_id", "cli_unknown"),
        ("client_id", "\"><script>alert(1)</script>"),
        ("redirect_uri", "https://evil.example/callback"),
        ("redirect_uri", "http://127.0.0.1:33418/callback/../evil"),
        ("redirect_uri", "http://127.0.0.1:33418@evil.example/callback"),
        ("redirect_uri", "http://127.0.0.1:33418/callback?x=1"),
        ("redirect_uri", "http://localhost:33418/callback"),
        ("redirect_uri", "javascript:alert(1)"),
        ("redirect_uri", "//evil.example"),
    ] {
        let answer = browser.get(&client.authorize_path(&[(name, value)])).await;
        assert_eq!((answer.status, answer.header("location")), (400, ""), "{value}");
        assert!(answer.header("content-type").starts_with("text/html"), "{value}");
        assert!(!text(&answer).contains("<script"), "{value}");
    }
    let doubled = format!("{}&redirect_uri=https%3A%2F%2Fevil.example", client.authorize_path(&[]));
    assert_eq!(browser.get(&doubled).await.status, 400);
}

#[tokio::test]
async fn the_port_of_a_loopback_address_floats() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    for redirect in ["http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback", "http://127.0.0.1/callback"] {
        let (_, page) = client.ask(&browser, &[("redirect_uri", redirect)]).await;
        let answer = browser.submit(&allow(&page)).await;
        assert!(answer.header("location").starts_with(&format!("{redirect}?code=")), "{}", answer.header("location"));
    }
}

#[tokio::test]
async fn a_wrong_request_is_told_to_the_client() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let unknown_stream =
        details(&json!([{ "type": DATA_ACCESS, "source": "gmail", "streams": [{ "name": "nothing" }] }]));
    for (name, value, error) in [
        ("response_type", "token", "unsupported_response_type"),
        ("response_type", "", "invalid_request"),
        ("response_mode", "fragment", "invalid_request"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("request", "e30.e30.", "invalid_request"),
        ("resource", "https://other.example/mcp", "invalid_target"),
        ("resource", "https://vitrine.example.evil.example/mcp", "invalid_target"),
        ("resource", "https://vitrine.example/v1", "invalid_target"),
        ("authorization_details", "{", "invalid_authorization_details"),
        ("authorization_details", "[{\"type\":\"other\"}]", "invalid_authorization_details"),
        ("authorization_details", &unknown_stream, "invalid_authorization_details"),
    ] {
        let answer = browser.get(&client.authorize_path(&[(name, value)])).await;
        let back = answered(&answer);
        assert_eq!(back["error"], error, "{name}={value}");
        assert_eq!((back["state"].as_str(), back["iss"].as_str()), ("a state", issuer()), "{name}={value}");
        assert!(!back.contains_key("code"));
    }
    for resource in ["https://vitrine.example", "https://vitrine.example/", "https://vitrine.example/mcp"] {
        client.ask(&browser, &[("resource", resource)]).await;
    }
}

#[tokio::test]
async fn a_pushed_request_is_used_once() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let params = [
        ("client_id", client.id.as_str()),
        ("response_type", "code"),
        ("redirect_uri", REDIRECT),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("state", "pushed"),
    ];
    let pushed = post_form(&app, "/oauth/par", &params).await;
    assert_eq!((pushed.status, pushed.header("cache-control")), (201, "no-store"));
    let uri = pushed.json()["request_uri"].as_str().unwrap().to_owned();
    let other = Client::register(&app).await;
    let path = |client: &Client<'_>| {
        format!("/oauth/authorize?{}", encoded(&[("client_id", client.id.as_str()), ("request_uri", &uri)]))
    };
    assert_eq!(browser.get(&path(&other)).await.status, 400);
    let opened = browser.get(&path(&client)).await;
    let page = browser.get(opened.header("location")).await;
    assert_eq!(answered(&browser.submit(&allow(&page)).await)["state"], "pushed");
    assert_eq!(browser.get(&path(&client)).await.status, 400);
    let wrong = [&params[..2], &[("redirect_uri", "https://evil.example")]].concat();
    assert_eq!(refusal(&post_form(&app, "/oauth/par", &wrong).await), (400, "invalid_request".to_owned()));
}

#[tokio::test]
async fn a_stranger_signs_in_first_and_leaves_nothing_behind() {
    let app = TestApp::with_mail().await;
    crate::browser::set_password(&app).await;
    let browser = Browser::new(&app);
    let client = Client::register(&app).await;
    let page = browser.get(&client.authorize_path(&[])).await;
    assert_eq!((page.status, page.header("location")), (200, ""));
    let signed = browser.submit(&form(&page, "/signin").with("password", crate::browser::PASSWORD)).await;
    let on = signed.header("location").to_owned();
    assert_eq!(on, client.authorize_path(&[]));
    assert!(browser.get(&on).await.header("location").starts_with("/consent/"));
    let waiting: i64 = rusqlite::Connection::open(app.directory().join("vitrine.db"))
        .and_then(|db| db.query_row("SELECT count(*) FROM ticket WHERE kind = 'ceremony'", [], |row| row.get(0)))
        .unwrap();
    assert_eq!(waiting, 1);
}

#[tokio::test]
async fn secrets_are_kept_as_digests_alone() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let code = client.code(&browser, &[]).await;
    let tokens = client.redeem(&code).await.json();
    let started = post_form(&app, "/oauth/device_authorization", &[("client_id", &client.id)]).await.json();
    let secrets = [
        code,
        tokens["access_token"].as_str().unwrap().to_owned(),
        tokens["refresh_token"].as_str().unwrap().to_owned(),
        started["device_code"].as_str().unwrap().to_owned(),
        started["user_code"].as_str().unwrap().to_owned(),
        browser.cookie(),
        crate::browser::PASSWORD.to_owned(),
    ];
    let mut kept = Vec::new();
    for file in ["vitrine.db", "vitrine.db-wal"] {
        kept.extend(std::fs::read(app.directory().join(file)).unwrap_or_default());
    }
    for secret in secrets {
        assert!(secret.len() > 8 && !kept.windows(secret.len()).any(|window| window == secret.as_bytes()), "{secret}");
    }
}
