//! Who answers where the server listens. That nobody does is no fault: agents on this machine need no server.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use super::fetch::Fetch;
use super::{Finding, Patient};

const PATIENCE: Duration = Duration::from_secs(3);

pub(super) async fn check(patient: &Patient) -> Vec<Finding> {
    let address = &patient.listen;
    if !matches!(timeout(PATIENCE, TcpStream::connect(address)).await, Ok(Ok(_))) {
        return Vec::new();
    }
    if Fetch::get(&format!("http://{address}/healthz")).await.is_ok_and(|answer| answer.is_healthy()) {
        return Vec::new();
    }
    let problem = format!("Another program answers at {address}, where Vitrine would listen.");
    vec![Finding::new(problem, "Stop that program, or choose another port: vitrine serve --listen 127.0.0.1:7664")]
}
