mod trouble;

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use crate::app::ids;
use crate::binary::Binary;
use crate::wire;

fn mbox(mails: std::ops::Range<usize>) -> String {
    mails.fold(String::new(), |mut text, n| {
        let _ = write!(
            text,
            "From a@b Mon Mar 09 08:15:02 +0000 2026\nMessage-ID: <m{n}@x>\nDate: Mon, 9 Mar 2026 09:{:02}:02 +0100\n\
             From: Anna <anna@example.org>\nSubject: Number {n}\nMIME-Version: 1.0\n\
             Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nText {n}\n--b\n\
             Content-Type: text/csv; name=n.csv\nContent-Disposition: attachment; filename=n.csv\n\n1;{n}\n--b--\n\n",
            n % 60
        );
        text
    })
}

const IMPORT: [&str; 6] = ["import", "mbox", "", "--name", "Old mail", "--json"];

fn import(path: &str) -> [&str; 6] {
    let mut words = IMPORT;
    words[2] = path;
    words
}

fn counts(result: &Value) -> [u64; 4] {
    ["records_imported", "records_unchanged", "records_skipped", "records_rejected"]
        .map(|name| result[name].as_u64().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_imported_mailbox_is_read_under_a_grant() {
    let binary = Binary::new();
    let result = binary.run(&import(&binary.file("mail.mbox", &mbox(0..3)))).json();
    assert_eq!(counts(&result), [6, 0, 0, 0], "{result}");
    let connection = result["connection_id"].as_str().unwrap();
    let grant = binary.json(&["grant", "create", "--client", "agent", "--connection", connection]);
    let token = grant["access_token"].as_str().unwrap();
    let served = binary.serve();
    let get = async |path: &str| wire::request(served.address, "GET", path, token, "").await;
    let (status, page) = get("/v1/streams/messages/records?expand=attachments").await;
    assert_eq!((status, ids(&page).join(" ").as_str()), (200, "m2@x m1@x m0@x"));
    let newest = &page["data"][0];
    assert_eq!((&newest["data"]["subject"], &newest["display_name"]), (&json!("Number 2"), &json!("Old mail")));
    let blob = &newest["expanded"]["attachments"]["data"][0]["data"]["blob_ref"];
    assert_eq!(blob["mime_type"], "text/csv");
    let (status, _) = get(&format!("/v1/blobs/{}?connection_id={connection}", blob["blob_id"].as_str().unwrap())).await;
    assert_eq!(status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn importing_again_changes_nothing() {
    let binary = Binary::new();
    let file = binary.file("mail.mbox", &mbox(0..50));
    let first = binary.run(&import(&file)).json();
    let (served, token) = (binary.serve(), binary.owner_token());
    let feed = |since: &str| format!("/v1/streams/messages/records?limit=100&changes_since={since}");
    let (_, page) = wire::request(served.address, "GET", &feed("beginning"), &token, "").await;
    let again = binary.run(&import(&file)).json();
    assert_eq!(again["connection_id"], first["connection_id"]);
    assert_eq!((counts(&first), counts(&again)), ([100, 0, 0, 0], [0, 100, 0, 0]));
    let since = page["next_changes_since"].as_str().unwrap();
    let (_, page) = wire::request(served.address, "GET", &feed(since), &token, "").await;
    assert_eq!(page["data"], json!([]));
}

#[test]
fn an_interrupted_import_is_finished_by_running_it_again() {
    const MAILS: usize = 6_000;
    let text = mbox(0..MAILS);
    let whole = Binary::new();
    let expected = whole.run(&import(&whole.file("mail.mbox", &text))).json();
    assert_eq!(counts(&expected), [2 * MAILS as u64, 0, 0, 0]);
    let binary = Binary::new();
    let file = binary.file("mail.mbox", &text);
    let mut cut_short = 0;
    for round in 1..=6_u64 {
        let mut child = binary.spawn(&import(&file));
        // Not a measurement: any moment will do, and each round has another.
        std::thread::sleep(Duration::from_millis(40 * round));
        child.kill().unwrap();
        cut_short += u32::from(!child.wait().unwrap().success());
    }
    assert!(cut_short > 0, "some import was killed before its end");
    let last = binary.run(&import(&file)).json();
    let [imported, unchanged, ..] = counts(&last);
    assert_eq!(imported + unchanged, 2 * MAILS as u64);
    assert_eq!(binary.connections().len(), 1);
    assert_eq!(binary.record_bodies(), whole.record_bodies());
}

#[test]
fn a_wrong_file_is_refused_before_anything_is_written() {
    let binary = Binary::new();
    let ran = binary.run(&["import", "maildir", &binary.file("mail.mbox", &mbox(0..1)), "--name", "Mail"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("looks like an mbox mail archive; use `vitrine import mbox`"), "{ran:?}");
    let ran = binary.run(&import("/nowhere/at/all.mbox"));
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert_eq!(binary.json(&["source", "list"]), json!([]));
    assert_eq!(binary.connections(), Vec::<Value>::new());
}

#[test]
fn rejected_entries_are_counted_and_make_the_exit_code_1() {
    let binary = Binary::new();
    let text = mbox(0..2) + "From a@b Mon Mar 09 08:15:02 +0000 2026\n\n\n" + &mbox(1..3);
    let ran = binary.run(&import(&binary.file("mail.mbox", &text)));
    assert_eq!(ran.code, 1, "{ran:?}");
    let result = ran.json();
    assert_eq!(counts(&result), [6, 0, 2, 1], "{result}");
    let reason =
        |rejected: bool| result["reasons"].as_array().unwrap().iter().find(|r| r["rejected"] == rejected).unwrap();
    assert_eq!(
        reason(true),
        &json!({ "reason": "a mail without headers", "rejected": true, "count": 1, "examples": ["mail 3"] })
    );
    assert_eq!(reason(false)["count"], 2);
}

#[test]
fn a_derived_declaration_is_shown_before_it_is_taken() {
    let binary = Binary::new();
    let file = binary.file("books.csv", "title,year,read\nMoby-Dick,1851,2024-05-01\nMomo,1973,2025-01-31\n");
    let unasked = ["import", "csv", &file, "--name", "Books", "--json"];
    let ran = binary.run(&unasked);
    assert_eq!((ran.code, ran.json()["streams"][0]["cursor_field"].as_str()), (64, Some("read")), "{ran:?}");
    assert!(ran.stderr.contains("--yes"), "{ran:?}");
    assert_eq!((binary.connections(), binary.json(&["source", "list"])), (Vec::new(), json!([])));
    let agreed = [&unasked[..], &["--yes"]].concat();
    assert_eq!(counts(&binary.run(&agreed).json()), [2, 0, 0, 0]);
    assert_eq!(counts(&binary.run(&agreed).json()), [0, 2, 0, 0]);
}

#[test]
fn a_later_file_of_a_table_leaves_earlier_rows_valid() {
    let binary = Binary::new();
    for (file, text) in
        [("1.csv", "id,n,extra\n1,5,x\n2,6,y\n"), ("2.csv", "id,n\n3,abc\n"), ("3.csv", "id,more\n4,z\n")]
    {
        let file = binary.file(file, text);
        let ran = binary.run(&["import", "csv", &file, "--name", "Table", "--yes", "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let directory = binary.data_dir().join("export").display().to_string();
    binary.json(&["export", &directory]);
    let other = Binary::new();
    assert_eq!(other.json(&["restore", &directory])["records"], 4);
    assert_eq!(other.record_bodies(), binary.record_bodies());
}

#[test]
fn what_could_be_read_another_way_is_told() {
    let binary = Binary::new();
    let file = binary.file("bank.csv", "Date,Description,Amount,Weather\n03/04/2024,Tea,-1.00,rain\n");
    let ran = binary.run(&["import", "bank-csv", &file, "--name", "Bank", "--json"]);
    let told = ran.json()["notes"].to_string();
    assert!(ran.code == 0 && told.contains("day first; --date-order mdy") && told.contains("Weather"), "{ran:?}");
    let said = binary.run(&["import", "bank-csv", &file, "--name", "Bank", "--date-order", "mdy"]);
    assert!(said.stdout.contains("Weather") && !said.stdout.contains("--date-order"), "{said:?}");
}

#[test]
fn a_damaged_archive_leaves_what_was_imported() {
    let binary = Binary::new();
    let path = binary.data_dir().join("takeout.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    let zeros = vec![0; 1 << 20];
    for (name, head, more) in [("a.mbox", mbox(0..2), 0), ("b.mbox", mbox(2..3), 24)] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(head.as_bytes()).unwrap();
        for _ in 0..more {
            zip.write_all(&zeros).unwrap();
        }
    }
    zip.finish().unwrap();
    let ran = binary.run(&import(path.to_str().unwrap()));
    assert_eq!((ran.code, counts(&ran.json())), (1, [4, 0, 0, 0]), "{ran:?}");
    assert!(ran.json()["stopped"].as_str().unwrap().contains("ZIP bomb"), "{ran:?}");
    assert_eq!(binary.record_bodies().len(), 4);
}
