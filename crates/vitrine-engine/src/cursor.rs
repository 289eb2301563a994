//! Cursors and bookmarks: sealed, so that they tell nothing and cannot be altered, and bound to
//! the query that made them, so that they continue nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use vitrine_contract::request::{Condition, Filter};
use vitrine_contract::{ApiError, ErrorCode};

use crate::clock::Random;
use crate::port::{Position, Ranked, Weights};

const NONCE_BYTES: usize = 24;
/// Longer than any cursor we make.
const MAX_CURSOR_CHARS: usize = 4_096;
/// How long a cursor or bookmark works, and so how long what it needs is kept.
pub const LIFETIME_SECONDS: i64 = 30 * 24 * 60 * 60;

/// What a cursor belongs to: the caller, the kind of walk and the query.
pub struct Binding([u8; 32]);

impl Binding {
    /// Starts a binding with the parts every walk has.
    pub fn new(
        caller: &str,
        walk: &str,
        stream: &[&str],
        connection_id: Option<&str>,
        filter: &Filter,
        order: &str,
    ) -> Self {
        let mut digest = Sha256::new();
        let mut part = |text: &str| {
            digest.update((text.len() as u64).to_be_bytes());
            digest.update(text.as_bytes());
        };
        part(caller);
        part(walk);
        part(&stream.len().to_string());
        for name in stream {
            part(name);
        }
        part(if connection_id.is_some() { "one" } else { "all" });
        part(connection_id.unwrap_or_default());
        part(order);
        for (field, condition) in filter.iter() {
            part(field);
            match condition {
                Condition::Equals(value) => {
                    part("=");
                    part(value);
                }
                Condition::Range(bounds) => bounds.iter().for_each(|(op, value)| {
                    part(op.as_str());
                    part(value);
                }),
            }
        }
        Self(digest.finalize().into())
    }
}

/// Seals and opens cursors with the store's own key.
pub struct Sealer {
    cipher: XChaCha20Poly1305,
    random: Random,
}

impl Sealer {
    /// A sealer with that key.
    pub fn new(key: &[u8; 32], random: Random) -> Self {
        Self { cipher: XChaCha20Poly1305::new(key.into()), random }
    }

    fn seal(&self, binding: &Binding, message: &[u8]) -> String {
        let nonce = XNonce::from(self.random.bytes::<NONCE_BYTES>());
        let payload = Payload { msg: message, aad: &binding.0 };
        let sealed = self.cipher.encrypt(&nonce, payload).expect("a cursor is far below the cipher's limit");
        URL_SAFE_NO_PAD.encode([nonce.as_slice(), &sealed].concat())
    }

    fn open(&self, binding: &Binding, text: &str) -> Option<Vec<u8>> {
        if text.len() > MAX_CURSOR_CHARS {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_BYTES)?;
        let nonce = XNonce::try_from(nonce).ok()?;
        self.cipher.decrypt(&nonce, Payload { msg: sealed, aad: &binding.0 }).ok()
    }

    /// Seals a place in a walk over pages.
    pub fn seal_page(&self, binding: &Binding, cursor: &PageCursor) -> String {
        let mut bytes = Writer::default();
        bytes.number(cursor.started);
        bytes.number(cursor.horizon);
        bytes.bytes(&cursor.position.key);
        bytes.bytes(cursor.position.id.as_bytes());
        bytes.bytes(cursor.position.connection_id.as_bytes());
        self.seal(binding, &bytes.0)
    }

    /// Opens a place in a walk over pages.
    pub fn open_page(&self, binding: &Binding, text: &str, now: Timestamp) -> Result<PageCursor, ApiError> {
        let bytes = self.open(binding, text).ok_or_else(foreign)?;
        let mut reader = Reader(&bytes);
        let cursor = reader.page().ok_or_else(foreign)?;
        fresh(cursor.started, now)?;
        Ok(cursor)
    }

    /// Seals a place in a ranking.
    pub fn seal_rank(&self, binding: &Binding, cursor: &RankCursor) -> String {
        let Ranked { weights, score, connection_id, stream, id } = &cursor.ranked;
        let mut bytes = Writer::default();
        bytes.number(cursor.started);
        bytes.number(score.to_bits().cast_signed());
        let rarity: Vec<u8> = weights.rarity.iter().flat_map(|weight| weight.to_be_bytes()).collect();
        bytes.bytes(&rarity);
        bytes.number(weights.length.to_bits().cast_signed());
        bytes.number(weights.best.to_bits().cast_signed());
        bytes.number(weights.last_read);
        bytes.number(weights.relaxed.into());
        for name in [connection_id, stream, id] {
            bytes.bytes(name.as_bytes());
        }
        self.seal(binding, &bytes.0)
    }

    /// Opens a place in a ranking.
    pub fn open_rank(&self, binding: &Binding, text: &str, now: Timestamp) -> Result<RankCursor, ApiError> {
        let bytes = self.open(binding, text).ok_or_else(foreign)?;
        let cursor = Reader(&bytes).rank().ok_or_else(foreign)?;
        fresh(cursor.started, now)?;
        Ok(cursor)
    }

    /// Seals a few numbers: a place in a session of changes, or a bookmark.
    pub(crate) fn seal_numbers<const N: usize>(&self, binding: &Binding, numbers: [i64; N]) -> String {
        let mut bytes = Writer::default();
        for number in numbers {
            bytes.number(number);
        }
        self.seal(binding, &bytes.0)
    }

    /// Opens numbers; the first is the second they were sealed at.
    pub(crate) fn open_numbers<const N: usize>(
        &self,
        binding: &Binding,
        text: &str,
        now: Timestamp,
    ) -> Result<[i64; N], ApiError> {
        let bytes = self.open(binding, text).filter(|bytes| bytes.len() == N * 8).ok_or_else(foreign)?;
        let mut reader = Reader(&bytes);
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = reader.number().ok_or_else(foreign)?;
        }
        fresh(numbers[0], now)?;
        Ok(numbers)
    }
}

/// A place in a walk over pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageCursor {
    /// When the walk began, in seconds.
    pub started: i64,
    /// As of which change it reads.
    pub horizon: i64,
    /// Where it stands.
    pub position: Position,
}

/// A place in a ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RankCursor {
    /// When the walk began, in seconds.
    pub started: i64,
    /// The last hit, and how it was weighed.
    pub ranked: Ranked,
}

fn fresh(second: i64, now: Timestamp) -> Result<(), ApiError> {
    if now.as_second() - second <= LIFETIME_SECONDS {
        return Ok(());
    }
    Err(ApiError::new(ErrorCode::CursorExpired, "This cursor is too old to continue from. Start again without it."))
}

fn foreign() -> ApiError {
    ApiError::new(
        ErrorCode::InvalidCursor,
        "This cursor does not belong to this query. Repeat the query that returned it, with the same stream, order, filter and connection, or start again without it.",
    )
    .param("cursor")
}

#[derive(Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: i64) {
        self.0.extend(number.to_be_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend(u16::try_from(bytes.len()).expect("keys and ids are short").to_be_bytes());
        self.0.extend(bytes);
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<i64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(i64::from_be_bytes(*number))
    }

    fn bytes(&mut self) -> Option<Vec<u8>> {
        let (length, rest) = self.0.split_first_chunk::<2>()?;
        let (bytes, rest) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
        self.0 = rest;
        Some(bytes.to_vec())
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?).ok()
    }

    fn weight(&mut self) -> Option<f64> {
        Some(f64::from_bits(self.number()?.cast_unsigned()))
    }

    fn rank(&mut self) -> Option<RankCursor> {
        let started = self.number()?;
        let score = self.weight()?;
        let rarity = self.bytes()?.as_chunks().0.iter().map(|bytes| f64::from_be_bytes(*bytes)).collect();
        let (length, best) = (self.weight()?, self.weight()?);
        let weights = Weights { rarity, length, best, last_read: self.number()?, relaxed: self.number()? == 1 };
        let (connection_id, stream, id) = (self.text()?, self.text()?, self.text()?);
        Some(RankCursor { started, ranked: Ranked { weights, score, connection_id, stream, id } })
    }

    fn page(&mut self) -> Option<PageCursor> {
        let (started, horizon) = (self.number()?, self.number()?);
        let key = self.bytes()?;
        let (id, connection_id) = (self.text()?, self.text()?);
        Some(PageCursor { started, horizon, position: Position { key, id, connection_id } })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn binding(stream: &str, filter: &Filter) -> Binding {
        Binding::new("client:g", "page", &[stream], None, filter, "desc")
    }

    fn cursor() -> PageCursor {
        let position = Position { key: vec![1, 2], id: "é".into(), connection_id: "c".into() };
        PageCursor { started: 5, horizon: 9, position }
    }

    fn sealer() -> Sealer {
        Sealer::new(&[7; 32], Random::seeded(1))
    }

    #[test]
    fn a_cursor_continues_only_its_own_query() {
        let (sealer, now) = (sealer(), Timestamp::from_second(6).unwrap());
        let mine = binding("messages", &Filter::default());
        let text = sealer.seal_page(&mine, &cursor());
        assert_eq!(sealer.open_page(&mine, &text, now).unwrap(), cursor());
        let mut filter = Filter::default();
        filter.equals("a", "b");
        for other in [binding("other", &Filter::default()), binding("messages", &filter)] {
            assert_eq!(sealer.open_page(&other, &text, now).unwrap_err().code, ErrorCode::InvalidCursor);
        }
        let late = Timestamp::from_second(6 + LIFETIME_SECONDS).unwrap();
        assert_eq!(sealer.open_page(&mine, &text, late).unwrap_err().code, ErrorCode::CursorExpired);
    }

    proptest! {
        #[test]
        fn no_altered_cursor_opens(at in 0usize..120, with in "[A-Za-z0-9_-]") {
            let (sealer, now) = (sealer(), Timestamp::from_second(6).unwrap());
            let mine = binding("messages", &Filter::default());
            let text = sealer.seal_page(&mine, &cursor());
            let at = at % text.len();
            let altered = format!("{}{with}{}", &text[..at], &text[at + 1..]);
            prop_assert_eq!(sealer.open_page(&mine, &altered, now).is_ok(), altered == text);
        }

        #[test]
        fn noise_is_refused(text in ".{0,200}") {
            let opened = sealer().open_page(&binding("messages", &Filter::default()), &text, Timestamp::UNIX_EPOCH);
            prop_assert!(opened.is_err());
        }
    }
}
