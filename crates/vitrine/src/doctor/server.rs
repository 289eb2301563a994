//! Who answers where the server listens. That nobody does is no fault: agents on this machine need no server.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;
use vitrine_server::{STORE_HEADER, store_name};

use super::fetch::Fetch;
use super::{Finding, Patient};

const PATIENCE: Duration = Duration::from_secs(3);

pub(super) async fn check(patient: &Patient) -> Vec<Finding> {
    let address = &patient.listen;
    if !matches!(timeout(PATIENCE, TcpStream::connect(address)).await, Ok(Ok(_))) {
        return Vec::new();
    }
    if let Some(answer) = Fetch::get(&format!("http://{address}/healthz")).await.ok().filter(Fetch::is_healthy) {
        return other_store(patient, &answer).into_iter().collect();
    }
    let problem = format!("Another program answers at {address}, where Vitrine would listen.");
    let serve = patient.here.command(&["serve", "--listen", "127.0.0.1:7664"]);
    vec![Finding::new(problem, format!("Stop that program, or choose another port: {serve}"))]
}

/// A server names its store; one that does not is an older version.
fn other_store(patient: &Patient, answer: &Fetch) -> Option<Finding> {
    let opened = patient.store.as_ref().ok()?.as_ref()?;
    if answer.header(STORE_HEADER)? == store_name(&*opened.store) {
        return None;
    }
    let problem = format!("The server at {} serves another store than {}.", patient.listen, patient.data_dir.display());
    let serve = patient.here.command(&["serve"]);
    let fix = format!("Name its store with --data-dir, or stop it and serve this one: {serve}");
    Some(Finding::new(problem, fix))
}
