use serde_json::{Value, json};

use crate::app::TestApp;
use crate::browser::{Browser, text};

#[tokio::test]
async fn the_ledger_page_answers_who_read_what() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    assert!(text(&browser.get("/ledger").await).contains("Nothing was read yet"));
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    for n in 0..30 {
        let id = if n == 0 { "w1" } else { "w2" };
        app.get(&token, &format!("/v1/streams/messages/records/{id}")).await;
        app.clock.advance(60);
    }
    let page = text(&browser.get("/ledger").await);
    assert!(page.contains("Desk") && page.contains("Account cin_work · messages"), "{page}");
    assert_eq!(page.matches("<time").count(), 25);
    let at = page.find("rel=\"next\" href=\"").expect("earlier entries") + "rel=\"next\" href=\"".len();
    let next = page[at..].split('"').next().unwrap().replace("&amp;", "&");
    assert_eq!(text(&browser.get(&next).await).matches("<time").count(), 5);

    let one = "/ledger?client_id=local%3Adesk&record_id=w1&since=2026-06-01&until=";
    assert_eq!(text(&browser.get(one).await).matches("<time").count(), 1);
    assert!(text(&browser.get("/ledger?record_id=never").await).contains("Nothing like that was read"));
    assert_eq!(browser.get("/ledger?since=soon").await.status, 400);
    let export = browser.get("/ledger/export?record_id=w2&since=").await;
    assert_eq!(export.header("content-disposition"), "attachment; filename=\"vitrine-ledger.ndjson\"");
    let lines = String::from_utf8(export.body).unwrap();
    assert_eq!(lines.lines().count(), 29);
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).unwrap()["hash"].is_string()));

    let stranger = Browser::new(&app);
    for path in ["/ledger", "/ledger/export"] {
        let turned_away = stranger.get(path).await;
        assert_eq!((turned_away.status, turned_away.header("location").starts_with("/signin")), (303, true), "{path}");
    }
}

#[tokio::test]
async fn a_grant_shows_when_it_was_last_used() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let token = app.grant(json!({ "package": true })).await;
    assert!(text(&browser.get("/grants").await).contains("Never used"));
    app.clock.advance(3_600);
    app.get(&token, "/v1/schema").await;
    let page = text(&browser.get("/grants").await);
    assert!(
        page.contains("Last used") && page.contains("2026-06-01 01:00 UTC") && !page.contains("Never used"),
        "{page}"
    );
}
