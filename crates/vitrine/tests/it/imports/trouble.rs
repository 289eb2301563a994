//! What a disk and a file may do to an import while it runs.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use serde_json::{Value, json};

use super::{counts, import};
use crate::app::ids;
use crate::binary::Binary;
use crate::wire;

const MAILS: usize = 40;

/// Mails with files of a megabyte, so that a few of them fill a batch.
fn large_mbox(mails: usize) -> String {
    let file = "1;1234567890;1234567890;1234567890\n".repeat(30_000);
    (0..mails).fold(String::new(), |text, n| {
        text + &format!(
            "From a@b Mon Mar 09 08:15:02 +0000 2026\nMessage-ID: <m{n}@x>\nDate: Mon, 9 Mar 2026 09:{n:02}:02 +0100\n\
             Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nText {n}\n--b\n\
             Content-Type: text/csv\nContent-Disposition: attachment; filename=n.csv\n\n{n}\n{file}\n--b--\n\n",
        )
    })
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_stops_an_import_and_room_lets_it_go_on() {
    let binary = Binary::new();
    let file = binary.file("mail.mbox", &large_mbox(MAILS));
    let ran = binary.run_limited(24 * 1024, &import(&file));
    let result = ran.json();
    let [imported, ..] = counts(&result);
    assert!(ran.code == 1 && imported > 0 && imported < 2 * MAILS as u64, "{ran:?}");
    assert!(result["stopped"].as_str().unwrap().contains("disk may be full"), "{result}");
    let (served, token) = (binary.serve(), binary.owner_token());
    let read =
        async || wire::request(served.address, "GET", "/v1/streams/messages/records?limit=100", &token, "").await;
    let (status, page) = read().await;
    assert!(status == 200 && !ids(&page).is_empty() && ids(&page).len() < MAILS, "what came in stays readable: {page}");
    let again = binary.run(&import(&file));
    assert_eq!((again.code, counts(&again.json())), (0, [2 * MAILS as u64 - imported, imported, 0, 0]), "{again:?}");
    assert_eq!(ids(&read().await.1).len(), MAILS);
}

/// Waits until the import has made its account, which it does when it has opened its file.
fn await_account(binary: &Binary) {
    for _ in 0..2_000 {
        let store = rusqlite::Connection::open(binary.data_dir().join("vitrine.db")).unwrap();
        if store.query_row("SELECT count(*) FROM connection", [], |row| row.get(0)).is_ok_and(|rows: i64| rows > 0) {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("the import makes its account");
}

fn ended(child: Child) -> (Option<i32>, Value) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn a_file_that_changes_while_it_is_read_is_told() {
    let text = large_mbox(MAILS);
    let grow = |path: &Path| {
        let mut file = File::options().append(true).open(path).unwrap();
        file.write_all(super::mbox(100..101).as_bytes()).unwrap();
    };
    let cut = |path: &Path| File::options().write(true).open(path).unwrap().set_len(text.len() as u64 * 3 / 4).unwrap();
    for (change, mails) in [(&grow as &dyn Fn(&Path), MAILS + 1..MAILS + 2), (&cut, 1..MAILS)] {
        let binary = Binary::new();
        let file = binary.file("mail.mbox", &text);
        let child = binary.spawn(&import(&file));
        await_account(&binary);
        change(Path::new(&file));
        let (code, result) = ended(child);
        assert_eq!(code, Some(0), "{result}");
        assert_eq!(result["warning"], "The file changed while it was read. Run the same command again.");
        let imported = result["streams"]["messages"]["imported"].as_u64().unwrap();
        assert!(mails.contains(&usize::try_from(imported).unwrap()), "{result}");
        let again = binary.run(&import(&file));
        assert_eq!((again.code, again.json().get("warning")), (0, None), "{again:?}");
    }
}

/// Memory a process has ever had, in KiB. Elsewhere nothing tells it.
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
}

#[test]
fn a_line_without_end_is_passed_over_in_bounded_memory() {
    const ROOM_KIB: u64 = 250 * 1024;
    let binary = Binary::new();
    let long = format!("{{\"n\":2,\"text\":\"{}\"}}", "x".repeat(100_000_000));
    let file = binary.file("rows.jsonl", &format!("{{\"n\":1,\"text\":\"a\"}}\n{long}\n{{\"n\":3,\"text\":\"b\"}}\n"));
    let mut child = binary.spawn(&["import", "jsonl", &file, "--name", "Rows", "--yes", "--json"]);
    let mut memory = None;
    for _ in 0..12_000 {
        memory = peak(child.id()).or(memory);
        if child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let (code, result) = ended(child);
    assert_eq!((code, counts(&result)), (Some(1), [2, 0, 0, 1]), "{result}");
    assert_eq!(result["reasons"][0]["reason"], json!("a line longer than 64 MB"));
    assert!(memory.is_none_or(|kib| kib < ROOM_KIB), "{memory:?} KiB");
}
