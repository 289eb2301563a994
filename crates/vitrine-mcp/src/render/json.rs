//! JSON written as it comes, without a tree of values in between.

use serde::Serialize;
use vitrine_contract::literal;

/// An object that is written member by member.
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        let mut json = String::with_capacity(bytes);
        json.push('{');
        Self(json)
    }

    /// Adds a member.
    pub(crate) fn insert(&mut self, name: &str, value: &(impl Serialize + ?Sized)) {
        self.name(name);
        // Nothing here has keys that are not text.
        self.0 += &serde_json::to_string(value).unwrap_or_default();
    }

    /// Adds a member that is text.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        literal::push(&mut self.0, text);
    }

    /// Adds a member that is text, or null.
    pub(crate) fn text_or_null(&mut self, name: &str, text: Option<&str>) {
        match text {
            Some(text) => self.text(name, text),
            None => self.insert_json(name, "null"),
        }
    }

    /// Adds a member whose value is JSON already.
    pub(crate) fn insert_json(&mut self, name: &str, json: &str) {
        self.name(name);
        self.0 += json;
    }

    /// Adds a list whose entries are JSON already.
    pub(crate) fn insert_list<'a>(&mut self, name: &str, entries: impl IntoIterator<Item = &'a str>) {
        self.name(name);
        self.0.push('[');
        for (at, entry) in entries.into_iter().enumerate() {
            if at > 0 {
                self.0.push(',');
            }
            self.0 += entry;
        }
        self.0.push(']');
    }

    pub(crate) fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }

    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        literal::push(&mut self.0, name);
        self.0.push(':');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_written_as_a_tree_of_them_would_be() {
        let mut object = Object::with_capacity(64);
        assert_eq!(Object::with_capacity(2).finish(), "{}");
        object.text("a\"", "日\n");
        object.insert_json("b", r#"{"c":1}"#);
        object.insert_list("d", ["1", "[2]"]);
        object.insert_list("e", []);
        object.insert("f", &None::<u8>);
        let json = object.finish();
        assert_eq!(json, r#"{"a\"":"日\n","b":{"c":1},"d":[1,[2]],"e":[],"f":null}"#);
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
    }
}
