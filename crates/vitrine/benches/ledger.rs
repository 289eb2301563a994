//! What the ledger costs: the tools `fetch` and `query_records` of the whole server with and without
//! it, as a client sees them, interleaved in one run, and questions to a book of a million entries.
//! `cargo bench --bench ledger [-- --records N] [-- --entries N]`.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a program that measures"
)]

#[expect(dead_code, reason = "the reads measure more of it")]
mod corpus;
mod wire;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::json;
use tokio::runtime::Runtime;
use vitrine_contract::{ApiError, time};
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::grant::GrantRequest;
use vitrine_engine::ledger::{Disclosure, Item, Ledger as _, LedgerAsk, Via};
use vitrine_engine::owner::Owner;
use vitrine_engine::{Caller, LocalRead};
use vitrine_mcp::{ReaderSource, http_service};
use vitrine_server::clients::Here;
use vitrine_server::{App, Guard, Limits, RequestId, router, router_with_mcp};
use vitrine_store::Store;
use vitrine_store::ledger::Settings;
use wire::{Client, by_turns, crowd, listen, middle, ratios};

/// Rounds of one client, and of many at once.
const ROUNDS: usize = 301;
const CROWDS: usize = 101;
const CALLS: usize = 100;
const CROWD: Duration = Duration::from_millis(250);

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let records = if std::env::args().any(|a| a == "--records") { corpus::asked_records() } else { 100_000 };
    let path = corpus::path(records);
    runtime.block_on(corpus::build(&path, records));
    tools(&runtime, &path);
    runtime.block_on(million());
}

/// Hands out readers of whoever calls, whose reads nobody enters anywhere.
struct Unentered(Arc<App<Store>>);

impl ReaderSource for Unentered {
    type Reader = LocalRead<Store>;

    async fn reader(
        &self,
        context: &RequestContext<RoleServer>,
        _: &'static str,
    ) -> Result<Arc<LocalRead<Store>>, ApiError> {
        let caller = context.extensions.get::<Parts>().unwrap().extensions.get::<Caller>().unwrap().clone();
        let App { store, clock, random, public_url, .. } = &*self.0;
        Ok(Arc::new(LocalRead::new(Arc::clone(store), caller, clock.clone(), random.clone(), Arc::clone(public_url))))
    }

    fn request_id(&self, context: &RequestContext<RoleServer>) -> String {
        context.extensions.get::<Parts>().unwrap().extensions.get::<RequestId>().unwrap().0.to_string()
    }
}

fn tools(runtime: &Runtime, path: &Path) {
    let (clock, random) = (Clock::System, Random::System);
    let store = Arc::new(Store::open(path, clock.clone(), &random).unwrap());
    let request = GrantRequest { client_name: Some("Bench".into()), source: Some("mail".into()), ..Default::default() };
    let token = runtime.block_on(Owner::new(&*store, &clock, &random).give_grant(&request)).unwrap().access_token;
    let limits = Limits { requests_per_second: 0, ..Limits::default() };
    let app = || App {
        store: Arc::clone(&store),
        clock: clock.clone(),
        random: random.clone(),
        public_url: "http://127.0.0.1:7663".into(),
        here: Here::default(),
        limits,
        guard: Guard::default(),
    };
    let with = listen(runtime, router(app()));
    let plain = Arc::new(app());
    let none: [String; 0] = [];
    let service = Arc::new(http_service(Unentered(Arc::clone(&plain)), none.clone(), none));
    let mcp = Router::new().fallback(async move |request: Request| service.handle(request).await);
    let without = listen(runtime, router_with_mcp(plain, mcp));
    println!("{:<16} {:<12} {:>12} {:>12} {:>7}  half of the rounds", "tool", "", "without", "with", "ratio");
    for (tool, arguments) in [
        ("fetch", json!({ "id": "cin_0/messages:m0-5000" })),
        ("query_records", json!({ "stream": "messages", "connection_id": "cin_0", "limit": 25 })),
    ] {
        let client = |address| Client::new(address, &token, tool, &arguments);
        let latency = |address| wire::latency(client(address), CALLS);
        compare(tool, "us a call", ROUNDS, &|| latency(without), &|| latency(with));
        let pace = |address| 1e6 / crowd(|| client(address), CROWD);
        compare(tool, "us, 16 ways", CROWDS, &|| pace(without), &|| pace(with));
    }
}

/// What something costs with the ledger, in times of what it costs without.
fn compare(tool: &str, unit: &str, rounds: usize, without: &dyn Fn() -> f64, with: &dyn Fn() -> f64) {
    let [without, with] = by_turns(rounds, [without, with]);
    let [low, ratio, high] = ratios(&with, &without);
    let (plain, entered) = (middle(&without), middle(&with));
    println!("{tool:<16} {unit:<12} {plain:>12.1} {entered:>12.1} {ratio:>7.3}  {low:.3}-{high:.3} (at most 1.15)");
}

/// Questions to a book of a million entries, each about ten records of a hundred thousand.
async fn million() {
    let entries = std::env::args().skip_while(|a| a != "--entries").nth(1).and_then(|n| n.parse().ok());
    let entries: u64 = entries.unwrap_or(1_000_000);
    let directory = tempfile::tempdir().unwrap();
    let clock = Clock::manual(1_780_272_000);
    let store = Store::open(&directory.path().join("vitrine.db"), clock.clone(), &Random::System).unwrap();
    store.ledger().decide(Settings { max_bytes: 64 << 30, ..Settings::default() }).unwrap();
    let start = Instant::now();
    for n in 0..entries {
        let ids: Vec<String> = (0..10).map(|k| format!("m-{}", (n * 7_919 + k * 104_729) % 100_000)).collect();
        let (client, grant, connection) =
            (format!("client-{}", n % 20), format!("grt_{}", n % 40), format!("cin_{}", n % 8));
        let item = Item {
            connection_id: &connection,
            stream: "messages",
            grant_id: Some(&grant),
            record_ids: ids.iter().map(String::as_str).collect(),
            fields: ["id", "subject", "received_at"].map(Into::into).to_vec(),
            blob_id: None,
        };
        let disclosure = Disclosure {
            at: clock.now(),
            client_id: &client,
            grant_package_id: None,
            via: Via::Rest,
            endpoint: "GET /v1/streams/{stream}/records",
            items: vec![item],
            filtered_by: Vec::new(),
            outcome: None,
            records: 10,
            characters: 1_000,
            bytes: None,
        };
        store.enter(&disclosure).await.unwrap();
        if n.is_multiple_of(10) {
            clock.advance(1);
        }
    }
    let rate = entries as f64 / start.elapsed().as_secs_f64();
    let size: u64 =
        std::fs::read_dir(directory.path().join("ledger")).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
    println!("{entries} entries written, {rate:.0} a second; {} MB with their indexes", size / 1_000_000);
    // Dropping the store ends the thread that indexes closed segments, once it is done.
    drop(store);
    let store = Store::open(&directory.path().join("vitrine.db"), clock, &Random::System).unwrap();
    let ask = |change: fn(&mut LedgerAsk)| {
        let mut ask = LedgerAsk { limit: 25, ..LedgerAsk::default() };
        change(&mut ask);
        ask
    };
    println!("{:<28} {:>10} (at most 50 ms)", "question", "slowest of 20");
    for (name, ask) in [
        ("newest", ask(|_| {})),
        ("by client", ask(|a| a.client_id = Some("client-7".into()))),
        ("by record", ask(|a| a.record_id = Some("m-777".into()))),
        (
            "by client and record",
            ask(|a| {
                a.client_id = Some("client-3".into());
                a.record_id = Some("m-4242".into());
            }),
        ),
        ("by a record never read", ask(|a| a.record_id = Some("never".into()))),
        (
            "two that never meet",
            ask(|a| {
                a.client_id = Some("client-1".into());
                a.connection_id = Some("cin_2".into());
            }),
        ),
        (
            "a week long ago",
            ask(|a| {
                a.since = time::parse("2026-06-01T01:00:00Z");
                a.until = time::parse("2026-06-01T02:00:00Z");
            }),
        ),
        ("deep page", ask(|a| a.before = Some(5_000))),
        (
            "last use of a grant",
            ask(|a| {
                a.grant_id = Some("grt_13".into());
                a.limit = 1;
            }),
        ),
    ] {
        let mut times = Vec::new();
        let mut found = 0;
        for _ in 0..20 {
            let start = Instant::now();
            found = store.entries(&ask).await.unwrap().entries.len();
            times.push(start.elapsed());
        }
        println!("{name:<28} {:>7.2} ms  {found} entries", times.iter().max().unwrap().as_secs_f64() * 1e3);
    }
    let start = Instant::now();
    assert!(store.ledger().verify(None).unwrap().ok);
    println!("verified in {:.1} s", start.elapsed().as_secs_f64());
}
