//! The files of a book: numbered segments, and what is kept of those that retention dropped.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::line::Stub;
use super::{LedgerError, Result};

/// Bytes of a line at most: a page of records with everything they can bring along.
pub(super) const MAX_LINE_BYTES: u64 = 64 * 1024 * 1024;

/// Where the parts of a book are.
#[derive(Debug, Clone)]
pub(super) struct Places {
    pub(super) directory: PathBuf,
}

impl Places {
    pub(super) fn segment(&self, number: u64) -> PathBuf {
        self.directory.join(format!("{number:08}.log"))
    }

    /// What makes a segment searchable. Derived: it may be removed at any time.
    pub(super) fn postings(&self, number: u64) -> PathBuf {
        self.directory.join(format!("{number:08}.idx"))
    }

    pub(super) fn lock(&self) -> PathBuf {
        self.directory.join("lock")
    }

    pub(super) fn key(&self) -> PathBuf {
        self.directory.join("key")
    }

    /// How far the book had reached when it was last flushed, signed.
    pub(super) fn head(&self) -> PathBuf {
        self.directory.join("head.json")
    }

    /// One signed line for each segment that retention dropped.
    pub(super) fn dropped(&self) -> PathBuf {
        self.directory.join("dropped.ndjson")
    }

    /// Keeps everyone from writing until it is dropped; nothing without a book.
    pub(super) fn hold_writers(&self) -> Result<Option<File>> {
        match File::open(self.lock()) {
            Ok(lock) => {
                lock.lock_shared()?;
                Ok(Some(lock))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The numbers of the segments there are, in order; none without a book.
    pub(super) fn segments(&self) -> Result<Vec<u64>> {
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut numbers = Vec::new();
        for entry in entries {
            let name = entry?.file_name();
            let number: Option<u64> = name.to_str().and_then(|name| name.strip_suffix(".log")?.parse().ok());
            numbers.extend(number);
        }
        numbers.sort_unstable();
        Ok(numbers)
    }
}

/// A file's text, or nothing where there is none.
pub(super) fn read_if_there(path: &Path) -> Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The first line of a segment.
pub(super) fn first_line(path: &Path) -> Result<Option<Stub>> {
    let mut file = File::open(path)?;
    let line = line_at(&mut file, 0)?;
    Ok(line.as_deref().and_then(Stub::parse))
}

/// The last line of a closed segment.
pub(super) fn last_line(path: &Path) -> Result<Stub> {
    /// More than a checkpoint takes.
    const TAIL: u64 = 4_096;
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    // Someone may have put a longer line there: then the whole is read.
    for from in [length.saturating_sub(TAIL), 0] {
        let text = rest(&mut file, from)?;
        let lines = text.strip_suffix(b"\n").unwrap_or(&text);
        let last = memchr::memrchr(b'\n', lines).map_or(lines, |at| &lines[at + 1..]);
        if let Some(stub) = Stub::parse(last) {
            return Ok(stub);
        }
    }
    Err(LedgerError::damaged(path, "its last line cannot be read"))
}

/// The line that starts at `offset`, without its break; nothing when it has no end.
pub(super) fn line_at(file: &mut File, offset: u64) -> Result<Option<Vec<u8>>> {
    const STEP: u64 = 2_048;
    let mut line = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    let mut step = STEP;
    while line.len() as u64 <= MAX_LINE_BYTES {
        let known = line.len();
        let read = file.by_ref().take(step).read_to_end(&mut line)?;
        if let Some(end) = line[known..].iter().position(|byte| *byte == b'\n') {
            line.truncate(known + end);
            return Ok(Some(line));
        }
        if read == 0 {
            break;
        }
        step *= 4;
    }
    Ok(None)
}

/// Everything from `offset` to the end of the file.
pub(super) fn rest(file: &mut File, offset: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The whole lines of a segment, the last one first.
pub(super) fn newest_first(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut left = memchr::memrchr(b'\n', text).map(|end| &text[..end]);
    std::iter::from_fn(move || {
        let lines = left?;
        let broken = memchr::memrchr(b'\n', lines);
        left = broken.map(|at| &lines[..at]);
        Some(&lines[broken.map_or(0, |at| at + 1)..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_found_however_long_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("00000001.log");
        let line = |seq: u64, more: usize| {
            let (at, hash) = ("2026-06-01T00:00:00Z".repeat(more), "0".repeat(64));
            format!(r#"{{"object":"ledger_checkpoint","seq":{seq},"at":"{at}","hash":"{hash}"}}"#) + "\n"
        };
        for (lines, last) in
            [(vec![line(1, 1)], 1), (vec![line(1, 900), line(2, 1)], 2), (vec![line(1, 1), line(2, 900)], 2)]
        {
            fs::write(&path, lines.concat()).unwrap();
            assert_eq!(last_line(&path).unwrap().seq, last);
        }
        fs::write(&path, line(1, 1) + "{").unwrap();
        assert!(last_line(&path).is_err());
    }

    #[test]
    fn whole_lines_come_newest_first() {
        let lines = |text: &'static str| newest_first(text.as_bytes()).map(<[u8]>::to_vec).collect::<Vec<_>>();
        assert_eq!(lines("one\ntwo\nthr"), [b"two".to_vec(), b"one".to_vec()]);
        assert_eq!(lines("one\n"), [b"one".to_vec()]);
        assert!(lines("one").is_empty() && lines("").is_empty());
    }
}
