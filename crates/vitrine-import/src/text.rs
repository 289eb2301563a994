//! Text files in the encodings people's machines wrote them in.

use std::io::{BufRead, BufReader, Read};

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use encoding_rs_io::DecodeReaderBytesBuilder;

use super::export::{Export, Member};
use super::sink::ImportError;

/// How much of a file settles its encoding.
const HEAD_BYTES: usize = 256 * 1024;

/// Reads a text file as UTF-8: as it says by its byte order mark, else as UTF-8 if it is, else as
/// Windows-1252.
pub(crate) fn reader<'a>(export: &'a mut Export, member: &Member) -> Result<Box<dyn BufRead + 'a>, ImportError> {
    let head = export.head(member, HEAD_BYTES)?;
    let decoded = DecodeReaderBytesBuilder::new()
        .encoding(Some(encoding(&head)))
        .bom_override(true)
        .strip_bom(true)
        .build(export.reader(member)?);
    Ok(Box::new(BufReader::with_capacity(HEAD_BYTES, decoded)))
}

/// The first characters of a text file.
pub(crate) fn head(export: &mut Export, member: &Member, bytes: usize) -> Result<String, ImportError> {
    let head = export.head(member, bytes)?;
    let mut text = String::new();
    DecodeReaderBytesBuilder::new()
        .encoding(Some(encoding(&head)))
        .bom_override(true)
        .strip_bom(true)
        .build(&head[..])
        .read_to_string(&mut text)?;
    Ok(text)
}

fn encoding(head: &[u8]) -> &'static Encoding {
    match std::str::from_utf8(head) {
        Ok(_) => UTF_8,
        // A character that the end of the head cuts in two is no fault.
        Err(error) if error.error_len().is_none() => UTF_8,
        Err(_) => WINDOWS_1252,
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

    #[test]
    fn bytes_that_are_no_text_after_all_become_marks() {
        let text = [b"a".repeat(HEAD_BYTES).as_slice(), b" Gr\xfc\xdfe \xff"].concat();
        let mut export = Export::of_bytes("t", text).unwrap();
        let member = export.members()[0].clone();
        let mut text = String::new();
        reader(&mut export, &member).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(&text[HEAD_BYTES..], " Gr\u{fffd}\u{fffd}e \u{fffd}");
    }
}
