//! Two stores that agree on what a grant may see answer alike, whatever else they hold.

use proptest::prelude::*;
use serde_json::{Value, json};
use vitrine_contract::request::{ReadRequest, RecordsRequest, SearchRequest};
use vitrine_contract::route;

use super::model::Model;
use super::requests;
use super::world::{self, Happening, Scope, World, answer, happening, other_declaration, payload, run, scope};

const IDS: &[&str] = &["a", "b", "c", "d", "e"];
const HIDDEN_IDS: &[&str] = &["h1", "h2", "h3"];

/// Something that happens in one of the two stores alone.
#[derive(Debug, Clone)]
enum Hidden {
    /// To a field of a record that the grant covers, but not the field.
    Field { account: usize, id: &'static str, secret: String },
    /// To a record outside the grant's time span, or of an account it does not cover.
    Record(Happening),
    /// To another source altogether.
    Source(u32),
    /// To an account of another source.
    Elsewhere(Happening),
    /// A record comes and goes.
    Fleeting(Happening),
}

fn hidden() -> impl Strategy<Value = Hidden> {
    let field = (0usize..2, proptest::sample::select(IDS), "[s-z]{0,9}")
        .prop_map(|(account, id, secret)| Hidden::Field { account, id, secret });
    let put = || {
        (0usize..2, proptest::sample::select(&["items", "notes"][..]), payload(HIDDEN_IDS), 0i64..90)
            .prop_map(|(account, stream, data, emitted)| Happening::Put { account, stream, data, emitted })
    };
    prop_oneof![
        3 => field,
        4 => put().prop_map(Hidden::Record),
        1 => (1u32..4).prop_map(Hidden::Source),
        1 => put().prop_map(Hidden::Elsewhere),
        2 => put().prop_map(Hidden::Fleeting),
    ]
}

/// A step both stores take, between steps that only one does.
#[derive(Debug, Clone)]
struct Step {
    visible: Happening,
    left: Vec<Hidden>,
    right: Vec<Hidden>,
}

fn step() -> impl Strategy<Value = Step> {
    let only = || proptest::collection::vec(hidden(), 0..3);
    (happening(IDS), only(), only()).prop_map(|(visible, left, right)| Step { visible, left, right })
}

/// One of the two stores, with what it holds.
struct Side {
    world: World,
    model: Model,
}

impl Side {
    async fn new(seed: u64) -> Self {
        Self { world: World::new(seed).await, model: Model::default() }
    }

    async fn happen(&mut self, happening: &Happening) {
        self.world.happen(happening).await;
        self.model.happen(happening);
    }

    /// Takes a hidden step, made sure to be hidden from the grant.
    async fn hide(&mut self, hidden: &Hidden, scope: &Scope) {
        match hidden {
            Hidden::Field { account, id, secret } => {
                for stream in ["items", "notes"] {
                    let key = (world::ACCOUNTS[*account].to_owned(), stream, (*id).to_owned());
                    let Some(mut data) = self.model.records.get(&key).cloned() else { continue };
                    data.insert("secret".into(), json!(secret));
                    // The time of emission shows, so it stays as both stores know it.
                    let emitted = i64::from(data["id"].as_str().unwrap().as_bytes()[0]);
                    self.happen(&Happening::Put { account: *account, stream, data, emitted }).await;
                }
            }
            Hidden::Record(happening) => {
                let happening = conceal(happening, scope);
                self.happen(&happening).await;
            }
            Hidden::Fleeting(happening) => {
                let happening = conceal(happening, scope);
                self.happen(&happening).await;
                let (account, stream, id) = (happening.account(), happening.stream(), happening.id().to_owned());
                self.happen(&Happening::Delete { account, stream, id }).await;
            }
            Hidden::Source(version) => {
                self.world.owner().register_source(&other_declaration(*version).to_string()).await.unwrap();
            }
            Hidden::Elsewhere(happening) => {
                let owner = self.world.owner();
                owner.register_source(&other_declaration(9).to_string()).await.unwrap();
                let _ = owner.add_connection("other", "Elsewhere", Some("cin_other")).await;
                self.world.happen_in("cin_other", happening).await;
            }
        }
    }
}

/// The same step, moved out of the grant's sight.
fn conceal(happening: &Happening, scope: &Scope) -> Happening {
    let Happening::Put { account, stream, data, emitted } = happening else { return happening.clone() };
    let (mut account, mut data) = (*account, data.clone());
    if let Some(outside) = (0..2).find(|a| !scope.accounts.contains(a)) {
        account = outside;
    } else if scope.until.is_some() {
        data.insert("at".into(), json!("2030-01-01T00:00:00Z"));
    } else if scope.since.is_some() {
        data.insert("at".into(), json!("2001-01-01T00:00:00Z"));
    }
    Happening::Put { account, stream, data, emitted: *emitted }
}

/// A grant that leaves something out that records can hide in.
fn leaves_records_out(scope: &Scope) -> bool {
    scope.accounts.len() < 2 || scope.since.is_some() || scope.until.is_some() || scope.resources.is_some()
}

/// Requests about what is granted, what is not, and what exists nowhere.
fn probes(with_meaning: bool) -> Vec<ReadRequest> {
    let mut urls = vec![
        "/v1/schema".to_owned(),
        "/v1/schema?view=compact".into(),
        "/v1/schema?stream=items".into(),
        "/v1/streams".into(),
        "/v1/schema?connection_id=cin_b".into(),
        "/v1/schema?connection_id=cin_other".into(),
        "/v1/schema?connection_id=cin_nowhere".into(),
        "/v1/streams/items".into(),
        "/v1/streams/elsewhere".into(),
        "/v1/blobs/b1".into(),
        "/v1/streams/items/records?count=exact&expand=parts&limit=3".into(),
        "/v1/streams/notes/records?count=estimated&limit=100".into(),
        "/v1/streams/items/records?filter[secret]=s".into(),
        "/v1/streams/items/records?sort=secret".into(),
        "/v1/streams/items/records?fields=id,secret".into(),
        "/v1/streams/items/records?cursor=abc".into(),
        "/v1/streams/items/aggregate?metric=count&group_by=kind".into(),
        "/v1/streams/items/aggregate?metric=count".into(),
        "/v1/streams/notes/aggregate?metric=sum&field=amount&group_by=kind".into(),
        "/v1/streams/items/aggregate?metric=max&field=at".into(),
        "/v1/streams/notes/aggregate?metric=min&field=amount".into(),
        "/v1/streams/items/aggregate?metric=count&group_by_time=at&granularity=day&time_zone=Europe/Berlin".into(),
        "/v1/streams/notes/aggregate?metric=count_distinct&field=kind".into(),
    ];
    for q in ["a", "b+c", "a*", "s*", "%22a+b%22", "c+-a", "%E6%97%A5", "x", "zzz+a"] {
        urls.push(format!("/v1/search?q={q}&limit=2"));
        urls.push(format!("/v1/search?q={q}&streams=notes&connection_id=cin_b"));
    }
    for mode in ["semantic", "hybrid"].iter().filter(|_| with_meaning) {
        urls.push(format!("/v1/search/{mode}?q=a+b&limit=2"));
        urls.push(format!("/v1/search/{mode}?q=s*+-c&streams=items&connection_id=cin_a"));
    }
    for id in IDS.iter().chain(HIDDEN_IDS).chain(&["nowhere"]) {
        for stream in ["items", "notes"] {
            urls.push(format!("/v1/streams/{stream}/records/{id}?expand=parts"));
            urls.push(format!("/v1/streams/{stream}/records/{id}?connection_id=cin_a"));
            urls.push(format!("/v1/streams/{stream}/records/{id}/field-window?field=text&connection_id=cin_b"));
            urls.push(format!("/v1/streams/{stream}/records/{id}/field-window?field=secret"));
        }
    }
    urls.iter()
        .map(|url| {
            let (path, query) = url.split_once('?').unwrap_or((url, ""));
            route::parse(path, query).unwrap()
        })
        .collect()
}

/// Cursors are ciphertext: only their length may be compared.
fn mask(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for (name, value) in map.iter_mut() {
                let opaque = matches!(name.as_str(), "next_cursor" | "next_changes_since" | "next");
                match value {
                    Value::String(text) if opaque => *text = format!("{} characters", text.len()),
                    other => mask(other),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(mask),
        _ => {}
    }
}

/// Every answer of a side: the probes, generated walks, and the feed from both bookmarks.
async fn answers(
    side: &Side,
    scope: &Scope,
    pages: &[RecordsRequest],
    bookmark: &str,
    with_meaning: bool,
) -> Vec<(String, Value)> {
    let reader = side.world.reader(side.world.caller(scope).await);
    let mut requests = probes(with_meaning);
    if with_meaning {
        side.world.read_all_meanings().await;
    }
    requests.extend(pages.iter().cloned().map(ReadRequest::Records));
    for since in ["beginning", bookmark] {
        for stream in ["items", "notes"] {
            requests.push(ReadRequest::Records(RecordsRequest {
                stream: stream.into(),
                changes_since: Some(since.to_owned()),
                limit: Some(3),
                ..RecordsRequest::default()
            }));
        }
    }
    let mut answers = Vec::new();
    for request in requests {
        let shown = format!("{request:?}").replace(bookmark, "BOOKMARK");
        let mut next = Some(request);
        while let Some(request) = next.take() {
            let mut answer = answer(&reader, &request).await;
            let cursor = answer["next_cursor"].as_str().map(str::to_owned);
            next = match request {
                ReadRequest::Records(r) if cursor.is_some() => {
                    Some(ReadRequest::Records(RecordsRequest { cursor, ..r }))
                }
                ReadRequest::Search(r) if cursor.is_some() => Some(ReadRequest::Search(SearchRequest { cursor, ..r })),
                _ => None,
            };
            if let Some(links) = answer.get_mut("links") {
                links.take();
            }
            mask(&mut answer);
            answers.push((shown.clone(), answer));
        }
    }
    answers
}

async fn bookmark(side: &Side, scope: &Scope) -> String {
    let reader = side.world.reader(side.world.caller(scope).await);
    let request = RecordsRequest {
        stream: "items".into(),
        changes_since: Some("beginning".into()),
        limit: Some(100),
        ..RecordsRequest::default()
    };
    let answer = answer(&reader, &ReadRequest::Records(request)).await;
    answer["next_changes_since"].as_str().unwrap().to_owned()
}

/// Plays the steps on both sides and returns all answers of each.
async fn play(
    steps: &[Step],
    scope: &Scope,
    seen: &Scope,
    pages: &[RecordsRequest],
    with_meaning: bool,
) -> [Vec<(String, Value)>; 2] {
    let mut sides = [Side::new(1).await, Side::new(2).await];
    let mut bookmarks = [String::new(), String::new()];
    for (number, step) in steps.iter().enumerate() {
        for (at, side) in sides.iter_mut().enumerate() {
            let only = if at == 0 { &step.left } else { &step.right };
            for hidden in only {
                if matches!(hidden, Hidden::Field { .. }) || leaves_records_out(scope) {
                    side.hide(hidden, scope).await;
                }
            }
            let mut visible = step.visible.clone();
            if let Happening::Put { data, emitted, .. } = &mut visible {
                *emitted = i64::from(data["id"].as_str().unwrap().as_bytes()[0]);
            }
            side.happen(&visible).await;
            if number == steps.len() / 2 {
                bookmarks[at] = bookmark(side, seen).await;
            }
        }
    }
    let [left, right] = &sides;
    [
        answers(left, seen, pages, &bookmarks[0], with_meaning).await,
        answers(right, seen, pages, &bookmarks[1], with_meaning).await,
    ]
}

fn differences(answers: &[Vec<(String, Value)>; 2]) -> Vec<String> {
    let [left, right] = answers;
    let mut found: Vec<String> = left
        .iter()
        .zip(right)
        .filter(|(a, b)| serde_json::to_string(&a.1).unwrap() != serde_json::to_string(&b.1).unwrap())
        .map(|(a, b)| format!("{}\n  {}\n  {}", a.0, a.1, b.1))
        .collect();
    if left.len() != right.len() {
        found.push(format!("{} answers against {}", left.len(), right.len()));
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn what_a_grant_may_not_see_changes_no_answer(
        steps in proptest::collection::vec(step(), 4..24),
        scope in scope(IDS),
        pages in proptest::collection::vec(requests::page(), 6),
    ) {
        let answers = run(play(&steps, &scope, &scope, &pages, false));
        prop_assert_eq!(differences(&answers), Vec::<String>::new());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn what_a_grant_may_not_see_changes_no_search_by_meaning(
        steps in proptest::collection::vec(step(), 4..12),
        scope in scope(IDS),
    ) {
        let answers = run(play(&steps, &scope, &scope, &[], true));
        prop_assert_eq!(differences(&answers), Vec::<String>::new());
    }
}

/// The check can fail: a reader with one more field, account or a wider span is caught.
#[test]
fn a_leaking_reader_is_caught() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    let narrow = Scope {
        accounts: vec![0],
        fields: world::FIELDS.to_vec(),
        since: Some("2026-03-29T00:00:00Z"),
        until: None,
        resources: None,
    };
    let both = Scope { accounts: vec![0, 1], ..narrow.clone() };
    let leaks = [
        (&narrow, Scope { fields: [&world::FIELDS[..], &["secret"]].concat(), ..narrow.clone() }),
        (&narrow, both.clone()),
        (&both, Scope { since: None, ..both.clone() }),
    ];
    let mut runner = TestRunner::deterministic();
    let steps = proptest::collection::vec(step(), 24).new_tree(&mut runner).unwrap().current();
    for (granted, leak) in &leaks {
        assert_eq!(differences(&run(play(&steps, granted, granted, &[], false))), Vec::<String>::new());
        assert!(!differences(&run(play(&steps, granted, leak, &[], false))).is_empty(), "not caught: {leak:?}");
    }
}
