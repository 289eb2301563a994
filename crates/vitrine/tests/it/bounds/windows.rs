use serde_json::json;

use crate::binary::{Binary, Served};
use crate::fixtures::line;
use crate::wire;

/// Memory the server has ever had, in KiB. Elsewhere nothing tells it.
fn peak(served: &Served) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", served.id())).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_costs_the_same_in_any_field() {
    const ROOM_KIB: u64 = 16 * 1024;
    let binary = Binary::with_accounts();
    let sized = |id: &str, words: usize| {
        let (before, after) = ("word ".repeat(words / 20), "word ".repeat(words - words / 20));
        let body = format!("{before}needle {after}The end.");
        line(&json!({ "id": id, "body": body, "received_at": "2026-03-01T00:00:00Z" })).to_string()
    };
    let lines = binary.file("mail.ndjson", &[sized("short", 4_000), sized("long", 10_000_000)].join("\n"));
    binary.json(&["ingest", "--connection", "cin_work", "--stream", "messages", &lines]);
    let served = binary.serve();
    let token = binary.owner_token();
    let window = async |id: &str, selector: &str| {
        let path = format!("/v1/streams/messages/records/{id}/field-window?field=body&{selector}");
        let (status, body) = wire::request(served.address, "GET", &path, &token, "").await;
        assert_eq!(status, 200, "{body}");
        body["window"]["text"].as_str().unwrap().to_owned()
    };
    let short = [window("short", "offset_chars=20007").await, window("short", "q=NEEDLE").await];
    let before = peak(&served);
    let long = [window("long", "offset_chars=50000007").await, window("long", "q=NEEDLE").await];
    assert_eq!(short[0], "The end.");
    assert_eq!(short, long);
    if let (Some(before), Some(after)) = (before, peak(&served)) {
        assert!(after - before < ROOM_KIB, "reading grew memory from {before} to {after} KiB");
    }
}
