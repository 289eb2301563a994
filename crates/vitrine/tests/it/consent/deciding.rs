use serde_json::json;

use crate::app::TestApp;
use crate::browser::{Browser, form, text};
use crate::oauth::{Client, DATA_ACCESS, allow, answered, details, reads, work_mail};

#[tokio::test]
async fn the_owner_can_narrow_everything() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let (_, page) = client.ask(&browser, &[]).await;
    let narrowed = form(&page, "/consent/")
        .without("c/cin_home")
        .without("s/cin_work/labels")
        .without("f/cin_work/messages/body")
        .with("since", "2026-03-02")
        .with("until", "2026-03-03")
        .with("lasting", "week")
        .with("decision", "preview");
    let page = browser.submit(&narrowed).await;
    assert_eq!(page.status, 200);
    let back = answered(&browser.submit(&allow(&page)).await);
    let tokens = client.redeem(&back["code"]).await.json();
    let (_, listed) = reads(&app, &tokens, "cin_work").await;
    let data = &listed["data"][0]["data"];
    assert_eq!(listed["data"].as_array().map(Vec::len), Some(1));
    assert_eq!((data["id"].as_str(), data.get("body")), (Some("w2"), None));
    assert_eq!(reads(&app, &tokens, "cin_home").await.0, 403);
    let token = tokens["access_token"].as_str().unwrap();
    assert_eq!(app.code(token, "/v1/streams/labels/records?connection_id=cin_work").await, "grant_stream_not_allowed");
    let package = tokens["grant_package_id"].as_str().unwrap();
    let (_, package) = app.get(&app.owner, &format!("/v1/owner/packages/{package}")).await;
    assert_eq!(package["grants"][0]["expires_at"], "2026-06-08T00:00:00Z");
}

#[tokio::test]
async fn the_owner_cannot_give_more_than_was_asked() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let (_, page) = client.ask(&browser, &[("authorization_details", &details(&work_mail()))]).await;
    let wider = form(&page, "/consent/")
        .with("c/cin_home", "on")
        .with("s/cin_home/messages", "on")
        .with("f/cin_home/messages/body", "on")
        .with("f/cin_work/messages/body", "on")
        .with("s/cin_work/labels", "on")
        .with("decision", "allow");
    let back = answered(&browser.submit(&wider).await);
    let tokens = client.redeem(&back["code"]).await.json();
    assert_eq!(reads(&app, &tokens, "cin_home").await.0, 403);
    assert_eq!(reads(&app, &tokens, "cin_work").await.1["data"][0]["data"].get("body"), None);
}

#[tokio::test]
async fn what_was_not_reviewed_is_not_granted() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let (_, page) = client.ask(&browser, &[]).await;
    let unseen = allow(&page).without("c/cin_home");
    let shown_anew = browser.submit(&unseen).await;
    assert_eq!((shown_anew.status, shown_anew.header("location")), (409, ""));
    assert!(text(&shown_anew).contains("no longer what you were shown"));
    assert!(!form(&shown_anew, "/consent/").has("c/cin_home"), "the choice is kept");
    app.connection("gmail", "cin_new").await;
    let stale = browser.submit(&allow(&shown_anew)).await;
    assert_eq!(stale.status, 409, "another catalog is another revision");
    let back = answered(&browser.submit(&allow(&stale)).await);
    let tokens = client.redeem(&back["code"]).await.json();
    assert_eq!(reads(&app, &tokens, "cin_new").await.0, 403, "a connection that came later was never picked");
}

#[tokio::test]
async fn an_answer_counts_once() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let (path, page) = client.ask(&browser, &[]).await;
    let (one, two) = (allow(&page), allow(&page));
    let (one, two) = tokio::join!(browser.submit(&one), browser.submit(&two));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 410]);
    assert_eq!(browser.submit(&allow(&page)).await.status, 410, "the back button");
    assert_eq!(browser.submit(&form(&page, "/consent/").with("decision", "deny")).await.status, 410);
    assert_eq!(browser.get(&path).await.status, 410);
    let (_, grants) = app.get(&app.owner, "/v1/owner/grants").await;
    assert_eq!(grants["data"].as_array().map(Vec::len), Some(2), "one a connection, once");
}

#[tokio::test]
async fn two_tabs_are_two_decisions() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let ((_, one), (_, two)) = (client.ask(&browser, &[]).await, client.ask(&browser, &[("state", "two")]).await);
    let first = answered(&browser.submit(&allow(&one)).await);
    let second = answered(&browser.submit(&form(&two, "/consent/").with("decision", "deny")).await);
    assert_eq!((second["error"].as_str(), second["state"].as_str()), ("access_denied", "two"));
    assert_eq!(client.redeem(&first["code"]).await.status, 200);
}

#[tokio::test]
async fn a_request_that_waited_too_long_is_over() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let (path, page) = client.ask(&browser, &[]).await;
    app.clock.advance(30 * 60);
    assert_eq!(browser.submit(&allow(&page)).await.status, 410);
    assert_eq!(browser.get(&path).await.status, 410);
}

#[tokio::test]
async fn nothing_picked_is_nothing_granted() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let (_, page) = client.ask(&browser, &[]).await;
    let nothing = allow(&page).without("c/");
    let answer = browser.submit(&nothing).await;
    assert!(answer.status == 409 && text(&answer).contains("Nothing is picked"));
    let wrong = allow(&page).with("since", "someday");
    assert!(text(&browser.submit(&wrong).await).contains("someday is not a day"));
    let empty = allow(&page).with("since", "2026-03-03").with("until", "2026-03-02");
    assert_eq!(browser.submit(&empty).await.status, 409);
}

#[tokio::test]
async fn training_needs_a_yes_of_its_own() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let training = json!([{ "type": DATA_ACCESS, "source": "gmail", "streams": [{ "name": "labels" }],
        "purpose_code": "https://pdpp.dev/purpose/ai_training" }]);
    let (_, page) = client.ask(&browser, &[("authorization_details", &details(&training))]).await;
    assert!(!form(&page, "/consent/").has("training"), "never ticked for the owner");
    let refused = browser.submit(&allow(&page)).await;
    assert_eq!(refused.status, 409);
    let answer = browser.submit(&allow(&refused).with("training", "on")).await;
    assert!(answered(&answer).contains_key("code"));
}

#[tokio::test]
async fn only_the_owner_decides() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let (path, page) = client.ask(&browser, &[]).await;
    let stranger = Browser::new(&app);
    assert!(stranger.get(&path).await.header("location").starts_with("/signin?next=%2Fconsent%2F"));
    assert_eq!(stranger.submit(&allow(&page)).await.status, 403);
    let without_token = allow(&page).with("form_token", "");
    assert_eq!(browser.submit(&without_token).await.status, 403);
    assert_eq!(browser.submit(&allow(&page)).await.status, 303);
}
