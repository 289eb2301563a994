use crate::app::TestApp;
use crate::binary::Binary;
use crate::browser::{Browser, PASSWORD, form, set_password, text};

const NEAR: &str = "127.0.0.1";

#[tokio::test]
async fn without_a_password_pages_open_only_at_the_machine() {
    let app = TestApp::with_mail().await;
    assert_eq!(Browser::at(&app, NEAR, "localhost").get("/").await.status, 200);
    assert_eq!(Browser::at(&app, "::1", "[::1]:7663").get("/").await.status, 200);
    assert_eq!(Browser::at(&app, "::ffff:127.0.0.1", "127.0.0.1:7663").get("/grants").await.status, 200);
    for (peer, host) in [("203.0.113.9", "localhost"), (NEAR, "vitrine.example"), ("192.168.0.2", "127.0.0.1")] {
        for path in ["/", "/grants", "/password", "/device", "/oauth/authorize", "/signin"] {
            assert_eq!(Browser::at(&app, peer, host).get(path).await.status, 403, "{peer} {host} {path}");
        }
    }
    let browser = Browser::at(&app, NEAR, "localhost");
    let proxied = browser.request("GET", "/").header("x-forwarded-for", "203.0.113.9").body("".into()).unwrap();
    assert_eq!(browser.send(proxied).await.status, 403);
}

#[tokio::test]
async fn a_name_that_is_not_ours_opens_nothing() {
    let app = TestApp::with_mail().await;
    for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example"] {
        assert_eq!(Browser::at(&app, NEAR, host).get("/").await.status, 421, "{host}");
    }
    assert_eq!(app.call("GET", "", "/").await.status, 421);
}

#[tokio::test]
async fn the_first_password_is_set_at_the_machine() {
    let app = TestApp::with_mail().await;
    let browser = Browser::at(&app, NEAR, "localhost");
    let page = browser.get("/password").await;
    let filled = |new: &str, again: &str| form(&page, "/password").with("new", new).with("again", again);
    assert_eq!(browser.submit(&filled("short", "short")).await.status, 422);
    assert_eq!(browser.submit(&filled(PASSWORD, "another one")).await.status, 422);
    assert_eq!(browser.submit(&filled(PASSWORD, PASSWORD)).await.status, 303);
    assert_eq!(browser.get("/").await.status, 200);
    let elsewhere = Browser::new(&app);
    assert_eq!(elsewhere.get("/").await.header("location"), "/signin?next=%2F");
    elsewhere.sign_in().await;
    assert_eq!(elsewhere.get("/").await.status, 200);
}

#[tokio::test]
async fn changing_the_password_signs_every_browser_out() {
    let app = TestApp::with_mail().await;
    let (browser, other) = (Browser::signed_in(&app).await, Browser::new(&app));
    other.sign_in().await;
    let page = browser.get("/password").await;
    let filled = form(&page, "/password").with("new", "another password").with("again", "another password");
    assert_eq!(browser.submit(&filled.clone().with("current", "wrong")).await.status, 401);
    assert_eq!(browser.submit(&filled.with("current", PASSWORD)).await.status, 303);
    assert_eq!((browser.get("/").await.status, other.get("/").await.status), (200, 303));
}

#[tokio::test]
async fn a_wrong_password_is_told_and_guessing_slowed_down() {
    let app = TestApp::with_mail().await;
    set_password(&app).await;
    let browser = Browser::new(&app);
    let page = browser.get("/signin").await;
    let wrong = form(&page, "/signin").with("password", "wrong");
    for _ in 0..5 {
        assert_eq!(browser.submit(&wrong).await.status, 401);
    }
    let right = form(&page, "/signin").with("password", PASSWORD);
    let answer = browser.submit(&right).await;
    assert_eq!((answer.status, answer.header("retry-after")), (429, "1"), "even the right one has to wait");
    assert_eq!(Browser::at(&app, "198.51.100.7", "vitrine.example").get("/signin").await.status, 200);
    app.clock.advance(1);
    assert_eq!(browser.submit(&right).await.status, 303);
}

#[tokio::test]
async fn signing_in_changes_the_session() {
    let app = TestApp::with_mail().await;
    set_password(&app).await;
    let (victim, attacker) = (Browser::new(&app), Browser::new(&app));
    attacker.get("/signin").await;
    victim.set_cookie(&attacker.cookie());
    let planted = victim.cookie();
    victim.sign_in().await;
    assert_ne!(victim.cookie(), planted);
    assert_eq!(attacker.get("/").await.status, 303);
    let cookie = {
        let page = attacker.get("/signin").await;
        attacker.submit(&form(&page, "/signin").with("password", PASSWORD)).await
    };
    let cookie = cookie.header("set-cookie");
    for part in ["__Host-vitrine=", "; Path=/", "; HttpOnly", "; SameSite=Lax", "; Secure"] {
        assert!(cookie.contains(part), "{part}: {cookie}");
    }
}

#[tokio::test]
async fn signing_out_and_time_end_a_session() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let secret = browser.cookie();
    let page = browser.get("/").await;
    assert_eq!(browser.submit(&form(&page, "/signout")).await.status, 303);
    browser.set_cookie(&secret);
    assert_eq!(browser.get("/").await.status, 303);
    browser.sign_in().await;
    app.clock.advance(12 * 3_600);
    assert_eq!(browser.get("/").await.status, 303);
}

#[tokio::test]
async fn signing_in_leads_on_within_this_server_only() {
    let app = TestApp::with_mail().await;
    set_password(&app).await;
    for next in ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "/%0d%0a//evil"] {
        let browser = Browser::new(&app);
        let page = browser.get(&format!("/signin?next={}", next.replace('%', "%25").replace('\\', "%5C"))).await;
        let answer = browser.submit(&form(&page, "/signin").with("password", PASSWORD).with("next", next)).await;
        let location = answer.header("location").to_owned();
        assert!(location == "/" || location == "/%0d%0a//evil", "{next}: {location}");
    }
}

#[tokio::test]
async fn a_form_of_another_site_changes_nothing() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let page = browser.get("/grants").await;
    let real = form(&page, "/signout");
    let token = real.get("form_token").to_owned();
    let other = Browser::new(&app);
    other.sign_in().await;
    let theirs = form(&other.get("/grants").await, "/signout").get("form_token").to_owned();
    for forged in ["", "x", &"0".repeat(64), &theirs] {
        for path in ["/signout", "/password", "/device", "/grants/grt_x/revoke", "/consent/x"] {
            let fields = [("form_token".to_owned(), forged.to_owned())];
            assert_eq!(browser.post(path, &fields).await.status, 403, "{path} {forged}");
        }
    }
    let request = browser
        .request("POST", "/signout")
        .header("content-type", "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "cross-site");
    assert_eq!(browser.send(request.body(format!("form_token={token}").into()).unwrap()).await.status, 403);
    assert_eq!(browser.get("/").await.status, 200, "still signed in");
}

#[tokio::test]
async fn every_page_is_closed_to_frames_and_scripts() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    for path in ["/", "/grants", "/password", "/device", "/signin?next=/x", "/consent/none", "/oauth/authorize"] {
        let answer = browser.get(path).await;
        if answer.status == 303 {
            continue;
        }
        let policy = answer.header("content-security-policy");
        for rule in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "style-src 'self'"] {
            assert!(policy.contains(rule), "{path}: {policy}");
        }
        assert_eq!((answer.header("x-frame-options"), answer.header("cache-control")), ("DENY", "no-store"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        let html = text(&answer);
        assert!(!html.contains("<script") && !html.contains(" style=") && !html.contains("onclick"), "{path}");
    }
}

#[tokio::test]
async fn the_password_can_be_set_on_the_command_line() {
    let binary = Binary::new();
    assert_eq!(binary.run_with_input(&["owner", "password"], "short\n").code, 64);
    let set = binary.run_with_input(&["owner", "password", "--json"], "a long password\n");
    assert_eq!((set.code, set.json()), (0, serde_json::json!({ "password": "set" })));
    assert!(!format!("{set:?}").contains("a long password"));
}
