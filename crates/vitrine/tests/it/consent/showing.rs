use serde_json::{Value, json};

use crate::app::TestApp;
use crate::browser::{Browser, form, text};
use crate::fixtures::{line, mail};
use crate::oauth::{Client, DATA_ACCESS, details, work_mail};

#[tokio::test]
async fn claims_of_a_client_are_only_text() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::registered_as(&app, "<img src=x onerror=alert(1)>\"'").await;
    let purpose = json!([{ "type": DATA_ACCESS, "source": "gmail", "streams": [{ "name": "labels" }],
        "purpose_code": "\"><script>alert(2)</script>" }]);
    let (_, page) = client.ask(&browser, &[("authorization_details", &details(&purpose))]).await;
    let html = text(&page);
    assert!(html.contains("&lt;img") && html.contains("&lt;script&gt;"), "{html}");
    assert!(!html.contains("<img") && !html.contains("<script"), "{html}");
    assert!(html.contains("not verified") && html.contains("Anybody can register under this name"));
}

#[tokio::test]
async fn records_are_shown_as_text_and_withheld_fields_are_blank() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let mut evil = mail("w9", 9);
    evil["data"]["subject"] = "</table><script>alert(1)</script>".into();
    evil["data"]["body"] = "a secret body".into();
    app.ingest("cin_work", "messages", &[evil]).await;
    let client = Client::register(&app).await;
    let (_, page) = client.ask(&browser, &[("authorization_details", &details(&work_mail()))]).await;
    let html = text(&page);
    assert!(html.contains("&lt;script&gt;") && !html.contains("<script"), "{html}");
    assert!(!html.contains("a secret body"));
    assert!(html.contains("<td class=\"withheld\"></td>"), "{html}");
    assert!(html.contains("4 records") && html.contains("Records by month from 2026-03 to 2026-03"), "{html}");
}

#[tokio::test]
async fn the_answer_may_go_where_it_is_meant_to() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let (_, page) = client.ask(&browser, &[]).await;
    let policy = page.header("content-security-policy");
    assert!(policy.contains("form-action 'self' http://127.0.0.1:33418;"), "{policy}");
    assert!(text(&page).contains("a program on <strong>this computer</strong>"));
}

#[tokio::test]
async fn fields_every_record_has_are_always_granted_and_said_to_be() {
    let app = TestApp::with_mail().await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let (_, page) = client.ask(&browser, &[]).await;
    let sent = form(&page, "/consent/");
    assert!(sent.has("f/cin_work/messages/id") && text(&page).contains("(always)"));
    let none = sent.without("f/").with("decision", "preview");
    let page = text(&browser.submit(&none).await);
    assert!(page.contains("2 of 9 fields"), "id and received_at stay: {page}");
}

#[tokio::test]
async fn field_names_of_any_kind_can_be_picked() {
    let app = TestApp::start().await;
    let odd = "a/b \"c\" <d>&é";
    let mut declaration: Value = crate::fixtures::slack();
    declaration["streams"][0]["schema"]["properties"][odd] = json!({ "type": "string" });
    app.source(&declaration).await;
    app.connection("slack", "cin_chat").await;
    let said = json!({ "id": ["c", "1"], "channel": "c", "ts": "1", odd: "yes" });
    let mut said = line(&said);
    said["data"].as_object_mut().unwrap().remove("id");
    app.ingest("cin_chat", "messages", &[said]).await;
    let browser = Browser::signed_in(&app).await;
    let client = Client::register(&app).await;
    let tokens = client.connect(&browser, &[]).await;
    let (_, page) = crate::oauth::reads(&app, &tokens, "cin_chat").await;
    assert_eq!(page["data"][0]["data"][odd], "yes");
}
