//! The book's own key, and what is signed with it.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};
use vitrine_contract::hexadecimal;
use vitrine_engine::clock::Random;

use super::line::{Hash, hexadecimal_hash};
use super::{LedgerError, Result, private};

const SIGNATURE: &str = ",\"signature\":\"";
const SIGNATURE_BYTES: usize = SIGNATURE.len() + 128 + 2;

/// How far a book reached at some time, signed: kept elsewhere, it proves what must still be there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    object: HeadTag,
    /// The last line.
    pub seq: u64,
    /// Its hash.
    #[serde(with = "hexadecimal_hash")]
    pub(super) hash: Hash,
    /// When.
    pub at: String,
    /// The key it is signed with.
    pub public_key: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum HeadTag {
    #[serde(rename = "ledger_head")]
    Head,
}

/// What signs.
pub(super) struct Key(SigningKey);

impl Key {
    /// The key in the file, made at first use.
    pub(super) fn load(path: &Path, random: &Random) -> Result<Self> {
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let seed =
                    hexadecimal::decode(text.trim()).ok_or_else(|| LedgerError::damaged(path, "it holds no key"))?;
                Ok(Self(SigningKey::from_bytes(&seed)))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let seed = random.bytes();
                // A key that was only half written would lock the book for ever.
                let fresh = path.with_extension("new");
                let mut file = private(OpenOptions::new().write(true).create(true).truncate(true)).open(&fresh)?;
                writeln!(file, "{}", hexadecimal::encode(&seed))?;
                file.sync_all()?;
                std::fs::rename(&fresh, path)?;
                Ok(Self(SigningKey::from_bytes(&seed)))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The half that anyone may know.
    pub(super) fn public(&self) -> String {
        hexadecimal::encode(self.0.verifying_key().as_bytes())
    }

    /// The object with a signature over all of it.
    pub(super) fn sign(&self, mut object: String) -> String {
        let signature = self.0.sign(object.as_bytes());
        object.pop();
        object.push_str(SIGNATURE);
        object.push_str(&hexadecimal::encode(&signature.to_bytes()));
        object.push_str("\"}");
        object
    }

    /// A head, signed, as JSON.
    pub(super) fn head(&self, seq: u64, hash: Hash, at: String) -> Result<String> {
        let head = Head { object: HeadTag::Head, seq, hash, at, public_key: self.public() };
        Ok(self.sign(serde_json::to_string(&head)?))
    }
}

/// Whether an object carries a signature of its own text by the owner of `public_key`.
pub(super) fn is_signed(object: &str, public_key: &str) -> bool {
    let checked = || {
        let at = object.len().checked_sub(SIGNATURE_BYTES)?;
        let (body, end) = (object.get(..at)?, object.get(at..)?);
        let signature = hexadecimal::decode(end.strip_prefix(SIGNATURE)?.strip_suffix("\"}")?)?;
        let key = VerifyingKey::from_bytes(&hexadecimal::decode(public_key)?).ok()?;
        key.verify_strict(format!("{body}}}").as_bytes(), &Signature::from_bytes(&signature)).ok()
    };
    checked().is_some()
}

impl Head {
    /// Reads an exported head. One that was not signed by the key it names is none.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let head: Self = serde_json::from_str(text).ok()?;
        is_signed(text, &head.public_key).then_some(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_taken_only_as_it_was_signed() {
        let directory = std::env::temp_dir().join(format!("vitrine-key-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join("key");
        let key = Key::load(&path, &Random::System).unwrap();
        let again = Key::load(&path, &Random::System).unwrap();
        assert_eq!(key.public(), again.public());
        let text = key.head(7, [3; 32], "2026-06-01T00:00:00Z".to_owned()).unwrap();
        assert_eq!(Head::parse(&format!(" {text}\n")).unwrap().seq, 7);
        assert!(Head::parse(&text.replace("\"seq\":7", "\"seq\":8")).is_none());
        assert!(Head::parse("{}").is_none() && Head::parse("").is_none());
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
