//! A text cut into pieces the model can read whole.

use std::ops::Range;

use crate::wordpiece::{MAX_TOKENS, Vocabulary};
use crate::words::{Gap, Word, Words};

/// What fits between the model's two marks.
const BUDGET: usize = MAX_TOKENS - 2;

/// Cuts `text` into at most `cap` passages of at most 126 tokens each, as byte ranges.
///
/// A passage ends with a sentence if one ends in its second half, else before a space, else between two tokens. Nothing
/// that the model could read lies between passages. Only as much of the text is read as the passages need.
pub fn passages(text: &str, cap: usize) -> Vec<Range<usize>> {
    let vocabulary = Vocabulary::shared();
    let (mut words, mut form, mut pieces) = (Words::new(text), String::new(), Vec::new());
    let mut found = Vec::new();
    let mut open = Open::default();
    while found.len() < cap
        && let Some(word) = words.next(&mut form)
    {
        pieces.clear();
        vocabulary.push_pieces(&form, &mut pieces);
        open.note_boundary(&word);
        while open.tokens + pieces.len() > BUDGET {
            found.push(open.cut(&word));
        }
        open.push(&word, pieces.len(), &form);
    }
    if open.tokens > 0 {
        found.push(open.start..open.end);
    }
    found.truncate(cap);
    found
}

/// The passage that is being filled.
#[derive(Default)]
struct Open {
    start: usize,
    end: usize,
    tokens: usize,
    /// The last word ends a sentence, if space follows.
    sentence_ended: bool,
    last_sentence: Option<Boundary>,
    last_space: Option<Boundary>,
}

/// Where the passage could end and the next begin.
#[derive(Clone, Copy)]
struct Boundary {
    end: usize,
    next: usize,
    tokens: usize,
}

impl Open {
    fn note_boundary(&mut self, word: &Word) {
        let boundary = Some(self.before(word));
        if word.after == Gap::Line || (self.sentence_ended && word.after == Gap::Space) {
            self.last_sentence = boundary;
        }
        if word.after != Gap::Nothing {
            self.last_space = boundary;
        }
    }

    fn before(&self, word: &Word) -> Boundary {
        Boundary { end: self.end, next: word.range.start, tokens: self.tokens }
    }

    fn cut(&mut self, word: &Word) -> Range<usize> {
        let is_late = |boundary: &Boundary| boundary.tokens >= BUDGET / 2;
        let at = self.last_sentence.filter(is_late).or(self.last_space.filter(is_late)).unwrap_or(self.before(word));
        let passage = self.start..at.end;
        let kept = |boundary: Option<Boundary>| {
            let boundary = boundary.filter(|boundary| boundary.tokens > at.tokens)?;
            Some(Boundary { tokens: boundary.tokens - at.tokens, ..boundary })
        };
        self.last_sentence = kept(self.last_sentence);
        self.last_space = kept(self.last_space);
        self.start = at.next;
        self.tokens -= at.tokens;
        passage
    }

    fn push(&mut self, word: &Word, pieces: usize, form: &str) {
        if self.tokens == 0 {
            self.start = word.range.start;
        }
        self.end = word.range.end;
        self.tokens += pieces;
        self.sentence_ended = match form {
            "." | "!" | "?" | "…" | "。" | "！" | "？" => true,
            // A quotation or a bracket closes after the full stop.
            "\"" | "'" | ")" | "]" | "”" | "’" | "»" => self.sentence_ended,
            _ => false,
        };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(text: &str) -> usize {
        let (mut words, mut form, mut pieces) = (Words::new(text), String::new(), Vec::new());
        while words.next(&mut form).is_some() {
            Vocabulary::shared().push_pieces(&form, &mut pieces);
        }
        pieces.len()
    }

    #[test]
    fn a_short_text_is_one_passage_without_the_space_around() {
        assert_eq!(passages("  Hello there.\n", 9).first(), Some(&(2..14)));
        for nothing in ["", " \n\t", "\u{0}\u{200b}"] {
            assert_eq!(passages(nothing, 9), Vec::<Range<usize>>::new());
        }
        assert_eq!(passages("Hello", 0), Vec::<Range<usize>>::new());
    }

    #[test]
    fn passages_end_with_sentences() {
        let text = "The rent is due on the first of the month (\"as always.\") Please pay it. ".repeat(40);
        let found = passages(&text, 100);
        assert!(found.len() > 3);
        assert!(found.iter().all(|range| text[range.clone()].ends_with([')', '.'])), "{found:?}");
    }

    #[test]
    fn without_sentences_words_stay_whole() {
        let text = "rent ".repeat(300);
        assert_eq!(passages(&text, 100), [0..629, 630..1259, 1260..1499]);
        assert_eq!(passages(&"3.14-".repeat(1000), 3).len(), 3);
    }

    #[test]
    fn scripts_without_spaces_are_cut_between_characters() {
        let text = "雨".repeat(300);
        assert_eq!(passages(&text, 100), [0..378, 378..756, 756..900]);
    }

    #[test]
    fn five_megabytes_of_anything_stay_bounded() {
        for text in [
            "x".repeat(5_000_000),
            "🦀".repeat(1_250_000),
            " ".repeat(5_000_000),
            "\u{0}".repeat(5_000_000),
            "é, ".repeat(1_000_000),
        ] {
            let found = passages(&text, 64);
            assert!(found.len() <= 64);
            assert!(found.iter().all(|range| range.len() <= BUDGET * 256 * 4));
        }
    }

    proptest! {
        #[test]
        fn passages_ascend_fit_and_leave_nothing_out(
            text in prop_oneof![any::<String>(), "([a-zé.,! \n]{0,30}|\\PC{0,9}){0,60}", "(\\w{1,12}[ .\n]){0,400}"],
            cap in 0_usize..12,
        ) {
            let found = passages(&text, cap);
            prop_assert!(found.len() <= cap);
            let mut at = 0;
            for range in &found {
                prop_assert!(at <= range.start && range.start < range.end);
                prop_assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
                prop_assert!(tokens(&text[range.clone()]) <= BUDGET);
                prop_assert_eq!(tokens(&text[at..range.start]), 0, "left out: {:?}", &text[at..range.start]);
                at = range.end;
            }
            if found.len() < cap {
                prop_assert_eq!(tokens(&text[at..]), 0, "left out: {:?}", &text[at..]);
            }
        }
    }
}
