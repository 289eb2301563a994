//! Rows of CSV files, whatever stands between the cells.

use std::io::{self, Read};

use csv::{ErrorKind, Reader, ReaderBuilder, StringRecord};

use super::sink::ImportError;

/// What may stand between cells, the likelier first.
pub(super) const DELIMITERS: [u8; 4] = [b';', b',', b'\t', b'|'];
/// Longest row that is taken.
const MAX_ROW_BYTES: u64 = 64 * 1024 * 1024;

/// What came next.
pub(super) enum Next {
    Row,
    Bad(&'static str),
    End,
}

/// The rows of a text. A row that goes on and on ends the reading rather than filling the memory.
pub(super) fn rows<R: Read>(source: R, delimiter: u8) -> Reader<Bounded<R>> {
    let bounded = Bounded { source, since_newline: 0 };
    ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(bounded)
}

/// Reads the next row.
pub(super) fn next<R: Read>(rows: &mut Reader<R>, row: &mut StringRecord) -> Result<Next, ImportError> {
    match rows.read_record(row) {
        Ok(true) => Ok(Next::Row),
        Ok(false) => Ok(Next::End),
        Err(error) => match error.into_kind() {
            ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                Err(ImportError::Damaged(error.to_string()))
            }
            ErrorKind::Io(error) => Err(error.into()),
            ErrorKind::Utf8 { .. } => Ok(Next::Bad("a row that is no text")),
            _ => Ok(Next::Bad("a row that cannot be read")),
        },
    }
}

/// Refuses a text whose lines never end.
pub(super) struct Bounded<R> {
    source: R,
    since_newline: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.since_newline = match memchr::memrchr(b'\n', &buffer[..read]) {
            Some(at) => (read - at) as u64,
            None => self.since_newline + read as u64,
        };
        if self.since_newline > MAX_ROW_BYTES {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                "A line is longer than 64 MB; the rest was not read.",
            ));
        }
        Ok(read)
    }
}
