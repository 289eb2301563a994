#![cfg(unix)]
//! A file may not grow past a limit of the system's: to the program that is a disk without room.

use serde_json::Value;

use super::{furnished, names};
use crate::wire;

#[tokio::test]
async fn a_full_disk_leaves_no_half_backup() {
    let (binary, _) = furnished().await;
    let target = binary.data_dir().join("out");
    std::fs::create_dir(&target).unwrap();
    for (command, name) in [("backup", "b.tar"), ("export", "all")] {
        let path = target.join(name).display().to_string();
        let failed = binary.run_limited(40, &[command, &path, "--json"]);
        assert_eq!((failed.code, failed.stdout.as_str()), (1, ""), "{failed:?}");
        assert!(failed.stderr.starts_with("{\"error\""), "{failed:?}");
        assert_eq!(names(&target), Vec::<String>::new(), "{command}");
    }
}

#[tokio::test]
async fn a_full_disk_withholds_answers() {
    let (binary, token) = furnished().await;
    let (mut served, _) = binary.start_limited(64, &["serve", "--listen", "127.0.0.1:0", "--json"]);
    let mut answered = 0;
    let refused: Value = loop {
        let path = "/v1/streams/messages/records?limit=20&connection_id=cin_work&fields=id&order=asc";
        match wire::request(served.address, "GET", path, &token, "").await {
            (200, _) => answered += 1,
            (500, refused) => break refused,
            other => panic!("{other:?}"),
        }
        assert!(answered < 10_000, "the ledger grows");
    };
    assert_eq!(refused["error"]["code"], "api_error", "{refused}");
    assert!(answered > 10, "{answered}");
    served.kill();
    let verified = binary.json(&["ledger", "verify"]);
    assert_eq!((&verified["ok"], verified["entries"].as_u64()), (&Value::Bool(true), Some(answered)), "{verified}");
    let served = binary.serve();
    assert_eq!(wire::request(served.address, "GET", "/v1/schema", &token, "").await.0, 200, "room was made");
}
