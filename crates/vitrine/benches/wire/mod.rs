//! A server on a port, the least a client can do (one kept connection, one request said again and again, the body's
//! bytes), and how to compare what such clients see.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use axum::Router;
use axum::serve::ListenerExt;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use vitrine_server::{Limits, serve};

/// Clients that call at once.
const WAYS: usize = 16;

/// Serves on a port of its own, as `vitrine serve` does.
pub(crate) fn listen(runtime: &Runtime, router: Router) -> SocketAddr {
    let (listener, address) = port(runtime);
    runtime.spawn(serve(listener, router, Limits::default(), std::future::pending()));
    address
}

/// Serves on a port of its own, as a program of the frameworks' examples does.
#[allow(dead_code, reason = "some benches compare nothing with it")]
pub(crate) fn listen_plainly(runtime: &Runtime, router: Router) -> SocketAddr {
    let (listener, address) = port(runtime);
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    runtime.spawn(async move { axum::serve(listener, router).await });
    address
}

fn port(runtime: &Runtime) -> (TcpListener, SocketAddr) {
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Measures by turns, each as often: a machine's speed drifts by more than what is compared.
pub(crate) fn by_turns<const N: usize>(rounds: usize, measures: [&dyn Fn() -> f64; N]) -> [Vec<f64>; N] {
    let mut rounds_of = [const { Vec::new() }; N];
    for round in 0..rounds {
        for at in (0..N).map(|at| (at + round) % N) {
            rounds_of[at].push(measures[at]());
        }
    }
    rounds_of
}

/// The quartiles of what each measurement is in times of the one beside it.
pub(crate) fn ratios(of: &[f64], to: &[f64]) -> [f64; 3] {
    let ratios = of.iter().zip(to).map(|(of, to)| of / to).collect();
    quartiles(ratios)
}

pub(crate) fn middle(values: &[f64]) -> f64 {
    quartiles(values.to_vec())[1]
}

fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| values[values.len() * quarter / 4])
}

/// Microseconds of a call in the middle of some. Each time with a connection of its own, so that every core serves as
/// many of them.
pub(crate) fn latency(mut client: Client, calls: usize) -> f64 {
    let time = |_| {
        let start = Instant::now();
        std::hint::black_box(client.call());
        start.elapsed().as_secs_f64() * 1e6
    };
    middle(&(0..calls).map(time).collect::<Vec<_>>())
}

/// Calls a second of many clients at once, who call for so long.
pub(crate) fn crowd(client: impl Fn() -> Client, time: Duration) -> f64 {
    let clients: Vec<Client> = (0..WAYS).map(|_| client()).collect();
    let start = Instant::now();
    let calls: usize = std::thread::scope(|scope| {
        let call = |mut client: Client| {
            move || std::iter::repeat_with(|| client.call()).take_while(|_| start.elapsed() < time).count()
        };
        let threads: Vec<_> = clients.into_iter().map(|client| scope.spawn(call(client))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    calls as f64 / start.elapsed().as_secs_f64()
}

pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    request: Vec<u8>,
}

impl Client {
    /// A client that calls one tool.
    pub(crate) fn new(address: SocketAddr, token: &str, tool: &str, arguments: &Value) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } }).to_string();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-06-18\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        Self { stream: BufReader::new(stream), request: request.into_bytes() }
    }

    /// Calls it once more.
    pub(crate) fn call(&mut self) -> Vec<u8> {
        self.stream.get_mut().write_all(&self.request).unwrap();
        let mut length = 0;
        let mut line = String::new();
        loop {
            line.clear();
            self.stream.read_line(&mut line).unwrap();
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            assert!(!line.starts_with("http/") || line.contains(" 200 "), "{line}");
            if let Some(told) = line.strip_prefix("content-length:") {
                length = told.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        body
    }
}
