use serde_json::{Value, json};

use crate::app::TestApp;
use crate::fixtures::{gmail, line};

const AGGREGATE: &str = "/v1/streams/messages/aggregate";

async fn with_lines(lines: &[Value]) -> TestApp {
    let app = TestApp::start().await;
    app.source(&gmail()).await;
    for (connection, part) in ["cin_work", "cin_home"].iter().zip(lines.chunks(lines.len().div_ceil(2))) {
        app.connection("gmail", connection).await;
        app.ingest(connection, "messages", part).await;
    }
    app
}

#[tokio::test]
async fn aggregates_group_by_value() {
    let sent = |id: &str, sender: Option<&str>, size: u32| {
        line(&json!({ "id": id, "sender": sender, "size": size, "received_at": "2026-03-01T00:00:00Z" }))
    };
    let lines = [
        sent("1", Some("c"), 1),
        sent("2", Some("b"), 2),
        sent("3", Some("b"), 3),
        sent("4", Some("a"), 4),
        sent("5", None, 5),
    ];
    let app = with_lines(&lines).await;
    let (_, groups) = app.get(&app.owner, &format!("{AGGREGATE}?metric=count&group_by=sender")).await;
    assert_eq!(groups["object"], "aggregation");
    let keys: Vec<&Value> = groups["groups"].as_array().unwrap().iter().map(|group| &group["key"]).collect();
    assert_eq!((keys[0], groups["groups"][0]["count"].as_u64()), (&json!("b"), Some(2)));
    assert_eq!(keys[1..3], [&json!("a"), &json!("c")]);
    let (_, cut) = app.get(&app.owner, &format!("{AGGREGATE}?metric=sum&field=size&group_by=sender&limit=1")).await;
    assert_eq!(cut["groups"], json!([{ "key": "b", "count": 2, "value": 5 }]));
    assert_eq!(cut["filtered_record_count"], 5);
    assert_eq!(cut["other_count"], 3);
    for (query, value) in [
        ("metric=count", json!(5)),
        ("metric=sum&field=size", json!(15)),
        ("metric=min&field=size", json!(1)),
        ("metric=max&field=size", json!(5)),
        ("metric=count_distinct&field=sender", json!(3)),
        ("metric=count&filter[size][gte]=4", json!(2)),
    ] {
        assert_eq!(app.get(&app.owner, &format!("{AGGREGATE}?{query}")).await.1["value"], value, "{query}");
    }
    for query in ["", "metric=sum", "metric=sum&field=subject", "metric=mean", "metric=count&group_by=subject"] {
        assert_eq!(app.get(&app.owner, &format!("{AGGREGATE}?{query}")).await.0, 400, "{query}");
    }
}

/// Months of few and of many records, whole and as far as a grant with a time span sees them.
#[tokio::test]
async fn crowded_time_buckets_are_counted_like_others() {
    let day = |n: usize| format!("2026-{:02}-{:02}T12:00:00Z", 1 + n % 3, 1 + n % 28);
    let lines: Vec<Value> = (0..400)
        .filter(|n| n % 3 != 1 || n % 50 == 1)
        .map(|n| line(&json!({ "id": n.to_string(), "received_at": day(n) })))
        .collect();
    let app = with_lines(&lines).await;
    let counted = async |token: &str| {
        let query = format!("{AGGREGATE}?metric=count&group_by_time=received_at&granularity=month");
        let (_, body) = app.get(token, &query).await;
        body["groups"].as_array().unwrap().iter().map(|group| group["count"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let expected = |from: usize| {
        let of_month = |month| (0..400).filter(move |n| n % 3 == month && (n % 3 != 1 || n % 50 == 1));
        [0, 1, 2].map(|month| of_month(month).filter(|n| (n % 3, n % 28) >= (0, from)).count() as u64)
    };
    assert_eq!(counted(&app.owner).await, expected(0));
    assert!(expected(0)[0] > 64 && expected(0)[1] < 64, "one month of each kind");
    let streams = json!([{ "name": "messages", "time_range": { "since": "2026-01-11T00:00:00Z" } }]);
    let since = app.grant(json!({ "connections": ["cin_work", "cin_home"], "streams": streams })).await;
    assert_eq!(counted(&since).await, expected(10));
}

#[tokio::test]
async fn time_buckets_follow_the_zone() {
    let at = |id: &str, received: &str| line(&json!({ "id": id, "received_at": received }));
    let lines = [
        at("1", "2026-03-28T22:59:59Z"),
        at("2", "2026-03-28T23:00:00Z"),
        at("3", "2026-03-29T21:59:59Z"),
        at("4", "2026-03-29T22:00:00Z"),
        at("5", "2026-12-31T23:30:00Z"),
    ];
    let app = with_lines(&lines).await;
    let buckets = async |unit: &str| {
        let query = format!("metric=count&group_by_time=received_at&granularity={unit}&time_zone=Europe/Berlin");
        let (status, body) = app.get(&app.owner, &format!("{AGGREGATE}?{query}")).await;
        assert_eq!((status, &body["time_zone"]), (200, &json!("Europe/Berlin")), "{body}");
        let groups = body["groups"].as_array().unwrap().clone();
        groups
            .iter()
            .map(|group| (group["key"].as_str().unwrap().to_owned(), group["count"].as_u64().unwrap()))
            .collect::<Vec<_>>()
    };
    let days = buckets("day").await;
    assert_eq!(days.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1, 2, 1, 1]);
    let starts: Vec<String> = days.into_iter().map(|(key, _)| key).collect();
    assert!(starts.is_sorted(), "{starts:?}");
    assert!(starts[1].starts_with("2026-03-29") || starts[1].starts_with("2026-03-28T23:00"), "{starts:?}");
    let counts = async |unit: &str| buckets(unit).await.into_iter().map(|(_, count)| count).collect::<Vec<_>>();
    assert_eq!(counts("month").await, [4, 1]);
    assert_eq!(counts("quarter").await, [4, 1]);
    assert_eq!(counts("year").await, [4, 1], "the last lies in the Berlin year 2027");
    assert_eq!(counts("week").await, [3, 1, 1]);
    let wrong = format!("{AGGREGATE}?metric=count&group_by_time=received_at&granularity=day&time_zone=Mars/Base");
    assert_eq!(app.code(&app.owner, &wrong).await, "invalid_request");
}

#[tokio::test]
async fn a_date_is_the_same_day_in_every_zone() {
    let app = TestApp::start().await;
    let diary = json!({
        "protocol_version": "0.1.0", "source": { "kind": "connector", "id": "https://example.test/diary" },
        "connector_key": "diary", "declaration_version": "1", "display": { "name": "Diary" },
        "streams": [{
            "name": "entries", "semantics": "append_only", "primary_key": ["id"],
            "schema": { "type": "object", "required": ["id"], "properties": {
                "id": { "type": "string" }, "day": { "type": "string", "format": "date" } } },
            "query": { "aggregations": { "count": true, "group_by_time": ["day"] } } }]
    });
    app.source(&diary).await;
    app.connection("diary", "cin_diary").await;
    let days = [("a", "2026-03-28"), ("b", "2026-03-29"), ("c", "2026-03-29")];
    let entries = days.map(|(id, day)| line(&json!({ "id": id, "day": day })));
    app.ingest("cin_diary", "entries", &entries).await;
    for (zone, midnight) in [("America/New_York", "04:00:00Z"), ("UTC", "00:00:00Z")] {
        let query = format!("metric=count&group_by_time=day&granularity=day&time_zone={zone}");
        let (_, body) = app.get(&app.owner, &format!("/v1/streams/entries/aggregate?{query}")).await;
        let expected = json!([{ "key": format!("2026-03-28T{midnight}"), "count": 1 },
                              { "key": format!("2026-03-29T{midnight}"), "count": 2 }]);
        assert_eq!(body["groups"], expected, "{zone}");
    }
}
