//! Small generated stores: two accounts of one source, an account of another, and what happens
//! to their records.

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use vitrine_contract::read_api::ReadApi;
use vitrine_contract::request::ReadRequest;
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::grant::{Grant, GrantRequest, Issue, StreamRequest, TimeRange};
use vitrine_engine::ingest::IngestSession;
use vitrine_engine::keeping::Target;
use vitrine_engine::owner::Owner;
use vitrine_engine::port::Store as _;
use vitrine_engine::{Caller, LocalRead};
use vitrine_store::Store;

/// The accounts of the source that grants are about.
pub(super) const ACCOUNTS: [&str; 2] = ["cin_a", "cin_b"];
pub(super) const NOW: i64 = 1_780_000_000;

/// `items` is ordered by the time consent is measured on; `notes` by another one.
pub(super) fn declaration() -> Value {
    let fields = json!({
        "id": { "type": "string" },
        "at": { "type": ["string", "null"], "format": "date-time" },
        "touched": { "type": ["string", "null"], "format": "date-time" },
        "kind": { "type": ["string", "null"] },
        "amount": { "type": ["number", "null"] },
        "done": { "type": ["boolean", "null"] },
        "owner_id": { "type": ["string", "null"] },
        "text": { "type": ["string", "null"] },
        "tree": {},
        "secret": { "type": ["string", "null"] },
    });
    let stream = |name: &str, cursor: &str| {
        json!({
            "name": name,
            "semantics": "mutable_state",
            "schema": { "type": "object", "properties": fields, "required": ["id"] },
            "primary_key": ["id"],
            "cursor_field": cursor,
            "consent_time_field": "at",
            "relationships": [{ "name": "parts", "stream": "items", "foreign_key": "owner_id", "cardinality": "has_many" }],
            "query": {
                "range_filters": { "at": ["gte", "gt", "lte", "lt"], "amount": ["gte", "gt", "lte", "lt"], "touched": ["gte", "lt"] },
                "search": { "lexical_fields": ["kind", "text", "secret"], "semantic_fields": ["text", "secret"] },
                "aggregations": {
                    "count": true, "sum": ["amount"], "min": ["amount", "at"], "max": ["amount", "at"],
                    "count_distinct": ["kind"], "group_by": ["kind", "done"], "group_by_time": ["at"]
                },
                "expand": [{ "name": "parts", "default_limit": 2, "max_limit": 3 }]
            }
        })
    };
    json!({
        "protocol_version": "0.1.0",
        "source": { "kind": "connector", "id": "https://example.test/box" },
        "connector_key": "box", "declaration_version": "1",
        "display": { "name": "Box" },
        "streams": [stream("items", "at"), stream("notes", "touched")]
    })
}

/// A source no grant of these tests covers.
pub(super) fn other_declaration(version: u32) -> Value {
    let mut other = declaration();
    other["source"]["id"] = json!("https://example.test/other");
    other["connector_key"] = json!("other");
    other["declaration_version"] = json!(version.to_string());
    other
}

/// One thing that happens to one record.
#[derive(Debug, Clone)]
pub(super) enum Happening {
    Put { account: usize, stream: &'static str, data: Map<String, Value>, emitted: i64 },
    Delete { account: usize, stream: &'static str, id: String },
}

impl Happening {
    pub(super) fn stream(&self) -> &'static str {
        match self {
            Self::Put { stream, .. } | Self::Delete { stream, .. } => stream,
        }
    }

    pub(super) fn account(&self) -> usize {
        match self {
            Self::Put { account, .. } | Self::Delete { account, .. } => *account,
        }
    }

    pub(super) fn id(&self) -> &str {
        match self {
            Self::Put { data, .. } => data["id"].as_str().unwrap_or_default(),
            Self::Delete { id, .. } => id,
        }
    }

    fn line(&self) -> String {
        match self {
            Self::Put { data, emitted, .. } => {
                json!({ "key": data["id"], "data": data, "emitted_at": emitted_at(*emitted) }).to_string()
            }
            Self::Delete { id, .. } => json!({ "key": id, "op": "delete", "emitted_at": emitted_at(0) }).to_string(),
        }
    }
}

pub(super) fn emitted_at(n: i64) -> String {
    jiff::Timestamp::from_second(NOW - 100_000 + n).unwrap().to_string()
}

/// Times with ties, offsets and gaps.
pub(super) const TIMES: [&str; 7] = [
    "2026-03-28T23:30:00Z",
    "2026-03-29T00:30:00Z",
    "2026-03-29T02:30:00+01:00",
    "2026-03-29T01:30:00.5Z",
    "2026-10-25T00:30:00Z",
    "2026-10-25T01:30:00Z",
    "2025-12-31T23:59:59Z",
];

/// A record's payload under one of the given ids.
pub(super) fn payload(ids: &'static [&'static str]) -> impl Strategy<Value = Map<String, Value>> {
    let time = || prop_oneof![4 => proptest::sample::select(&TIMES[..]).prop_map(|t| json!(t)), 1 => Just(Value::Null)];
    let maybe = |s: BoxedStrategy<Value>| prop_oneof![3 => s, 1 => Just(Value::Null)];
    let kind = maybe(proptest::sample::select(&["x", "y", "é"][..]).prop_map(|k| json!(k)).boxed());
    let amount = maybe(
        prop_oneof![(-3i64..4).prop_map(|n| json!(n)), (-8i32..8).prop_map(|n| json!(f64::from(n) / 10.0))].boxed(),
    );
    let done = maybe(any::<bool>().prop_map(|b| json!(b)).boxed());
    let parent = maybe(proptest::sample::select(ids).prop_map(|i| json!(i)).boxed());
    let text = prop_oneof![6 => "[a-cé日 ]{0,12}".prop_map(|t| json!(t)), 1 => "[ab]{1,3}".prop_map(|t| json!(t.repeat(4_000)))];
    let tree = prop_oneof![Just(json!({ "a": [1, null] })), Just(json!([[], {}])), Just(json!("leaf"))];
    let fields = (proptest::sample::select(ids), time(), time(), kind, amount, done, parent, text, tree, "[s-z]{0,6}");
    fields.prop_map(|(id, at, touched, kind, amount, done, owner_id, text, tree, secret)| {
        let mut data = Map::new();
        data.insert("id".into(), json!(id));
        let rest = [
            ("at", at),
            ("touched", touched),
            ("kind", kind),
            ("amount", amount),
            ("done", done),
            ("owner_id", owner_id),
            ("text", text),
            ("tree", tree),
            ("secret", json!(secret)),
        ];
        for (position, (name, value)) in rest.into_iter().enumerate() {
            // Every third null stands for an absent field instead.
            if !(value.is_null() && position % 3 == 0) {
                data.insert(name.into(), value);
            }
        }
        data
    })
}

/// Puts and, now and then, deletions.
pub(super) fn happening(ids: &'static [&'static str]) -> impl Strategy<Value = Happening> {
    let put = (0usize..2, proptest::sample::select(&["items", "notes"][..]), payload(ids), 0i64..50)
        .prop_map(|(account, stream, data, emitted)| Happening::Put { account, stream, data, emitted });
    let delete = (0usize..2, proptest::sample::select(&["items", "notes"][..]), proptest::sample::select(ids))
        .prop_map(|(account, stream, id)| Happening::Delete { account, stream, id: id.into() });
    prop_oneof![7 => put, 1 => delete]
}

/// What a grant of these tests covers.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    pub(super) accounts: Vec<usize>,
    pub(super) fields: Vec<&'static str>,
    pub(super) since: Option<&'static str>,
    pub(super) until: Option<&'static str>,
    pub(super) resources: Option<Vec<&'static str>>,
}

pub(super) const FIELDS: [&str; 9] = ["id", "at", "touched", "kind", "amount", "done", "owner_id", "text", "tree"];

/// Grants over `items` and `notes` that never cover `secret`.
pub(super) fn scope(ids: &'static [&'static str]) -> impl Strategy<Value = Scope> {
    let accounts = prop_oneof![Just(vec![0]), Just(vec![1]), Just(vec![0, 1])];
    let fields = proptest::sample::subsequence(&FIELDS[1..], 0..FIELDS.len());
    let since = proptest::option::of(Just("2026-03-29T00:00:00Z"));
    let until = proptest::option::of(Just("2026-10-25T01:00:00Z"));
    let resources = proptest::option::weighted(0.25, proptest::sample::subsequence(ids, 1..4));
    (accounts, fields, since, until, resources).prop_map(|(accounts, fields, since, until, resources)| Scope {
        accounts,
        fields,
        since,
        until,
        resources,
    })
}

/// A store with its temporary directory.
pub(super) struct World {
    pub(super) store: Arc<Store>,
    pub(super) clock: Clock,
    random: Random,
    _directory: tempfile::TempDir,
}

impl World {
    pub(super) async fn new(seed: u64) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (clock, random) = (Clock::manual(NOW), Random::seeded(seed));
        let store = Store::open(&directory.path().join("vitrine.db"), clock.clone(), &random).unwrap();
        let world = Self { store: Arc::new(store), clock, random, _directory: directory };
        let owner = world.owner();
        owner.register_source(&declaration().to_string()).await.unwrap();
        for account in ACCOUNTS {
            owner.add_connection("box", account, Some(account)).await.unwrap();
        }
        world
    }

    pub(super) fn owner(&self) -> Owner<'_, Store> {
        Owner::new(&self.store, &self.clock, &self.random)
    }

    pub(super) async fn happen(&self, happening: &Happening) {
        self.happen_in(ACCOUNTS[happening.account()], happening).await;
    }

    pub(super) async fn happen_in(&self, connection_id: &str, happening: &Happening) {
        let target = Target { connection_id: connection_id.into(), stream: happening.stream().into() };
        let mut session = IngestSession::start(self.store.as_ref(), target).await.unwrap();
        session.push(happening.line().as_bytes()).await.unwrap();
        let result = session.finish().await.unwrap();
        assert_eq!(result.records_rejected, 0, "{:?}", result.rejections);
    }

    /// A caller under the grant, issued against this store but the same in every one.
    pub(super) async fn caller(&self, scope: &Scope) -> Caller {
        let catalog = self.store.catalog().await.unwrap();
        let stream = |name: &str| StreamRequest {
            name: name.into(),
            fields: Some(scope.fields.iter().map(|f| (*f).to_owned()).collect()),
            time_range: Some(TimeRange {
                since: scope.since.map(str::to_owned),
                until: scope.until.map(str::to_owned),
            }),
            resources: scope.resources.as_ref().map(|ids| ids.iter().map(|id| (*id).to_owned()).collect()),
            ..StreamRequest::default()
        };
        let request = GrantRequest {
            source: Some("box".into()),
            connections: scope.accounts.iter().map(|a| ACCOUNTS[*a].to_owned()).collect(),
            streams: vec![stream("items"), stream("notes")],
            ..GrantRequest::default()
        };
        let issue = Issue {
            grant_id: "grt_test".into(),
            subject: "owner".into(),
            client_id: "c".into(),
            client_name: "C".into(),
            now: self.clock.now(),
        };
        Caller::preview(Arc::new(Grant::issue(&request, &catalog, issue).unwrap()))
    }

    pub(super) fn reader(&self, caller: Caller) -> LocalRead<Store> {
        LocalRead::new(
            Arc::clone(&self.store),
            caller,
            self.clock.clone(),
            self.random.clone(),
            "http://127.0.0.1:7663".into(),
        )
    }

    /// Until every text can be found by its meaning.
    pub(super) async fn read_all_meanings(&self) {
        while self.store.read_meanings(64).await.unwrap() > 0 {}
    }

    pub(super) fn check(&self) {
        assert_eq!(self.store.check().unwrap(), Vec::<String>::new());
    }
}

/// Any read's answer as JSON, errors included.
pub(super) async fn answer(reader: &impl ReadApi, request: &ReadRequest) -> Value {
    fn json<T: serde::Serialize>(answer: Result<T, vitrine_contract::ApiError>) -> Value {
        match answer {
            Ok(answer) => serde_json::to_value(answer).unwrap(),
            Err(error) => error.to_body(),
        }
    }
    match request {
        ReadRequest::Schema(r) => json(reader.schema(r).await),
        ReadRequest::Streams(r) => json(reader.streams(r).await),
        ReadRequest::Stream(r) => json(reader.stream(r).await),
        ReadRequest::Records(r) => json(reader.records(r).await),
        ReadRequest::Record(r) => json(reader.record(r).await),
        ReadRequest::FieldWindow(r) => json(reader.field_window(r).await),
        ReadRequest::Aggregate(r) => json(reader.aggregate(r).await),
        ReadRequest::Search(r) => json(reader.search(r).await),
        ReadRequest::Blob(r) => json(reader.blob(r).await.map(|blob| format!("{blob:?}"))),
    }
}

/// Runs a future of these tests to its end.
pub(super) fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}
