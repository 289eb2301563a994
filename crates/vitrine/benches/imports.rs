//! How fast exports come in, against parsing them alone, and in how much memory.
//!
//! The real binary imports generated files into a store of its own; the same importer reads them into nothing. Sizes:
//! `VITRINE_BENCH_MAILS` (50,000 of 4 KB), `VITRINE_BENCH_ROWS` (300,000).
#![expect(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods, clippy::cast_precision_loss)]

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use vitrine_engine::keeping::NewBlob;
use vitrine_import::{Export, Kind, Outlet, Settings, Sink, Skip, Stopped};

const MAIL_BYTES: usize = 4_096;

fn main() {
    let directory = tempfile::tempdir().unwrap();
    println!("{:<24} {:>9} {:>12} {:>12} {:>7} {:>9}", "export", "records", "import/s", "parsing/s", "ratio", "memory");
    let mails = asked("VITRINE_BENCH_MAILS", 50_000);
    let path = directory.path().join("mail.mbox");
    write_mbox(&path, mails);
    measure("mbox, mails of 4 KB", Kind::Mbox, "mbox", &path, mails, "at least 10,000/s, ratio at most 3");
    let rows = asked("VITRINE_BENCH_ROWS", 300_000);
    let path = directory.path().join("rows.csv");
    write_csv(&path, rows);
    measure("CSV, rows of 6 cells", Kind::Csv, "csv", &path, rows, "at least 50,000/s, ratio at most 3");
}

fn asked(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn measure(what: &str, kind: Kind, name: &str, path: &Path, records: usize, target: &str) {
    let parsing = parse(kind, path);
    let (importing, memory) = import(name, path);
    let rate = |time: Duration| records as f64 / time.as_secs_f64();
    println!(
        "{what:<24} {records:>9} {:>12.0} {:>12.0} {:>7.2} {:>6} MB  ({target})",
        rate(importing),
        rate(parsing),
        importing.as_secs_f64() / parsing.as_secs_f64(),
        memory / 1_024
    );
}

/// The time the importer takes when nobody keeps what it finds.
fn parse(kind: Kind, path: &Path) -> Duration {
    let settings = Settings { time_zone: TimeZone::UTC, date_order: None, now: Timestamp::now() };
    let start = Instant::now();
    let mut export = Export::open(path).unwrap();
    kind.check(&mut export).unwrap();
    let prepared = kind.prepare(&mut export, &settings, "Bench").unwrap();
    prepared.read(&mut export, &settings, &mut Sink::new(&mut Nothing, settings.now)).unwrap();
    start.elapsed()
}

struct Nothing;

impl Outlet for Nothing {
    fn line(&mut self, _: &str, _: &[u8]) -> Result<(), Stopped> {
        Ok(())
    }

    fn blob(&mut self, _: NewBlob) -> Result<(), Stopped> {
        Ok(())
    }

    fn skip(&mut self, _: Skip) {}

    fn note(&mut self, _: String) {}
}

/// The time the command takes from its start to its end, and the most memory it had, in KB.
fn import(name: &str, path: &Path) -> (Duration, u64) {
    let store = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_vitrine"))
        .args(["import", name, path.to_str().unwrap(), "--name", "Bench", "--yes", "--json"])
        .env("VITRINE_DATA_DIR", store.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut memory = 0;
    let ended = loop {
        memory = peak(child.id()).unwrap_or(memory);
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(ended.success());
    (start.elapsed(), memory)
}

fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

const WORDS: [&str; 16] = [
    "bread", "harbour", "invoice", "meeting", "Thursday", "ticket", "garden", "please", "tomorrow", "the", "a", "with",
    "from", "river", "letter", "quiet",
];

fn write_mbox(path: &Path, mails: usize) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    let mut state = 7_usize;
    for n in 0..mails {
        let mut mail = format!(
            "From a@example.org Mon Mar 09 08:15:02 +0000 2026\nMessage-ID: <m{n}@example.org>\n\
             Date: Mon, 9 Mar 2026 {:02}:{:02}:02 +0100\nFrom: Writer {} <w{}@example.org>\nTo: nora@example.org\n\
             Subject: Letter {n}\nContent-Type: text/plain; charset=utf-8\n\n",
            n % 24,
            n % 60,
            n % 400,
            n % 400
        );
        while mail.len() < MAIL_BYTES {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            mail.push_str(WORDS[(state >> 33) % WORDS.len()]);
            mail.push(if (state >> 40).is_multiple_of(12) { '\n' } else { ' ' });
        }
        mail.push_str("\n\n");
        file.write_all(mail.as_bytes()).unwrap();
    }
}

fn write_csv(path: &Path, rows: usize) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    writeln!(file, "id,date,item,amount,city,paid").unwrap();
    for n in 0..rows {
        let (item, city) = (WORDS[n % 7], WORDS[n % 5]);
        writeln!(
            file,
            "{n},2024-{:02}-{:02},{item} {n},{}.{:02},{city},{}",
            n % 12 + 1,
            n % 28 + 1,
            n % 900,
            n % 100,
            n % 2 == 0
        )
        .unwrap();
    }
}
