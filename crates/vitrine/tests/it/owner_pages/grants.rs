use serde_json::json;

use crate::app::TestApp;
use crate::browser::{Browser, form, text};

#[tokio::test]
async fn connections_show_what_is_kept() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let page = text(&browser.get("/").await);
    assert!(page.contains("Account cin_work") && page.contains("<strong>3</strong> records"), "{page}");
    assert!(page.contains("Newest from 2026-04-01"), "{page}");
}

#[tokio::test]
async fn a_grant_ends_with_one_click() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    let page = browser.get("/grants").await;
    assert!(text(&page).contains("<h2>Desk</h2>"), "{}", text(&page));
    let end = form(&page, "/grants/grt_");
    assert_eq!(browser.submit(&end).await.header("location"), "/grants");
    assert_eq!(app.code(&token, "/v1/schema").await, "grant_revoked");
    assert!(text(&browser.get("/grants").await).contains("1 ended grant"));
    assert_eq!(
        browser.submit(&crate::browser::Form { action: "/grants/grt_none/revoke".to_owned(), ..end }).await.status,
        404
    );
}

#[tokio::test]
async fn a_package_ends_whole_or_one_by_one() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let token = app.grant(json!({ "package": true })).await;
    let page = browser.get("/grants").await;
    browser.submit(&form(&page, "/grants/grt_")).await;
    assert_eq!(app.code(&token, "/v1/schema").await, "", "the other member still reads");
    let page = browser.get("/grants").await;
    browser.submit(&form(&page, "/grants/pkg_")).await;
    assert_eq!(app.code(&token, "/v1/schema").await, "grant_revoked");
}

#[tokio::test]
async fn names_of_clients_and_connections_are_only_text() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let name = "<script>alert(1)</script>\"'&";
    app.post(&app.owner, "/v1/owner/grants", &json!({ "client_name": name, "connections": ["cin_work"] })).await;
    app.call_with("PATCH", &app.owner, "/v1/owner/connections/cin_work", json!({ "display_name": name }).to_string())
        .await;
    for path in ["/", "/grants"] {
        let page = text(&browser.get(path).await);
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{path}: {page}");
    }
}
