//! Where things stand in a closed segment: for each client, grant, stream, connection and record,
//! the lines that name it. Derived from the segment, and made again when it is missing.
//!
//! A file is a header, the terms in order (hash, first posting, how many), the postings: the
//! offsets of lines, ascending; and when the entry of each line was made. A hash starts with its
//! term's kind, so that the terms of a kind stand together.

use std::cmp::Ordering;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use jiff::Timestamp;
use vitrine_contract::time;

use super::Result;
use super::search::Shown;
use super::segments::{self, Places};

const MAGIC: &[u8; 8] = b"vtrnidx3";
const HEADER_BYTES: usize = 8 + 8 + 8 + 8 + 8 + 8;
const TERM_BYTES: usize = 8 + 4 + 4;
const POSTING_BYTES: u64 = 4;
const TIME_BYTES: usize = 4 + 8;
/// The bits of a hash below its kind.
const KIND_SHIFT: u32 = 56;
/// The kind of grants and packages; only a few terms stand before theirs.
const GRANT: u8 = 2;

/// Something an entry can be found by.
#[derive(Debug, Clone, Copy)]
pub(super) enum Term<'a> {
    /// Every entry.
    Any,
    Client(&'a str),
    /// A grant or package.
    Grant(&'a str),
    Connection(&'a str),
    Stream(&'a str),
    Place(&'a str, &'a str),
    Record(&'a str),
}

impl<'a> Term<'a> {
    /// Everything an entry about this can be found by.
    pub(super) fn of_item(
        connection_id: &'a str,
        stream: &'a str,
        grant_id: Option<&'a str>,
        record_ids: impl Iterator<Item = &'a str>,
    ) -> impl Iterator<Item = Self> {
        [Self::Connection(connection_id), Self::Stream(stream), Self::Place(connection_id, stream)]
            .into_iter()
            .chain(grant_id.map(Self::Grant))
            .chain(record_ids.map(Self::Record))
    }

    /// Everything an entry to this client can be found by.
    pub(super) fn of_client(client_id: &'a str, grant_package_id: Option<&'a str>) -> impl Iterator<Item = Self> {
        [Self::Any, Self::Client(client_id)].into_iter().chain(grant_package_id.map(Self::Grant))
    }
}

/// The postings of a segment, line by line.
#[derive(Default)]
pub(super) struct Gathered {
    found: Vec<(u64, u32)>,
    times: Vec<(u32, i64)>,
}

impl Gathered {
    /// Those of all its lines.
    fn of(text: &[u8]) -> Self {
        let mut gathered = Self::default();
        let mut offset = 0;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            if let Some(entry) = Shown::parse(line) {
                gathered.note(offset, time::parse(&entry.at).unwrap_or_default(), entry.terms().map(Term::hash));
            }
            offset += line.len() as u64;
        }
        gathered
    }

    /// Notes the line of an entry, and the hashes of what it can be found by.
    pub(super) fn note(&mut self, offset: u64, at: Timestamp, terms: impl Iterator<Item = u64>) {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        self.times.push((offset, at.as_microsecond()));
        self.found.extend(terms.map(|term| (term, offset)));
    }

    /// Keeps them beside the segment, which has so many bytes; not found when it was dropped meanwhile.
    pub(super) fn keep(mut self, places: &Places, number: u64, length: u64) -> Result<()> {
        self.found.sort_unstable();
        self.found.dedup();
        write(places, number, length, &self.found, &self.times)?;
        // Retention drops a segment first and its postings then, so that one of the two sees the other.
        if places.segment(number).exists() {
            return Ok(());
        }
        fs::remove_file(places.postings(number))?;
        Err(io::Error::from(io::ErrorKind::NotFound).into())
    }
}

/// The open postings of one segment.
pub(super) struct Postings {
    file: File,
    terms: u64,
    /// Postings of all terms together.
    runs: u64,
    /// When its first and last entries were made, in microseconds.
    pub(super) span: (i64, i64),
}

impl Term<'_> {
    /// Its kind, then FNV-1a: stable over versions. A collision costs a look at a line that does not match.
    pub(super) fn hash(self) -> u64 {
        let (kind, parts): (u8, [&str; 2]) = match self {
            Self::Any => (0, ["", ""]),
            Self::Client(id) => (1, [id, ""]),
            Self::Grant(id) => (GRANT, [id, ""]),
            Self::Connection(id) => (3, [id, ""]),
            Self::Stream(name) => (4, [name, ""]),
            Self::Place(connection_id, stream) => (5, [connection_id, stream]),
            Self::Record(id) => (6, [id, ""]),
        };
        let bytes = parts[0].bytes().chain([0]).chain(parts[1].bytes());
        let hash = bytes
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        u64::from(kind) << KIND_SHIFT | hash >> (u64::BITS - KIND_SHIFT)
    }
}

impl Postings {
    /// The postings of a closed segment, made now if need be.
    pub(super) fn of(places: &Places, number: u64) -> Result<Self> {
        let length = fs::metadata(places.segment(number))?.len();
        match Self::open(places, number, length)? {
            Some(found) => Ok(found),
            None => build(places, number),
        }
    }

    fn open(places: &Places, number: u64, length: u64) -> Result<Option<Self>> {
        let mut file = match File::open(places.postings(number)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut header = [0; HEADER_BYTES];
        let read = file.read_exact(&mut header);
        let words = header.as_chunks().0;
        let [_, of_length, first, last, terms, runs] = std::array::from_fn(|n| u64::from_le_bytes(words[n]));
        let fits = read.is_ok() && header.starts_with(MAGIC) && of_length == length;
        Ok(fits.then(|| Self { file, terms, runs, span: (first.cast_signed(), last.cast_signed()) }))
    }

    /// The offsets of the lines that name a term, ascending.
    pub(super) fn lines(&mut self, term: Term<'_>) -> Result<Vec<u32>> {
        let wanted = term.hash();
        let (mut low, mut high) = (0, self.terms);
        while low < high {
            let middle = low.midpoint(high);
            self.file.seek(SeekFrom::Start(place_of_term(middle)))?;
            let mut entry = [0; TERM_BYTES];
            self.file.read_exact(&mut entry)?;
            let [hash, place] = [0, 8].map(|at| u64::from_le_bytes(entry[at..at + 8].try_into().unwrap_or_default()));
            match hash.cmp(&wanted) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return self.run(place & 0xffff_ffff, place >> 32),
            }
        }
        Ok(Vec::new())
    }

    fn run(&mut self, first: u64, count: u64) -> Result<Vec<u32>> {
        let bytes = self.read(place_of_term(self.terms) + first * POSTING_BYTES, count * POSTING_BYTES)?;
        Ok(bytes.as_chunks().0.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect())
    }

    /// The hashes of the grants and packages that lines name.
    pub(super) fn grants(&mut self) -> Result<Vec<u64>> {
        const TERMS_AT_ONCE: usize = 256;
        let mut grants = Vec::new();
        for from in (0..self.terms).step_by(TERMS_AT_ONCE) {
            let to = self.terms.min(from + TERMS_AT_ONCE as u64);
            let bytes = self.read(place_of_term(from), place_of_term(to) - place_of_term(from))?;
            if bytes.is_empty() {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            for term in bytes.as_chunks::<TERM_BYTES>().0 {
                let hash = term.first_chunk().map_or(u64::MAX, |hash| u64::from_le_bytes(*hash));
                match (hash >> KIND_SHIFT).cmp(&u64::from(GRANT)) {
                    Ordering::Less => {}
                    Ordering::Equal => grants.push(hash),
                    Ordering::Greater => return Ok(grants),
                }
            }
        }
        Ok(grants)
    }

    /// When the entry of each line was made, in microseconds, by the line's offset.
    pub(super) fn times(&mut self) -> Result<Vec<(u32, i64)>> {
        let bytes = self.read(place_of_term(self.terms) + self.runs * POSTING_BYTES, u64::MAX)?;
        let times = bytes.as_chunks::<TIME_BYTES>().0.iter().filter_map(|chunk| {
            let (offset, at) = chunk.split_first_chunk()?;
            Some((u32::from_le_bytes(*offset), i64::from_le_bytes(*at.first_chunk()?)))
        });
        Ok(times.collect())
    }

    fn read(&mut self, from: u64, most: u64) -> Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        (&self.file).take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

fn place_of_term(number: u64) -> u64 {
    HEADER_BYTES as u64 + number * TERM_BYTES as u64
}

/// Makes the postings of a closed segment.
pub(super) fn build(places: &Places, number: u64) -> Result<Postings> {
    let text = segments::rest(&mut File::open(places.segment(number))?, 0)?;
    Gathered::of(&text).keep(places, number, text.len() as u64)?;
    let opened = Postings::open(places, number, text.len() as u64)?;
    opened.ok_or_else(|| io::Error::other("the segment has changed while it was indexed").into())
}

fn write(places: &Places, number: u64, length: u64, found: &[(u64, u32)], times: &[(u32, i64)]) -> Result<()> {
    let span = times.iter().fold((i64::MAX, i64::MIN), |(first, last), (_, at)| (first.min(*at), last.max(*at)));
    let groups: Vec<&[(u64, u32)]> = found.chunk_by(|a, b| a.0 == b.0).collect();
    let mut bytes = MAGIC.to_vec();
    let counts = [groups.len() as u64, found.len() as u64];
    for number in [length, span.0.cast_unsigned(), span.1.cast_unsigned()].into_iter().chain(counts) {
        bytes.extend(number.to_le_bytes());
    }
    let mut first = 0_u32;
    for group in groups {
        let count = u32::try_from(group.len()).unwrap_or(u32::MAX);
        bytes.extend(group[0].0.to_le_bytes());
        bytes.extend(first.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        first += count;
    }
    for (_, offset) in found {
        bytes.extend(offset.to_le_bytes());
    }
    for (offset, at) in times {
        bytes.extend(offset.to_le_bytes());
        bytes.extend(at.to_le_bytes());
    }
    // Two processes may be at it: each finishes its own file, and either will do.
    let fresh = places.directory.join(format!("{number:08}.idx.{}", std::process::id()));
    let mut file = super::private(fs::OpenOptions::new().write(true).create(true).truncate(true)).open(&fresh)?;
    file.write_all(&bytes)?;
    Ok(fs::rename(&fresh, places.postings(number))?)
}
