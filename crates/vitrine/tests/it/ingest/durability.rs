use std::fs;
use std::time::Duration;

use serde_json::json;
use vitrine_engine::clock::{Clock, Random};
use vitrine_store::Store;

use crate::app::ids;
use crate::binary::Binary;
use crate::fixtures::mail;
use crate::wire;

const LOAD: &str = "/v1/ingest/messages?connection_id=cin_work";

#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_records_survive_a_kill() {
    const ROUNDS: u64 = 12;
    const BATCH: u64 = 40;
    let binary = Binary::with_accounts();
    let token = binary.owner_token();
    let mut acknowledged = Vec::new();
    for round in 0..ROUNDS {
        let mut served = binary.serve();
        let (address, token) = (served.address, token.clone());
        let load = tokio::spawn(async move {
            let mut kept = Vec::new();
            for batch in 0.. {
                let names: Vec<String> = (0..BATCH).map(|n| format!("r{round}.{batch}.{n}")).collect();
                let text: Vec<String> = names.iter().map(|name| mail(name, 1).to_string()).collect();
                match wire::request(address, "POST", LOAD, &token, &text.join("\n")).await {
                    (200, result) if result["records_accepted"] == json!(BATCH) => kept.extend(names),
                    _ => break,
                }
            }
            kept
        });
        // Not a measurement: any moment will do, and each round has another.
        tokio::time::sleep(Duration::from_millis(3 + 17 * round)).await;
        served.kill();
        acknowledged.extend(load.await.unwrap());

        let store = Store::open(&binary.data_dir().join("vitrine.db"), Clock::System, &Random::System).unwrap();
        assert_eq!(store.check().unwrap(), Vec::<String>::new(), "round {round}");
    }
    assert!(!acknowledged.is_empty(), "some batch was acknowledged before its server was killed");
    let served = binary.serve();
    for id in acknowledged {
        let path = format!("/v1/streams/messages/records/{id}?fields=id");
        assert_eq!(wire::request(served.address, "GET", &path, &token, "").await.0, 200, "{id} is lost");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_and_the_command_line_share_a_store() {
    let binary = Binary::with_accounts();
    let served = binary.serve();
    let token = binary.owner_token();
    let records = "/v1/streams/messages/records";
    for n in 1..=5 {
        let file = binary.file("mail.ndjson", &mail(&format!("m{n}"), n).to_string());
        binary.json(&["ingest", "--connection", "cin_work", "--stream", "messages", &file]);
        let (status, page) = wire::request(served.address, "GET", records, &token, "").await;
        assert_eq!((status, ids(&page).len()), (200, n as usize));
    }
    binary.json(&["connection", "rename", "cin_work", "Renamed"]);
    let (_, page) = wire::request(served.address, "GET", records, &token, "").await;
    assert_eq!(page["data"][0]["display_name"], "Renamed");
    let (status, _) = wire::request(served.address, "POST", LOAD, &token, &mail("over-http", 9).to_string()).await;
    assert_eq!(status, 200);
    binary.json(&["connection", "remove", "cin_work"]);
    let (_, page) = wire::request(served.address, "GET", records, &token, "").await;
    assert_eq!(page["data"], json!([]));
}

#[test]
fn a_newer_store_is_refused() {
    const USER_VERSION: std::ops::Range<usize> = 60..64;
    let binary = Binary::with_accounts();
    let path = binary.data_dir().join("vitrine.db");
    let mut bytes = fs::read(&path).unwrap();
    bytes[USER_VERSION].copy_from_slice(&9_999_u32.to_be_bytes());
    fs::write(&path, &bytes).unwrap();
    let ran = binary.run(&["source", "list"]);
    assert_eq!(ran.code, 78, "{ran:?}");
    assert!(ran.stderr.contains("newer version"), "{ran:?}");
    assert!(fs::read(&path).unwrap() == bytes, "it is left as it was");
}

#[cfg(unix)]
#[test]
fn a_closed_store_is_one_file() {
    let binary = Binary::with_accounts();
    let logs = || ["vitrine.db-wal", "vitrine.db-shm"].map(|name| binary.data_dir().join(name).exists());
    assert_eq!(logs(), [false, false], "after a command");
    let lines: Vec<String> = (0..500).map(|n| mail(&format!("m{n}"), 1).to_string()).collect();
    let file = binary.file("mails.ndjson", &lines.join("\n"));
    let token = binary.owner_token();
    let mut served = binary.serve();
    assert_eq!(logs(), [true, true], "while it is served");
    binary.json(&["ingest", "--connection", "cin_work", "--stream", "messages", &file]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let page = wire::request(served.address, "GET", "/v1/owner/connections", &token, "");
    assert_eq!(runtime.block_on(page).0, 200);
    served.terminate();
    assert_eq!(served.wait(), Some(0));
    assert_eq!(logs(), [false, false], "after it was served");
    assert_eq!(binary.record_bodies().len(), 500);
}
