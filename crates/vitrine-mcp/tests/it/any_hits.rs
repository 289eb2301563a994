//! Hits of any shape and size: bounded, complete, and each with all that its proof needs.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::any_shape::{run, text, walk, written_calls};
use crate::fake::Fake;
use crate::host::{Host, quoted_after};

/// A hit and its rung have all that its evidence needs, and the evidence is the field's own characters.
fn proves_itself(result: &Value, rung: &Value, body: &str) {
    let evidence = result["evidence_preview"].as_str().unwrap();
    let field = &rung["field_windows"][0];
    let status = if evidence == body { "complete" } else { "truncated" };
    assert_eq!((&rung["evidence_preview"], &field["preview_status"]), (&result["evidence_preview"], &json!(status)));
    assert_eq!((&field["field_path"], &field["size_chars"]), (&json!("body"), &json!(body.chars().count())));
    assert!(evidence.contains("needle") && body.contains(evidence));
    let shown = &result["match"];
    if shown.is_null() {
        // A short list leaves to the ladder what it can.
        assert!(result["read"] == field["read"] || (evidence == body && result["read"].is_null()));
        return;
    }
    let at = |name: &str| usize::try_from(shown[name].as_u64().unwrap()).unwrap();
    let part = |from: usize, to: usize| body.chars().skip(from).take(to - from).collect::<String>();
    assert_eq!(part(at("start_chars"), at("end_chars")), evidence);
    assert_eq!(part(at("match_start_chars"), at("match_end_chars")), "needle");
    assert!(at("start_chars") <= at("match_start_chars") && at("match_end_chars") <= at("end_chars"));
    assert_eq!((at("total_chars"), &shown["field_path"]), (body.chars().count(), &json!("body")));
    assert_eq!(shown["complete"], evidence == body);
    assert!(evidence.chars().count() >= body.chars().count().min(40), "{evidence}");
    let args = &result["read"]["args"];
    assert_eq!((&args["id"], &args["field_path"]), (&result["id"], &json!("body")));
    assert_eq!(args["offset_chars"].as_u64().unwrap_or(0), shown["start_chars"].as_u64().unwrap());
    assert_eq!(field["read"], result["read"]);
    for name in ["id", "connection_id", "stream", "record_id"] {
        assert!(rung[name].is_string() && rung[name] == result[name], "{name}: {rung}");
    }
    for name in ["title", "url", "connector_key", "display_name"] {
        assert!(result[name].is_string(), "{name}: {result}");
    }
}

/// The text says of a hit what its JSON does: id, field, excerpt, and the call that reads on.
fn names_itself(result: &Value, text: &str) {
    let line = text.lines().find(|line| quoted_after(line, " id ").is_some_and(|id| result["id"] == id.as_str()));
    let line = line.unwrap();
    let quoted = line.split_once(". ").unwrap().1;
    assert_eq!(quoted_after(quoted, ""), Some("body".to_owned()));
    assert_eq!(quoted_after(quoted, "\"body\": ").as_deref(), result["evidence_preview"].as_str());
    let calls = written_calls(line, "read_record_field");
    assert!(result["read"].is_null() && calls.len() == 1 || calls == std::slice::from_ref(&result["read"]["args"]));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hits_of_any_text_are_bounded_and_complete(bodies in prop::collection::vec(text(600), 1..40), foreign: bool) {
        run(async {
            let expected = bodies.len();
            let rows = bodies.into_iter().map(|body| json!({"body": format!("{body} needle {body}"), "subject": body}));
            let host = Host::connect(Fake { foreign, ..Fake::single(rows.collect()) }).await;
            assert_eq!(walk(&host, "search", json!({"query": "needle", "limit": 100})).await.len(), expected);
        });
    }

    #[test]
    fn every_proven_hit_says_where_it_matches_and_how_to_read_on(
        connection in "[a-z0-9][a-z0-9_-]{0,40}|[a-z]{1,20}@x[.]org",
        id in "[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{24}|[a-z0-9]{1,12}|[😀-😿]{1,40}|[!-,:-@]{1,9}x",
        subject in text(200),
        bodies in prop::collection::vec(text(300), 1..30),
        limit in 1..30_u64,
        foreign: bool,
    ) {
        run(async {
            let expected = bodies.len();
            let mut fake = Fake { foreign, ..Fake::single(Vec::new()) };
            fake.connections[0].id.clone_from(&connection);
            for (n, body) in bodies.iter().enumerate() {
                let data = json!({"body": format!("{body} needle {body}"), "title": subject, "subject": subject});
                fake.row(&connection, "things", &format!("{id}{n}"), data);
            }
            let host = Host::connect(fake).await;
            let mut arguments = json!({"query": "needle", "limit": limit});
            let mut seen = 0;
            loop {
                let page = host.ok("search", arguments.clone()).await;
                let results = page.structured["results"].as_array().unwrap();
                let rungs = page.structured["content_ladder"]["records"].as_array().unwrap();
                assert!(results.len() == rungs.len() && !results.is_empty());
                for (result, rung) in results.iter().zip(rungs) {
                    let body = &bodies[seen];
                    proves_itself(result, rung, &format!("{body} needle {body}"));
                    assert!(results.len() <= 3 || (result["match"].is_object() && result["read"].is_object()));
                    names_itself(result, &page.text);
                    seen += 1;
                }
                match page.structured["data"]["next_cursor"].as_str() {
                    Some(cursor) => arguments["cursor"] = json!(cursor),
                    None => break,
                }
            }
            assert_eq!(seen, expected);
        });
    }
}

/// Characters of both channels of a search that finds `limit` mails with such ids and subjects, and of the shortest excerpt.
async fn found(connection: &str, stream: &str, id: &str, subject: &str, limit: usize) -> (usize, usize, usize) {
    let body = format!("{} needle {}", "hay ".repeat(900), "hay ".repeat(900));
    let mut fake = Fake::default();
    fake.connection(connection, "gmail", "Work Gmail");
    fake.stream("gmail", stream, &["id", "subject", "body"], &[]);
    for n in 0..4 {
        let data = json!({"subject": subject, "body": body, "received_at": "2026-03-12T09:41:00Z"});
        fake.row(connection, stream, &format!("{id}{n}"), data);
    }
    let hits = Host::connect(fake).await.ok("search", json!({"query": "needle", "limit": limit})).await;
    let (results, rungs) = (&hits.structured["results"], &hits.structured["content_ladder"]["records"]);
    let pairs: Vec<_> = results.as_array().unwrap().iter().zip(rungs.as_array().unwrap()).collect();
    assert_eq!((pairs.len(), &hits.structured["data"]["has_more"]), (limit, &json!(true)));
    for (result, rung) in pairs {
        proves_itself(result, rung, &body);
    }
    let excerpt = |result: &Value| result["evidence_preview"].as_str().unwrap().chars().count();
    let shortest = results.as_array().unwrap().iter().map(excerpt).min().unwrap();
    (hits.text.chars().count(), hits.structured.to_string().chars().count(), shortest)
}

/// Three hits keep to 3,000 characters unless their ids alone are long, each of which stands there seven times in JSON.
/// Excerpts are not shortened where that would not help.
#[tokio::test]
async fn a_few_hits_are_cheap_to_look_at() {
    let uuid = "0f8fad5b-d9cb-469f-a165-70867728950";
    let subject = "Minutes of the quarterly meeting ".repeat(3);
    let (title, emoji) = ("t".repeat(160), "😀".repeat(12));
    for (connection, id, title, most) in [
        ("cin_work", "w0", "Minutes", [3_000, 3_000, 3_000]),
        ("cin_work", &emoji, "Minutes", [3_000, 3_000, 4_300]),
        ("cin_work", uuid, &title, [3_000, 3_000, 4_800]),
        ("gmail-3f2a9c1b7e5d4f", uuid, &subject, [3_000, 3_000, 4_900]),
    ] {
        for (limit, most) in (1..).zip(most) {
            let (text, structured, excerpt) = found(connection, "messages", id, title, limit).await;
            assert!(text <= 3_000 && structured <= most, "{limit} of {id}: {text} and {structured}");
            assert!(structured <= 3_000 || excerpt >= 80, "{limit} of {id}: {excerpt}");
        }
    }
}
