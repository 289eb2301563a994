//! Queries that are odd or wrong.

use super::{found, letter, mailbox};
use crate::app::TestApp;
use crate::fixtures::slack;
use serde_json::json;

#[tokio::test]
async fn nothing_that_can_be_typed_is_an_error() {
    let (app, token) = mailbox(&[letter("a", "AND OR NOT", "NEAR(x, 3) it's 100%")]).await;
    let typed = [
        "",
        "%20",
        "%22",
        "%22%22",
        "-",
        "*",
        "-*",
        "%F0%9F%99%82",
        "%22%20-%20*",
        "(((",
        "a%20AND",
        "NEAR(",
        "%27%20OR%201%3D1--",
        "%01%02%1F",
        "%3Bdrop%20table%20record",
        "%5B%7B",
        "%22unclosed",
        "subject%3Ax",
        "%EF%BF%BF",
        "x%5Ey~2",
    ];
    for mode in ["", "/semantic", "/hybrid"] {
        for q in typed {
            let (status, body) = app.get(&token, &format!("/v1/search{mode}?q={q}")).await;
            assert_eq!(status, 200, "{mode} {q}: {body}");
        }
    }
    for without_words in ["", "%22", "-", "*", "%F0%9F%99%82", "-a"] {
        for mode in ["", "/semantic", "/hybrid"] {
            let (_, body) = app.get(&token, &format!("/v1/search{mode}?q={without_words}")).await;
            assert_eq!((&body["data"], &body["meta"]["count"]), (&json!([]), &json!(0)), "{without_words}");
        }
    }
    assert_eq!(found(&app, &token, "?q=and").await, ["a"]);
}

#[tokio::test]
async fn too_long_queries_and_nul_are_refused() {
    let (app, token) = mailbox(&[letter("a", "s", "b")]).await;
    let longest = "w%20".repeat(2_048);
    assert_eq!(app.get(&token, &format!("/v1/search?q={longest}")).await.0, 200);
    let longest_anywhere = "%F0%9F%98%80".repeat(4_096);
    assert_eq!(app.get(&token, &format!("/v1/search?q={longest_anywhere}")).await.0, 200);
    for q in [format!("{longest}x"), "a%00b".to_owned()] {
        let answer = app.call("GET", &token, &format!("/v1/search?q={q}")).await;
        assert_eq!((answer.status, answer.code().as_str()), (400, "invalid_request"));
    }
    assert_eq!(app.code(&token, "/v1/search").await, "invalid_request");
}

#[tokio::test]
async fn a_very_long_phrase_is_shortened_and_says_so() {
    let words: Vec<String> = (0..70).map(|n| format!("w{n}")).collect();
    let (app, token) = mailbox(&[letter("a", "long", &words.join(" "))]).await;
    for (count, warnings) in [(64, 0), (65, 1)] {
        let (_, body) = app.get(&token, &format!("/v1/search?q=%22{}%22", words[..count].join("+"))).await;
        assert_eq!(body["data"].as_array().unwrap().len(), 1);
        let given = body["meta"]["warnings"].as_array().map_or(0, Vec::len);
        assert_eq!(given, warnings, "{count}: {}", body["meta"]["warnings"]);
    }
}

#[tokio::test]
async fn a_query_of_very_many_words_is_shortened_and_says_so() {
    let (app, token) = mailbox(&[letter("a", "w0", "w99")]).await;
    let words: Vec<String> = (0..100).map(|n| format!("w{n}")).collect();
    let (_, body) = app.get(&token, &format!("/v1/search?q={}", words.join("+"))).await;
    assert_eq!(body["meta"]["warnings"][0]["code"], "query_shortened");
    assert_eq!(super::keys(&body), ["a"]);
}

#[tokio::test]
async fn searches_outside_the_grant_are_refused_alike() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    for (query, code) in [
        ("q=a&streams=nowhere", "grant_stream_not_allowed"),
        ("q=a&connection_id=cin_home", "connection_not_granted"),
        ("q=a&connection_id=cin_nowhere", "connection_not_granted"),
        ("q=a&filter[size]=1", "invalid_filter"),
        ("q=a&filter[size]=1&streams=messages&streams=labels", "invalid_filter"),
        ("q=a&filter[nope]=1&streams=messages", "unknown_field"),
        ("q=a&limit=0", "invalid_request"),
        ("q=a&cursor=abc", "invalid_cursor"),
    ] {
        for mode in ["", "/semantic", "/hybrid"] {
            assert_eq!(app.code(&token, &format!("/v1/search{mode}?{query}")).await, code, "{query}");
        }
    }
}

#[tokio::test]
async fn a_filter_across_sources_must_say_which() {
    let app = TestApp::with_mail().await;
    app.source(&slack()).await;
    app.connection("slack", "cin_chat").await;
    let token = app.grant(json!({ "package": true })).await;
    let (status, refused) = app.get(&token, "/v1/search?q=body&streams=messages&filter[thread_id]=t1").await;
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("ambiguous_connection")));
    assert_eq!(refused["error"]["available_connections"].as_array().map(Vec::len), Some(3));
    let scoped = "/v1/search?q=body&streams=messages&filter[thread_id]=t1&connection_id=cin_work";
    assert!(!super::keys(&app.get(&token, scoped).await.1).is_empty());
}

#[tokio::test]
async fn a_cursor_continues_only_its_own_search() {
    let rent = |id| letter(id, "Rent", "The body of a letter about the rent.");
    let (app, token) = mailbox(&["a", "b"].map(rent)).await;
    app.read_all_meanings().await;
    let other = app.grant(json!({ "connections": ["cin_work"] })).await;
    let modes = ["", "/semantic", "/hybrid"];
    let records = next_cursor(&app, &token, "streams/messages/records?limit=1").await;
    let mut walks = Vec::new();
    for mode in modes {
        let cursor = next_cursor(&app, &token, &format!("search{mode}?q=body&limit=1")).await;
        assert_eq!(found(&app, &token, &format!("{mode}?q=body&limit=1&cursor={cursor}")).await.len(), 1);
        for (token, query) in [(&token, "q=bodies"), (&token, "q=body&streams=messages"), (&other, "q=body")] {
            let path = format!("/v1/search{mode}?{query}&cursor={cursor}");
            assert_eq!(app.code(token, &path).await, "invalid_cursor", "{path}");
        }
        for other in modes.into_iter().filter(|other| *other != mode) {
            let path = format!("/v1/search{other}?q=body&cursor={cursor}");
            assert_eq!(app.code(&token, &path).await, "invalid_cursor", "{path}");
        }
        let path = format!("/v1/search{mode}?q=body&cursor={records}");
        assert_eq!(app.code(&token, &path).await, "invalid_cursor", "{path}");
        walks.push(format!("/v1/search{mode}?q=body&cursor={cursor}"));
    }
    app.clock.advance(31 * 24 * 60 * 60);
    for walk in &walks {
        assert_eq!(app.code(&token, walk).await, "cursor_expired", "{walk}");
    }
}

async fn next_cursor(app: &TestApp, token: &str, path: &str) -> String {
    let (_, page) = app.get(token, &format!("/v1/{path}")).await;
    page["next_cursor"].as_str().expect("more").to_owned()
}
