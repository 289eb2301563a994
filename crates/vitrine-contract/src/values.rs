//! JSON text taken apart without being rewritten.

use std::borrow::Cow;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::literal;

/// The fields of an object that is known to be JSON, with the text of their values, in order. Anything else has none.
///
/// Every answer takes its records apart like this. What was checked before it was stored need not be checked again: only
/// the ends of values are looked for.
pub fn fields(object: &str) -> Vec<(Cow<'_, str>, &str)> {
    Scan { text: object, at: 0 }.object().unwrap_or_default()
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn object(mut self) -> Option<Vec<(Cow<'a, str>, &'a str)>> {
        let mut fields = Vec::with_capacity(16);
        self.sign(b'{')?;
        if self.sign(b'}').is_some() {
            return Some(fields);
        }
        loop {
            self.blanks();
            let name = self.name()?;
            self.sign(b':')?;
            self.blanks();
            fields.push((name, self.value()?));
            if self.sign(b',').is_none() {
                return self.sign(b'}').map(|()| fields);
            }
        }
    }

    fn value(&mut self) -> Option<&'a str> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' | b'[' => self.container(),
            _ => self.scalar(),
        }
    }

    /// A string with its quotes.
    #[inline]
    fn string(&mut self) -> Option<&'a str> {
        let start = self.at;
        self.string_end()?;
        self.text.get(start..self.at)
    }

    /// Passes over a string. Tells whether anything in it is escaped.
    #[inline]
    fn string_end(&mut self) -> Option<bool> {
        if self.peek()? != b'"' {
            return None;
        }
        let bytes = self.text.as_bytes();
        let mut escaped = false;
        self.at += 1;
        loop {
            self.at = literal::next_special(bytes, self.at)?;
            match bytes[self.at] {
                b'"' => {
                    self.at += 1;
                    return Some(escaped);
                }
                b'\\' if self.at + 2 <= bytes.len() => self.at += 2,
                _ => return None,
            }
            escaped = true;
        }
    }

    /// What a string stands for.
    #[inline]
    fn name(&mut self) -> Option<Cow<'a, str>> {
        let start = self.at;
        if self.string_end()? {
            return serde_json::from_str(self.text.get(start..self.at)?).ok().map(Cow::Owned);
        }
        self.text.get(start + 1..self.at - 1).map(Cow::Borrowed)
    }

    /// An object or array, to the end of it.
    fn container(&mut self) -> Option<&'a str> {
        let (start, mut depth) = (self.at, 0_usize);
        loop {
            match self.peek()? {
                b'"' => {
                    self.string_end()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return self.text.get(start..self.at);
            }
        }
    }

    fn scalar(&mut self) -> Option<&'a str> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)).count();
        let start = self.at;
        self.at += length;
        self.text.get(start..self.at).filter(|scalar| !scalar.is_empty())
    }

    fn sign(&mut self, sign: u8) -> Option<()> {
        self.blanks();
        (self.peek()? == sign).then(|| self.at += 1)
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// The same of text that nobody has checked yet.
pub fn top_level(object: &str) -> Vec<(Cow<'_, str>, &RawValue)> {
    serde_json::from_str::<TopLevel<'_>>(object).map(|fields| fields.0).unwrap_or_default()
}

struct TopLevel<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Deserialize<'de> for TopLevel<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = TopLevel<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::with_capacity(16);
                while let Some((Key(name), value)) = map.next_entry::<Key<'de>, &'de RawValue>()? {
                    fields.push((name, value));
                }
                Ok(TopLevel(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn values_keep_their_text() {
        let fields = top_level(r#"{"a":1e308,"b\u00e9":-0.0,"c":{"d":[1, 2]},"e":18446744073709551617}"#);
        let texts: Vec<_> = fields.iter().map(|(name, value)| (name.as_ref(), value.get())).collect();
        assert_eq!(texts, [("a", "1e308"), ("bé", "-0.0"), ("c", r#"{"d":[1, 2]}"#), ("e", "18446744073709551617")]);
        assert!(top_level("[1]").is_empty());
        assert!(top_level("{").is_empty());
    }

    #[test]
    fn what_is_no_object_has_no_fields() {
        for text in [
            "",
            "[1]",
            "{",
            "{\"a",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":}",
            "{\"a\":\"\\",
            "{\"a\":[1}",
            "{\"a\":1;}",
            "7",
        ] {
            assert_eq!(fields(text), [], "{text}");
        }
    }

    fn any_json() -> impl Strategy<Value = String> {
        let text = || "(.|[\"\\\\\0-\u{1f}]|[a-z ]{0,9}|[é日😀]){0,9}".prop_map(|text| Value::from(text).to_string());
        let scalar =
            prop_oneof![text(), "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?", "null|true|false"];
        scalar.prop_recursive(4, 40, 5, move |inner| {
            let blank = "[ \t\r\n]{0,2}";
            let member =
                (text(), blank, blank, inner.clone()).prop_map(|(name, a, b, value)| format!("{name}{a}:{b}{value}"));
            let listed = |values: Vec<String>, blank: String| values.join(&format!("{blank},{blank}"));
            prop_oneof![
                (prop::collection::vec(inner, 0..5), blank)
                    .prop_map(move |(values, b)| format!("[{b}{}{b}]", listed(values, b.clone()))),
                (prop::collection::vec(member, 0..5), blank)
                    .prop_map(move |(values, b)| format!("{b}{{{}{b}}}", listed(values, b.clone()))),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_object_is_taken_apart_as_the_library_does_it(json in any_json()) {
            let known: Vec<_> = top_level(&json).into_iter().map(|(name, value)| (name, value.get())).collect();
            prop_assert_eq!(fields(&json), known);
        }
    }
}
