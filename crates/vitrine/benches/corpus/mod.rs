//! The measured store: messages in 8 connections, about 300 bytes each, one in a hundred of 20 KB,
//! a few of 5 MB; and the raw queries that do the same work by hand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use rusqlite::Connection;
use rusqlite::types::Value;
use serde_json::json;
use vitrine_engine::Caller;
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::grant::{Grant, GrantRequest, Issue};
use vitrine_engine::ingest::IngestSession;
use vitrine_engine::keeping::Target;
use vitrine_engine::owner::Owner;
use vitrine_engine::port::Store as _;
use vitrine_store::Store;

pub(crate) const CONNECTIONS: usize = 8;
/// How many rows lie before the deep page.
pub(crate) const DEEP_ROWS: u32 = 10_000;
/// The message with a 5 MB body.
pub(crate) const HUGE_ID: &str = "m0-77";
const LABELS: [&str; 6] = ["inbox", "sent", "archive", "spam", "work", "family"];

pub(crate) fn asked_records() -> usize {
    argument("--records").and_then(|n| n.parse().ok()).unwrap_or(1_000_000)
}

/// What was given for a flag.
pub(crate) fn argument(flag: &str) -> Option<String> {
    std::env::args().skip_while(|argument| argument != flag).nth(1)
}

pub(crate) fn path(records: usize) -> PathBuf {
    let target = std::env::var("CARGO_TARGET_DIR")
        .map_or_else(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    target.join(format!("bench-store-{records}")).join("vitrine.db")
}

pub(crate) struct Built {
    pub(crate) rate: f64,
    pub(crate) raw_rate: f64,
}

/// Builds the store unless it is there already.
pub(crate) async fn build(path: &Path, records: usize) -> Option<Built> {
    let done = path.with_extension("done");
    if done.exists() {
        return None;
    }
    let _ = std::fs::remove_dir_all(path.parent().unwrap());
    let store = Store::open(path, Clock::System, &Random::System).unwrap();
    let (clock, random) = (Clock::System, Random::System);
    let owner = Owner::new(&store, &clock, &random);
    owner.register_source(&declaration().to_string()).await.unwrap();
    let mut rate = 0.0;
    for connection in 0..CONNECTIONS {
        let id = format!("cin_{connection}");
        owner.add_connection("mail", &format!("Mailbox {connection}"), Some(&id)).await.unwrap();
        let target = Target { connection_id: id, stream: "messages".into() };
        let mut session = IngestSession::start(&store, target).await.unwrap();
        let lines: Vec<String> = (0..records / CONNECTIONS).map(|n| line(connection, n)).collect();
        let start = Instant::now();
        for line in &lines {
            session.push(line.as_bytes()).await.unwrap();
        }
        assert_eq!(session.finish().await.unwrap().records_rejected, 0);
        rate += lines.len() as f64 / start.elapsed().as_secs_f64() / CONNECTIONS as f64;
    }
    let raw_rate = raw_insertion(path);
    std::fs::write(done, "").unwrap();
    Some(Built { rate, raw_rate })
}

pub(crate) fn declaration() -> serde_json::Value {
    let text = json!({ "type": ["string", "null"] });
    json!({
        "protocol_version": "0.1.0",
        "source": { "kind": "connector", "id": "https://example.test/mail" },
        "connector_key": "mail", "declaration_version": "1", "display": { "name": "Mail" },
        "streams": [{
            "name": "messages", "semantics": "append_only",
            "schema": { "type": "object", "required": ["id"], "properties": {
                "id": { "type": "string" }, "thread_id": text, "label": text, "subject": text, "body": text,
                "received_at": { "type": "string", "format": "date-time" }, "size": { "type": "integer" } } },
            "primary_key": ["id"], "cursor_field": "received_at", "consent_time_field": "received_at",
            "query": {
                "exact_filters": ["thread_id", "label"],
                "range_filters": { "received_at": ["gte", "gt", "lte", "lt"] },
                "search": { "lexical_fields": ["subject", "body"] },
                "aggregations": { "count": true, "sum": ["size"], "group_by": ["label"], "group_by_time": ["received_at"] } } }]
    })
}

/// Different words in the measured texts; the n-th is n times rarer than the first.
const VOCABULARY: f64 = 50_000.0;

/// The word of a rank, from the most common on.
pub(crate) fn word(rank: usize) -> String {
    let syllables = ["ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "wo", "zu"];
    let mut rest = rank + syllables.len();
    let mut word = String::new();
    while rest > 0 {
        word.push_str(syllables[rest % syllables.len()]);
        rest /= syllables.len();
    }
    word
}

/// Always the same word at the same place.
fn word_at(connection: usize, n: usize, place: usize) -> String {
    let mixed = (((connection * 1_000_003 + n) * 64 + place) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let uniform = ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 11) as f64 / (1_u64 << 53) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank")]
    let rank = (uniform * VOCABULARY.ln()).exp() as usize;
    word(rank)
}

fn line(connection: usize, n: usize) -> String {
    let word = |k: usize| word_at(connection, n, k);
    let sentence = (3..21).map(word).collect::<Vec<_>>().join(" ") + " ";
    let body = if connection == 0 && (n == 77 || n == 78) {
        "abcdefghij".repeat(500_000)
    } else if n % 100 == 99 {
        sentence.repeat(160)
    } else {
        sentence
    };
    let at = jiff::Timestamp::from_second(1_600_000_000 + i64::try_from(n).unwrap() * 1_103).unwrap();
    let data = json!({
        "id": format!("m{connection}-{n}"), "thread_id": format!("t{}", n % 5_000), "label": LABELS[n % LABELS.len()],
        "subject": format!("{} {} {n}", word(1), word(2)), "body": body, "received_at": at.to_string(), "size": n % 9_000 });
    format!("{}\n", json!({ "key": data["id"], "data": data, "emitted_at": at.to_string() }))
}

/// What is searched in a cell's records up to a number.
pub(crate) fn texts(db: &Connection, cell: i64, last: i64) -> Vec<(i64, String, String)> {
    let sql = "SELECT number, data ->> '$.subject', iif(json_extract(long, '$[0].f') = 'body',
                   (SELECT group_concat(text, '') FROM (SELECT text FROM piece WHERE record = r.number ORDER BY part)), data ->> '$.body')
               FROM record r WHERE cell = ?1 AND number <= ?2 ORDER BY number";
    let mut statement = db.prepare(sql).unwrap();
    let rows = statement.query_map((cell, last), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Copies the rows of one connection into an empty file of the same layout, in the same batches.
fn raw_insertion(path: &Path) -> f64 {
    let copy = path.with_extension("raw");
    let _ = std::fs::remove_file(&copy);
    drop(Store::open(&copy, Clock::System, &Random::System).unwrap());
    let mut connection = Connection::open(&copy).unwrap();
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -32000").unwrap();
    let source = Connection::open(path).unwrap();
    let cell: i64 = source.query_row("SELECT min(number) FROM cell", [], |row| row.get(0)).unwrap();
    let tables = ["record", "piece", "by_value", "by_order", "event"];
    let mut rows: Vec<Vec<Vec<Vec<Value>>>> = Vec::new();
    let mut wanted: Vec<i64> = source
        .prepare("SELECT number FROM record WHERE cell = ?1 ORDER BY number LIMIT 50000")
        .unwrap()
        .query_map([cell], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    wanted.sort_unstable();
    let last = *wanted.last().unwrap();
    for table in tables {
        let key = if table == "record" { "number" } else { "record" };
        let filter = if table == "piece" { "1" } else { "cell = ?2" };
        let sql = format!("SELECT * FROM {table} WHERE {key} <= ?1 AND {filter} AND ?2 = ?2 ORDER BY {key}");
        let mut statement = source.prepare(&sql).unwrap();
        let columns = statement.column_count();
        let mut by_record: std::collections::BTreeMap<i64, Vec<Vec<Value>>> = std::collections::BTreeMap::new();
        let record_column = if table == "record" { 0 } else { statement.column_index("record").unwrap() };
        let mut found = statement.query((last, cell)).unwrap();
        while let Some(row) = found.next().unwrap() {
            let values: Vec<Value> = (0..columns).map(|c| row.get(c).unwrap()).collect();
            let Value::Integer(record) = values[record_column] else { unreachable!() };
            by_record.entry(record).or_default().push(values);
        }
        rows.push(wanted.iter().map(|record| by_record.remove(record).unwrap_or_default()).collect());
    }
    let texts = texts(&source, cell, last);
    connection
        .execute_batch("CREATE VIRTUAL TABLE words USING fts5(subject, body, content='', tokenize='porter unicode61')")
        .unwrap();
    let start = Instant::now();
    for batch in 0..wanted.len().div_ceil(1_000) {
        let tx = connection.transaction().unwrap();
        for at in batch * 1_000..((batch + 1) * 1_000).min(wanted.len()) {
            let (record, subject, body) = &texts[at];
            tx.prepare_cached("INSERT INTO words (rowid, subject, body) VALUES (?1, ?2, ?3)")
                .unwrap()
                .execute((record, subject, body))
                .unwrap();
            for (table, rows) in tables.iter().zip(&rows) {
                for values in &rows[at] {
                    let marks = vec!["?"; values.len()].join(",");
                    tx.prepare_cached(&format!("INSERT INTO {table} VALUES ({marks})"))
                        .unwrap()
                        .execute(rusqlite::params_from_iter(values))
                        .unwrap();
                }
            }
        }
        tx.commit().unwrap();
    }
    let rate = wanted.len() as f64 / start.elapsed().as_secs_f64();
    drop(connection);
    std::fs::remove_file(&copy).unwrap();
    rate
}

/// A grant over the first so many connections, so that the gate has its usual work.
pub(crate) async fn caller(store: &Arc<Store>, connections: usize) -> Caller {
    let catalog = store.catalog().await.unwrap();
    let connections = (0..connections).map(|n| format!("cin_{n}")).collect();
    let request = GrantRequest { source: Some("mail".into()), connections, ..GrantRequest::default() };
    let issue = Issue {
        grant_id: "grt_bench".into(),
        subject: "owner".into(),
        client_id: "bench".into(),
        client_name: "Bench".into(),
        now: jiff::Timestamp::UNIX_EPOCH,
    };
    Caller::preview(Arc::new(Grant::issue(&request, &catalog, issue).unwrap()))
}

/// The numbers raw queries need.
pub(crate) struct Cells {
    numbers: Vec<i64>,
    received_at: i64,
    thread_id: i64,
    label: i64,
    huge: i64,
    deep: (Vec<u8>, String),
}

pub(crate) fn cells(path: &Path) -> Cells {
    let db = Connection::open(path).unwrap();
    let cells: Vec<i64> = db
        .prepare("SELECT number FROM cell ORDER BY number")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let field =
        |name: &str| db.query_row("SELECT number FROM field WHERE name = ?1", [name], |row| row.get(0)).unwrap();
    let huge = db
        .query_row("SELECT number FROM record WHERE cell = ?1 AND id = ?2", (cells[0], HUGE_ID), |row| row.get(0))
        .unwrap();
    let received_at = field("received_at");
    let deep = db
        .query_row("SELECT value, id FROM by_order WHERE cell = ?1 AND field = ?2 ORDER BY value DESC, id DESC LIMIT 1 OFFSET ?3", (cells[0], received_at, DEEP_ROWS - 1), |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    Cells { numbers: cells, received_at, thread_id: field("thread_id"), label: field("label"), huge, deep }
}

/// Statements with their parameters.
pub(crate) struct RawQuery {
    pub(crate) statements: Vec<(String, Vec<Value>)>,
}

/// The long text of a record, put together.
const PIECES: &str = "iif(r.long IS NULL, NULL, (SELECT group_concat(text, '') FROM (SELECT text FROM piece WHERE record = r.number ORDER BY slot, part)))";

fn one(sql: String, parameters: Vec<Value>) -> RawQuery {
    RawQuery { statements: vec![(sql, parameters)] }
}

pub(crate) fn raw_page(cells: &Cells, scopes: usize) -> RawQuery {
    let part = |cell: &i64| {
        format!(
            "SELECT value AS k, id AS i, record AS n, {cell} AS c FROM by_order WHERE cell = {cell} AND field = {} AND died IS NULL",
            cells.received_at
        )
    };
    let parts: Vec<String> = cells.numbers.iter().take(scopes).map(part).collect();
    let order = if scopes == 1 { "k DESC, i DESC" } else { "k DESC, i DESC, c DESC" };
    one(
        format!(
            "SELECT p.k, p.i, p.c, r.data, r.emitted, {PIECES} FROM ({} ORDER BY {order} LIMIT 26) p JOIN record r ON r.number = p.n",
            parts.join(" UNION ALL ")
        ),
        vec![],
    )
}

pub(crate) fn raw_deep_page(cells: &Cells) -> RawQuery {
    let sql = format!("SELECT x.value, x.id, r.data, r.emitted, {PIECES} FROM by_order x JOIN record r ON r.number = x.record
        WHERE x.cell = ?1 AND x.field = ?2 AND (x.value, x.id) < (?3, ?4) AND x.died IS NULL ORDER BY x.value DESC, x.id DESC LIMIT 26");
    let parameters = vec![
        Value::Integer(cells.numbers[0]),
        Value::Integer(cells.received_at),
        Value::Blob(cells.deep.0.clone()),
        Value::Text(cells.deep.1.clone()),
    ];
    one(sql, parameters)
}

fn text_key(text: &str) -> Value {
    Value::Blob([&[0x40], text.as_bytes()].concat())
}

pub(crate) fn raw_filtered_page(cells: &Cells) -> RawQuery {
    let sql = format!("SELECT x.place, x.id, r.data, r.emitted, {PIECES} FROM by_value x JOIN record r ON r.number = x.record
        WHERE x.cell = ?1 AND x.field = ?2 AND x.value = ?3 AND x.died IS NULL ORDER BY x.place DESC, x.id DESC LIMIT 26");
    one(sql, vec![Value::Integer(cells.numbers[0]), Value::Integer(cells.thread_id), text_key("t7")])
}

pub(crate) fn raw_count(cells: &Cells) -> RawQuery {
    let sql = "SELECT count(*) FROM by_value WHERE cell = ?1 AND field = ?2 AND value = ?3 AND died IS NULL";
    one(sql.into(), vec![Value::Integer(cells.numbers[0]), Value::Integer(cells.label), text_key("inbox")])
}

pub(crate) fn raw_group(cells: &Cells) -> RawQuery {
    let sql = "SELECT value, count(*) FROM by_value WHERE cell = ?1 AND field = ?2 AND died IS NULL GROUP BY value";
    one(sql.into(), vec![Value::Integer(cells.numbers[0]), Value::Integer(cells.label)])
}

/// `SQLite` knows no zones: the floor is to read the sorted times.
pub(crate) fn raw_times(cells: &Cells) -> RawQuery {
    let sql = "SELECT value FROM by_order WHERE cell = ?1 AND field = ?2 AND died IS NULL ORDER BY value";
    one(sql.into(), vec![Value::Integer(cells.numbers[0]), Value::Integer(cells.received_at)])
}

pub(crate) fn raw_record(cells: &Cells) -> RawQuery {
    let sql = "SELECT id, data, long, emitted, time FROM record WHERE cell = ?1 AND id = ?2";
    one(sql.into(), vec![Value::Integer(cells.numbers[0]), Value::Text("m0-5000".into())])
}

pub(crate) fn raw_window(cells: &Cells, offset: u64) -> RawQuery {
    let first = i64::try_from(offset / 4_096).unwrap();
    let last = i64::try_from(offset.div_ceil(4_096)).unwrap();
    RawQuery {
        statements: vec![
            (
                "SELECT number, data, long, time FROM record WHERE cell = ?1 AND id = ?2".into(),
                vec![Value::Integer(cells.numbers[0]), Value::Text(HUGE_ID.into())],
            ),
            (
                "SELECT text FROM piece WHERE record = ?1 AND slot = 0 AND part BETWEEN ?2 AND ?3 ORDER BY part".into(),
                vec![Value::Integer(cells.huge), Value::Integer(first), Value::Integer(last)],
            ),
        ],
    }
}

/// What a schema needs to know of the data: counts and freshness of each cell.
pub(crate) fn raw_schema(cells: &Cells) -> RawQuery {
    let statement = |cell: &i64| {
        ("SELECT records, changed, newest FROM cell WHERE number = ?1".to_owned(), vec![Value::Integer(*cell)])
    };
    RawQuery { statements: cells.numbers.iter().map(statement).collect() }
}
