//! Checking the book: every line, every signature, every gap.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;

use serde::Serialize;
use vitrine_contract::hexadecimal;

use super::line::{self, Hash, Kind, NOTHING, Stub, follows};
use super::retention::Dropped;
use super::segments::{self, Places};
use super::signature::{Head, is_signed};
use super::{LedgerError, Result};

/// Faults that are listed at most.
const MAX_FAULTS: usize = 100;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    object: &'static str,
    /// Whether nothing is wrong.
    pub ok: bool,
    /// Disclosures in the book.
    pub entries: u64,
    /// Segments in the book.
    pub segments: u64,
    /// Segments that retention dropped.
    pub dropped_segments: u64,
    /// The first line there is.
    pub first_seq: Option<u64>,
    /// The last line there is.
    pub last_seq: Option<u64>,
    /// What became of the exported head.
    pub head: HeadCheck,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// Segments that were passed over, where only the end was asked about.
    #[serde(skip)]
    pub passed_over: u64,
}

/// Whether the book still holds what an exported head says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadCheck {
    /// None was given.
    NotGiven,
    /// It does.
    Matches,
    /// It does not.
    Differs,
    /// The line was dropped by retention since.
    Dropped,
}

/// Something that is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The segment.
    pub segment: Option<u64>,
    /// The line in it, from 1.
    pub line: Option<u64>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, number) in [("segment", self.segment), ("line", self.line)] {
            if let Some(number) = number {
                write!(f, "{name} {number}: ")?;
            }
        }
        f.write_str(&self.what)
    }
}

/// The book as it was at one moment.
struct Snapshot {
    segments: Vec<(u64, File, u64)>,
    dropped: String,
    head: Option<String>,
    public_key: Option<String>,
}

pub(super) fn verify(places: &Places, exported: Option<&Head>) -> Result<Report> {
    verify_snapshot(Snapshot::take(places)?, exported, 0)
}

pub(super) fn verify_end(places: &Places, bytes: u64) -> Result<Report> {
    let snapshot = Snapshot::take(places)?;
    let mut held = 0;
    let earlier = snapshot.segments.iter().rev().skip_while(|(_, _, length)| {
        let begins_within = held < bytes.max(1);
        held += length;
        begins_within
    });
    let passed_over = earlier.count();
    verify_snapshot(snapshot, None, passed_over)
}

fn verify_snapshot(snapshot: Snapshot, exported: Option<&Head>, passed_over: usize) -> Result<Report> {
    let mut check = Check::new(exported, snapshot.public_key.clone());
    check.dropped(&snapshot.dropped);
    check.kept_head(snapshot.head.as_deref(), !snapshot.segments.is_empty());
    let count = snapshot.segments.len();
    for (at, (number, mut file, length)) in snapshot.segments.into_iter().enumerate() {
        if at < passed_over {
            check.pass_over(number);
            continue;
        }
        let mut text = segments::rest(&mut file, 0)?;
        text.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        if at > 0 && at == passed_over {
            check.begin_with(&text);
        }
        check.segment(number, &text, at + 1 == count);
    }
    Ok(check.finish(count, exported))
}

impl Snapshot {
    /// Nobody writes while the files are opened; what is added later is not looked at.
    fn take(places: &Places) -> Result<Self> {
        let lock = places.hold_writers()?;
        let mut opened = Vec::new();
        for number in places.segments()? {
            let file = File::open(places.segment(number))?;
            let length = file.metadata()?.len();
            opened.push((number, file, length));
        }
        let snapshot = Self {
            segments: opened,
            dropped: segments::read_if_there(&places.dropped())?.unwrap_or_default(),
            head: segments::read_if_there(&places.head())?,
            public_key: public_key(places)?,
        };
        drop(lock);
        Ok(snapshot)
    }
}

fn public_key(places: &Places) -> Result<Option<String>> {
    let Some(text) = segments::read_if_there(&places.key())? else { return Ok(None) };
    let seed =
        hexadecimal::decode(text.trim()).ok_or_else(|| LedgerError::damaged(&places.key(), "it holds no key"))?;
    Ok(Some(hexadecimal::encode(ed25519_dalek::SigningKey::from_bytes(&seed).verifying_key().as_bytes())))
}

struct Check {
    public_key: String,
    /// The lines that signed heads speak of, with their hashes in the book.
    sought: BTreeMap<u64, Option<Hash>>,
    kept: Option<Head>,
    seq: u64,
    hash: Hash,
    next_segment: u64,
    report: Report,
}

impl Check {
    fn new(exported: Option<&Head>, own_key: Option<String>) -> Self {
        let report = Report {
            object: "ledger_verification",
            ok: true,
            entries: 0,
            segments: 0,
            dropped_segments: 0,
            first_seq: None,
            last_seq: None,
            head: HeadCheck::NotGiven,
            faults: Vec::new(),
            passed_over: 0,
        };
        let public_key = exported.map(|head| head.public_key.clone()).or(own_key).unwrap_or_default();
        let sought = exported.iter().map(|head| (head.seq, None)).collect();
        Self { public_key, sought, kept: None, seq: 0, hash: NOTHING, next_segment: 1, report }
    }

    fn fault(&mut self, segment: Option<u64>, line: Option<u64>, what: impl Into<String>) {
        self.report.ok = false;
        if self.report.faults.len() < MAX_FAULTS {
            self.report.faults.push(Fault { segment, line, what: what.into() });
        }
    }

    /// Where the book begins, if its first segments were dropped.
    fn dropped(&mut self, text: &str) {
        for line in text.lines() {
            let Some(dropped) = Dropped::parse(line, &self.public_key) else {
                self.fault(None, None, "a line about a dropped segment is not signed with the ledger's key");
                continue;
            };
            if dropped.segment != self.next_segment {
                self.fault(Some(dropped.segment), None, "the lines about dropped segments are not complete");
            }
            self.report.dropped_segments += 1;
            (self.seq, self.hash, self.next_segment) = (dropped.seq, dropped.hash, dropped.segment + 1);
            self.note(dropped.seq, dropped.hash);
        }
    }

    /// The book itself remembers how far it had reached.
    fn kept_head(&mut self, text: Option<&str>, has_segments: bool) {
        self.kept = text.and_then(Head::parse).filter(|head| head.public_key == self.public_key);
        match &self.kept {
            Some(head) => drop(self.sought.entry(head.seq).or_default()),
            None if has_segments || text.is_some() => {
                self.fault(None, None, "head.json is missing, or not signed with the ledger's key");
            }
            None => {}
        }
    }

    /// A segment of which only that it is there is looked at.
    fn pass_over(&mut self, number: u64) {
        self.expect_segment(number);
        self.report.passed_over += 1;
    }

    /// Takes a segment's own word for what it follows.
    fn begin_with(&mut self, text: &[u8]) {
        let first = text.split(|byte| *byte == b'\n').next().and_then(Stub::parse);
        let Some(Stub { seq, previous: Some(previous), .. }) = first else { return };
        if let Some(hash) = hexadecimal::decode(&previous) {
            (self.seq, self.hash) = (seq.saturating_sub(1), hash);
        }
    }

    fn expect_segment(&mut self, number: u64) {
        if number != self.next_segment {
            self.fault(Some(number), None, format!("segment {} is missing", self.next_segment));
        }
        self.next_segment = number + 1;
    }

    fn segment(&mut self, number: u64, text: &[u8], is_last: bool) {
        self.expect_segment(number);
        let whole = memchr::memrchr(b'\n', text).map_or(0, |end| end + 1);
        let mut last = None;
        let mut lines = 0;
        for line in text[..whole].split_inclusive(|byte| *byte == b'\n') {
            lines += 1;
            if last == Some(Kind::Checkpoint) {
                self.fault(Some(number), Some(lines), "a line stands after the segment's checkpoint");
            }
            last = self.line(number, lines, &line[..line.len() - 1]);
        }
        if !is_last && (last != Some(Kind::Checkpoint) || whole < text.len()) {
            self.fault(Some(number), Some(lines), "the segment does not end with its checkpoint");
        }
    }

    fn line(&mut self, segment: u64, line: u64, text: &[u8]) -> Option<Kind> {
        let Some(stub) = Stub::parse(text) else {
            self.fault(Some(segment), Some(line), "the line cannot be read");
            return None;
        };
        if !follows(text, &self.hash, &stub.hash) {
            self.fault(Some(segment), Some(line), "the line, or one before it, was edited, removed or moved");
        } else if stub.seq != self.seq + 1 {
            self.fault(Some(segment), Some(line), format!("line {} is missing", self.seq + 1));
        }
        match stub.object {
            Kind::Entry => self.report.entries += 1,
            Kind::Settings => {}
            Kind::Segment | Kind::Checkpoint => self.frame(segment, line, text, &stub),
        }
        self.report.first_seq.get_or_insert(stub.seq);
        (self.seq, self.hash) = (stub.seq, stub.hash);
        self.note(stub.seq, stub.hash);
        Some(stub.object)
    }

    /// The lines that begin and end a segment say which one it is, and what it follows.
    fn frame(&mut self, segment: u64, line: u64, text: &[u8], stub: &Stub) {
        let begins = stub.object == Kind::Segment;
        if stub.segment != Some(segment) || (begins && line != 1) {
            self.fault(Some(segment), Some(line), "the line belongs to another segment");
        }
        if stub.previous.as_deref() != Some(&hexadecimal::encode(&self.hash)) {
            self.fault(Some(segment), Some(line), "the line follows another one than the one before it");
        }
        if begins {
            return;
        }
        if !line::body(text).is_some_and(|body| is_signed(&body, &self.public_key)) {
            self.fault(Some(segment), Some(line), "the checkpoint is not signed with the ledger's key");
        }
    }

    fn note(&mut self, seq: u64, hash: Hash) {
        if let Some(found) = self.sought.get_mut(&seq) {
            *found = Some(hash);
        }
    }

    fn finish(mut self, segments: usize, exported: Option<&Head>) -> Report {
        self.report.segments = segments as u64;
        self.report.last_seq = (self.seq > 0).then_some(self.seq);
        if let Some(head) = self.kept.take()
            && self.holds(&head) == HeadCheck::Differs
        {
            let what = format!("the book had reached line {} and ends before it, or holds another one", head.seq);
            self.fault(None, None, what);
        }
        if let Some(head) = exported {
            self.report.head = self.holds(head);
            if self.report.head == HeadCheck::Differs {
                let what = format!("the exported head speaks of line {}, which is gone or another one", head.seq);
                self.fault(None, None, what);
            }
        }
        self.report
    }

    fn holds(&self, head: &Head) -> HeadCheck {
        match self.sought.get(&head.seq).copied().flatten() {
            Some(hash) if hash == head.hash => HeadCheck::Matches,
            None if head.seq == 0 => HeadCheck::Matches,
            None if self.report.first_seq.is_some_and(|first| head.seq < first) => HeadCheck::Dropped,
            _ => HeadCheck::Differs,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use vitrine_engine::clock::{Clock, Random};

    use super::super::{Book, LEAST_MAX_BYTES, Settings};
    use super::*;

    #[test]
    fn the_end_is_checked_without_what_comes_before() {
        let directory = tempfile::tempdir().unwrap();
        let places = Places { directory: directory.path().join("ledger") };
        let book = Book::new(places.directory.clone(), Clock::manual(1_780_272_000), Random::System);
        for n in 0..200 {
            book.decide(Settings { max_bytes: LEAST_MAX_BYTES + n % 2, ..Settings::default() }).unwrap();
        }
        drop(book);
        let numbers = places.segments().unwrap();
        assert!(numbers.len() >= 4, "{numbers:?}");
        let length = |number: &u64| fs::metadata(places.segment(*number)).unwrap().len();
        let [.., before, last] = numbers.as_slice() else { panic!("{numbers:?}") };
        for (bytes, checked) in [(0, 1), (length(last), 1), (length(last) + 1, 2), (u64::MAX, numbers.len())] {
            let report = verify_end(&places, bytes).unwrap();
            assert_eq!((report.ok, report.passed_over), (true, (numbers.len() - checked) as u64), "{report:?}");
        }

        let edit = |number: &u64| {
            let text = fs::read_to_string(places.segment(*number)).unwrap();
            fs::write(places.segment(*number), text.replacen("every_second", "each_entry", 1)).unwrap();
        };
        edit(before);
        assert!(verify_end(&places, 0).unwrap().ok, "it is not looked at");
        assert!(!verify_end(&places, length(last) + 1).unwrap().ok);
        edit(last);
        assert!(!verify_end(&places, 0).unwrap().ok);
        fs::remove_file(places.segment(numbers[1])).unwrap();
        let missing = format!("segment {} is missing", numbers[1]);
        assert!(verify_end(&places, 0).unwrap().faults.iter().any(|fault| fault.what == missing));
    }
}
