//! Bytes as people copy them: digests, hashes, keys.

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Two digits a byte, in lower case.
pub fn encode(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Reads exactly `N` bytes back.
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if text.len() != 2 * N || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_back() {
        assert_eq!(encode(&[0, 255, 16]), "00ff10");
        assert_eq!(decode::<3>("00ff10"), Some([0, 255, 16]));
        for wrong in ["00ff1", "00ff1g", "00ff1000", "+0ff10", "ééé"] {
            assert_eq!(decode::<3>(wrong), None, "{wrong}");
        }
    }
}
