use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use vitrine_contract::time;
use vitrine_engine::clock::{Clock, Random};
use vitrine_engine::ledger::{Disclosure, Item, Ledger as _, LedgerAsk, Via};
use vitrine_store::Store;
use vitrine_store::ledger::{Flush, Settings};

const NOW: i64 = 1_780_272_000;
/// What a book of several segments holds.
pub(super) const ENTRIES: usize = 400;

/// A store whose ledger is written to directly, and the clock it goes by.
pub(super) struct Kept {
    pub(super) directory: tempfile::TempDir,
    pub(super) clock: Clock,
    pub(super) store: Store,
}

impl Kept {
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = Clock::manual(NOW);
        let store = Store::open(&directory.path().join("vitrine.db"), clock.clone(), &Random::System).unwrap();
        Self { directory, clock, store }
    }

    /// A book of several segments.
    pub(super) async fn of_segments() -> Self {
        let kept = Self::new();
        kept.store.ledger().decide(Settings { max_bytes: 256 * 1024, ..Settings::default() }).unwrap();
        for n in 0..ENTRIES {
            kept.disclose(n).await;
        }
        assert!(kept.logs().len() >= 3, "{:?}", kept.logs());
        kept
    }

    pub(super) async fn disclose(&self, n: usize) {
        self.disclose_under(n, None, None).await;
    }

    async fn disclose_under(&self, n: usize, grant_id: Option<&str>, grant_package_id: Option<&str>) {
        let record = format!("r{n}");
        let item = Item { connection_id: "cin", stream: "s", grant_id, record_ids: vec![&record], ..Item::default() };
        let disclosure = Disclosure {
            at: self.clock.now(),
            client_id: if n.is_multiple_of(2) { "even" } else { "odd" },
            grant_package_id,
            via: Via::Rest,
            endpoint: "GET /v1/schema",
            items: vec![item],
            filtered_by: Vec::new(),
            outcome: None,
            records: 1,
            characters: 7,
            bytes: None,
        };
        self.store.enter(&disclosure).await.unwrap();
    }

    pub(super) async fn found(&self, change: impl FnOnce(&mut LedgerAsk)) -> Vec<String> {
        let mut ask = LedgerAsk { limit: 10, ..LedgerAsk::default() };
        change(&mut ask);
        let page = self.store.entries(&ask).await.unwrap();
        let id = |entry: &Value| entry["items"][0]["record_ids"][0].as_str().unwrap().to_owned();
        page.entries.iter().map(|entry| id(&serde_json::from_str(entry.get()).unwrap())).collect()
    }

    pub(super) fn ledger(&self) -> PathBuf {
        self.directory.path().join("ledger")
    }

    /// The segments, oldest first.
    pub(super) fn logs(&self) -> Vec<PathBuf> {
        files(&self.ledger(), "log")
    }
}

pub(super) fn files(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    paths.sort();
    paths
}

#[tokio::test]
async fn retention_bounds_the_ledger() {
    let kept = Kept::of_segments().await;
    let ledger = kept.store.ledger();
    let early = vitrine_store::ledger::Head::parse(&ledger.head().unwrap()).unwrap();
    ledger.decide(Settings { max_bytes: 64 * 1024, ..Settings::default() }).unwrap();
    for n in ENTRIES..999 {
        kept.disclose(n).await;
    }
    ledger.decide(Settings { flush: Flush::EachEntry, ..ledger.settings().unwrap() }).unwrap();
    kept.disclose(999).await;
    let size: u64 = kept.logs().iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(size <= 80 * 1024, "{size}");
    let report = ledger.verify(None).unwrap();
    assert!(report.ok && report.dropped_segments > 3, "{report:?}");
    let newer = vitrine_store::ledger::Head::parse(&ledger.head().unwrap()).unwrap();
    assert_eq!(json!(ledger.verify(Some(&newer)).unwrap().head), "matches");
    assert_eq!(json!(ledger.verify(Some(&early)).unwrap().head), "dropped");
    assert_eq!(kept.found(|ask| ask.record_id = Some("r999".into())).await, ["r999"]);
    assert!(kept.found(|ask| ask.record_id = Some("r7".into())).await.is_empty());
    assert_eq!(ledger.settings().unwrap().max_bytes, 64 * 1024);

    fs::remove_file(&kept.logs()[0]).unwrap();
    assert!(!ledger.verify(None).unwrap().ok, "a segment that retention did not drop is missed");
}

#[tokio::test]
async fn retention_by_age_drops_old_segments() {
    let kept = Kept::new();
    kept.store.ledger().decide(Settings { max_days: Some(10), ..Settings::default() }).unwrap();
    for n in 0..30 {
        kept.disclose(n).await;
        kept.clock.advance(25 * 3600);
    }
    let report = kept.store.ledger().verify(None).unwrap();
    assert!(report.ok && report.dropped_segments > 0, "{report:?}");
    assert!(kept.found(|ask| ask.record_id = Some("r15".into())).await.is_empty());
    assert_eq!(kept.found(|ask| ask.record_id = Some("r22".into())).await, ["r22"]);
}

#[tokio::test]
async fn searches_survive_lost_indexes() {
    let kept = Kept::of_segments().await;
    let ask = async || {
        let mut answers = vec![
            kept.found(|ask| ask.record_id = Some("r11".into())).await,
            kept.found(|ask| ask.client_id = Some("odd".into())).await,
            kept.found(|ask| ask.before = Some(200)).await,
        ];
        let both = |ask: &mut LedgerAsk| {
            ask.record_id = Some("r11".into());
            ask.client_id = Some("even".into());
        };
        answers.push(kept.found(both).await);
        answers
    };
    let before = ask().await;
    assert_eq!((before[0].clone(), before[3].len()), (vec!["r11".to_owned()], 0));
    assert_eq!((before[1].len(), before[1][0].as_str()), (10, "r399"));
    for path in files(&kept.ledger(), "idx") {
        fs::remove_file(path).unwrap();
    }
    assert_eq!(ask().await, before);
    let rebuilt = files(&kept.ledger(), "idx");
    assert!(!rebuilt.is_empty());
    for path in rebuilt {
        fs::write(path, "not an index").unwrap();
    }
    assert_eq!(ask().await, before);
}

#[tokio::test]
async fn the_last_use_of_every_grant_is_found_at_once() {
    let kept = Kept::new();
    kept.store.ledger().decide(Settings { max_bytes: 256 * 1024, ..Settings::default() }).unwrap();
    let mut uses = BTreeMap::new();
    for n in 0..ENTRIES {
        // Some are used to the end, some were used long ago.
        let grant = format!("grt_{}", if n < 50 { n % 10 } else { n % 3 });
        let package = format!("pkg_{}", n / 150);
        kept.disclose_under(n, Some(&grant), n.is_multiple_of(5).then_some(&*package)).await;
        let at = time::format(kept.clock.now());
        uses.extend([(grant, at.clone())].into_iter().chain(n.is_multiple_of(5).then_some((package, at))));
        kept.clock.advance(60);
    }
    assert!(kept.logs().len() >= 3, "{:?}", kept.logs());
    let names: Vec<&str> = uses.keys().map(String::as_str).chain(["grt_never", "cin", "r1"]).collect();
    assert_eq!(kept.store.last_uses(&names).await.unwrap(), uses);
    for path in files(&kept.ledger(), "idx") {
        fs::write(path, "not an index").unwrap();
    }
    assert_eq!(kept.store.last_uses(&names).await.unwrap(), uses);
    assert!(Kept::new().store.last_uses(&names).await.unwrap().is_empty());
}
