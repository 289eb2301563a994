//! Rows of CSV files, whatever stands between the cells.

use std::io::{self, Read};

use csv::{ErrorKind, Reader, ReaderBuilder, StringRecord};

use super::sink::ImportError;

/// What may stand between cells, the likelier first.
pub(super) const DELIMITERS: [u8; 4] = [b';', b',', b'\t', b'|'];
/// Longest row that is taken.
const MAX_ROW_BYTES: u64 = 64 * 1024 * 1024;

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Row,
    Bad(&'static str),
    /// A row with a quote that is not closed, so that where the next row starts is not known. It starts in this line.
    Unclosed(u64),
    End,
}

/// Says that a file was read up to the row that starts in this line, and why no further.
pub(super) fn unclosed(file: &str, line: u64) -> ImportError {
    ImportError::Damaged(format!(
        "{file}: a quote is opened in the row of line {line} and not closed, so where the next row starts is not known. \
         Nothing was taken from that line on: the file is cut off there, or has a quote too many."
    ))
}

/// The rows of a text. A line that goes on and on makes its row a bad one, rather than filling the memory.
pub(super) fn rows<R: Read>(source: R, delimiter: u8) -> Reader<Bounded<R>> {
    ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(Bounded::new(source))
}

/// Reads the next row.
pub(super) fn next<R: Read>(rows: &mut Reader<Bounded<R>>, row: &mut StringRecord) -> Result<Next, ImportError> {
    rows.get_mut().since_row = 0;
    let line = rows.position().line();
    match rows.read_record(row) {
        Ok(true) => Ok(Next::Row),
        Ok(false) => Ok(Next::End),
        Err(error) => match error.into_kind() {
            ErrorKind::Io(_) if rows.get_ref().is_endless() => Ok(Next::Unclosed(line)),
            ErrorKind::Io(error) => Err(error.into()),
            ErrorKind::Utf8 { .. } if rows.get_mut().tell_cut() => Ok(Next::Bad("a row longer than 64 MB")),
            ErrorKind::Utf8 { err, .. } if rows.get_ref().ended => {
                let is_mark_alone = (err.field(), err.valid_up_to()) == (0, 0);
                Ok(if is_mark_alone { Next::End } else { Next::Unclosed(line) })
            }
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

/// Ends lines that never end: what is too long is passed over, and a byte that no text has stands for it. Another such
/// byte stands in a line of its own after the last: where it is found in a row, a quote of that row was left open.
pub(super) struct Bounded<R> {
    source: R,
    since_newline: u64,
    /// Handed on since a row was asked for.
    since_row: u64,
    /// While a line is passed over, whether an odd number of its quotes was.
    passing: Option<bool>,
    cuts: u64,
    /// Whether the mark after the last line was handed on.
    ended: bool,
    /// Read, but not handed on yet.
    waiting: Vec<u8>,
}

const NO_TEXT: u8 = 0xff;

impl<R: Read> Bounded<R> {
    fn new(source: R) -> Self {
        Self { source, since_newline: 0, since_row: 0, passing: None, cuts: 0, ended: false, waiting: Vec::new() }
    }

    /// Whether a line was cut that was not told yet.
    fn tell_cut(&mut self) -> bool {
        let was_cut = self.cuts > 0;
        self.cuts = self.cuts.saturating_sub(1);
        was_cut
    }

    /// Whether more was handed on for one row than any row has.
    fn is_endless(&self) -> bool {
        self.since_row > MAX_ROW_BYTES
    }

    /// Hands on the mark after the last line.
    fn end(&mut self) {
        self.ended = true;
        self.waiting.extend(self.passing.take().filter(|is_odd| *is_odd).map(|_| b'"'));
        self.waiting.extend([b'\n', NO_TEXT]);
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
            if read == 0 && (self.ended || buffer.is_empty()) {
                return Ok(0);
            }
            if read == 0 {
                self.end();
                continue;
            }
            let line = memchr::memchr(b'\n', bytes).unwrap_or(read) as u64;
            if self.passing.is_some() || self.since_newline + line > MAX_ROW_BYTES {
                self.pass_over(bytes);
                continue;
            }
            self.since_newline = since_newline(bytes).unwrap_or(self.since_newline + read as u64);
            self.since_row += read as u64;
            if self.is_endless() {
                return Err(io::ErrorKind::InvalidData.into());
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
        assert!(matches!(next(&mut rows, &mut row), Ok(Next::Unclosed(2))));
    }

    #[test]
    fn a_quote_left_open_is_found_wherever_a_file_ends() {
        let ends = |text: &str| -> Vec<Next> {
            let (mut rows, mut row) = (rows(text.as_bytes(), b','), StringRecord::new());
            let next = || next(&mut rows, &mut row).ok().filter(|next| *next != Next::End);
            std::iter::from_fn(next).collect()
        };
        for whole in ["a,b", "a,b\n", "a,b\r\n", "a,b\r", "a,\"b\"", "a,\"b\"\n", "a,b\"", "\"\"", "a,b\n\n \n\n"] {
            assert!(ends(whole).iter().all(|next| *next == Next::Row), "{whole:?} {:?}", ends(whole));
        }
        for cut in ["x\n\"", "x\na,\"", "x\na,\"b", "x\na,\"b\n1,2\n", "x\na,\"b\"\""] {
            assert_eq!(ends(cut), [Next::Row, Next::Unclosed(2)], "{cut:?}");
        }
        assert_eq!(ends(""), []);
    }
}
