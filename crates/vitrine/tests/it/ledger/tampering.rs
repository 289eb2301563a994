use std::fs;
use std::path::Path;

use vitrine_store::ledger::{Head, Report};

use super::book::{ENTRIES, Kept, files};
use crate::binary::Binary;

/// The book as it was, so that each way of tampering starts from it.
fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

fn edit_lines(path: &Path, change: impl FnOnce(&mut Vec<String>)) {
    let mut lines: Vec<String> = fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect();
    change(&mut lines);
    fs::write(path, lines.join("\n") + "\n").unwrap();
}

/// A book of several segments that nobody has open, flushed to its end.
async fn closed() -> (tempfile::TempDir, Head) {
    let kept = Kept::of_segments().await;
    let head = Head::parse(&kept.store.ledger().head().unwrap()).unwrap();
    let Kept { directory, store, .. } = kept;
    drop(store);
    (directory, head)
}

fn verify(directory: &Path, head: Option<&Head>) -> Report {
    use vitrine_engine::clock::{Clock, Random};
    let store = vitrine_store::Store::open(&directory.join("vitrine.db"), Clock::System, &Random::System).unwrap();
    store.ledger().verify(head).unwrap()
}

#[tokio::test]
async fn an_untouched_ledger_verifies() {
    let (directory, head) = closed().await;
    for head in [None, Some(&head)] {
        let report = verify(directory.path(), head);
        assert!(report.ok && report.entries == ENTRIES as u64, "{report:?}");
    }
    let binary = Binary::new();
    copy(&directory.path().join("ledger"), &binary.data_dir().join("ledger"));
    assert_eq!(binary.json(&["ledger", "verify"])["ok"], true);
    let exported = binary.run(&["ledger", "head", "--json"]).stdout;
    let file = binary.file("head.json", &exported);
    for head in [file.as_str(), exported.trim()] {
        assert_eq!(binary.json(&["ledger", "verify", "--head", head])["head"], "matches");
    }
    let wrong = binary.run(&["ledger", "verify", "--head", "{}"]);
    assert_eq!(wrong.code, 78, "{wrong:?}");
    let empty = Binary::with_accounts();
    assert_eq!(empty.json(&["ledger", "verify"])["entries"], 0);
    let gone = empty.run(&["ledger", "verify", "--head", &file, "--json"]);
    assert_eq!((gone.code, &gone.json()["head"]), (1, &serde_json::json!("differs")), "{gone:?}");
}

#[tokio::test]
async fn tampering_is_found() {
    type Tamper = fn(&Path);
    fn log(ledger: &Path, at: usize) -> std::path::PathBuf {
        files(ledger, "log")[at].clone()
    }
    let ways: &[(&str, Tamper)] = &[
        ("an edited entry", |l| edit_lines(&log(l, 0), |lines| lines[9] = lines[9].replace("odd", "add"))),
        ("an edited last entry", |l| {
            let last = files(l, "log").pop().unwrap();
            edit_lines(&last, |lines| {
                let end = lines.len() - 1;
                lines[end] = lines[end].replace("\"characters\":7", "\"characters\":6");
            });
        }),
        ("a removed entry", |l| edit_lines(&log(l, 1), |lines| drop(lines.remove(5)))),
        ("a removed last entry", |l| {
            let last = files(l, "log").pop().unwrap();
            edit_lines(&last, |lines| drop(lines.pop()));
        }),
        ("two entries changed about", |l| edit_lines(&log(l, 0), |lines| lines.swap(4, 5))),
        ("an entry twice", |l| edit_lines(&log(l, 0), |lines| lines.insert(5, lines[4].clone()))),
        ("an entry moved to another segment", |l| {
            let mut taken = String::new();
            edit_lines(&log(l, 0), |lines| taken = lines.remove(3));
            edit_lines(&log(l, 1), |lines| lines.insert(3, taken));
        }),
        ("another hash", |l| {
            edit_lines(&log(l, 0), |lines| {
                let at = lines[7].len() - 5;
                let other = if lines[7].as_bytes()[at] == b'0' { "1" } else { "0" };
                lines[7].replace_range(at..=at, other);
            });
        }),
        ("a first segment removed", |l| fs::remove_file(log(l, 0)).unwrap()),
        ("a middle segment removed", |l| fs::remove_file(log(l, 1)).unwrap()),
        ("the last segment removed", |l| fs::remove_file(files(l, "log").pop().unwrap()).unwrap()),
        ("two segments swapped", |l| {
            let (a, b) = (log(l, 0), log(l, 1));
            let kept = fs::read(&a).unwrap();
            fs::copy(&b, &a).unwrap();
            fs::write(&b, kept).unwrap();
        }),
        ("a checkpoint removed", |l| edit_lines(&log(l, 0), |lines| drop(lines.pop()))),
        ("the head removed", |l| fs::remove_file(l.join("head.json")).unwrap()),
        ("the head edited", |l| {
            let text = fs::read_to_string(l.join("head.json")).unwrap();
            fs::write(l.join("head.json"), text.replacen("\"seq\":", "\"seq\":1", 1)).unwrap();
        }),
        ("another key", |l| fs::write(l.join("key"), "11".repeat(32)).unwrap()),
        ("a made-up drop", |l| {
            fs::write(l.join("dropped.ndjson"), "{\"object\":\"ledger_dropped\",\"segment\":1}\n").unwrap();
        }),
        ("a cut in the middle of a line", |l| {
            let last = files(l, "log").pop().unwrap();
            let text = fs::read(&last).unwrap();
            fs::write(last, &text[..text.len() - 20]).unwrap();
        }),
    ];
    let (directory, _) = closed().await;
    let (ledger, whole) = (directory.path().join("ledger"), directory.path().join("whole"));
    copy(&ledger, &whole);
    for (way, tamper) in ways {
        copy(&whole, &ledger);
        tamper(&ledger);
        let report = verify(directory.path(), None);
        assert!(!report.ok && !report.faults.is_empty(), "{way} is not found");
    }
    copy(&whole, &ledger);
    assert!(verify(directory.path(), None).ok);

    let binary = Binary::new();
    copy(&whole, &binary.data_dir().join("ledger"));
    edit_lines(&log(&binary.data_dir().join("ledger"), 0), |lines| lines[9] = lines[9].replace("odd", "add"));
    let ran = binary.run(&["ledger", "verify", "--json"]);
    assert_eq!((ran.code, &ran.json()["faults"][0]["line"]), (1, &serde_json::json!(10)), "{ran:?}");
}

#[tokio::test]
async fn a_cut_off_end_is_found_against_an_exported_head() {
    let kept = Kept::of_segments().await;
    let earlier = Head::parse(&kept.store.ledger().head().unwrap()).unwrap();
    let Kept { directory, store, clock } = kept;
    drop(store);
    let (ledger, old) = (directory.path().join("ledger"), directory.path().join("old"));
    copy(&ledger, &old);
    let random = vitrine_engine::clock::Random::System;
    let store = vitrine_store::Store::open(&directory.path().join("vitrine.db"), clock.clone(), &random).unwrap();
    let kept = Kept { directory, clock, store };
    kept.disclose(9_999).await;
    let later = Head::parse(&kept.store.ledger().head().unwrap()).unwrap();
    let Kept { directory, store, .. } = kept;
    drop(store);
    assert!(verify(directory.path(), Some(&later)).ok && verify(directory.path(), Some(&earlier)).ok);

    copy(&old, &ledger);
    assert!(verify(directory.path(), None).ok, "everything that signs was put back with it");
    let report = verify(directory.path(), Some(&later));
    assert!(!report.ok, "{report:?}");
    fs::remove_dir_all(&ledger).unwrap();
    assert!(!verify(directory.path(), Some(&later)).ok);
}
