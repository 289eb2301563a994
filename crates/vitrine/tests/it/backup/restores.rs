use std::fs;

use serde_json::json;

use super::{everything, furnished, names};
use crate::binary::Binary;
use crate::fixtures::mail;
use crate::wire;

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_live_store_restores_to_the_same_store() {
    let (binary, token) = furnished().await;
    let served = binary.serve();
    let (address, owner) = (served.address, binary.owner_token());
    let reader = token.clone();
    let busy = tokio::spawn(async move {
        let mut acknowledged = Vec::new();
        for n in 0.. {
            let names: Vec<String> = (0..20).map(|k| format!("live{n}.{k}")).collect();
            let text: Vec<String> = names.iter().map(|name| mail(name, 3).to_string()).collect();
            let load = "/v1/ingest/messages?connection_id=cin_work";
            if wire::request(address, "POST", load, &owner, &text.join("\n")).await.0 != 200 {
                break;
            }
            acknowledged.push(names);
            wire::request(address, "GET", "/v1/streams/messages/records", &reader, "").await;
        }
        acknowledged
    });
    let file = binary.data_dir().join("backup.tar");
    let mut made = Vec::new();
    for n in 0..3 {
        let file = file.with_extension(format!("{n}.tar"));
        made.push(binary.json(&["backup", &file.display().to_string()]));
    }
    drop(served);
    let acknowledged = busy.await.unwrap();
    assert!(!acknowledged.is_empty());
    let last = made[2]["file"].as_str().unwrap();
    assert_eq!(fs::metadata(last).unwrap().len(), made[2]["bytes"].as_u64().unwrap());

    let other = Binary::new();
    let restored = other.json(&["restore", last]);
    assert_eq!(restored["ledger"]["ok"], true, "{restored}");
    assert!(restored["ledger"]["entries"].as_u64().unwrap() > 0);
    assert_eq!(other.json(&["ledger", "verify"])["ok"], true);
    let copied = everything(&other, &token).await;
    assert!(copied.iter().any(|rows| rows.contains("12345678901234567890")));

    // What is quiet is the same to the byte.
    let file = file.display().to_string();
    binary.json(&["backup", &file]);
    let quiet = Binary::new();
    quiet.json(&["restore", &file]);
    assert_eq!(everything(&quiet, &token).await, everything(&binary, &token).await);
    assert_eq!(quiet.json(&["grant", "list"]), binary.json(&["grant", "list"]));
    let served = quiet.serve();
    assert_eq!(wire::request(served.address, "GET", "/v1/blobs/b1", &token, "").await.0, 200);
}

#[tokio::test]
async fn a_backup_overwrites_nothing() {
    let (binary, _) = furnished().await;
    let file = binary.file("there.tar", "precious");
    let refused = binary.run(&["backup", &file, "--json"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("file_exists") && refused.stdout.is_empty(), "{refused:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    let nowhere = binary.run(&["backup", "/nowhere/at/all.tar"]);
    assert_eq!(nowhere.code, 1, "{nowhere:?}");
}

#[test]
fn nothing_is_taken_out_of_a_directory_without_a_store() {
    let binary = Binary::new();
    let path = |name: &str| binary.data_dir().join(name).display().to_string();
    std::fs::create_dir(path("empty")).unwrap();
    for directory in [path("typo"), path("empty")] {
        for command in [
            &["backup", &path("b.tar")][..],
            &["export", &path("all")],
            &["ledger"],
            &["ledger", "verify"],
            &["ledger", "head"],
            &["ledger", "export", &path("reads.ndjson")],
            &["mcp"],
        ] {
            let refused = binary.run(&[command, &["--data-dir", &directory]].concat());
            assert_eq!((refused.code, refused.stdout.as_str()), (78, ""), "{command:?}: {refused:?}");
            let told =
                refused.stderr.contains(&format!("no store in {directory}.")) && refused.stderr.contains("--data-dir");
            assert!(told, "{refused:?}");
        }
    }
    assert_eq!(names(binary.data_dir()), ["empty"]);
    assert!(names(&binary.data_dir().join("empty")).is_empty());
}

#[tokio::test]
async fn a_restore_replaces_only_what_it_may() {
    let (binary, token) = furnished().await;
    let file = binary.data_dir().join("b.tar").display().to_string();
    binary.json(&["backup", &file]);
    let before = everything(&binary, &token).await;

    let served = binary.serve();
    let in_use = binary.run(&["restore", &file, "--force", "--json"]);
    assert_eq!((in_use.code, in_use.stderr.contains("store_in_use")), (1, true), "{in_use:?}");
    drop(served);
    let full = binary.run(&["restore", &file, "--json"]);
    assert_eq!((full.code, full.stderr.contains("store_not_empty")), (1, true), "{full:?}");

    binary.json(&["connection", "remove", "cin_work"]);
    let restored = binary.json(&["restore", &file, "--force"]);
    assert_eq!(everything(&binary, &token).await, before);
    let previous = restored["previous"].as_str().unwrap();
    assert!(names(previous.as_ref()).contains(&"vitrine.db".to_owned()));
    let listed = binary.run(&["--data-dir", previous, "connection", "list", "--json"]);
    assert_eq!(listed.json().as_array().unwrap().len(), 1, "what was replaced is kept as it was");

    let fresh = Binary::new();
    fresh.json(&["source", "list"]);
    assert!(fresh.json(&["restore", &file])["previous"].is_string(), "an empty store may be replaced");
}

#[tokio::test]
async fn damaged_and_foreign_backups_are_refused() {
    let (binary, _) = furnished().await;
    let file = binary.data_dir().join("b.tar");
    binary.json(&["backup", &file.display().to_string()]);
    let whole = fs::read(&file).unwrap();
    let mut altered = whole.clone();
    let at = whole.windows(11).position(|bytes| bytes == b"The body of").expect("a text in the database");
    altered[at] = b'X';
    let foreign = binary.data_dir().join("vitrine.db");
    let cuts = [0, 1, 511, 512, 5_000, whole.len() / 2, whole.len() - 3_000];
    let mut wrong: Vec<Vec<u8>> = cuts.iter().map(|length| whole[..*length].to_vec()).collect();
    wrong.extend([altered, fs::read(foreign).unwrap(), b"not a backup at all".repeat(100)]);
    for (n, bytes) in wrong.into_iter().enumerate() {
        let other = Binary::new();
        let file = other.data_dir().join("wrong.tar");
        fs::write(&file, bytes).unwrap();
        let refused = other.run(&["restore", &file.display().to_string(), "--json"]);
        assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{n}: {refused:?}");
        assert!(refused.stderr.contains("not_a_backup"), "{n}: {refused:?}");
        assert_eq!(names(other.data_dir()), ["vitrine.lock", "wrong.tar"], "{n}");
    }
    let missing = binary.run(&["restore", "/nowhere.tar", "--force", "--json"]);
    assert_eq!((missing.code, json!(missing.stderr.contains("io_error"))), (1, json!(true)), "{missing:?}");
}
