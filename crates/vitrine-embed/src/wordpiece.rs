//! Words as the numbers of their pieces in the model's vocabulary: the longest piece that fits, then the rest.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::words::Words;

/// What the model reads at once, its two marks included. More gains nothing in retrieval.
pub(crate) const MAX_TOKENS: usize = 128;

const FIRST: u32 = 101;
const LAST: u32 = 102;
const UNKNOWN: u32 = 100;
const MAX_WORD_CHARS: usize = 100;

/// The vocabulary, by whether a piece starts a word.
pub(crate) struct Vocabulary {
    starts: HashMap<&'static str, u32>,
    continues: HashMap<&'static str, u32>,
    longest: usize,
}

impl Vocabulary {
    pub(crate) fn shared() -> &'static Self {
        static SHARED: OnceLock<Vocabulary> = OnceLock::new();
        SHARED.get_or_init(|| Self::read(include_str!("../model/vocab.txt")))
    }

    fn read(lines: &'static str) -> Self {
        let (mut starts, mut continues, mut longest) = (HashMap::new(), HashMap::new(), 0);
        for (piece, id) in lines.lines().zip(0..) {
            match piece.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => continues.insert(rest, id),
                _ => starts.insert(piece, id),
            };
            longest = longest.max(piece.len());
        }
        Self { starts, continues, longest }
    }

    /// What the model is given for `text`: the pieces between its two marks, cut at [`MAX_TOKENS`].
    pub(crate) fn tokens(&self, text: &str) -> Vec<u32> {
        let mut tokens = vec![FIRST];
        let (mut words, mut form) = (Words::new(text), String::new());
        while tokens.len() < MAX_TOKENS && words.next(&mut form).is_some() {
            self.push_pieces(&form, &mut tokens);
        }
        tokens.truncate(MAX_TOKENS - 1);
        tokens.push(LAST);
        tokens
    }

    /// Appends the pieces of a word in normal form; a word that cannot be pieced together is one unknown.
    pub(crate) fn push_pieces(&self, word: &str, tokens: &mut Vec<u32>) {
        let before = tokens.len();
        if word.chars().count() > MAX_WORD_CHARS {
            tokens.push(UNKNOWN);
            return;
        }
        let mut rest = word;
        while !rest.is_empty() {
            let pieces = if rest.len() == word.len() { &self.starts } else { &self.continues };
            let Some((length, id)) = self.longest_piece(rest, pieces) else {
                tokens.truncate(before);
                tokens.push(UNKNOWN);
                return;
            };
            tokens.push(id);
            rest = &rest[length..];
        }
    }

    fn longest_piece(&self, rest: &str, pieces: &HashMap<&'static str, u32>) -> Option<(usize, u32)> {
        (1..=rest.len().min(self.longest))
            .rev()
            .filter(|length| rest.is_char_boundary(*length))
            .find_map(|length| pieces.get(&rest[..length]).map(|id| (length, *id)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&'static str> {
        let lines: Vec<&str> = include_str!("../model/vocab.txt").lines().collect();
        Vocabulary::shared().tokens(text).iter().map(|id| lines[*id as usize]).collect()
    }

    #[test]
    fn the_marks_are_where_the_model_expects_them() {
        assert_eq!(pieces(""), ["[CLS]", "[SEP]"]);
        assert_eq!(include_str!("../model/vocab.txt").lines().count(), 30_522);
    }

    #[test]
    fn the_longest_piece_wins() {
        assert_eq!(pieces("Unaffable"), ["[CLS]", "una", "##ffa", "##ble", "[SEP]"]);
        assert_eq!(pieces("## [SEP]"), ["[CLS]", "#", "#", "[", "sep", "]", "[SEP]"]);
    }

    #[test]
    fn what_has_no_pieces_is_unknown() {
        assert_eq!(pieces("🦀 ok"), ["[CLS]", "[UNK]", "ok", "[SEP]"]);
        assert_eq!(pieces(&"a".repeat(101)), ["[CLS]", "[UNK]", "[SEP]"]);
        assert!(!pieces(&"a".repeat(100)).contains(&"[UNK]"));
    }

    #[test]
    fn tokens_are_those_of_the_reference() {
        for line in include_str!("../tests/reference.ndjson").lines() {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let text = line["text"].as_str().expect("a text");
            assert_eq!(serde_json::json!(Vocabulary::shared().tokens(text)), line["tokens"], "{text}");
        }
    }

    #[test]
    fn a_long_text_is_cut() {
        for text in ["word ".repeat(1_000_000), "x".repeat(5_000_000), "antidisestablishmentarianism".repeat(9)] {
            let tokens = Vocabulary::shared().tokens(&text);
            assert!(tokens.len() <= MAX_TOKENS);
            assert_eq!((tokens[0], tokens[tokens.len() - 1]), (FIRST, LAST));
        }
    }
}
