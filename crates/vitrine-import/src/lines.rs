//! Lines of any length, of which only so much is kept.

use std::io::{self, BufRead};

/// Longest line of a text or JSON lines file that is read.
pub(crate) const MAX_LINE_BYTES: usize = 64 * 1024 * 1024;

/// What was read of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineRead {
    /// There are no more.
    End,
    /// All of it, its end included.
    Whole,
    /// It was longer than there was room for; the rest was passed over.
    Cut,
}

/// Appends the next line to `buffer`, as long as that stays within `max` bytes.
pub(crate) fn read_line(reader: &mut dyn BufRead, buffer: &mut Vec<u8>, max: usize) -> io::Result<LineRead> {
    let mut read = LineRead::End;
    loop {
        let available = match reader.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok(read);
        }
        let newline = memchr::memchr(b'\n', available);
        let length = newline.map_or(available.len(), |at| at + 1);
        if read != LineRead::Cut {
            read = if buffer.len() + length <= max { LineRead::Whole } else { LineRead::Cut };
        }
        if read == LineRead::Whole {
            buffer.extend_from_slice(&available[..length]);
        }
        reader.consume(length);
        if newline.is_some() {
            return Ok(read);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn a_line_too_long_is_passed_over_and_the_next_one_read() {
        let mut reader = BufReader::with_capacity(4, &b"short\nmuch too long\nagain\r\nend"[..]);
        let mut next = || {
            let mut line = Vec::new();
            let read = read_line(&mut reader, &mut line, 8).unwrap();
            (read, String::from_utf8(line).unwrap())
        };
        assert_eq!(next(), (LineRead::Whole, "short\n".into()));
        assert_eq!(next().0, LineRead::Cut);
        assert_eq!(next(), (LineRead::Whole, "again\r\n".into()));
        assert_eq!(next(), (LineRead::Whole, "end".into()));
        assert_eq!(next().0, LineRead::End);
    }
}
