//! Over generated grants, the page's figures, bars and rows are what the grant then serves.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};
use vitrine_engine::clock::Random;
use vitrine_engine::keeping::Keeper as _;
use vitrine_engine::oauth::preview::{Histogram, Previewer, StreamPreview};
use vitrine_engine::port::Store as _;

use crate::app::TestApp;
use crate::browser::{Browser, form};
use crate::fixtures::{label, mail};
use crate::oauth::{Client, allow, answered};

/// What the owner leaves ticked.
#[derive(Debug, Clone)]
struct Pick {
    connections: Vec<&'static str>,
    streams: Vec<&'static str>,
    withheld: Vec<&'static str>,
    since: Option<u32>,
    until: Option<u32>,
}

const CONNECTIONS: [&str; 2] = ["cin_work", "cin_home"];
const STREAMS: [&str; 3] = ["messages", "labels", "attachments"];
const FIELDS: [&str; 7] = ["thread_id", "subject", "body", "sender", "size", "starred", "headers"];

fn pick() -> impl Strategy<Value = Pick> {
    let connections = proptest::sample::subsequence(&CONNECTIONS[..], 1..=2);
    let streams = proptest::sample::subsequence(&STREAMS[..], 1..=3);
    let withheld = proptest::sample::subsequence(&FIELDS[..], 0..=FIELDS.len());
    let since = proptest::option::of(1u32..10);
    let until = proptest::option::of(11u32..20);
    (connections, streams, withheld, since, until).prop_map(|(connections, streams, withheld, since, until)| Pick {
        connections,
        streams,
        withheld,
        since,
        until,
    })
}

#[test]
fn the_preview_is_what_the_grant_serves() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let app = runtime.block_on(filled());
    let browser = runtime.block_on(Browser::signed_in(&app));
    let client = runtime.block_on(Client::register(&app));
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    runner
        .run(&pick(), |pick| runtime.block_on(check(&app, &browser, &client, &pick)).map_err(TestCaseError::fail))
        .unwrap();
}

async fn filled() -> TestApp {
    let app = TestApp::with_mail().await;
    let mails: Vec<Value> = (1..=20).map(|day| mail(&format!("x{day}"), day)).collect();
    app.ingest("cin_home", "messages", &mails).await;
    app.ingest("cin_work", "labels", &[label("l1", "One"), label("l2", "Two")]).await;
    app
}

/// Approves the pick, and reads with the token what the page had shown.
async fn check(app: &TestApp, browser: &Browser<'_>, client: &Client<'_>, pick: &Pick) -> Result<(), String> {
    let (_, page) = client.ask(browser, &[]).await;
    let mut chosen = form(&page, "/consent/").with("decision", "preview");
    for connection in CONNECTIONS.iter().filter(|c| !pick.connections.contains(c)) {
        chosen = chosen.without(&format!("c/{connection}"));
    }
    for connection in CONNECTIONS {
        for stream in STREAMS.iter().filter(|s| !pick.streams.contains(s)) {
            chosen = chosen.without(&format!("s/{connection}/{stream}"));
        }
        for field in &pick.withheld {
            chosen = chosen.without(&format!("f/{connection}/messages/{field}"));
        }
    }
    let day = |day: Option<u32>| day.map_or_else(String::new, |day| format!("2026-03-{day:02}"));
    chosen = chosen.with("since", &day(pick.since)).with("until", &day(pick.until));
    let page = browser.submit(&chosen).await;
    let shown = crate::browser::text(&page);
    let back = answered(&browser.submit(&allow(&page)).await);
    let tokens = client.redeem(&back["code"]).await.json();
    let token = tokens["access_token"].as_str().ok_or("no token")?;
    let package = tokens["grant_package_id"].as_str().ok_or("no package")?;
    let catalog = app.store.catalog().await.map_err(|error| error.to_string())?;
    let kept = app.store.grants().await.map_err(|error| error.to_string())?;
    let mut connections = BTreeSet::new();
    for grant in kept.into_iter().filter(|kept| kept.package_id.as_deref() == Some(package)).map(|kept| kept.grant) {
        let connection = grant.connections().first().map(|id| (*id).to_owned()).unwrap_or_default();
        let random = Random::seeded(1);
        let mut previewer = Previewer::new(&app.store, &catalog, &app.clock, &random);
        let previews = previewer.look(&grant).await.map_err(|error| error.message)?;
        for preview in &previews {
            let served = serves(app, token, &connection, preview).await;
            if served != *preview {
                return Err(format!("{connection}: shown {preview:?}, served {served:?}"));
            }
            let figure = format!(">{} record", preview.records);
            if !shown.contains(&figure) {
                return Err(format!("the page does not say {figure}"));
            }
        }
        connections.insert(connection);
    }
    let picked: BTreeSet<String> = pick.connections.iter().map(|c| (*c).to_owned()).collect();
    if connections == picked { Ok(()) } else { Err(format!("granted {connections:?} instead of {picked:?}")) }
}

/// What the token reads over REST, in the form of a preview.
async fn serves(app: &TestApp, token: &str, connection: &str, shown: &StreamPreview) -> StreamPreview {
    let stream = format!("/v1/streams/{}", shown.stream);
    let (_, page) = app.get(token, &format!("{stream}/records?connection_id={connection}&limit=3&count=exact")).await;
    let (_, schema) = app.get(token, &format!("{stream}?connection_id={connection}")).await;
    let rows = page["data"].as_array().unwrap();
    let granted = |name: &str| schema["field_capabilities"][name]["granted"] == json!(true);
    let fields: Vec<(String, bool)> = shown.fields.iter().map(|(name, _)| (name.clone(), granted(name))).collect();
    let cells = |row: &Value| fields.iter().map(|(name, _)| row["data"].get(name).cloned()).collect();
    let time = format!(
        "{stream}/aggregate?connection_id={connection}&metric=count&group_by_time=received_at&granularity=month"
    );
    let (status, bars) = app.get(token, &time).await;
    let bar = |group: &Value| (group["key"].as_str().unwrap().to_owned(), group["count"].as_u64().unwrap());
    let bars: Vec<_> = bars["groups"].as_array().map(|groups| groups.iter().map(bar).collect()).unwrap_or_default();
    StreamPreview {
        stream: shown.stream.clone(),
        records: page["meta"]["count"]["value"].as_u64().unwrap(),
        fields: fields.clone(),
        histogram: (status == 200 && !bars.is_empty()).then_some(Histogram { unit: "month", bars }),
        samples: rows.iter().map(cells).collect(),
    }
}
