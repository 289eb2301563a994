use rusqlite::Connection;

use crate::testing::{read_export, settings};
use crate::{Export, ImportError, Kind};

const CHROME: &str = "CREATE TABLE urls (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR, visit_count INTEGER,
    typed_count INTEGER, last_visit_time INTEGER, hidden INTEGER);
CREATE TABLE visits (id INTEGER PRIMARY KEY, url INTEGER, visit_time INTEGER, from_visit INTEGER, transition INTEGER,
    segment_id INTEGER, visit_duration INTEGER);
INSERT INTO urls VALUES (1, 'https://me:pw@bread.example/rye?x=1', 'Rye', 1, 1, 0, 0), (2, 'chrome://settings', '', 1, 0, 0, 0);
INSERT INTO visits VALUES (7, 1, 13350000000000000, 0, 805306369, 0, 5000000), (8, 2, 13350000000000001, 0, 0, 0, 0),
    (9, 1, 0, 0, 0, 0, 0), (10, 3, 13350000000000002, 0, 0, 0, 0);";

const FIREFOX: &str = "CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR);
CREATE TABLE moz_historyvisits (id INTEGER PRIMARY KEY, from_visit INTEGER, place_id INTEGER, visit_date INTEGER, visit_type INTEGER);
INSERT INTO moz_places VALUES (1, 'http://bread.example/', NULL);
INSERT INTO moz_historyvisits VALUES (3, 0, 1, 1700000000000000, 2), (4, 0, 2, 1700000000000000, 2);";

#[test]
fn histories_of_both_browsers_tell_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let (chrome, firefox) = (directory.path().join("History"), directory.path().join("places.sqlite"));
    let open = Connection::open(&chrome).unwrap();
    open.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    open.execute_batch(CHROME).unwrap();
    Connection::open(&firefox).unwrap().execute_batch(FIREFOX).unwrap();

    // The browser still has it open and holds what it wrote in its log.
    let mut export = Export::open(&chrome).unwrap();
    Kind::Chrome.check(&mut export).unwrap();
    let (found, end) = read_export(Kind::Chrome, &mut export, &settings());
    end.unwrap();
    let [visit] = found.of("visits")[..] else { panic!("{:?}", found.records) };
    assert_eq!((&visit["host"], &visit["how"]), (&"bread.example".into(), &"typed".into()));
    assert_eq!((&visit["visited_at"], &visit["duration_ms"]), (&"2024-01-17T21:20:00Z".into(), &5_000.into()));
    let forgotten = "a visit whose address the browser has deleted";
    assert_eq!(found.reasons(), ["a page of the browser itself or a file", "a visit without a time", forgotten]);
    drop(open);

    let mut export = Export::open(&firefox).unwrap();
    assert!(matches!(Kind::Chrome.check(&mut export), Err(ImportError::Wrong(why)) if why.contains("import firefox")));
    let (found, _) = read_export(Kind::Firefox, &mut export, &settings());
    assert_eq!(found.of("visits")[0]["visited_at"], "2023-11-14T22:13:20Z");
    assert_eq!(found.reasons(), [forgotten]);
}

#[test]
fn a_damaged_history_gives_what_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("History");
    Connection::open(&path).unwrap().execute_batch(CHROME).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let mut export = Export::open(&path).unwrap();
    let end = Kind::Chrome.check(&mut export).and_then(|()| read_export(Kind::Chrome, &mut export, &settings()).1);
    assert!(matches!(end, Err(ImportError::Damaged(_) | ImportError::Wrong(_))));
}
