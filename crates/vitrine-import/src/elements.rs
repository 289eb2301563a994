//! The entries of a large JSON document, one after the other, without holding the document.
//!
//! Exports are one array of entries, or an object with arrays of them. Each entry is handed over
//! as its own text; what stands around them is passed over.

use std::io::BufRead;

use super::sink::{ImportError, Sink};

/// Longest entry that is read.
const MAX_ENTRY_BYTES: usize = 64 * 1024 * 1024;
/// Longest name of an array that is told.
const MAX_NAME_BYTES: usize = 200;

/// What to do with an entry: the name of the array it stands in (empty for the document itself),
/// its number there, and its text.
pub(crate) type Take<'a> = dyn FnMut(&str, u64, &[u8], &mut Sink<'_>) -> Result<(), ImportError> + 'a;

/// Hands over each object of the arrays of a document.
pub(crate) fn each(
    reader: &mut dyn BufRead,
    document: &str,
    sink: &mut Sink<'_>,
    take: &mut Take<'_>,
) -> Result<(), ImportError> {
    let mut scanner = Scanner { document, ..Scanner::default() };
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            return scanner.finish();
        }
        let length = chunk.len();
        scanner.scan(chunk, sink, take)?;
        reader.consume(length);
    }
}

/// Where in the document the next byte stands.
#[derive(Default)]
struct Scanner<'a> {
    document: &'a str,
    /// How many arrays and objects are open.
    depth: usize,
    /// How many are open around an entry: the root array, or an array of the root object.
    around: usize,
    text: Text,
    /// The last text at the level of the root object, which may turn out to be a name.
    name: Vec<u8>,
    array: String,
    entry: Vec<u8>,
    reading: Reading,
    number: u64,
    started: bool,
    /// Whether something that is no document stands before it.
    stray: bool,
    /// Whether the next byte belongs to an entry of the root array that is no object.
    odd: bool,
}

/// Whether the next byte stands in a string.
#[derive(Default, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    Inside,
    AfterBackslash,
}

/// Whether the next byte belongs to an entry.
#[derive(Default, PartialEq, Eq)]
enum Reading {
    #[default]
    Around,
    Entry,
    /// An entry that is too long; the rest of it is passed over.
    Cut,
}

impl Scanner<'_> {
    fn scan(&mut self, chunk: &[u8], sink: &mut Sink<'_>, take: &mut Take<'_>) -> Result<(), ImportError> {
        let mut start = 0;
        for (at, &byte) in chunk.iter().enumerate() {
            if self.text != Text::Outside {
                self.text_byte(byte);
                continue;
            }
            if self.depth <= 1 {
                self.between_entries(byte, sink);
            }
            match byte {
                b'"' => {
                    self.text = Text::Inside;
                    if self.depth == 1 {
                        self.name.clear();
                    }
                }
                b'{' | b'[' => {
                    self.open(byte)?;
                    if self.reading == Reading::Around
                        && byte == b'{'
                        && self.around != 0
                        && self.depth == self.around + 1
                    {
                        (self.reading, start) = (Reading::Entry, at);
                    }
                }
                b'}' | b']' => {
                    if self.reading != Reading::Around && self.depth == self.around + 1 {
                        self.keep(&chunk[start..=at]);
                        self.entry(sink, take)?;
                    }
                    self.close();
                }
                _ => {}
            }
        }
        if self.reading != Reading::Around {
            self.keep(&chunk[start..]);
        }
        Ok(())
    }

    /// Notices what stands between entries and is none.
    fn between_entries(&mut self, byte: u8, sink: &mut Sink<'_>) {
        if self.depth == 0 {
            self.stray |= byte.is_ascii_graphic() && !matches!(byte, b'{' | b'[');
        } else if self.around == 1 {
            match byte {
                b',' => self.odd = false,
                b'{' | b'}' | b']' => {}
                _ if self.odd || byte.is_ascii_whitespace() => {}
                _ => {
                    (self.odd, self.number) = (true, self.number + 1);
                    sink.reject("an entry that is no object", format!("{}, entry {}", self.document, self.number));
                }
            }
        }
    }

    fn text_byte(&mut self, byte: u8) {
        match byte {
            _ if self.text == Text::AfterBackslash => self.text = Text::Inside,
            b'\\' => self.text = Text::AfterBackslash,
            b'"' => self.text = Text::Outside,
            _ if self.depth == 1 && self.around == 0 && self.name.len() < MAX_NAME_BYTES => self.name.push(byte),
            _ => {}
        }
    }

    fn open(&mut self, byte: u8) -> Result<(), ImportError> {
        if self.depth == 0 && std::mem::replace(&mut self.started, true) {
            return Err(ImportError::Damaged(format!("{} holds more than one document.", self.document)));
        }
        self.depth += 1;
        if byte == b'[' && self.around == 0 && self.depth <= 2 {
            self.around = self.depth;
            self.array = if self.depth == 2 { String::from_utf8_lossy(&self.name).into_owned() } else { String::new() };
            self.number = 0;
        }
        Ok(())
    }

    fn close(&mut self) {
        if self.depth == self.around {
            self.around = 0;
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.entry.len() + bytes.len() > MAX_ENTRY_BYTES {
            self.reading = Reading::Cut;
        }
        if self.reading == Reading::Cut {
            self.entry = Vec::new();
        } else {
            self.entry.extend_from_slice(bytes);
        }
    }

    fn entry(&mut self, sink: &mut Sink<'_>, take: &mut Take<'_>) -> Result<(), ImportError> {
        self.number += 1;
        if std::mem::take(&mut self.reading) == Reading::Cut {
            sink.reject("an entry larger than 64 MB", format!("{}, entry {}", self.document, self.number));
            return Ok(());
        }
        let taken = take(&self.array, self.number, &self.entry, sink);
        self.entry.clear();
        taken
    }

    fn finish(&self) -> Result<(), ImportError> {
        if self.stray && !self.started {
            return Err(ImportError::Damaged(format!("{} is no JSON document. Export it again.", self.document)));
        }
        if self.depth == 0 && self.text == Text::Outside {
            return Ok(());
        }
        Err(ImportError::Damaged(format!("{} is cut off: its end is missing. Export it again.", self.document)))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;
    use crate::testing::{Found, settings};

    fn entries(text: &str, buffer: usize) -> (Vec<(String, u64, String)>, bool) {
        let (mut found, mut entries) = (Found::default(), Vec::new());
        let mut sink = Sink::new(&mut found, settings().now);
        let mut reader = BufReader::with_capacity(buffer, text.as_bytes());
        let whole = each(&mut reader, "x.json", &mut sink, &mut |array, number, text, _| {
            entries.push((array.to_owned(), number, String::from_utf8_lossy(text).into_owned()));
            Ok(())
        });
        (entries, whole.is_ok())
    }

    #[test]
    fn entries_are_found_wherever_the_buffer_ends() {
        let text = r#" {"version": [1], "a\"]": [ {"x":"}]\"{"}, 3, [{"no":1}], {"y":[{}]} ], "o": {"list": [{}]}, "b": [{}] } "#;
        let expected: Vec<(String, u64, String)> =
            [("a]", 1, r#"{"x":"}]\"{"}"#), ("a]", 2, r#"{"y":[{}]}"#), ("b", 1, "{}")]
                .map(|(array, number, text)| (array.to_owned(), number, text.to_owned()))
                .to_vec();
        for buffer in 1..text.len() {
            assert_eq!(entries(text, buffer), (expected.clone(), true), "buffer of {buffer}");
        }
        assert_eq!(entries(r#"[{"a":1},{"b":[1]}]"#, 64).0.len(), 2);
    }

    #[test]
    fn a_document_that_is_cut_off_gives_what_it_has() {
        assert_eq!(entries(r#"[{"a":1},{"b":"#, 64), (vec![(String::new(), 1, r#"{"a":1}"#.into())], false));
        assert!(!entries(r#"[{"a":1}"#, 64).1);
    }
}
