//! Lines of the book: JSON objects, each bound to all before it by a hash.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use vitrine_contract::hexadecimal;

use super::Settings;

/// The hash of a line and, through it, of every line before.
pub(super) type Hash = [u8; 32];

/// What the first line of all follows.
pub(super) const NOTHING: Hash = [0; 32];

const HASH: &str = ",\"hash\":\"";
/// `,"hash":"…"}`: what stands after a line's body.
const HASH_BYTES: usize = HASH.len() + 64 + 2;
/// Room for what stands around a line's own members.
pub(super) const MORE_BYTES: usize = 64 + HASH_BYTES;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    /// A disclosure.
    #[serde(rename = "ledger_entry")]
    Entry,
    /// The first line of a segment.
    #[serde(rename = "ledger_segment")]
    Segment,
    /// A change of the owner's settings.
    #[serde(rename = "ledger_settings")]
    Settings,
    /// The last line of a segment that is full, signed.
    #[serde(rename = "ledger_checkpoint")]
    Checkpoint,
}

/// What every line says of itself.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Stub {
    pub(super) object: Kind,
    pub(super) seq: u64,
    pub(super) at: String,
    #[serde(default)]
    pub(super) segment: Option<u64>,
    #[serde(default)]
    pub(super) previous: Option<String>,
    #[serde(default)]
    pub(super) settings: Option<Settings>,
    #[serde(with = "hexadecimal_hash")]
    pub(super) hash: Hash,
}

impl Stub {
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}

/// Whether a line is a disclosure, as far as its start tells.
pub(super) fn is_entry(line: &[u8]) -> bool {
    line.starts_with(opening(Kind::Entry).as_bytes())
}

/// The start of a line, to which its own members are added.
pub(super) fn start(kind: Kind, seq: u64) -> String {
    format!("{}{seq},", opening(kind))
}

/// What every line of a kind starts with.
fn opening(kind: Kind) -> &'static str {
    match kind {
        Kind::Entry => r#"{"object":"ledger_entry","seq":"#,
        Kind::Segment => r#"{"object":"ledger_segment","seq":"#,
        Kind::Settings => r#"{"object":"ledger_settings","seq":"#,
        Kind::Checkpoint => r#"{"object":"ledger_checkpoint","seq":"#,
    }
}

/// Adds a line to others: `body`, in parts, is a whole object, the line that object with its hash and a line break.
pub(super) fn add(text: &mut Vec<u8>, body: &[&[u8]], previous: &Hash) -> Hash {
    let start = text.len();
    for part in body {
        text.extend_from_slice(part);
    }
    let hash = chained(previous, &[&text[start..]]);
    text.pop();
    for part in [HASH, &hexadecimal::encode(&hash), "\"}\n"] {
        text.extend_from_slice(part.as_bytes());
    }
    hash
}

/// A line, without its break, as it was before its hash was added.
pub(super) fn body(line: &[u8]) -> Option<String> {
    let body = line.get(..line.len().checked_sub(HASH_BYTES)?)?;
    Some(std::str::from_utf8(body).ok()?.to_owned() + "}")
}

/// Whether a line, without its break, is what was written after `previous`.
pub(super) fn follows(line: &[u8], previous: &Hash, hash: &Hash) -> bool {
    let Some(at) = line.len().checked_sub(HASH_BYTES) else { return false };
    let (body, end) = line.split_at(at);
    end.starts_with(HASH.as_bytes()) && chained(previous, &[body, b"}"]) == *hash
}

fn chained(previous: &Hash, parts: &[&[u8]]) -> Hash {
    let mut digest = Sha256::new_with_prefix(previous);
    for part in parts {
        digest.update(part);
    }
    digest.finalize().into()
}

/// A hash as it stands in JSON.
pub(super) mod hexadecimal_hash {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use vitrine_contract::hexadecimal;

    use super::Hash;

    pub(crate) fn serialize<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hexadecimal::encode(hash))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        let text = String::deserialize(deserializer)?;
        hexadecimal::decode(&text).ok_or_else(|| D::Error::custom("a hash has 64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_follows_one_line_only() {
        let body = |seq| format!("{}\"at\":\"2026-06-01T00:00:00Z\"}}", start(Kind::Entry, seq));
        let (mut first, mut second) = (Vec::new(), Vec::new());
        let one = add(&mut first, &[body(1).as_bytes()], &NOTHING);
        let two = add(&mut second, &[&body(2).as_bytes()[..20], &body(2).as_bytes()[20..]], &one);
        let (first, line) = (first.trim_ascii_end(), second.trim_ascii_end());
        assert!(follows(first, &NOTHING, &one) && follows(line, &one, &two));
        assert!(!follows(line, &NOTHING, &two), "after another line");
        let edited = String::from_utf8_lossy(line).replace("01T", "02T");
        assert!(!follows(edited.as_bytes(), &one, &two), "edited");
        assert!(!follows(b"{}", &one, &two) && !follows(b"", &one, &two));
        let stub = Stub::parse(line).unwrap();
        assert_eq!((stub.seq, stub.hash, stub.object), (2, two, Kind::Entry));
        assert!(is_entry(line) && !is_entry(start(Kind::Settings, 3).as_bytes()));
    }
}
