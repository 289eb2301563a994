//! The members of a JSON object, looked up by any of several spellings.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use vitrine_contract::values::top_level;

use super::{Read, unreadable};

const WRAPPER: &[&str] = &["data"];

/// An object taken apart, with the text of each value.
pub(super) struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// The members of an answer, which has to be an object.
    pub(super) fn of_answer(body: &'a str) -> Read<Self> {
        match serde_json::from_str::<&RawValue>(body) {
            Err(_) => unreadable("text that is not JSON"),
            Ok(json) => Self::of(json).map_or_else(|| unreadable("JSON that is not an object"), Ok),
        }
    }

    /// The members of an object.
    pub(super) fn of(json: &'a RawValue) -> Option<Self> {
        is_object(json).then(|| Self(top_level(json.get())))
    }

    /// The members of what stands under `data`, and behind them those around it, where an answer is wrapped once more
    /// than it should be: `has` finds what it needs only in there.
    pub(super) fn unwrapped(self, has: impl Fn(&Self) -> bool) -> Self {
        let inner = if has(&self) { None } else { self.object(WRAPPER).filter(&has) };
        match inner {
            Some(inner) => {
                let around = self.0.into_iter().filter(|(name, _)| !WRAPPER.contains(&name.as_ref()));
                Self(inner.0.into_iter().chain(around).collect())
            }
            None => self,
        }
    }

    /// The value under the first spelling that is there.
    pub(super) fn raw(&self, spellings: &[&str]) -> Option<&'a RawValue> {
        spellings.iter().find_map(|name| self.0.iter().find(|(known, _)| known == name).map(|(_, value)| *value))
    }

    /// The value under the first spelling that holds a `T`.
    pub(super) fn read<T: Deserialize<'a>>(&self, spellings: &[&str]) -> Option<T> {
        spellings.iter().find_map(|name| serde_json::from_str(self.raw(&[name])?.get()).ok())
    }

    /// A text that is not empty.
    pub(super) fn text(&self, spellings: &[&str]) -> Option<String> {
        spellings.iter().find_map(|name| self.read::<String>(&[name]).filter(|text| !text.is_empty()))
    }

    /// A text, or a whole number as its digits.
    pub(super) fn id(&self, spellings: &[&str]) -> Option<String> {
        spellings
            .iter()
            .find_map(|name| self.text(&[name]).or_else(|| self.read::<i64>(&[name]).map(|number| number.to_string())))
    }

    /// The elements of an array.
    pub(super) fn array(&self, spellings: &[&str]) -> Option<Vec<&'a RawValue>> {
        self.read(spellings)
    }

    /// The elements of an array that are a `T`.
    pub(super) fn each<T: Deserialize<'a>>(&self, spellings: &[&str]) -> Vec<T> {
        let elements = self.array(spellings).unwrap_or_default();
        elements.into_iter().filter_map(|element| serde_json::from_str(element.get()).ok()).collect()
    }

    /// The members of an object inside.
    pub(super) fn object(&self, spellings: &[&str]) -> Option<Members<'a>> {
        spellings.iter().find_map(|name| self.raw(&[name]).and_then(Members::of))
    }

    /// Every member.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }
}

pub(super) fn is_object(json: &RawValue) -> bool {
    json.get().trim_start().starts_with('{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_spelling_that_fits_is_taken() {
        let members = Members::of_answer(r#"{"a":null,"b":"","c":"x","n":7,"l":[1,"y",2]}"#).unwrap();
        assert_eq!(members.text(&["a", "b", "c"]).as_deref(), Some("x"));
        assert_eq!(members.text(&["n"]), None);
        assert_eq!(members.id(&["z", "n"]).as_deref(), Some("7"));
        assert_eq!(members.raw(&["a", "c"]).map(RawValue::get), Some("null"));
        assert_eq!(members.each::<u8>(&["l"]), [1, 2]);
        assert!(members.object(&["l"]).is_none());
    }

    #[test]
    fn a_wrapped_answer_is_read_from_inside() {
        let read = |body| Members::of_answer(body).unwrap().unwrapped(|members| members.raw(&["value"]).is_some());
        let wrapped = read(r#"{"data":{"value":1,"limit":2},"limit":3,"warnings":[]}"#);
        assert_eq!((wrapped.read(&["value"]), wrapped.read(&["limit"])), (Some(1), Some(2)));
        assert!(wrapped.raw(&["warnings"]).is_some() && wrapped.raw(&["data"]).is_none());
        assert_eq!(read(r#"{"value":1,"data":{"value":2}}"#).read(&["value"]), Some(1));
        assert!(read(r#"{"data":{"data":{"value":1}}}"#).raw(&["value"]).is_none());
    }

    #[test]
    fn only_an_object_is_an_answer() {
        for body in ["", "{", "[]", "7", "{} {}", "<html>"] {
            assert!(Members::of_answer(body).is_err(), "{body}");
        }
        assert!(Members::of_answer(" {} ").is_ok());
    }
}
