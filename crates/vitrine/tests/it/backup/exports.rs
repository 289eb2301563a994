use std::fs;

use super::{everything, furnished, names};
use crate::binary::Binary;

#[tokio::test]
async fn an_export_loads_into_the_same_records() {
    let (binary, _) = furnished().await;
    let directory = binary.data_dir().join("export");
    let shown = directory.display().to_string();
    let exported = binary.json(&["export", &shown]);
    assert_eq!((exported["records"].as_u64(), exported["blobs"].as_u64()), (Some(153), Some(1)), "{exported}");
    assert_eq!(names(&directory), ["blobs", "manifest.json", "records", "sources"]);
    let again = binary.run(&["export", &shown]);
    assert_eq!(again.code, 1, "{again:?}");

    let other = Binary::new();
    assert_eq!(other.json(&["restore", &shown])["records"], 153);
    let (here, there) = (binary.owner_token(), other.owner_token());
    assert_eq!(everything(&other, &there).await, everything(&binary, &here).await);
    assert_eq!(other.json(&["connection", "list"]), binary.json(&["connection", "list"]));
    let twice = other.data_dir().join("twice");
    other.json(&["export", &twice.display().to_string()]);
    for file in ["sources/gmail.json", "records/cin_work/messages.ndjson", "blobs/cin_work/000001"] {
        assert!(fs::read(directory.join(file)).unwrap() == fs::read(twice.join(file)).unwrap(), "{file}");
    }

    // The lines are what `vitrine ingest` takes.
    let by_hand = Binary::with_accounts();
    let lines = directory.join("records/cin_work/messages.ndjson").display().to_string();
    let ingested = by_hand.json(&["ingest", "--connection", "cin_work", "--stream", "messages", &lines]);
    assert_eq!(ingested["records_accepted"], 152);

    let lines = directory.join("records/cin_work/messages.ndjson");
    let bytes = fs::read(&lines).unwrap();
    fs::write(&lines, &bytes[..bytes.len() / 2]).unwrap();
    let broken = Binary::new();
    let refused = broken.run(&["restore", &shown, "--json"]);
    assert_eq!((refused.code, refused.stderr.contains("damaged_export")), (1, true), "{refused:?}");
    assert_eq!(names(broken.data_dir()), ["vitrine.lock"]);
}

#[cfg(unix)]
#[tokio::test]
async fn copies_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let (binary, _) = furnished().await;
    let path = |name: &str| binary.data_dir().join(name).display().to_string();
    binary.json(&["export", &path("export")]);
    binary.json(&["backup", &path("backup")]);
    binary.json(&["ledger", "export", &path("reads.ndjson")]);
    binary.json(&["restore", &path("backup"), "--data-dir", &path("deep/restored")]);
    binary.json(&["restore", &path("export"), "--data-dir", &path("deep/restored"), "--force"]);
    let mut left: Vec<_> = ["export", "backup", "reads.ndjson", "deep"].map(|name| binary.data_dir().join(name)).into();
    let mut seen = 0;
    while let Some(path) = left.pop() {
        let metadata = fs::metadata(&path).unwrap();
        let alone = if metadata.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(metadata.permissions().mode() & 0o777, alone, "{}", path.display());
        if metadata.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        seen += 1;
    }
    assert!(seen > 15, "{seen}");
}
