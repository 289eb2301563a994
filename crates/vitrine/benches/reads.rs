//! Reads and ingest on a million records, each as a ratio to raw `SQLite` on the same file in the
//! same run. `cargo bench --bench reads [-- --records N --only NAME --rounds N]`; the store is
//! built once and kept under `target/`.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a program that measures"
)]

mod corpus;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use vitrine_contract::ReadApi;
use vitrine_contract::request::{
    AggregateRequest, CountMode, FieldWindowRequest, Filter, Granularity, RangeOp, RecordRequest, RecordsRequest,
    SchemaRequest,
};
use vitrine_engine::LocalRead;
use vitrine_engine::clock::{Clock, Random};
use vitrine_store::Store;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let records = corpus::asked_records();
    let path = corpus::path(records);
    let built = runtime.block_on(corpus::build(&path, records));
    if let Some(built) = built {
        println!(
            "built {records} records: {:.0} records/s, raw insertion with the same indexes {:.0} records/s, ratio {:.2} (at least 0.5)",
            built.rate,
            built.raw_rate,
            built.rate / built.raw_rate
        );
    }
    let opening = Instant::now();
    let store = Arc::new(Store::open(&path, Clock::System, &Random::System).unwrap());
    println!(
        "opened in {:.1} ms; {} MB on disk",
        opening.elapsed().as_secs_f64() * 1e3,
        std::fs::metadata(&path).unwrap().len() / 1_000_000
    );
    let raw = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    raw.set_prepared_statement_cache_capacity(128);
    raw.execute_batch("PRAGMA cache_size = -6000").unwrap();
    raw.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).unwrap();
    let caller = runtime.block_on(corpus::caller(&store, corpus::CONNECTIONS));
    let reader =
        LocalRead::new(Arc::clone(&store), caller, Clock::System, Random::System, "http://127.0.0.1:7663".into());
    Bench {
        runtime,
        reader,
        raw,
        cells: corpus::cells(&path),
        only: corpus::argument("--only"),
        rounds: corpus::argument("--rounds").and_then(|n| n.parse().ok()).unwrap_or(31),
    }
    .run();
}

struct Bench {
    runtime: tokio::runtime::Runtime,
    reader: LocalRead<Store>,
    raw: Connection,
    cells: corpus::Cells,
    only: Option<String>,
    rounds: usize,
}

/// What was measured: medians of interleaved rounds.
struct Measured {
    ours: Duration,
    raw: Duration,
}

impl Bench {
    fn run(&self) {
        println!("{:<28} {:>12} {:>12} {:>7}", "read", "LocalRead", "raw SQLite", "ratio");
        let first = self.page("first page of 25", &Self::request(|_| {}), &corpus::raw_page(&self.cells, 1));
        let deep = self.page("deep page of 25", &self.deep_request(|_| {}), &corpus::raw_deep_page(&self.cells));
        // The same rows: the range leaves none of them out.
        let in_range = |r: &mut RecordsRequest| {
            r.filter.bound("received_at", RangeOp::Lt, "2100-01-01T00:00:00Z");
        };
        self.page("deep page in a range", &self.deep_request(in_range), &corpus::raw_deep_page(&self.cells));
        self.page("merged page over 8", &Self::request(|r| r.connection_id = None), &corpus::raw_page(&self.cells, 8));
        let mut filter = Filter::default();
        filter.equals("thread_id", "t7");
        self.page(
            "filtered page",
            &Self::request(|r| r.filter = filter.clone()),
            &corpus::raw_filtered_page(&self.cells),
        );
        self.count();
        self.group_by();
        self.months();
        self.single_record();
        let near = self.window("field window at the start", 8_100);
        let far = self.window("field window at the end", 4_990_000);
        self.schema();
        if let (Some(first), Some(deep), Some(near), Some(far)) = (first, deep, near, far) {
            println!(
                "deep page / first page {:.2} (at most 1.3); window at the end / at the start {:.2} (at most 1.3)",
                ratio(deep.ours, first.ours),
                ratio(far.ours, near.ours)
            );
        }
    }

    fn request(change: impl FnOnce(&mut RecordsRequest)) -> RecordsRequest {
        let mut request = RecordsRequest {
            stream: "messages".into(),
            connection_id: Some("cin_0".into()),
            ..RecordsRequest::default()
        };
        change(&mut request);
        request
    }

    fn deep_request(&self, change: impl FnOnce(&mut RecordsRequest)) -> RecordsRequest {
        let mut request = Self::request(change);
        request.limit = Some(100);
        for _ in 0..corpus::DEEP_ROWS / 100 {
            request.cursor = self.runtime.block_on(self.reader.records(&request)).unwrap().next_cursor;
        }
        RecordsRequest { limit: None, ..request }
    }

    fn page(&self, name: &str, request: &RecordsRequest, raw: &corpus::RawQuery) -> Option<Measured> {
        let ours = || self.runtime.block_on(async { self.reader.records(request).await.unwrap().data.len() });
        self.compare(name, 40, ours, || self.raw_rows(raw))
    }

    fn count(&self) {
        let mut filter = Filter::default();
        filter.equals("label", "inbox");
        let request = Self::request(|r| {
            r.filter = filter.clone();
            r.count = CountMode::Exact;
            r.limit = Some(1);
        });
        let ours = || self.runtime.block_on(async { self.reader.records(&request).await.unwrap().data.len() });
        self.compare("exact count", 5, ours, || self.raw_rows(&corpus::raw_count(&self.cells)));
    }

    fn group_by(&self) {
        let request = AggregateRequest {
            stream: "messages".into(),
            group_by: Some("label".into()),
            connection_id: Some("cin_0".into()),
            ..AggregateRequest::default()
        };
        let ours =
            || self.runtime.block_on(async { self.reader.aggregate(&request).await.unwrap().groups.unwrap().len() });
        self.compare("group by", 5, ours, || self.raw_rows(&corpus::raw_group(&self.cells)));
    }

    fn months(&self) {
        let request = AggregateRequest {
            stream: "messages".into(),
            group_by_time: Some("received_at".into()),
            granularity: Some(Granularity::Month),
            time_zone: Some("Europe/Berlin".into()),
            connection_id: Some("cin_0".into()),
            ..AggregateRequest::default()
        };
        let ours =
            || self.runtime.block_on(async { self.reader.aggregate(&request).await.unwrap().groups.unwrap().len() });
        self.compare("months in a zone", 5, ours, || self.raw_rows(&corpus::raw_times(&self.cells)));
    }

    fn single_record(&self) {
        let request = RecordRequest {
            stream: "messages".into(),
            id: "m0-5000".into(),
            connection_id: Some("cin_0".into()),
            ..RecordRequest::default()
        };
        let ours = || self.runtime.block_on(async { self.reader.record(&request).await.unwrap().id.len() });
        self.compare("single record", 200, ours, || self.raw_rows(&corpus::raw_record(&self.cells)));
    }

    fn window(&self, name: &str, offset: u64) -> Option<Measured> {
        let request = FieldWindowRequest {
            stream: "messages".into(),
            id: corpus::HUGE_ID.into(),
            field: Some("body".into()),
            offset_chars: Some(offset),
            connection_id: Some("cin_0".into()),
            ..FieldWindowRequest::default()
        };
        let ours =
            || self.runtime.block_on(async { self.reader.field_window(&request).await.unwrap().window.text.len() });
        self.compare(name, 100, ours, || self.raw_rows(&corpus::raw_window(&self.cells, offset)))
    }

    fn schema(&self) {
        let request = SchemaRequest { compact: true, ..SchemaRequest::default() };
        let ours = || self.runtime.block_on(async { self.reader.schema(&request).await.unwrap().stream_count });
        self.compare("compact schema", 40, ours, || self.raw_rows(&corpus::raw_schema(&self.cells)));
    }

    fn raw_rows(&self, query: &corpus::RawQuery) -> usize {
        let mut bytes = 0;
        for (sql, parameters) in &query.statements {
            let mut statement = self.raw.prepare_cached(sql).unwrap();
            let columns = statement.column_count();
            let mut rows = statement.query(params_from_iter(parameters)).unwrap();
            while let Some(row) = rows.next().unwrap() {
                for column in 0..columns {
                    bytes += match row.get_ref(column).unwrap() {
                        rusqlite::types::ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned().len(),
                        rusqlite::types::ValueRef::Blob(blob) => blob.len(),
                        _ => 8,
                    };
                }
            }
        }
        bytes
    }

    fn compare(&self, name: &str, calls: u32, ours: impl Fn() -> usize, raw: impl Fn() -> usize) -> Option<Measured> {
        if self.only.as_deref().is_some_and(|only| !name.contains(only)) {
            return None;
        }
        let time = |work: &dyn Fn() -> usize| {
            let start = Instant::now();
            for _ in 0..calls {
                black_box(work());
            }
            start.elapsed() / calls
        };
        let (mut of_ours, mut of_raw) = (Vec::new(), Vec::new());
        for _ in 0..self.rounds {
            of_ours.push(time(&ours));
            of_raw.push(time(&raw));
        }
        let median = |mut times: Vec<Duration>| {
            times.sort();
            times[times.len() / 2]
        };
        let measured = Measured { ours: median(of_ours), raw: median(of_raw) };
        println!(
            "{name:<28} {:>9.1} us {:>9.1} us {:>7.2}",
            micros(measured.ours),
            micros(measured.raw),
            ratio(measured.ours, measured.raw)
        );
        Some(measured)
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}
