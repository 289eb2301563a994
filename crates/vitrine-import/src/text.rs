//! Text files in the encodings people's machines wrote them in.

use std::io::{self, BufRead, BufReader, Read};

use encoding_rs::WINDOWS_1252;
use encoding_rs_io::DecodeReaderBytes;

use super::export::{Export, Member, Notes};
use super::sink::ImportError;

const READ_BYTES: usize = 256 * 1024;
const UTF_8_MARK: &[u8] = b"\xef\xbb\xbf";
const UTF_16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// Reads a text file as UTF-8: as it says by its byte order mark, else as UTF-8 as far as it is, and from the first
/// byte that is none as Windows-1252.
pub(crate) fn reader<'a>(export: &'a mut Export, member: &Member) -> Result<Box<dyn BufRead + 'a>, ImportError> {
    let start = export.head(member, UTF_8_MARK.len())?;
    let notes = export.notes();
    let mut source = export.reader(member)?;
    if UTF_16_MARKS.iter().any(|mark| start.starts_with(mark)) {
        return Ok(Box::new(BufReader::with_capacity(READ_BYTES, DecodeReaderBytes::new(source))));
    }
    let is_marked = start == UTF_8_MARK;
    if is_marked {
        source.read_exact(&mut [0; UTF_8_MARK.len()])?;
    }
    Ok(Box::new(Decoded { decoder: Decoder::new(is_marked), source, at: 0, notes, name: member.name.clone() }))
}

/// The first characters of a text file.
pub(crate) fn head(export: &mut Export, member: &Member, bytes: usize) -> Result<String, ImportError> {
    let head = export.head(member, bytes)?;
    if UTF_16_MARKS.iter().any(|mark| head.starts_with(mark)) {
        let mut text = String::new();
        DecodeReaderBytes::new(&head[..]).read_to_string(&mut text)?;
        return Ok(text);
    }
    let mut decoder = Decoder::new(head.starts_with(UTF_8_MARK));
    decoder.take(head.strip_prefix(UTF_8_MARK).unwrap_or(&head));
    if head.len() < bytes {
        decoder.finish();
    }
    Ok(decoder.text)
}

/// Bytes as text: as UTF-8 as far as they are, and from the first byte that is none as Windows-1252.
pub(crate) fn decoded(bytes: &[u8]) -> String {
    let mut decoder = Decoder::new(false);
    decoder.take(bytes);
    decoder.finish();
    decoder.text
}

/// Bytes that become text.
struct Decoder {
    text: String,
    /// The start of a character whose rest has not come yet.
    begun: Vec<u8>,
    /// Whether some character was one of UTF-8 and no other: a byte that is none then is damage, not another encoding.
    is_utf_8: bool,
    is_windows: bool,
    /// Whether some byte was none of UTF-8.
    is_broken: bool,
}

impl Decoder {
    fn new(is_utf_8: bool) -> Self {
        Self { text: String::new(), begun: Vec::new(), is_utf_8, is_windows: false, is_broken: false }
    }

    fn take(&mut self, bytes: &[u8]) {
        if self.begun.is_empty() {
            self.decode(bytes);
        } else {
            let mut all = std::mem::take(&mut self.begun);
            all.extend_from_slice(bytes);
            self.decode(&all);
        }
    }

    fn decode(&mut self, mut bytes: &[u8]) {
        while !self.is_windows && !bytes.is_empty() {
            let (valid, wrong) = match std::str::from_utf8(bytes) {
                Ok(_) => (bytes.len(), Some(0)),
                Err(error) => (error.valid_up_to(), error.error_len()),
            };
            let text = std::str::from_utf8(&bytes[..valid]).unwrap_or_default();
            self.is_utf_8 |= !text.is_ascii();
            self.text.push_str(text);
            bytes = &bytes[valid..];
            match wrong {
                None => {
                    self.begun = bytes.to_vec();
                    return;
                }
                Some(0) => {}
                Some(length) if self.is_utf_8 => {
                    self.push_windows(&bytes[..length]);
                    bytes = &bytes[length..];
                }
                Some(_) => self.is_windows = true,
            }
        }
        self.push_windows(bytes);
    }

    fn push_windows(&mut self, bytes: &[u8]) {
        self.is_broken |= !bytes.is_empty();
        self.text.push_str(&WINDOWS_1252.decode_without_bom_handling(bytes).0);
    }

    /// No more bytes come.
    fn finish(&mut self) {
        let begun = std::mem::take(&mut self.begun);
        self.push_windows(&begun);
    }
}

/// The text of a file.
struct Decoded<'a> {
    source: Box<dyn BufRead + 'a>,
    decoder: Decoder,
    /// How much of the text was read.
    at: usize,
    notes: Notes,
    name: String,
}

impl Decoded<'_> {
    fn note(&self) {
        let encoding = if self.decoder.is_windows { "it was" } else { "what is none in it was" };
        let note = format!("{} is not UTF-8; {encoding} read as Windows-1252.", self.name);
        if let Ok(mut notes) = self.notes.lock() {
            notes.insert(note);
        }
    }
}

impl BufRead for Decoded<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.decoder.text.len() {
            self.at = 0;
            self.decoder.text.clear();
            let was_broken = self.decoder.is_broken;
            while self.decoder.text.is_empty() {
                let bytes = self.source.fill_buf()?;
                let length = bytes.len();
                self.decoder.take(bytes);
                self.source.consume(length);
                if length == 0 {
                    self.decoder.finish();
                    break;
                }
            }
            if self.decoder.is_broken && !was_broken {
                self.note();
            }
        }
        Ok(&self.decoder.text.as_bytes()[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        self.at = (self.at + amount).min(self.decoder.text.len());
    }
}

impl Read for Decoded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let length = available.len().min(buffer.len());
        buffer[..length].copy_from_slice(&available[..length]);
        self.consume(length);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> String {
        let mut export = Export::of_bytes("t", bytes).unwrap();
        let member = export.members()[0].clone();
        let mut text = String::new();
        reader(&mut export, &member).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(head(&mut export, &member, 1_000).unwrap(), text);
        text
    }

    #[test]
    fn each_encoding_reads_the_same() {
        let utf16: Vec<u8> = "\u{feff}Grüße €".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for bytes in ["Grüße €".as_bytes(), "\u{feff}Grüße €".as_bytes(), b"Gr\xfc\xdfe \x80", &utf16] {
            assert_eq!(decoded(bytes), "Grüße €");
        }
    }

    fn read(bytes: &[u8]) -> (String, Vec<String>) {
        let mut export = Export::of_bytes("t", bytes).unwrap();
        let member = export.members()[0].clone();
        let mut text = String::new();
        reader(&mut export, &member).unwrap().read_to_string(&mut text).unwrap();
        (text, export.take_notes())
    }

    #[test]
    fn another_encoding_shows_however_late() {
        let plain = b"a".repeat(2 * 1024 * 1024 - 1);
        let (text, notes) = read(&[&plain, &b" M\xfcller \xabCAF\xc9\xbb"[..]].concat());
        assert_eq!(&text[plain.len()..], " Müller «CAFÉ»");
        assert_eq!(notes, ["t is not UTF-8; it was read as Windows-1252."]);
        let (text, notes) = read(&[&plain, " Müller".as_bytes()].concat());
        assert_eq!((&text[plain.len()..], notes.len()), (" Müller", 0));
    }

    #[test]
    fn a_broken_byte_in_utf_8_breaks_no_other() {
        let (text, notes) = read(b"Gr\xc3\xbc\xc3\x9fe \xfc Gr\xc3\xbc\xc3\x9fe caf\xe9");
        assert_eq!((text.as_str(), notes.len()), ("Grüße ü Grüße café", 1));
    }
}
