use serde_json::{Value, json};
use vitrine_engine::ingest::{Incoming, RejectionCode};
use vitrine_engine::keeping::{Keeper as _, Outcome, Target};
use vitrine_store::Readied;

use crate::app::TestApp;
use crate::fixtures::gmail;

fn target() -> Target {
    Target { connection_id: "cin_work".to_owned(), stream: "messages".to_owned() }
}

fn letter(id: &str, words: &str) -> Incoming {
    let fields = json!({
        "id": id, "thread_id": "t9", "subject": format!("About {words}"), "body": words.repeat(2_000),
        "sender": format!("{id}@example.org"), "received_at": "2026-05-04T09:00:00Z",
    });
    let fields = fields.as_object().unwrap().iter().map(|(name, value)| (name.clone(), value.to_string()));
    let emitted_at = "2026-05-04T09:00:00Z".parse().unwrap();
    Incoming::Upsert { id: id.to_owned(), emitted_at, fields: fields.collect() }
}

fn letters(range: std::ops::Range<usize>) -> Vec<Incoming> {
    range.map(|n| letter(&format!("new{n}"), &format!("words of letter{n}, "))).collect()
}

async fn write(app: &TestApp, batch: &[Incoming], readied: Option<Readied>) -> Vec<Outcome> {
    let written = match readied {
        Some(readied) => app.store.write_readied(readied).await,
        None => app.store.write(&target(), batch).await,
    };
    written.unwrap()
}

/// What a client is told, whatever way the records came in.
async fn told(app: &TestApp) -> Vec<Value> {
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    let mut told = Vec::new();
    for path in [
        "/v1/streams/messages/records?limit=100",
        "/v1/streams/messages/records?filter[thread_id]=t9&sort=-received_at",
        "/v1/search?q=letter7",
        "/v1/search?q=%22of%20letter19%22",
        "/v1/streams/messages/records/new3/field-window?field=body&q=letter3",
    ] {
        let (status, mut answer) = app.get(&token, path).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer.as_object_mut().unwrap().remove("next_changes_since");
        told.push(answer);
    }
    assert_eq!(app.store.check().unwrap(), Vec::<String>::new());
    told
}

#[tokio::test]
async fn what_is_done_ahead_of_a_write_changes_nothing() {
    let (plain, ahead) = (TestApp::with_mail().await, TestApp::with_mail().await);
    for batch in [letters(0..5), letters(5..40)] {
        let written = plain.store.write(&target(), &batch).await.unwrap();
        let readied = ahead.store.ready(target(), batch);
        assert!(readied.is_laid_out());
        assert_eq!(ahead.store.write_readied(readied).await.unwrap(), written);
    }
    assert_eq!(told(&ahead).await, told(&plain).await);

    // Nothing is foreseen for what stands, comes twice or goes.
    let gone = Incoming::Delete { id: "new50".to_owned(), emitted_at: "2026-05-05T09:00:00Z".parse().unwrap() };
    for batch in [letters(39..41), [letters(50..51), letters(50..51)].concat(), vec![gone]] {
        assert!(!ahead.store.ready(target(), batch).is_laid_out());
    }
    let nowhere = Target { stream: "nothing".to_owned(), ..target() };
    assert!(!ahead.store.ready(nowhere, letters(60..61)).is_laid_out());
}

#[tokio::test]
async fn what_was_done_ahead_is_dropped_when_something_came_between() {
    let (plain, ahead) = (TestApp::with_mail().await, TestApp::with_mail().await);
    let batch = letters(0..30);
    let mut declaration = gmail();
    declaration["declaration_version"] = "2026-11-02".into();
    declaration["streams"][0]["query"]["search"]["lexical_fields"] = json!(["subject", "body", "sender"]);
    let between = [letter("new7", "otherwise "), letter("else", "somewhere ")];
    for (app, uses_it) in [(&plain, false), (&ahead, true)] {
        let readied = app.store.ready(target(), batch.clone());
        app.store.write(&target(), &between).await.unwrap();
        let outcomes = write(app, &batch, uses_it.then_some(readied)).await;
        let refused = Outcome::Rejected(RejectionCode::ImmutableRecord);
        let expected = |n| if n == 7 { refused } else { Outcome::Accepted };
        assert_eq!(outcomes, (0..30).map(expected).collect::<Vec<_>>());
        let readied = app.store.ready(target(), letters(30..40));
        app.source(&declaration).await;
        write(app, &letters(30..40), uses_it.then_some(readied)).await;
        let token = app.grant(json!({ "connections": ["cin_work"] })).await;
        assert_eq!(app.get(&token, "/v1/search?q=new35").await.1["data"][0]["record_key"], "new35", "by its sender");
        assert_eq!(
            app.get(&token, "/v1/search?q=letter7").await.1["data"],
            json!([]),
            "its words are not found either"
        );
    }
    assert_eq!(told(&ahead).await, told(&plain).await);
}
