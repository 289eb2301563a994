//! Rows of CSV files, whatever stands between the cells.

use std::io::{self, Read};

use csv::{ErrorKind, Reader, ReaderBuilder, StringRecord};

use super::sink::ImportError;

/// What may stand between cells, the likelier first.
pub(super) const DELIMITERS: [u8; 4] = [b';', b',', b'\t', b'|'];
/// Longest row that is taken.
const MAX_ROW_BYTES: u64 = 64 * 1024 * 1024;

const NEVER_CLOSED: &str = "a quote is opened and not closed within 64 MB, so where the next row starts is not known";

/// What came next.
pub(super) enum Next {
    Row,
    Bad(&'static str),
    End,
}

/// The rows of a text. A line that goes on and on makes its row a bad one, rather than filling the memory.
pub(super) fn rows<R: Read>(source: R, delimiter: u8) -> Reader<Bounded<R>> {
    ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(Bounded::new(source))
}

/// Reads the next row.
pub(super) fn next<R: Read>(rows: &mut Reader<Bounded<R>>, row: &mut StringRecord) -> Result<Next, ImportError> {
    rows.get_mut().since_row = 0;
    match rows.read_record(row) {
        Ok(true) => Ok(Next::Row),
        Ok(false) => Ok(Next::End),
        Err(error) => match error.into_kind() {
            ErrorKind::Io(error) => Err(error.into()),
            ErrorKind::Utf8 { .. } if rows.get_mut().tell_cut() => Ok(Next::Bad("a row longer than 64 MB")),
            ErrorKind::Utf8 { .. } => Ok(Next::Bad("a row that is no text")),
            _ => Ok(Next::Bad("a row that cannot be read")),
        },
    }
}

/// What a first line such as `sep=;` says for Excel.
pub(super) fn named_delimiter(head: &str) -> Option<u8> {
    let line = head.lines().next()?.trim_matches('"').as_bytes();
    let (name, delimiter) = line.split_at_checked(4)?;
    match delimiter {
        [delimiter] if name.eq_ignore_ascii_case(b"sep=") => Some(*delimiter),
        _ => None,
    }
}

/// Whether a row is only what [`named_delimiter`] reads.
pub(super) fn names_delimiter(row: &StringRecord) -> bool {
    row.get(0).is_some_and(|cell| cell.eq_ignore_ascii_case("sep=")) && row.iter().skip(1).all(str::is_empty)
}

/// Ends lines that never end: what is too long is passed over, and a byte that no text has stands for it.
pub(super) struct Bounded<R> {
    source: R,
    since_newline: u64,
    /// Handed on since a row was asked for.
    since_row: u64,
    /// While a line is passed over, whether an odd number of its quotes was.
    passing: Option<bool>,
    cuts: u64,
    /// Read, but not handed on yet.
    waiting: Vec<u8>,
}

const NO_TEXT: u8 = 0xff;

impl<R: Read> Bounded<R> {
    fn new(source: R) -> Self {
        Self { source, since_newline: 0, since_row: 0, passing: None, cuts: 0, waiting: Vec::new() }
    }

    /// Whether a line was cut that was not told yet.
    fn tell_cut(&mut self) -> bool {
        let was_cut = self.cuts > 0;
        self.cuts = self.cuts.saturating_sub(1);
        was_cut
    }

    /// Passes over what is too long at the start of these bytes; the rest waits to be handed on.
    fn pass_over(&mut self, bytes: &[u8]) {
        let end = memchr::memchr(b'\n', bytes);
        let quotes = memchr::memchr_iter(b'"', &bytes[..end.unwrap_or(bytes.len())]).count();
        if self.passing.is_none() {
            self.cuts += 1;
            self.waiting.push(NO_TEXT);
        }
        let is_odd = self.passing.unwrap_or_default() != (quotes % 2 == 1);
        self.passing = end.is_none().then_some(is_odd);
        if let Some(end) = end {
            // A quote that was open is closed, and the rows after it stay rows.
            self.waiting.extend(is_odd.then_some(b'"'));
            self.waiting.extend_from_slice(&bytes[end..]);
            self.since_newline = since_newline(&bytes[end..]).unwrap_or_default();
        }
    }
}

fn since_newline(bytes: &[u8]) -> Option<u64> {
    memchr::memrchr(b'\n', bytes).map(|at| (bytes.len() - at) as u64)
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.waiting.is_empty() {
                let length = self.waiting.len().min(buffer.len());
                buffer[..length].copy_from_slice(&self.waiting[..length]);
                self.waiting.drain(..length);
                return Ok(length);
            }
            let read = self.source.read(buffer)?;
            let bytes = &buffer[..read];
            if read == 0 {
                return Ok(0);
            }
            let line = memchr::memchr(b'\n', bytes).unwrap_or(read) as u64;
            if self.passing.is_some() || self.since_newline + line > MAX_ROW_BYTES {
                self.pass_over(bytes);
                continue;
            }
            self.since_newline = since_newline(bytes).unwrap_or(self.since_newline + read as u64);
            self.since_row += read as u64;
            if self.since_row > MAX_ROW_BYTES {
                return Err(io::Error::new(io::ErrorKind::InvalidData, NEVER_CLOSED));
            }
            return Ok(read);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_that_is_never_closed_fills_no_memory() {
        let endless = b"a,b\n1,\"".chain(io::repeat(b'\n'));
        let (mut rows, mut row) = (rows(endless, b','), StringRecord::new());
        assert!(matches!(next(&mut rows, &mut row), Ok(Next::Row)));
        let refused = next(&mut rows, &mut row).err().map(|error| error.to_string());
        assert!(refused.is_some_and(|message| message.contains("not closed")));
    }
}
