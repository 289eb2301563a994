use serde_json::{Value, json};

use super::RECORDS;
use crate::app::{TestApp, ids};
use crate::fixtures::{gmail, line, mail};

/// Follows a list to its end.
async fn walk(app: &TestApp, token: &str, path: &str, mut meanwhile: impl AsyncFnMut(usize)) -> Vec<String> {
    let (mut path, mut seen) = (path.to_owned(), Vec::new());
    for page in 0.. {
        let (status, list) = app.get(token, &path).await;
        assert_eq!(status, 200, "{path}: {list}");
        seen.extend(ids(&list));
        let Some(next) = list["links"]["next"].as_str() else { break };
        path = next.to_owned();
        meanwhile(page).await;
    }
    seen
}

#[tokio::test]
async fn walking_pages_returns_each_record_once() {
    let app = TestApp::with_mail().await;
    let lines: Vec<_> = (0..60).map(|n| mail(&format!("m{n:02}"), 1 + n % 9)).collect();
    app.ingest("cin_work", "messages", &lines).await;
    app.ingest("cin_home", "messages", &lines[..20]).await;
    let expected = app.ids(&app.owner, &format!("{RECORDS}?limit=100&order=asc")).await;
    assert_eq!(expected.len(), 84);
    let mut written = 0;
    for order in ["asc", "desc"] {
        for limit in [1, 7, 50] {
            let path = format!("{RECORDS}?order={order}&limit={limit}");
            let mut seen = walk(&app, &app.owner, &path, async |page| {
                if page < 3 {
                    let early = mail(&format!("x{written}"), 1);
                    let late = mail(&format!("y{written}"), 9);
                    app.ingest("cin_work", "messages", &[early, late]).await;
                    written += 1;
                }
            })
            .await;
            if order == "desc" {
                seen.reverse();
            }
            seen.retain(|id| expected.contains(id));
            assert_eq!(seen, expected, "{path}");
        }
    }
}

#[tokio::test]
async fn connections_merge_into_one_page() {
    let app = TestApp::with_mail().await;
    app.ingest("cin_home", "messages", &[mail("h4", 4)]).await;
    let token = app.grant(json!({ "source": "gmail" })).await;
    let (_, page) = app.get(&token, &format!("{RECORDS}?limit=3")).await;
    assert_eq!(ids(&page), ["h4", "w3", "w2"]);
    let rows = page["data"].as_array().unwrap();
    let connections: Vec<&str> = rows.iter().map(|row| row["connection_id"].as_str().unwrap()).collect();
    assert_eq!(connections, ["cin_home", "cin_work", "cin_work"]);
    assert_eq!((&rows[0]["connector_key"], &rows[0]["display_name"]), (&json!("gmail"), &json!("Account cin_home")));
    let (_, rest) = app.get(&token, page["links"]["next"].as_str().unwrap()).await;
    assert_eq!((ids(&rest), &rest["has_more"]), (vec!["h1".to_owned(), "w1".to_owned()], &json!(false)));
}

#[tokio::test]
async fn equal_times_are_ordered_by_id_and_connection() {
    let app = TestApp::start().await;
    app.source(&gmail()).await;
    for connection in ["cin_b", "cin_a"] {
        app.connection("gmail", connection).await;
        app.ingest(connection, "messages", &[mail("m2", 1), mail("m1", 1), mail("m3", 1)]).await;
    }
    let (_, page) = app.get(&app.owner, &format!("{RECORDS}?order=asc")).await;
    let rows = page["data"].as_array().unwrap().iter();
    let order: Vec<_> = rows.map(|row| format!("{} {}", row["id"], row["connection_id"]).replace('"', "")).collect();
    assert_eq!(order, ["m1 cin_a", "m1 cin_b", "m2 cin_a", "m2 cin_b", "m3 cin_a", "m3 cin_b"]);
    let backwards = walk(&app, &app.owner, &format!("{RECORDS}?order=desc&limit=1"), async |_| {}).await;
    assert_eq!(backwards, ["m3", "m3", "m2", "m2", "m1", "m1"]);
}

#[tokio::test]
async fn absent_values_come_last() {
    let app = TestApp::start().await;
    let mut declaration = gmail();
    declaration["streams"][0]["schema"]["required"] = json!(["id"]);
    declaration["streams"][0]["schema"]["properties"]["received_at"]["type"] = json!(["string", "null"]);
    app.source(&declaration).await;
    app.connection("gmail", "cin_work").await;
    let lines = [
        line(&json!({ "id": "none" })),
        line(&json!({ "id": "null", "received_at": null })),
        mail("early", 1),
        mail("late", 2),
    ];
    app.ingest("cin_work", "messages", &lines).await;
    for limit in [1, 2, 3, 100] {
        for (order, expected) in [("asc", ["early", "late"]), ("desc", ["late", "early"])] {
            let path = format!("{RECORDS}?order={order}&limit={limit}");
            let seen = walk(&app, &app.owner, &path, async |_| {}).await;
            assert_eq!(seen[..2], expected, "{path}");
            let mut absent = seen[2..].to_vec();
            absent.sort();
            assert_eq!(absent, ["none", "null"], "{path}");
        }
    }
}

#[tokio::test]
async fn a_filter_holds_for_every_row_of_a_walk() {
    let app = TestApp::start().await;
    let mut declaration = gmail();
    declaration["streams"][0]["semantics"] = json!("mutable_state");
    app.source(&declaration).await;
    app.connection("gmail", "cin_work").await;
    let lines: Vec<_> = (0..30).map(|n| mail(&format!("m{n:02}"), 1 + n % 28)).collect();
    app.ingest("cin_work", "messages", &lines).await;
    let change = |n: usize, field: &str, value: Value| {
        let mut line = lines[n].clone();
        line["data"][field] = value;
        line
    };
    for (filter, field, other) in
        [("filter[thread_id]=t1", "thread_id", json!("t2")), ("filter[size][gte]=1", "size", json!(0))]
    {
        for limit in [1, 4, 25] {
            app.ingest("cin_work", "messages", &lines).await;
            let path = format!("{RECORDS}?connection_id=cin_work&order=asc&limit={limit}&{filter}");
            let all = walk(&app, &app.owner, &path, async |_| {}).await;
            let seen = walk(&app, &app.owner, &path, async |page| {
                if page == 0 {
                    let away: Vec<_> = (26..30).chain(3..13).map(|n| change(n, field, other.clone())).collect();
                    app.ingest("cin_work", "messages", &away).await;
                }
            })
            .await;
            let page_of_first: Vec<_> = all.iter().take(limit).collect();
            let changed = |id: &&String| lines[26..].iter().chain(&lines[3..13]).any(|line| line["key"] == ***id);
            let expected: Vec<_> = all.iter().filter(|id| page_of_first.contains(id) || !changed(id)).collect();
            assert_eq!(seen.iter().collect::<Vec<_>>(), expected, "{path}");
        }
    }
}

#[tokio::test]
async fn times_at_the_end_of_the_calendar_are_times() {
    const END: &str = "9999-12-31T23:59:59Z";
    let app = TestApp::start().await;
    app.source(&gmail()).await;
    app.connection("gmail", "cin_work").await;
    let mut endless = mail("endless", 3);
    endless["data"]["received_at"] = json!(END);
    app.ingest("cin_work", "messages", &[mail("early", 1), endless, mail("late", 2)]).await;
    let since = json!({ "name": "messages", "time_range": { "since": "2026-03-02T00:00:00Z", "until": END } });
    let token = app.grant(json!({ "source": "gmail", "streams": [since] })).await;
    assert_eq!(walk(&app, &token, RECORDS, async |_| {}).await, ["late"], "until is exclusive");
    for (selector, expected) in [
        ("order=desc", &["endless", "late", "early"][..]),
        ("order=asc", &["early", "late", "endless"]),
        ("filter[received_at][gte]=2027-01-01T00:00:00Z", &["endless"]),
        ("filter[received_at][lte]=9999-12-31T23:59:59Z&filter[received_at][gt]=2027-01-01", &["endless"]),
        ("filter[received_at][lt]=9999-12-31T23:59:59Z", &["late", "early"]),
    ] {
        let seen = walk(&app, &app.owner, &format!("{RECORDS}?{selector}"), async |_| {}).await;
        assert_eq!(seen, expected, "{selector}");
    }
    for granularity in ["minute", "hour", "day", "week", "month", "quarter", "year"] {
        for zone in ["UTC", "Pacific/Kiritimati", "America/New_York"] {
            let buckets = format!("metric=count&group_by_time=received_at&granularity={granularity}&time_zone={zone}");
            let (status, body) = app.get(&app.owner, &format!("/v1/streams/messages/aggregate?{buckets}")).await;
            assert_eq!(status, 200, "{buckets}: {body}");
            let last = body["groups"].as_array().unwrap().last().unwrap();
            assert!(last["key"].as_str().is_some_and(|key| key.starts_with("999")), "{buckets}: {body}");
        }
    }
}

#[tokio::test]
async fn a_cursor_continues_only_its_own_query() {
    let app = TestApp::with_mail().await;
    let (one, other) = (app.grant(json!({ "source": "gmail" })).await, app.grant(json!({ "source": "gmail" })).await);
    let (_, page) = app.get(&one, &format!("{RECORDS}?limit=1")).await;
    let cursor = page["next_cursor"].as_str().unwrap();
    assert_eq!(app.code(&one, &format!("{RECORDS}?cursor={cursor}&limit=2")).await, "");
    for path in [
        format!("{RECORDS}?cursor={cursor}&order=asc"),
        format!("{RECORDS}?cursor={cursor}&sort=size"),
        format!("{RECORDS}?cursor={cursor}&filter[sender]=x"),
        format!("{RECORDS}?cursor={cursor}&connection_id=cin_work"),
        format!("/v1/streams/labels/records?cursor={cursor}"),
        format!("{RECORDS}?changes_since={cursor}"),
        format!("{RECORDS}?changes_since=beginning&cursor={cursor}"),
    ] {
        let code = app.code(&one, &path).await;
        assert_eq!(code, "invalid_cursor", "{path}");
    }
    assert_eq!(app.code(&other, &format!("{RECORDS}?cursor={cursor}")).await, "invalid_cursor");
    for at in 0..cursor.len() {
        let mut tampered = cursor.as_bytes().to_vec();
        tampered[at] = if tampered[at] == b'A' { b'B' } else { b'A' };
        let path = format!("{RECORDS}?cursor={}", String::from_utf8(tampered).unwrap());
        assert_eq!(app.code(&one, &path).await, "invalid_cursor", "character {at}");
    }
    assert_eq!(app.code(&one, &format!("{RECORDS}?cursor={}", &cursor[1..])).await, "invalid_cursor");
    assert_eq!(app.code(&one, &format!("{RECORDS}?cursor=")).await, "invalid_cursor");
}

#[tokio::test]
async fn a_limit_past_the_maximum_is_clamped() {
    let app = TestApp::with_mail().await;
    let lines: Vec<_> = (0..120).map(|n| mail(&format!("m{n:03}"), 5)).collect();
    app.ingest("cin_work", "messages", &lines).await;
    let (_, page) = app.get(&app.owner, &format!("{RECORDS}?limit=1000")).await;
    assert_eq!(ids(&page).len(), 100);
    let warning = &page["meta"]["warnings"][0];
    assert_eq!(warning["code"], "limit_clamped");
    assert_eq!(warning["detail"], json!({ "requested_limit": 1000, "max_limit": 100 }));
    assert_eq!(app.ids(&app.owner, RECORDS).await.len(), 25, "the default");
    let (_, page) = app.get(&app.owner, &format!("{RECORDS}?limit=99999999999999999999999")).await;
    assert_eq!((ids(&page).len(), &page["meta"]["warnings"][0]["code"]), (100, &json!("limit_clamped")));
    let (_, groups) =
        app.get(&app.owner, "/v1/streams/messages/aggregate?metric=count&group_by=sender&limit=101").await;
    assert_eq!(groups["meta"]["warnings"][0]["detail"], json!({ "requested_limit": 101, "max_limit": 100 }));
}

#[tokio::test]
async fn the_old_name_of_a_connection_may_not_contradict_it() {
    let app = TestApp::with_mail().await;
    let ids = app.ids(&app.owner, &format!("{RECORDS}?connection_id=cin_home&connector_instance_id=cin_home")).await;
    assert_eq!(ids, ["h1"]);
    let path = format!("{RECORDS}?connection_id=cin_home&connector_instance_id=cin_work");
    assert_eq!(app.code(&app.owner, &path).await, "conflicting_connection_id");
}
