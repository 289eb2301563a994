//! One encoding of comparable values: keys compare byte by byte, in memory and in any database.
//!
//! Booleans come before numbers, numbers before instants, instants before text, and what a record
//! does not have comes last. Text of up to 128 bytes stands whole; of longer text the first 128
//! bytes and a digest do, so that it still equals only itself.

use jiff::Timestamp;
use serde_json::{Number, Value};
use sha2::{Digest, Sha256};
use vitrine_contract::time;

use crate::declaration::FieldKind;

const FALSE: u8 = 0x10;
const TRUE: u8 = 0x11;
const NUMBER: u8 = 0x20;
const TIME: u8 = 0x30;
const TEXT: u8 = 0x40;
const WHOLE_TEXT_BYTES: usize = 128;
/// Never part of UTF-8, so a cut text cannot equal a whole one.
const CUT: u8 = 0xFF;
const SIGN: u64 = 1 << 63;

/// A value in comparable form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortKey(Vec<u8>);

/// Sorts after every value: what a record does not have.
pub const ABSENT: &[u8] = &[0xFF];

impl SortKey {
    /// The key of a record's value, given as JSON text. Null, objects, arrays and times that are
    /// none count as absent.
    pub fn of_json(kind: FieldKind, json: &str) -> Option<Self> {
        match json.as_bytes().first()? {
            b'"' => {
                let text: std::borrow::Cow<'_, str> = serde_json::from_str::<Text<'_>>(json).ok()?.0;
                match kind {
                    FieldKind::Time => time::parse(&text).map(Self::time),
                    _ => Some(Self::text(&text)),
                }
            }
            b't' => Some(Self::boolean(true)),
            b'f' => Some(Self::boolean(false)),
            b'-' | b'0'..=b'9' => serde_json::from_str(json).ok().map(|number: Number| Self::number(&number)),
            _ => None,
        }
    }

    /// The keys a filter's text may mean for a field of that kind; none when it fits none.
    pub fn of_filter(kind: FieldKind, text: &str) -> Vec<Self> {
        let number = || serde_json::from_str::<Number>(text).ok().map(|number| Self::number(&number));
        let boolean = || matches!(text, "true" | "false").then(|| Self::boolean(text == "true"));
        match kind {
            FieldKind::Text => vec![Self::text(text)],
            FieldKind::Time => time::parse(text).map(Self::time).into_iter().collect(),
            FieldKind::Number => number().into_iter().collect(),
            FieldKind::Boolean => boolean().into_iter().collect(),
            FieldKind::Any => number().into_iter().chain(boolean()).chain([Self::text(text)]).collect(),
            FieldKind::Json | FieldKind::Blob => Vec::new(),
        }
    }

    /// An instant's key.
    pub fn time(instant: Timestamp) -> Self {
        let second = instant.as_nanosecond().div_euclid(1_000_000_000);
        let nano = instant.as_nanosecond().rem_euclid(1_000_000_000);
        let mut key = vec![TIME];
        key.extend((i64::try_from(second).unwrap_or_default().cast_unsigned() ^ SIGN).to_be_bytes());
        key.extend(u32::try_from(nano).unwrap_or_default().to_be_bytes());
        Self(key)
    }

    /// Later than every instant.
    pub fn after_times() -> Self {
        Self(vec![TIME + 1])
    }

    fn text(text: &str) -> Self {
        let mut key = Vec::with_capacity(1 + text.len().min(WHOLE_TEXT_BYTES + 17));
        key.push(TEXT);
        if text.len() <= WHOLE_TEXT_BYTES {
            key.extend(text.as_bytes());
        } else {
            key.extend(&text.as_bytes()[..WHOLE_TEXT_BYTES]);
            key.push(CUT);
            key.extend(&Sha256::digest(text.as_bytes())[..16]);
        }
        Self(key)
    }

    fn boolean(value: bool) -> Self {
        Self(vec![if value { TRUE } else { FALSE }])
    }

    /// The nearest double, then what an integer differs from it, so that 2^53 + 1 stays apart.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "the remainder makes up for it")]
    fn number(number: &Number) -> Self {
        let integer = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        let double = integer.map_or_else(|| number.as_f64().unwrap_or_default(), |n| n as f64);
        let remainder = integer.map_or(0, |n| n - double as i128);
        let bits = (double + 0.0).to_bits();
        let ordered = if bits & SIGN == 0 { bits | SIGN } else { !bits };
        let mut key = vec![NUMBER];
        key.extend(ordered.to_be_bytes());
        key.extend(u16::try_from(remainder + 0x8000).unwrap_or(0x8000).to_be_bytes());
        Self(key)
    }

    /// Takes a stored key back.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes to compare and to store.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether the text was too long to stand whole.
    pub fn is_cut(&self) -> bool {
        self.0.first() == Some(&TEXT) && self.0.get(1 + WHOLE_TEXT_BYTES) == Some(&CUT)
    }

    /// The number it stands for.
    pub fn to_number(&self) -> Option<KeyNumber> {
        decode_number(&self.0)
    }

    /// The instant it stands for.
    pub fn to_time(&self) -> Option<Timestamp> {
        decode_time(&self.0)
    }

    /// The value it stands for, instants in UTC; nothing when it was cut.
    pub fn to_value(&self) -> Option<Value> {
        match *self.0.first()? {
            FALSE => Some(Value::Bool(false)),
            TRUE => Some(Value::Bool(true)),
            NUMBER => decode_number(&self.0).map(KeyNumber::into_value),
            TIME => decode_time(&self.0).map(|instant| Value::String(time::format(instant))),
            TEXT if !self.is_cut() => std::str::from_utf8(&self.0[1..]).ok().map(|text| Value::String(text.to_owned())),
            _ => None,
        }
    }
}

#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] std::borrow::Cow<'a, str>);

/// A number read back from a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeyNumber {
    /// A whole number.
    Integer(i128),
    /// Any other.
    Double(f64),
}

impl KeyNumber {
    /// As JSON; whole numbers past 64 bits are rounded.
    #[expect(clippy::cast_precision_loss, reason = "JSON numbers of that size are doubles to every reader")]
    pub fn into_value(self) -> Value {
        match self {
            Self::Integer(n) => i64::try_from(n)
                .map(Value::from)
                .or_else(|_| u64::try_from(n).map(Value::from))
                .unwrap_or_else(|_| Value::from(n as f64)),
            Self::Double(n) => Value::from(n),
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "only doubles well inside 128 bits are taken as integers")]
fn decode_number(key: &[u8]) -> Option<KeyNumber> {
    let (&NUMBER, rest) = key.split_first()? else { return None };
    let ordered = u64::from_be_bytes(rest.get(..8)?.try_into().ok()?);
    let remainder = i128::from(u16::from_be_bytes(rest.get(8..10)?.try_into().ok()?)) - 0x8000;
    let double = f64::from_bits(if ordered & SIGN == 0 { !ordered } else { ordered ^ SIGN });
    if double.fract() == 0.0 && double.abs() < 1e20 {
        return Some(KeyNumber::Integer(double as i128 + remainder));
    }
    Some(KeyNumber::Double(double))
}

/// The instant a stored key stands for, without copying it.
pub fn decode_time(key: &[u8]) -> Option<Timestamp> {
    let (&TIME, rest) = key.split_first()? else { return None };
    let second = (u64::from_be_bytes(rest.get(..8)?.try_into().ok()?) ^ SIGN).cast_signed();
    let nano = u32::from_be_bytes(rest.get(8..12)?.try_into().ok()?);
    Timestamp::new(second, i32::try_from(nano).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(kind: FieldKind, json: &str) -> SortKey {
        SortKey::of_json(kind, json).unwrap()
    }

    #[test]
    fn numbers_keep_their_order_and_their_value() {
        let ordered = [
            "-1e308",
            "-9223372036854775808",
            "-1.5",
            "-1",
            "0",
            "1e-300",
            "0.5",
            "1",
            "9007199254740992",
            "9007199254740993",
            "9223372036854775807",
            "9223372036854775808",
            "18446744073709551615",
            "1e308",
        ];
        for pair in ordered.windows(2) {
            assert!(key(FieldKind::Number, pair[0]) < key(FieldKind::Number, pair[1]), "{pair:?}");
        }
        for text in &ordered[1..] {
            let back = key(FieldKind::Number, text).to_value().unwrap();
            assert_eq!(back, serde_json::from_str::<Value>(text).unwrap(), "{text}");
        }
        assert_eq!(key(FieldKind::Number, "-0.0"), key(FieldKind::Number, "0"));
        assert_eq!(key(FieldKind::Number, "5.0"), key(FieldKind::Number, "5"));
    }

    #[test]
    fn times_compare_as_instants() {
        let earlier = key(FieldKind::Time, r#""2026-03-12T10:00:00+02:00""#);
        let later = key(FieldKind::Time, r#""2026-03-12T09:00:00.5Z""#);
        assert!(earlier < later);
        assert_eq!(later.to_value().unwrap(), "2026-03-12T09:00:00.5Z");
        assert_eq!(SortKey::of_json(FieldKind::Time, r#""soon""#), None);
        let ancient = key(FieldKind::Time, r#""0001-01-01T00:00:00.25Z""#);
        assert!(ancient < earlier);
        assert_eq!(ancient.to_value().unwrap(), "0001-01-01T00:00:00.25Z");
    }

    #[test]
    fn absent_sorts_after_everything() {
        for json in ["true", "1e308", r#""\uffff""#] {
            assert!(key(FieldKind::Any, json).as_bytes() < ABSENT);
        }
        for json in ["null", "{}", "[]"] {
            assert_eq!(SortKey::of_json(FieldKind::Any, json), None);
        }
    }

    proptest! {
        #[test]
        fn text_keys_are_equal_only_for_equal_text(a in "[ab]{120,140}", b in "[ab]{120,140}") {
            let (ka, kb) = (SortKey::text(&a), SortKey::text(&b));
            prop_assert_eq!(ka == kb, a == b);
            if a.len() <= 128 && b.len() <= 128 {
                prop_assert_eq!(ka.cmp(&kb), a.cmp(&b));
            }
        }

        #[test]
        fn integers_order_as_integers(a: i64, b: i64) {
            let of = |n: i64| SortKey::number(&Number::from(n));
            prop_assert_eq!(of(a).cmp(&of(b)), a.cmp(&b));
            prop_assert_eq!(of(a).to_number(), Some(KeyNumber::Integer(i128::from(a))));
        }
    }
}
