//! What is changed or deleted is found no more, and nothing of it stays in the indexes.

use rusqlite::Connection;
use vitrine_engine::clock::{Clock, Random};
use vitrine_store::Store;

use super::{found, letter, mailbox, searchable};
use crate::app::TestApp;
use crate::fixtures::gone;

/// Rows in a table of the store.
fn count(app: &TestApp, table: &str) -> i64 {
    let store = Connection::open(app.directory().join("vitrine.db")).unwrap();
    store.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_changed_record_is_found_by_its_new_words_alone() {
    let (app, token) = mailbox(&[letter("a", "apples", "pears"), letter("b", "apples", "plums")]).await;
    app.read_all_meanings().await;
    app.ingest("cin_work", "messages", &[letter("a", "cherries", "pears")]).await;
    assert_eq!(found(&app, &token, "?q=apples").await, ["b"]);
    assert_eq!(found(&app, &token, "?q=cherry").await, ["a"]);
    assert_eq!(found(&app, &token, "?q=pear").await, ["a"]);
    app.read_all_meanings().await;
    assert_eq!(count(&app, "vector"), 4);
}

#[tokio::test]
async fn records_changed_and_deleted_within_one_batch_leave_nothing() {
    let (app, token) = mailbox(&[]).await;
    let lines = [letter("a", "first", "x"), letter("a", "second", "x"), letter("b", "third", "x"), gone("b")];
    app.ingest("cin_work", "messages", &lines).await;
    assert!(found(&app, &token, "?q=first").await.is_empty());
    assert!(found(&app, &token, "?q=third").await.is_empty());
    assert_eq!(found(&app, &token, "?q=second").await, ["a"]);
    assert_eq!(app.store.check().unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn nothing_of_a_deleted_record_stays_in_the_indexes() {
    let long = "quixotic paragraphs ".repeat(2_000);
    let (app, token) = mailbox(&[letter("a", "s", &long), letter("b", "s", "other words")]).await;
    app.read_all_meanings().await;
    app.ingest("cin_work", "messages", &[gone("a")]).await;
    assert!(found(&app, &token, "?q=quixotic").await.is_empty());
    assert!(found(&app, &token, "?q=quixo*").await.is_empty());
    assert_eq!((count(&app, "milestone"), count(&app, "vector")), (0, 2));
    for name in ["vitrine.db", "vitrine.db-wal"] {
        let bytes = std::fs::read(app.directory().join(name)).unwrap_or_default();
        assert!(!bytes.windows(8).any(|window| window == b"quixotic"), "a word stays in {name}");
    }
    assert_eq!(app.call("DELETE", &app.owner, "/v1/owner/connections/cin_work").await.status, 204);
    for table in ["segment", "leaf", "vector", "unread", "milestone"] {
        assert_eq!(count(&app, table), 0, "{table}");
    }
}

#[tokio::test]
async fn many_small_batches_are_merged_and_still_found() {
    let (app, token) = mailbox(&[]).await;
    for n in 0..80 {
        app.ingest("cin_work", "messages", &[letter(&format!("m{n}"), &format!("word{n}"), "shared")]).await;
    }
    assert!(count(&app, "segment") < 24, "{}", count(&app, "segment"));
    for n in [0, 7, 8, 63, 64, 79] {
        assert_eq!(found(&app, &token, &format!("?q=word{n}")).await, [format!("m{n}")]);
    }
    for n in 0..80 {
        app.ingest("cin_work", "messages", &[gone(&format!("m{n}"))]).await;
    }
    assert_eq!((count(&app, "segment"), count(&app, "leaf")), (0, 0));
}

#[tokio::test]
async fn an_index_at_rest_is_put_in_order() {
    let (app, token) = mailbox(&[]).await;
    let batch = |from: usize, to: usize| -> Vec<_> {
        (from..to).map(|n| letter(&format!("m{n}"), &format!("word{n}"), "shared words")).collect()
    };
    for (from, to) in [(0, 40), (40, 50), (50, 60), (60, 61), (61, 62)] {
        app.ingest("cin_work", "messages", &batch(from, to)).await;
    }
    let answers = async || {
        let mut answers = Vec::new();
        for query in
            ["?q=word7", "?q=word61", "?q=shared&limit=5", "?q=word1*&limit=5", "?q=%22shared%20words%22%20-word3"]
        {
            answers.push(app.get(&token, &format!("/v1/search{query}")).await.1["data"].clone());
        }
        answers
    };
    let (before, segments) = (answers().await, count(&app, "segment"));
    assert_eq!(segments, 5);
    assert!(app.store.settle().await.unwrap(), "it was written to");
    assert_eq!(count(&app, "segment"), segments);
    while app.store.settle().await.unwrap() {}
    assert_eq!(count(&app, "segment"), 1);
    assert_eq!(answers().await, before);
    assert_eq!(app.store.check().unwrap(), Vec::<String>::new());
    // One more is not worth writing all of them anew.
    app.ingest("cin_work", "messages", &batch(62, 63)).await;
    while app.store.settle().await.unwrap() {}
    assert_eq!(count(&app, "segment"), 2);
    app.ingest("cin_work", "messages", &(0..63).map(|n| gone(&format!("m{n}"))).collect::<Vec<_>>()).await;
    assert_eq!((count(&app, "segment"), count(&app, "leaf")), (0, 0));
}

#[tokio::test]
async fn large_batches_of_new_changed_and_deleted_records_are_kept_whole() {
    let (app, token) = mailbox(&[]).await;
    let shared = "shared words ".repeat(8);
    let letters = |range: std::ops::Range<usize>, word: &str| -> Vec<_> {
        range.map(|n| letter(&format!("m{n}"), &format!("{word}{n}"), &shared)).collect()
    };
    app.ingest("cin_work", "messages", &letters(0..1_500, "first")).await;
    let mut mixed = letters(1_400..2_900, "second");
    mixed.extend((0..50).map(|n| gone(&format!("m{n}"))));
    mixed.push(letter("m60", "third60", "alone"));
    mixed.push(gone("m2899"));
    app.ingest("cin_work", "messages", &mixed).await;
    for (query, expected) in [
        ("first0", None),
        ("first1399", Some("m1399")),
        ("first1400", None),
        ("second1400", Some("m1400")),
        ("second2898", Some("m2898")),
        ("second2899", None),
        ("third60", Some("m60")),
    ] {
        assert_eq!(found(&app, &token, &format!("?q={query}")).await, Vec::from_iter(expected), "{query}");
    }
    assert_eq!(count(&app, "record"), 2_900 - 50 - 1);
    assert_eq!(count(&app, "unread"), 2 * (2_900 - 50 - 1));
    assert_eq!(app.store.check().unwrap(), Vec::<String>::new());
}

#[tokio::test]
async fn a_new_declaration_changes_what_is_searched() {
    let (app, token) = mailbox(&[letter("a", "apples", "pears")]).await;
    app.read_all_meanings().await;
    app.source(&searchable(&["body"])).await;
    assert!(found(&app, &token, "?q=apples").await.is_empty());
    assert_eq!(found(&app, &token, "?q=pears").await, ["a"]);
    assert_eq!((count(&app, "vector"), count(&app, "unread")), (1, 0));
}

#[tokio::test]
async fn words_indexed_as_an_older_program_saw_them_are_indexed_anew() {
    let (app, token) = mailbox(&[letter("a", "apples", "pears")]).await;
    let file = app.directory().join("vitrine.db");
    let raw = Connection::open(&file).unwrap();
    raw.execute("UPDATE record SET data = replace(data, 'pears', 'plums')", []).unwrap();
    raw.pragma_update(None, "user_version", 4).unwrap();
    drop(Store::open(&file, Clock::System, &Random::System).unwrap());
    assert_eq!(found(&app, &token, "?q=plums").await, ["a"]);
    assert!(found(&app, &token, "?q=pears").await.is_empty());
    app.ingest("cin_work", "messages", &[gone("a")]).await;
    assert_eq!((count(&app, "segment"), count(&app, "leaf")), (0, 0), "nothing stays of a word it no longer is");
}
