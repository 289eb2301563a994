use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::book::{Kept, files};
use crate::binary::Binary;
use crate::fixtures::mail;
use crate::wire;

fn with_mail(count: u32) -> (Binary, String) {
    let binary = Binary::with_accounts();
    let lines: Vec<String> = (0..count).map(|n| mail(&format!("m{n}"), 1 + n % 28).to_string()).collect();
    let file = binary.file("mail.ndjson", &lines.join("\n"));
    binary.json(&["ingest", "--connection", "cin_work", "--stream", "messages", &file]);
    let issued = binary.json(&["grant", "create", "--client", "Agent", "--connection", "cin_work"]);
    (binary, issued["access_token"].as_str().unwrap().to_owned())
}

/// The records the ledger says were read.
fn entered(binary: &Binary) -> BTreeSet<String> {
    let file = binary.data_dir().join("export.ndjson");
    let _ = fs::remove_file(&file);
    binary.json(&["ledger", "export", &file.display().to_string()]);
    let text = fs::read_to_string(&file).unwrap();
    let id = |line: &str| {
        let entry: Value = serde_json::from_str(line).unwrap();
        entry["items"][0]["record_ids"][0].as_str().unwrap().to_owned()
    };
    text.lines().map(id).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn answered_reads_survive_a_kill() {
    const ROUNDS: u32 = 8;
    let (binary, token) = with_mail(2_000);
    let mut answered = BTreeSet::new();
    for round in 0..ROUNDS {
        let mut served = binary.serve();
        let (address, token) = (served.address, token.clone());
        let reading = tokio::spawn(async move {
            let mut answered = Vec::new();
            for n in (round..2_000).step_by(ROUNDS as usize) {
                let path = format!("/v1/streams/messages/records/m{n}");
                match wire::request(address, "GET", &path, &token, "").await {
                    (200, record) => answered.push(record["id"].as_str().unwrap().to_owned()),
                    _ => break,
                }
            }
            answered
        });
        // Not a measurement: any moment will do, and each round has another.
        tokio::time::sleep(Duration::from_millis(20 + 23 * u64::from(round))).await;
        served.kill();
        answered.extend(reading.await.unwrap());
        let verified = binary.json(&["ledger", "verify"]);
        assert_eq!(verified["ok"], true, "{verified}");
    }
    assert!(!answered.is_empty(), "some read was answered before its server was killed");
    let entered = entered(&binary);
    assert!(answered.is_subset(&entered), "{:?}", answered.difference(&entered).collect::<Vec<_>>());
}

#[tokio::test]
async fn an_unfinished_line_is_recovered() {
    let kept = Kept::new();
    for n in 0..5 {
        kept.disclose(n).await;
    }
    let Kept { directory, clock, store } = kept;
    drop(store);
    let last = files(&directory.path().join("ledger"), "log").pop().unwrap();
    OpenOptions::new().append(true).open(&last).unwrap().write_all(b"{\"object\":\"ledger_entry\",\"seq\":7").unwrap();
    let random = vitrine_engine::clock::Random::System;
    let store = vitrine_store::Store::open(&directory.path().join("vitrine.db"), clock.clone(), &random).unwrap();
    let kept = Kept { directory, clock, store };
    assert!(kept.store.ledger().verify(None).unwrap().ok);
    kept.disclose(5).await;
    let report = kept.store.ledger().verify(None).unwrap();
    assert!(report.ok && report.entries == 6, "{report:?}");
    assert!(!fs::read_to_string(&last).unwrap().contains("\"seq\":7{"));
    assert_eq!(kept.found(|ask| ask.limit = 2).await, ["r5", "r4"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_write_one_chain() {
    const EACH: u32 = 150;
    let (binary, token) = with_mail(2 * EACH);
    // Small segments, so that each process also meets those the other has begun.
    binary.json(&["ledger", "settings", "--max-bytes", "131072"]);
    binary.json(&["ledger", "settings", "--max-bytes", "1048576"]);
    let servers = [binary.serve(), binary.serve()];
    let readers: Vec<_> = (0..2)
        .map(|which| {
            let (address, token) = (servers[which as usize].address, token.clone());
            tokio::spawn(async move {
                for n in (which..2 * EACH).step_by(2) {
                    let path = format!("/v1/streams/messages/records/m{n}");
                    assert_eq!(wire::request(address, "GET", &path, &token, "").await.0, 200);
                }
            })
        })
        .collect();
    let flushing = binary.json(&["ledger", "settings", "--flush", "each-entry"]);
    assert_eq!(flushing, json!({ "max_bytes": 1_048_576, "max_days": null, "flush": "each_entry" }));
    for reader in readers {
        reader.await.unwrap();
    }
    let verified = binary.json(&["ledger", "verify"]);
    assert_eq!((&verified["ok"], &verified["entries"]), (&json!(true), &json!(2 * EACH)), "{verified}");
    assert_eq!(entered(&binary).len(), 2 * EACH as usize);
}
