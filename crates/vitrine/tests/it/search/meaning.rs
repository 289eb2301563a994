//! Finding what is meant, in other words.

use serde_json::json;
use vitrine_engine::clock::{Clock, Random};
use vitrine_store::Store;

use super::{found, keys, letter, mailbox};

fn household() -> Vec<serde_json::Value> {
    vec![
        letter("boiler", "Heating engineer", "The boiler broke down and the flat is freezing."),
        letter("holiday", "Flights to Lisbon", "Our plane leaves at noon, bring sunscreen."),
        letter("taxes", "Income statement", "Please file the tax return before the deadline."),
    ]
}

#[tokio::test]
async fn what_is_meant_is_found_in_other_words() {
    let (app, token) = mailbox(&household()).await;
    app.read_all_meanings().await;
    let (_, body) = app.get(&token, "/v1/search/semantic?q=vacation+by+the+sea").await;
    assert_eq!(keys(&body)[0], "holiday");
    let hit = &body["data"][0];
    assert_eq!((&hit["score"]["kind"], &hit["match_windows"]), (&json!("cosine"), &json!([])));
    assert_eq!((&body["meta"]["count"], &body["meta"]["count_accuracy"]), (&json!(null), &json!("not_counted")));
    assert!(body["meta"].get("index").is_none());
    let cold = found(&app, &token, "/semantic?q=my+apartment+is+cold").await;
    assert_eq!(cold[0], "boiler");
}

#[tokio::test]
async fn what_the_fields_of_a_record_mean_together_counts() {
    let (app, token) = mailbox(&[
        letter("a", "Trip to Lisbon", "The recipe needs three eggs."),
        letter("b", "Household budget", "Our plane leaves at noon."),
        letter("c", "Trip to Lisbon", "Our plane leaves at noon."),
    ])
    .await;
    app.read_all_meanings().await;
    assert_eq!(found(&app, &token, "/semantic?q=departure+time+of+the+flight+to+Portugal").await[0], "c");
}

#[tokio::test]
async fn words_and_meaning_together_say_what_found_each_hit() {
    let (app, token) = mailbox(&household()).await;
    app.read_all_meanings().await;
    let (_, body) = app.get(&token, "/v1/search/hybrid?q=tax+paperwork+deadline").await;
    assert_eq!(keys(&body)[0], "taxes");
    let hit = &body["data"][0];
    assert_eq!(hit["retrieval_sources"], json!(["lexical", "semantic"]));
    assert_eq!(hit["score"]["kind"], "fusion");
    assert!(!hit["match_windows"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn a_match_deep_in_a_long_text_is_found_by_its_meaning() {
    let filler = "Minutes of the committee: the budget was read and accepted. ".repeat(60);
    let with = format!("{filler} The dog chased a squirrel up the old oak tree. {filler}");
    let (app, token) = mailbox(&[letter("with", "Minutes", &with), letter("without", "Minutes", &filler)]).await;
    app.read_all_meanings().await;
    let (_, body) = app.get(&token, "/v1/search/semantic?q=a+puppy+running+after+a+small+animal").await;
    let scores: Vec<f64> =
        body["data"].as_array().unwrap().iter().filter_map(|hit| hit["score"]["value"].as_f64()).collect();
    assert_eq!(keys(&body)[0], "with");
    assert!(scores.get(1).is_none_or(|second| *second < scores[0]), "{scores:?}");
}

#[tokio::test]
async fn until_all_is_read_answers_say_how_much_is() {
    let (app, token) = mailbox(&household()).await;
    let (_, body) = app.get(&token, "/v1/search/semantic?q=holiday").await;
    assert_eq!(body["meta"]["index"], json!({ "covered": 0, "total": 6 }));
    let unfinished = json!({ "complete": false, "ranking_scope": "candidate_window", "truncated": true });
    assert_eq!(body["meta"]["recall"], unfinished);
    assert_eq!(app.store.read_meanings(2).await.unwrap(), 2);
    let (_, body) = app.get(&token, "/v1/search/hybrid?q=holiday").await;
    assert_eq!(body["meta"]["index"], json!({ "covered": 2, "total": 6 }));
    assert_eq!(body["meta"]["recall"], unfinished);
    app.read_all_meanings().await;
    let (_, body) = app.get(&token, "/v1/search/hybrid?q=holiday").await;
    assert!(body["meta"].get("index").is_none());
    assert_eq!(body["meta"]["recall"]["complete"], true);
}

#[tokio::test]
async fn texts_read_during_a_walk_do_not_move_its_hits() {
    let letters: Vec<_> =
        (0..24).map(|n| letter(&format!("m{n:02}"), "Finance report", &format!("Page {n}"))).collect();
    let (app, token) = mailbox(&letters).await;
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let (_, body) = app.get(&token, &format!("/v1/search/hybrid?q=finance+report&limit=4{cursor}")).await;
        seen.extend(keys(&body));
        assert_eq!(body["meta"]["recall"]["complete"], false, "it began with nothing read");
        app.store.read_meanings(16).await.unwrap();
        let Some(next) = body["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    seen.sort();
    let all: Vec<String> = (0..24).map(|n| format!("m{n:02}")).collect();
    assert_eq!(seen, all);
}

#[tokio::test]
async fn the_newest_texts_are_read_first_and_unchanged_ones_never_again() {
    let (app, token) = mailbox(&household()).await;
    app.store.read_meanings(2).await.unwrap();
    assert_eq!(found(&app, &token, "/semantic?q=tax+return").await, ["taxes"]);
    app.read_all_meanings().await;
    app.ingest("cin_work", "messages", &household()).await;
    assert_eq!(app.store.read_meanings(8).await.unwrap(), 0);
}

#[tokio::test]
async fn excluded_words_are_excluded_from_meanings_too() {
    let (app, token) = mailbox(&household()).await;
    app.read_all_meanings().await;
    for mode in ["semantic", "hybrid"] {
        let ids = found(&app, &token, &format!("/{mode}?q=holiday+trip+-lisbon")).await;
        assert!(!ids.contains(&"holiday".to_owned()), "{mode}: {ids:?}");
    }
}

#[tokio::test]
async fn a_grant_without_a_field_does_not_find_by_its_meaning() {
    let (app, _) = mailbox(&household()).await;
    app.read_all_meanings().await;
    let streams = json!([{ "name": "messages", "fields": ["subject"] }]);
    let token = app.grant(json!({ "connections": ["cin_work"], "streams": streams })).await;
    let (_, body) = app.get(&token, "/v1/search/semantic?q=the+boiler+broke+down+and+the+flat+is+freezing").await;
    let best = body["data"][0]["score"]["value"].as_f64().unwrap_or_default();
    assert!(best < 0.7, "only a hidden text is that near: {body}");
}

#[tokio::test]
async fn vectors_of_another_model_are_read_anew() {
    let (app, _) = mailbox(&household()).await;
    app.read_all_meanings().await;
    let file = app.directory().join("vitrine.db");
    let open = || Store::open(&file, Clock::System, &Random::System).unwrap();
    let read = open().meanings_read().unwrap();
    assert_eq!((read.covered, read.total), (6, 6), "opened again, it is as it was");
    let raw = rusqlite::Connection::open(&file).unwrap();
    raw.execute("UPDATE meta SET value = 'another' WHERE name = 'meaning_model'", []).unwrap();
    let store = open();
    let read = store.meanings_read().unwrap();
    assert_eq!((read.covered, read.total), (0, 6));
    assert_eq!(store.read_meanings(64).await.unwrap(), 6);
}
