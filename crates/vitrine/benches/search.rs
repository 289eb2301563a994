//! Searches of a million records, scoped to three connections, against FTS5 with one table per
//! connection on the same texts in the same run; and of a million vectors by meaning.
//! `cargo bench --bench search [-- --records N --only NAME --rounds N]`.
#![expect(
    dead_code,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a program that measures"
)]

mod corpus;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};
use serde_json::json;
use tokio::runtime::Runtime;
use vitrine_contract::ReadApi;
use vitrine_contract::request::{SearchMode, SearchRequest};
use vitrine_engine::LocalRead;
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::owner::Owner;
use vitrine_store::Store;

const SCOPE: usize = 3;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let records = corpus::asked_records();
    let path = corpus::path(records);
    if let Some(built) = runtime.block_on(corpus::build(&path, records)) {
        println!("built at {:.0} records/s; raw {:.0} records/s", built.rate, built.raw_rate);
    }
    let floor = build_floor(&path);
    let store = Arc::new(Store::open(&path, Clock::System, &Random::System).unwrap());
    // As a server does that nobody has written to for a minute.
    while runtime.block_on(store.settle()).unwrap() {}
    sizes(&path);
    let caller = runtime.block_on(corpus::caller(&store, SCOPE));
    let reader =
        LocalRead::new(Arc::clone(&store), caller, Clock::System, Random::System, "http://127.0.0.1:7663".into());
    let (rare, middle, common) = (corpus::word(40_000), corpus::word(500), corpus::word(1));
    let (third, twentieth) = (corpus::word(3), corpus::word(20));
    let only = corpus::argument("--only");
    let rounds: usize = corpus::argument("--rounds").and_then(|n| n.parse().ok()).unwrap_or(31);
    println!("{:<28} {:>12} {:>12} {:>7} {:>10}", "search, best 10", "LocalRead", "FTS5", "ratio", "matches");
    for (name, query, raw) in [
        ("rare word", rare.clone(), rare),
        ("middling word", middle.clone(), middle),
        ("common word", common.clone(), common.clone()),
        ("two words", format!("{third} {twentieth}"), format!("{third} {twentieth}")),
        ("phrase", format!("\"{common} {third}\""), format!("\"{common} {third}\"")),
        ("prefix", "bakugo*".to_owned(), "bakugo*".to_owned()),
    ] {
        if only.as_deref().is_some_and(|only| !name.contains(only)) {
            continue;
        }
        let request = SearchRequest { q: query, limit: Some(10), ..SearchRequest::default() };
        let search = || runtime.block_on(reader.search(&request)).unwrap();
        let count = search().meta.count.unwrap();
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            ours.push(timed(|| drop(black_box(search()))));
            theirs.push(timed(|| drop(black_box(search_floor(&floor, &raw)))));
        }
        let (worst, ours, theirs) = (*ours.iter().max().unwrap(), median(ours), median(theirs));
        println!(
            "{name:<28} {ours:>12.2?} {theirs:>12.2?} {:>7.2} {count:>10}   worst {worst:.1?}",
            ours.as_secs_f64() / theirs.as_secs_f64()
        );
    }
    drop((reader, store));
    if only.as_deref().is_none_or(|only| "meaning".contains(only)) {
        meanings(&runtime, &path, rounds);
    }
}

/// A search by meaning of all connections, with a vector a record.
fn meanings(runtime: &Runtime, words: &Path, rounds: usize) {
    let path = with_vectors(runtime, words);
    let store = Arc::new(Store::open(&path, Clock::System, &Random::System).unwrap());
    let caller = runtime.block_on(corpus::caller(&store, corpus::CONNECTIONS));
    let reader =
        LocalRead::new(Arc::clone(&store), caller, Clock::System, Random::System, "http://127.0.0.1:7663".into());
    let request = SearchRequest {
        q: "when does our train leave Friday".into(),
        limit: Some(10),
        mode: SearchMode::Semantic,
        ..SearchRequest::default()
    };
    let search = || drop(black_box(runtime.block_on(reader.search(&request)).unwrap()));
    println!("meaning, first time          {:>12.2?}", timed(search));
    let times: Vec<Duration> = (0..rounds).map(|_| timed(search)).collect();
    let covered = store.meanings_read().unwrap();
    let worst = *times.iter().max().unwrap();
    let median = median(times);
    println!("meaning, best 10             {median:>12.2?}   worst {worst:.1?} (at most 50 ms); {covered:?}");
}

/// The same records, each with some vector for its subject: how fast texts are read is another bench's matter.
fn with_vectors(runtime: &Runtime, words: &Path) -> PathBuf {
    let path = words.with_file_name("meanings").join("vitrine.db");
    if path.with_extension("done").exists() {
        return path;
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::copy(words, &path).unwrap();
    let mut declaration = corpus::declaration();
    declaration["declaration_version"] = "2".into();
    declaration["streams"][0]["query"]["search"]["semantic_fields"] = json!(["subject"]);
    let (clock, random) = (Clock::System, Random::System);
    let store = Store::open(&path, clock.clone(), &random).unwrap();
    runtime.block_on(Owner::new(&store, &clock, &random).register_source(&declaration.to_string())).unwrap();
    drop(store);
    let fill = "INSERT INTO vector (cell, record, field, data) SELECT cell, record, field, randomblob(256) FROM unread;
                DELETE FROM unread;";
    Connection::open(&path).unwrap().execute_batch(fill).unwrap();
    std::fs::write(path.with_extension("done"), "").unwrap();
    path
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The same texts in FTS5, one table per connection.
fn build_floor(path: &Path) -> Connection {
    let floor: PathBuf = path.with_extension("fts");
    let source = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    if !floor.exists() {
        let mut db = Connection::open(&floor).unwrap();
        let mut cells = source.prepare("SELECT number FROM cell ORDER BY number").unwrap();
        let cells: Vec<i64> = cells.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        for (number, cell) in cells.iter().take(SCOPE).enumerate() {
            let table = format!(
                "CREATE VIRTUAL TABLE words{number} USING fts5(subject, body, content='', tokenize='porter unicode61')"
            );
            db.execute_batch(&table).unwrap();
            let tx = db.transaction().unwrap();
            for text in corpus::texts(&source, *cell, i64::MAX) {
                let sql = format!("INSERT INTO words{number} (rowid, subject, body) VALUES (?1, ?2, ?3)");
                tx.prepare_cached(&sql).unwrap().execute(text).unwrap();
            }
            tx.commit().unwrap();
            db.execute_batch(&format!("INSERT INTO words{number} (words{number}) VALUES ('optimize')")).unwrap();
        }
    }
    Connection::open_with_flags(&floor, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
}

fn search_floor(floor: &Connection, query: &str) -> Vec<(f64, i64)> {
    let mut hits: Vec<(f64, i64)> = Vec::new();
    for number in 0..SCOPE {
        let sql = format!("SELECT rank, rowid FROM words{number} WHERE words{number} MATCH ?1 ORDER BY rank LIMIT 10");
        let mut statement = floor.prepare_cached(&sql).unwrap();
        hits.extend(statement.query_map([query], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap));
    }
    hits.sort_by(|a, b| a.0.total_cmp(&b.0));
    hits.truncate(10);
    hits
}

fn sizes(path: &Path) {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let sum = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap() as f64 / 1e6;
    let index = sum("SELECT count(*) * 4096 FROM leaf");
    let text =
        sum("SELECT sum(length(data ->> '$.subject') + iif(long IS NULL, length(data ->> '$.body'), 0)) FROM record")
            + sum("SELECT coalesce(sum(length(text)), 0) FROM piece");
    let segments: i64 = db.query_row("SELECT count(*) FROM segment", [], |row| row.get(0)).unwrap();
    println!("word index {index:.0} MB in {segments} segments for {text:.0} MB of text: {:.2}", index / text);
}
