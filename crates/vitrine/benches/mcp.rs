//! The six tools through the real `/mcp` service on a million records, each as a ratio to a tool that does nothing on the
//! same SDK in the same run, beside one that has the very same answer ready; and `vitrine mcp` from spawn to its first
//! answer. `cargo bench --bench mcp [-- --records N --only TOOL]`; a tool, or `stdio`.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a program that measures"
)]

#[expect(dead_code, reason = "its raw queries are for the bench of reads")]
mod corpus;
mod wire;

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ServerConfig};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use vitrine_contract::ReadApi;
use vitrine_contract::request::{FieldWindowRequest, RecordRequest, RecordsRequest, SchemaRequest};
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::grant::GrantRequest;
use vitrine_engine::owner::{Issued, Owner};
use vitrine_engine::{Caller, LocalRead};
use vitrine_server::clients::Here;
use vitrine_server::{App, Guard, Limits, router};
use vitrine_store::Store;
use wire::{Client, by_turns, crowd, listen, listen_plainly, middle, ratios};

const ROUNDS: usize = 41;
const CALLS: usize = 100;
const CROWD: Duration = Duration::from_millis(250);

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let records = corpus::asked_records();
    let path = corpus::path(records);
    runtime.block_on(corpus::build(&path, records));
    let nothing = Service::saying(&runtime, CallToolResult::success(vec![ContentBlock::text("done")]));
    let (mail, issued) = Service::over(&runtime, &path);
    let reader = mail_reader(&runtime, &path, &issued);

    println!(
        "{:<20} {:>10} {:>10} {:>7} {:>10} {:>13} {:>8} {:>12}",
        "tool", "p50", "no-op", "ratio", "ready", "16-way", "of no-op", "in process"
    );
    let only = corpus::argument("--only");
    let is_wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let wanted = calls().into_iter().filter(|(name, _)| is_wanted(name));
    let offered: Vec<_> = wanted.filter(|(name, arguments)| mail.offers(name, arguments)).collect();
    for (name, arguments) in &offered {
        let in_process = in_process(&runtime, &reader, name);
        compare(&runtime, (&nothing, &mail), (name, arguments), in_process);
    }
    if is_wanted("schema") {
        let directory = tempfile::tempdir().unwrap();
        let many = directory.path().join("vitrine.db");
        runtime.block_on(fifty_connections(&many));
        let (many, _) = Service::over(&runtime, &many);
        compare(&runtime, (&nothing, &many), ("schema", &json!({ "detail": "compact" })), None);
    }

    println!(
        "\n{:<20} {:>16} {:>8} {:>22} {:>8}",
        "result", "content chars", "tokens", "structuredContent chars", "tokens"
    );
    for (name, arguments) in &offered {
        sizes(&mail, name, arguments);
    }
    if is_wanted("stdio") {
        stdio(path.parent().unwrap(), &issued);
    }
}

fn calls() -> Vec<(&'static str, Value)> {
    let record = "cin_0/messages:m0-5000";
    vec![
        ("fetch", json!({ "id": record })),
        (
            "read_record_field",
            json!({ "id": format!("cin_0/messages:{}", corpus::HUGE_ID), "field_path": "body", "offset_chars": 4_000_000 }),
        ),
        ("query_records", json!({ "stream": "messages", "connection_id": "cin_0", "limit": 25 })),
        (
            "aggregate",
            json!({ "stream": "messages", "metric": "count", "connection_id": "cin_0", "filter": { "thread_id": "t7" } }),
        ),
        ("search", json!({ "query": "harbour invoice", "limit": 3 })),
        ("schema", json!({ "detail": "compact" })),
    ]
}

/// What the same read costs without a protocol around it.
fn in_process(runtime: &Runtime, reader: &LocalRead<Store>, name: &str) -> Option<Duration> {
    let connection_id = Some("cin_0".to_owned());
    let stream = || "messages".to_owned();
    let record = RecordRequest {
        stream: stream(),
        id: "m0-5000".into(),
        connection_id: connection_id.clone(),
        ..RecordRequest::default()
    };
    let window = FieldWindowRequest {
        stream: stream(),
        id: corpus::HUGE_ID.into(),
        field: Some("body".into()),
        offset_chars: Some(4_000_000),
        connection_id: connection_id.clone(),
        ..FieldWindowRequest::default()
    };
    let page = RecordsRequest { stream: stream(), limit: Some(25), connection_id, ..RecordsRequest::default() };
    let schema = SchemaRequest { compact: true, ..SchemaRequest::default() };
    let read = || {
        runtime.block_on(async {
            match name {
                "fetch" => drop(reader.record(&record).await.unwrap()),
                "read_record_field" => drop(reader.field_window(&window).await.unwrap()),
                "query_records" => drop(reader.records(&page).await.unwrap()),
                "schema" => drop(reader.schema(&schema).await.unwrap()),
                _ => return None,
            }
            Some(())
        })
    };
    read()?;
    Some(median((0..ROUNDS * CALLS).map(|_| timed(read)).collect()))
}

fn compare(
    runtime: &Runtime,
    (nothing, service): (&Service, &Service),
    (name, arguments): (&str, &Value),
    in_process: Option<Duration>,
) {
    let answer: Value = serde_json::from_slice(&service.client(name, arguments).call()).unwrap();
    let ready = Service::saying(runtime, serde_json::from_value(answer["result"].clone()).unwrap());
    let idle = || nothing.client("nothing", &json!({}));
    let [idle_time, ready_time, time] = by_turns(
        ROUNDS,
        [&|| wire::latency(idle(), CALLS), &|| wire::latency(ready.client(name, arguments), CALLS), &|| {
            wire::latency(service.client(name, arguments), CALLS)
        }],
    );
    let [idle_rate, rate] =
        by_turns(ROUNDS, [&|| crowd(idle, CROWD), &|| crowd(|| service.client(name, arguments), CROWD)]);
    println!(
        "{name:<20} {:>7.0} us {:>7.0} us {:>7.2} {:>7.0} us {:>10.0} /s {:>8.2} {:>12}",
        middle(&time),
        middle(&idle_time),
        ratios(&time, &idle_time)[1],
        middle(&ready_time),
        middle(&rate),
        ratios(&rate, &idle_rate)[1],
        in_process.map_or_else(String::new, |time| format!("{:.0} us", micros(time)))
    );
}

/// A server on a port, and how to be let in.
struct Service {
    address: SocketAddr,
    token: String,
}

impl Service {
    fn over(runtime: &Runtime, path: &Path) -> (Self, Issued) {
        let (clock, random) = (Clock::System, Random::System);
        let store = Arc::new(Store::open(path, clock.clone(), &random).unwrap());
        let request =
            GrantRequest { client_name: Some("Bench".into()), source: Some("mail".into()), ..GrantRequest::default() };
        let issued = runtime.block_on(Owner::new(&*store, &clock, &random).give_grant(&request)).unwrap();
        let limits = Limits { requests_per_second: 0, ..Limits::default() };
        let guard = Guard::default();
        let (public_url, here) = ("http://127.0.0.1:7663".into(), Here::default());
        let app = App { store, clock, random, public_url, here, limits, guard };
        (Self { address: listen(runtime, router(app)), token: issued.access_token.clone() }, issued)
    }

    /// A tool that has its answer ready, with nobody at the door, served as the library's examples are.
    fn saying(runtime: &Runtime, answer: CallToolResult) -> Self {
        let config = StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
        let ready = Ready(Arc::new(answer));
        let make = move || Ok(ready.clone());
        let service = StreamableHttpService::new(make, Arc::new(NeverSessionManager::default()), config);
        let router = Router::new().nest_service("/mcp", service);
        Self { address: listen_plainly(runtime, router), token: String::new() }
    }

    fn client(&self, tool: &str, arguments: &Value) -> Client {
        Client::new(self.address, &self.token, tool, arguments)
    }

    fn offers(&self, tool: &str, arguments: &Value) -> bool {
        let answer: Value = serde_json::from_slice(&self.client(tool, arguments).call()).unwrap();
        if answer["result"]["isError"] == true {
            println!("{tool}: {}", answer["result"]["content"][0]["text"]);
        }
        answer["result"]["isError"] == false
    }
}

#[derive(Clone)]
struct Ready(Arc<CallToolResult>);

impl ServerHandler for Ready {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::default()
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::clone(&self.0).into())
    }
}

fn mail_reader(runtime: &Runtime, path: &Path, issued: &Issued) -> LocalRead<Store> {
    let store = Arc::new(Store::open(path, Clock::System, &Random::System).unwrap());
    let now = Clock::System.now();
    let caller = runtime.block_on(Caller::from_token(&*store, &issued.access_token, now)).unwrap();
    LocalRead::new(store, caller, Clock::System, Random::System, "http://127.0.0.1:7663".into())
}

async fn fifty_connections(path: &Path) {
    let (clock, random) = (Clock::System, Random::System);
    let store = Store::open(path, clock.clone(), &random).unwrap();
    let owner = Owner::new(&store, &clock, &random);
    owner.register_source(&corpus::declaration().to_string()).await.unwrap();
    for number in 0..50 {
        owner.add_connection("mail", &format!("Mailbox {number}"), Some(&format!("cin_{number}"))).await.unwrap();
    }
}

fn sizes(service: &Service, name: &str, arguments: &Value) {
    let answer: Value = serde_json::from_slice(&service.client(name, arguments).call()).unwrap();
    let counter = tiktoken_rs::o200k_base().unwrap();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let structured = answer["result"]["structuredContent"].to_string();
    println!(
        "{name:<20} {:>16} {:>8} {:>22} {:>8}",
        text.chars().count(),
        counter.encode_ordinary(text).len(),
        structured.chars().count(),
        counter.encode_ordinary(&structured).len()
    );
}

/// From spawn to the answers to `initialize` and to a first tool call.
fn stdio(data_dir: &Path, issued: &Issued) {
    let grant = &issued.grants[0].grant_id;
    let (name, arguments) = calls().swap_remove(2);
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "bench", "version": "1" } } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": name, "arguments": arguments } });
    let (mut greeted, mut answered) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let mut child = Command::new(env!("CARGO_BIN_EXE_vitrine"))
            .args(["mcp", "--grant", grant, "--data-dir"])
            .arg(data_dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        writeln!(input, "{hello}").unwrap();
        lines.next().unwrap().unwrap();
        greeted.push(start.elapsed());
        writeln!(input, "{ready}\n{call}").unwrap();
        let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        answered.push(start.elapsed());
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        drop(input);
        child.wait().unwrap();
    }
    println!(
        "\nstdio, from spawn: greeted in {:.1?}, first page of 25 in {:.1?} (at most 30 ms)",
        median(greeted),
        median(answered)
    );
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
