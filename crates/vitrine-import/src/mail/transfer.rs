//! Parts of a mail that were not encoded as the standard says, written so that the parser can read them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mail_parser::decoders::base64::base64_decode;

/// A line of base64 this long, and nothing else in it, is no line of words.
const SURE_CHARACTERS: usize = 60;

/// What is missing at the end of base64: without it the parser drops the last bytes.
pub(super) fn padding(encoded: &[u8]) -> &'static [u8] {
    let last = memchr::memrchr(b'=', encoded).map_or(0, |at| at + 1);
    match encoded[last..].iter().filter(|byte| is_base64(**byte)).count() % 4 {
        2 => b"==",
        3 => b"=",
        _ => b"",
    }
}

/// Base64 without characters that are none. Lines that are none, such as what a mailing list adds, stay in a text as
/// they are and go from a file.
pub(super) fn base64(body: &[u8], is_text: bool) -> Vec<u8> {
    let sure = end_of_sure_lines(body);
    if sure == 0 && !starts_encoded(body, is_text) {
        return STANDARD.encode(body).into_bytes();
    }
    let mut mended = Mended { bytes: Vec::with_capacity(body.len()), group: 0 };
    let (mut at, mut is_over, mut after_encoded) = (0, false, false);
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        at += line.len();
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() && !is_over {
            continue;
        }
        if !is_over && looks_encoded(trimmed) {
            mended.push_encoded(trimmed);
            is_over = at >= sure && trimmed.ends_with(b"=");
            after_encoded = true;
        } else {
            is_over = at >= sure;
            if is_text {
                let apart: &[u8] = if after_encoded { b"\n" } else { b"" };
                mended.push_plain(&[apart, line].concat());
                after_encoded = false;
            }
        }
    }
    mended.pad();
    mended.bytes
}

/// Quoted-printable in which each `=` that stands for itself is written as such.
pub(super) fn quoted(body: &[u8]) -> Vec<u8> {
    let mut mended = Vec::with_capacity(body.len() + 16);
    for (at, byte) in body.iter().enumerate() {
        mended.push(*byte);
        if *byte == b'=' && !is_escape(&body[at + 1..]) {
            mended.extend_from_slice(b"3D");
        }
    }
    mended
}

/// Whether this is what may follow a `=`: two digits, or the end of the line.
fn is_escape(rest: &[u8]) -> bool {
    let spaces = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    rest.get(spaces).is_none_or(|byte| *byte == b'\n')
        || rest.get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

struct Mended {
    bytes: Vec<u8>,
    /// Characters since the last padding.
    group: usize,
}

impl Mended {
    fn push_encoded(&mut self, line: &[u8]) {
        for byte in line {
            if is_base64(*byte) {
                self.bytes.push(*byte);
                self.group += 1;
            } else if *byte == b'=' {
                self.pad();
            }
        }
        self.bytes.push(b'\n');
    }

    fn push_plain(&mut self, line: &[u8]) {
        self.pad();
        self.bytes.extend_from_slice(STANDARD.encode(line).as_bytes());
        self.bytes.push(b'\n');
    }

    /// Ends a run of characters. One alone at its end tells nothing, and the parser passes over it.
    fn pad(&mut self) {
        match std::mem::take(&mut self.group) % 4 {
            0 => {}
            1 => {
                let last = self.bytes.iter().rposition(|byte| is_base64(*byte));
                self.bytes.truncate(last.unwrap_or_default());
            }
            2 => self.bytes.extend_from_slice(b"=="),
            _ => self.bytes.push(b'='),
        }
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// Where the last line ends that is base64 without a doubt.
fn end_of_sure_lines(body: &[u8]) -> usize {
    let is_sure =
        |line: &[u8]| line.len() >= SURE_CHARACTERS && line.iter().all(|byte| is_base64(*byte) || *byte == b'=');
    let mut end = body.len();
    for line in body.split_inclusive(|byte| *byte == b'\n').rev() {
        if is_sure(line.trim_ascii()) {
            return end;
        }
        end -= line.len();
    }
    0
}

/// Whether a line can be base64 with at most a few characters in it that are none.
fn looks_encoded(line: &[u8]) -> bool {
    let encoded = line.iter().filter(|byte| is_base64(**byte)).count();
    let padding = line.iter().rev().take_while(|byte| **byte == b'=').count();
    let strays = line.len() - encoded - padding;
    match strays {
        0 => encoded > 0,
        _ => encoded >= 8 && strays <= (encoded / 16).max(1) && !line.iter().any(u8::is_ascii_whitespace),
    }
}

/// Whether short lines are base64 rather than words: a text shows it by what its first line becomes.
fn starts_encoded(body: &[u8], is_text: bool) -> bool {
    let mut lines = body.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let Some(first) = lines.find(|line| !line.is_empty()) else { return true };
    if !looks_encoded(first) {
        return false;
    }
    let letters: Vec<u8> = first.iter().copied().filter(|byte| is_base64(*byte)).collect();
    !is_text || first.ends_with(b"=") || base64_decode(&letters).is_some_and(|text| is_utf8(&text))
}

/// Whether a line is UTF-8, if only up to the start of its last character.
fn is_utf8(line: &[u8]) -> bool {
    std::str::from_utf8(line).map_or_else(
        |error| error.error_len().is_none() && error.valid_up_to() > 3,
        |text| !text.contains(|c: char| c.is_control() && !c.is_whitespace()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str, is_text: bool) -> String {
        String::from_utf8(base64_decode(&base64(body.as_bytes(), is_text)).unwrap()).unwrap()
    }

    #[test]
    fn what_is_missing_at_the_end_is_known() {
        for (encoded, missing) in [("", ""), ("QUJD", ""), ("QUI=", ""), ("QUI\n", "="), ("QQ", "=="), ("QQ==QUI", "=")]
        {
            assert_eq!(padding(encoded.as_bytes()), missing.as_bytes(), "{encoded}");
        }
    }

    #[test]
    fn words_after_base64_stay_in_a_text_and_go_from_a_file() {
        let list = "SGVsbG8gd29ybGQ=\n\nUnsubscribe\n____________\nA list, http://lists.example.org\n";
        let footer = "\nUnsubscribe\n____________\nA list, http://lists.example.org\n";
        assert_eq!(read(list, true), format!("Hello world\n{footer}"));
        assert_eq!(read(list, false), "Hello world");
        let long = STANDARD.encode("abc".repeat(100));
        let (one, two) = long.split_at(76);
        assert_eq!(
            read(&format!("{one}!\r\n {two}\n-- \nA list\n"), true),
            format!("{}\n-- \nA list\n", "abc".repeat(100))
        );
        assert_eq!(read(&format!("{one}\nnot of this\n{two}\n"), false), "abc".repeat(100));
    }

    #[test]
    fn words_that_only_claim_to_be_base64_stay() {
        for text in ["Hello\n\nthis is none.\n", "Dear Nora,\n", "Dear\nNora\n", "<p>Hello</p>", "-"] {
            assert_eq!(read(text, true), text);
        }
        assert_eq!(read("%PDF-1.4 raw\n", false), "%PDF-1.4 raw\n");
    }

    #[test]
    fn an_equals_sign_may_stand_for_itself() {
        assert_eq!(quoted(b"a==3D =C3=BC =\r\n1=2 x="), b"a=3D=3D =C3=BC =\r\n1=3D2 x=");
    }
}
