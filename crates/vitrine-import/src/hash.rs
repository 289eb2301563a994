//! Names made from content, for what comes without one.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// Bytes of a digest that tell records of one export apart.
const KEY_BYTES: usize = 15;

/// A key made from the parts that identify a record. The same parts always make the same key.
pub(crate) fn key<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    URL_SAFE_NO_PAD.encode(&digest.finalize()[..KEY_BYTES])
}

/// As [`key`], of texts.
pub(crate) fn text_key(parts: &[&str]) -> String {
    key(parts.iter().map(|part| part.as_bytes()))
}

/// The SHA-256 of some bytes, in hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    Sha256::digest(bytes).iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart() {
        assert_ne!(text_key(&["ab", "c"]), text_key(&["a", "bc"]));
        assert_eq!(text_key(&["ab", "c"]), text_key(&["ab", "c"]));
        assert_eq!(text_key(&["x"]).len(), 20);
    }

    #[test]
    fn the_digest_is_the_known_one() {
        assert_eq!(hexadecimal(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
