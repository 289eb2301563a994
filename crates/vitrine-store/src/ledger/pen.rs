//! Writing to the book, some lines at a time, whoever else does too.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use vitrine_contract::{hexadecimal, time};
use vitrine_engine::clock::Random;
use vitrine_engine::ledger::{Disclosure, Item};

use super::line::{self, Hash, Kind, NOTHING, Stub};
use super::postings::{self, Gathered, Term};
use super::search::unless_dropped;
use super::segments::{self, Places};
use super::signature::Key;
use super::{Flush, LedgerError, Result, Settings, private, retention};

/// A segment is closed when it is full, or when it is this old, so that retention by age has
/// something to drop.
const SEGMENT_AGE: SignedDuration = SignedDuration::from_hours(24);

/// The right to write, and how far the book had reached when last looked.
pub(super) struct Pen {
    places: Places,
    lock: File,
    key: Key,
    page: Page,
}

/// The segment that is written to.
struct Page {
    number: u64,
    file: File,
    length: u64,
    /// The last line's number and hash, over all segments.
    seq: u64,
    hash: Hash,
    began: Timestamp,
    settings: Settings,
    /// Whether its last line is a checkpoint.
    closed: bool,
    /// Where everything in it stands, while all of it was written here.
    gathered: Option<Gathered>,
}

/// What writing led to.
pub(super) struct Written {
    /// Segments that were closed on the way, and can be indexed.
    pub(super) closed: Vec<Closed>,
    pub(super) flush: Flush,
}

/// A segment that will not change any more.
pub(super) struct Closed {
    number: u64,
    length: u64,
    gathered: Option<Gathered>,
}

impl Closed {
    /// Makes its postings: from what was gathered, or else from its lines.
    pub(super) fn index(self, places: &Places) -> Result<()> {
        unless_dropped(match self.gathered {
            Some(gathered) => gathered.keep(places, self.number, self.length),
            None => postings::build(places, self.number).map(drop),
        })
    }
}

/// What is to be written.
pub(super) enum Line {
    Entry {
        members: Vec<u8>,
        at: Timestamp,
        /// Hashes of everything it can be found by.
        terms: Vec<u64>,
    },
    Settings {
        members: Vec<u8>,
        settings: Settings,
    },
}

impl Line {
    pub(super) fn entry(disclosure: &Disclosure<'_>) -> Result<Self> {
        let ids: usize = disclosure.items.iter().map(|item| item.record_ids.len()).sum();
        let mut members = Vec::with_capacity(1_024 + 32 * ids);
        serde_json::to_writer(&mut members, disclosure)?;
        let mut hashes = Vec::with_capacity(8 * disclosure.items.len() + ids);
        hashes.extend(terms(disclosure).map(Term::hash));
        Ok(Self::Entry { members, at: disclosure.at, terms: hashes })
    }

    pub(super) fn settings(settings: Settings, at: Timestamp) -> Result<Self> {
        let members = format!("{{\"at\":\"{}\",\"settings\":{}}}", time::format(at), serde_json::to_string(&settings)?);
        Ok(Self::Settings { members: members.into_bytes(), settings })
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Entry { .. } => Kind::Entry,
            Self::Settings { .. } => Kind::Settings,
        }
    }

    /// What it says, as an object.
    fn members(&self) -> &[u8] {
        match self {
            Self::Entry { members, .. } | Self::Settings { members, .. } => members,
        }
    }
}

impl Pen {
    /// Opens the book, or begins one.
    pub(super) fn take(places: &Places, random: &Random) -> Result<Self> {
        make_directory(&places.directory)?;
        let lock =
            private(OpenOptions::new().read(true).write(true).create(true).truncate(false)).open(places.lock())?;
        lock.lock()?;
        let key = Key::load(&places.key(), random)?;
        let first_head = |seq, hash| {
            if places.head().exists() {
                return Ok(());
            }
            write_whole(&places.head(), &key.head(seq, hash, time::format(Timestamp::UNIX_EPOCH))?)
        };
        let segments = places.segments()?;
        if segments.is_empty() {
            // Before the first segment, so that no book is ever without one.
            first_head(0, NOTHING)?;
        }
        let page = match segments.last() {
            Some(number) => Page::open(places, *number)?,
            None => Page::blank(places, 1, 0, NOTHING, Settings::default())?,
        };
        first_head(page.seq, page.hash)?;
        lock.unlock()?;
        Ok(Self { places: places.clone(), lock, key, page })
    }

    /// Writes lines, and starts a new segment wherever one is full.
    pub(super) fn write(&mut self, lines: &[Line], at: Timestamp) -> Result<Written> {
        self.lock.lock()?;
        let outcome = self.write_locked(lines, at);
        self.lock.unlock()?;
        outcome
    }

    fn write_locked(&mut self, mut lines: &[Line], at: Timestamp) -> Result<Written> {
        self.page.follow(&self.places)?;
        let mut closed = Vec::new();
        while !lines.is_empty() {
            if self.page.is_due(at) {
                self.close(at)?;
                let Page { number, length, gathered, .. } = &mut self.page;
                closed.push(Closed { number: *number, length: *length, gathered: gathered.take() });
            }
            if self.page.closed {
                self.page = self.page.next(&self.places)?;
            }
            if self.page.length == 0 {
                self.begin(at)?;
            }
            let written = self.page.write(lines)?;
            lines = &lines[written..];
        }
        let flush = self.page.settings.flush;
        if flush == Flush::EachEntry {
            self.page.file.sync_data()?;
            self.keep_head(self.page.seq, self.page.hash, at)?;
        }
        if !closed.is_empty()
            && let Err(error) = retention::apply(&self.places, &self.key, &self.page.settings, at)
        {
            tracing::error!(%error, "old segments of the ledger could not be dropped");
        }
        Ok(Written { closed, flush })
    }

    /// The first line of a segment.
    fn begin(&mut self, at: Timestamp) -> Result<()> {
        let body = format!(
            "{}\"at\":\"{}\",\"segment\":{},\"previous\":\"{}\",\"public_key\":\"{}\",\"settings\":{}}}",
            line::start(Kind::Segment, self.page.seq + 1),
            time::format(at),
            self.page.number,
            hexadecimal::encode(&self.page.hash),
            self.key.public(),
            serde_json::to_string(&self.page.settings)?,
        );
        self.page.began = at;
        self.page.append(&body)
    }

    /// The last line of a segment: a signed statement of all before it.
    fn close(&mut self, at: Timestamp) -> Result<()> {
        let body = format!(
            "{}\"at\":\"{}\",\"segment\":{},\"previous\":\"{}\",\"public_key\":\"{}\"}}",
            line::start(Kind::Checkpoint, self.page.seq + 1),
            time::format(at),
            self.page.number,
            hexadecimal::encode(&self.page.hash),
            self.key.public(),
        );
        self.page.append(&self.key.sign(body))?;
        self.page.closed = true;
        Ok(self.page.file.sync_data()?)
    }

    pub(super) fn settings(&mut self) -> Result<Settings> {
        self.lock.lock()?;
        let followed = self.page.follow(&self.places);
        self.lock.unlock()?;
        followed.map(|()| self.page.settings)
    }

    pub(super) fn retain(&mut self, at: Timestamp) -> Result<()> {
        self.lock.lock()?;
        let outcome = retention::apply(&self.places, &self.key, &self.page.settings, at);
        self.lock.unlock()?;
        outcome
    }

    /// How far the book reaches now, signed.
    pub(super) fn head(&mut self, at: String) -> Result<String> {
        self.lock.lock()?;
        let followed = self.page.follow(&self.places);
        self.lock.unlock()?;
        followed?;
        self.key.head(self.page.seq, self.page.hash, at)
    }

    /// What is to be forced to the disk, and how far the book reaches with it.
    pub(super) fn unflushed(&self) -> Result<(File, u64, Hash)> {
        Ok((self.page.file.try_clone()?, self.page.seq, self.page.hash))
    }

    /// Notes that everything up to this line is on the disk, unless more is already noted.
    pub(super) fn flushed(&mut self, seq: u64, hash: Hash, at: Timestamp) -> Result<()> {
        self.lock.lock()?;
        let outcome = self.keep_head(seq, hash, at);
        self.lock.unlock()?;
        outcome
    }

    fn keep_head(&self, seq: u64, hash: Hash, at: Timestamp) -> Result<()> {
        let known = segments::read_if_there(&self.places.head())?.and_then(|text| super::Head::parse(&text));
        if known.is_some_and(|head| head.seq >= seq) {
            return Ok(());
        }
        write_whole(&self.places.head(), &self.key.head(seq, hash, time::format(at))?)
    }
}

impl Page {
    /// A segment without a line.
    fn blank(places: &Places, number: u64, seq: u64, hash: Hash, settings: Settings) -> Result<Self> {
        let file = private(OpenOptions::new().read(true).append(true).create(true)).open(places.segment(number))?;
        let began = Timestamp::UNIX_EPOCH;
        let gathered = Some(Gathered::default());
        let mut page = Self { number, file, length: 0, seq, hash, began, settings, closed: false, gathered };
        page.follow_here(places)?;
        Ok(page)
    }

    /// The last segment there is.
    fn open(places: &Places, number: u64) -> Result<Self> {
        if segments::first_line(&places.segment(number))?.is_some() {
            return Self::blank(places, number, 0, NOTHING, Settings::default());
        }
        // Its first line was never finished: it goes on where the segment before ends.
        match number.checked_sub(1).filter(|before| places.segment(*before).exists()) {
            Some(before) => Self::open(places, before)?.next(places),
            None => Self::blank(places, number, 0, NOTHING, Settings::default()),
        }
    }

    /// Whether the segment is full or old.
    fn is_due(&self, at: Timestamp) -> bool {
        let full = self.length >= self.settings.segment_bytes();
        self.length > 0 && !self.closed && (full || at.duration_since(self.began) > SEGMENT_AGE)
    }

    fn next(&self, places: &Places) -> Result<Self> {
        Self::blank(places, self.number + 1, self.seq, self.hash, self.settings)
    }

    /// Reads what others have written since, over as many segments as there are.
    fn follow(&mut self, places: &Places) -> Result<()> {
        self.follow_here(places)?;
        while self.closed && places.segment(self.number + 1).exists() {
            *self = self.next(places)?;
        }
        Ok(())
    }

    fn follow_here(&mut self, places: &Places) -> Result<()> {
        // Asked at every line: the end alone costs a third of all that the system knows of a file.
        let length = self.file.seek(SeekFrom::End(0))?;
        if length == self.length {
            return Ok(());
        }
        let path = places.segment(self.number);
        if length < self.length {
            return Err(LedgerError::damaged(&path, "it has become shorter"));
        }
        self.gathered = None;
        let added = segments::rest(&mut self.file, self.length)?;
        let whole = memchr::memrchr(b'\n', &added).map_or(0, |end| end + 1);
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &added[..whole]).map(|end| end + 1) {
            let line = &added[std::mem::replace(&mut start, end)..end];
            // Of entries only the last matters here, and a segment may have tens of thousands.
            if end < whole && line::is_entry(line) {
                continue;
            }
            let stub = Stub::parse(line).ok_or_else(|| LedgerError::damaged(&path, "a line cannot be read"))?;
            if stub.object == Kind::Segment {
                self.began = time::parse(&stub.at).unwrap_or_default();
            }
            self.closed = stub.object == Kind::Checkpoint;
            self.settings = stub.settings.unwrap_or(self.settings);
            (self.seq, self.hash) = (stub.seq, stub.hash);
        }
        self.length += whole as u64;
        if whole < added.len() {
            // Whoever wrote it did not get to answer: nothing was disclosed.
            tracing::warn!(segment = self.number, bytes = added.len() - whole, "an unfinished line is removed");
            self.file.set_len(self.length)?;
        }
        Ok(())
    }

    /// Adds as many lines as the segment has room for, and one at least; says how many.
    fn write(&mut self, lines: &[Line]) -> Result<usize> {
        let bytes = lines.iter().map(|line| line.members().len() + line::MORE_BYTES).sum();
        let (mut text, mut hash) = (Vec::with_capacity(bytes), self.hash);
        let mut offsets = Vec::with_capacity(lines.len());
        for (line, seq) in lines.iter().zip(self.seq + 1..) {
            let offset = self.length + text.len() as u64;
            if offset >= self.settings.segment_bytes() && !offsets.is_empty() {
                break;
            }
            offsets.push(offset);
            hash = line::add(&mut text, &[line::start(line.kind(), seq).as_bytes(), &line.members()[1..]], &hash);
        }
        self.put(&text, offsets.len(), hash)?;
        for (line, offset) in lines.iter().zip(&offsets) {
            match line {
                Line::Settings { settings, .. } => self.settings = *settings,
                Line::Entry { at, terms, .. } => {
                    if let Some(gathered) = &mut self.gathered {
                        gathered.note(*offset, *at, terms.iter().copied());
                    }
                }
            }
        }
        Ok(offsets.len())
    }

    /// Adds a line that is whole but for its hash.
    fn append(&mut self, body: &str) -> Result<()> {
        let mut text = Vec::new();
        let hash = line::add(&mut text, &[body.as_bytes()], &self.hash);
        self.put(&text, 1, hash)
    }

    /// Adds so many lines, of which the last has this hash, with one write; what does not fit leaves nothing behind.
    fn put(&mut self, text: &[u8], lines: usize, hash: Hash) -> Result<()> {
        let written = loop {
            match self.file.write(text) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        match written {
            Ok(written) if written == text.len() => {}
            outcome => {
                self.file.set_len(self.length)?;
                return Err(outcome.err().unwrap_or_else(|| io::ErrorKind::StorageFull.into()).into());
            }
        }
        self.length += text.len() as u64;
        (self.seq, self.hash) = (self.seq + lines as u64, hash);
        Ok(())
    }
}

/// Everything a disclosure can be found by.
fn terms<'a>(disclosure: &'a Disclosure<'a>) -> impl Iterator<Item = Term<'a>> {
    let of_item = |item: &'a Item<'a>| {
        Term::of_item(item.connection_id, item.stream, item.grant_id, item.record_ids.iter().copied())
    };
    Term::of_client(disclosure.client_id, disclosure.grant_package_id).chain(disclosure.items.iter().flat_map(of_item))
}

fn make_directory(directory: &Path) -> io::Result<()> {
    if directory.exists() {
        return Ok(());
    }
    fs::create_dir_all(directory)?;
    crate::open::restrict(directory, 0o700);
    Ok(())
}

/// Replaces a file with another, so that nobody sees half of it.
pub(super) fn write_whole(path: &Path, text: &str) -> Result<()> {
    let fresh = path.with_extension("new");
    let mut file = private(OpenOptions::new().write(true).create(true).truncate(true)).open(&fresh)?;
    file.write_all(text.as_bytes())?;
    drop(file);
    Ok(fs::rename(&fresh, path)?)
}

#[cfg(test)]
mod tests {
    use vitrine_engine::ledger::Via;

    use super::*;

    #[test]
    fn what_was_gathered_while_writing_is_what_the_lines_say() {
        let directory = tempfile::tempdir().unwrap();
        let places = Places { directory: directory.path().join("ledger") };
        let closed = closed_segment(&places);
        assert!(closed.gathered.is_some());
        let (number, index) = (closed.number, places.postings(closed.number));
        closed.index(&places).unwrap();
        let gathered = fs::read(&index).unwrap();
        postings::build(&places, number).unwrap();
        assert!(gathered == fs::read(&index).unwrap());
        assert!(gathered.len() > 1_000);
    }

    #[test]
    fn a_segment_that_was_dropped_meanwhile_leaves_no_postings() {
        let directory = tempfile::tempdir().unwrap();
        let places = Places { directory: directory.path().join("ledger") };
        let closed = closed_segment(&places);
        let index = places.postings(closed.number);
        fs::remove_file(places.segment(closed.number)).unwrap();
        closed.index(&places).unwrap();
        assert!(!index.exists());
    }

    /// The first segment of a new book, full of entries.
    fn closed_segment(places: &Places) -> Closed {
        let mut pen = Pen::take(places, &Random::seeded(7)).unwrap();
        let small = Settings { max_bytes: super::super::LEAST_MAX_BYTES, ..Settings::default() };
        let start = Timestamp::UNIX_EPOCH;
        pen.write(&[Line::settings(small, start).unwrap()], start).unwrap();
        let ids: Vec<String> = (0..400).map(|n| format!("m\u{1F4E7}-{}", n % 90)).collect();
        let closed = ids.windows(3).zip(0_i64..).find_map(|(ids, n)| {
            let item = Item {
                connection_id: "cin_0",
                stream: "messages",
                grant_id: (n % 2 == 0).then_some("grt_1"),
                record_ids: ids.iter().map(String::as_str).collect(),
                ..Item::default()
            };
            let disclosure = Disclosure {
                at: start + SignedDuration::from_micros(n),
                client_id: "client",
                grant_package_id: (n % 3 == 0).then_some("pkg_1"),
                via: Via::Rest,
                endpoint: "GET /v1/streams/{stream}/records",
                items: vec![item.clone(), Item { stream: "threads", ..item }],
                filtered_by: Vec::new(),
                outcome: None,
                records: 6,
                characters: 0,
                bytes: None,
            };
            // One at a time or several.
            let lines: Vec<Line> = (0..=n % 4).map(|_| Line::entry(&disclosure).unwrap()).collect();
            pen.write(&lines, start).unwrap().closed.pop()
        });
        closed.unwrap()
    }
}
