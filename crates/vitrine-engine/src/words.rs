//! What a word is. Indexing, queries and evidence all ask here, so that they agree on every match.
//!
//! Words are runs of letters and digits, without regard to case and diacritics. Scripts that do
//! not put spaces between words (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) give one
//! word per character; a query's characters must then stand next to each other, so a word inside
//! a sentence is found wherever it stands.

mod function;
mod pieces;
mod query;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

pub use query::{MAX_UNITS, Query, Reading, Sought, Unit};

/// Characters of one word; a longer run is several words.
const MAX_WORD_CHARS: u64 = 128;
/// The same, for a word of plain characters alone.
const MAX_PLAIN_BYTES: usize = 128;
/// Plain letters and digits.
const IS_PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        plain[byte as usize] = byte.is_ascii_alphanumeric();
        byte += 1;
    }
    plain
};
/// Bytes of a word that count.
const MAX_TERM_BYTES: usize = 64;

/// A word where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    /// As it is compared.
    pub term: &'a str,
    /// Its first character.
    pub start: u64,
    /// One past its last.
    pub end: u64,
}

/// Visits the words of a text in order, until `visit` says to stop.
pub fn each_word(text: &str, mut visit: impl FnMut(Word<'_>) -> bool) {
    let mut run = Run::default();
    let (mut rest, mut at) = (text, 0);
    while let Some(c) = rest.chars().next() {
        if !run.open && c.is_ascii() {
            // Most words of most texts are plain: taken whole, they cost a fraction.
            let Some(length) = plain_word(rest.as_bytes()) else {
                (rest, at) = (&rest[1..], at + 1);
                continue;
            };
            if length > 0 {
                let end = at + length as u64;
                run.term.clear();
                run.term.push_str(&rest[..length.min(MAX_TERM_BYTES)]);
                run.term.make_ascii_lowercase();
                if !visit(Word { term: &run.term, start: at, end }) {
                    return;
                }
                run.term.clear();
                (rest, at) = (&rest[length..], end);
                continue;
            }
        }
        let kind = Kind::of(c);
        let goes_on = run.open
            && match kind {
                Kind::Letter => !run.single && at - run.start < MAX_WORD_CHARS,
                Kind::Mark => at - run.start < MAX_WORD_CHARS,
                Kind::Single | Kind::Other => false,
            };
        if !goes_on {
            if !run.close(at, &mut visit) {
                return;
            }
            if matches!(kind, Kind::Letter | Kind::Single) {
                run = Run { open: true, single: kind == Kind::Single, start: at, term: std::mem::take(&mut run.term) };
            }
        }
        if run.open {
            run.push(c);
        }
        (rest, at) = (&rest[c.len_utf8()..], at + 1);
    }
    run.close(at, &mut visit);
}

/// The length of the word of plain letters and digits that a text starts with; 0 when it goes on in
/// others, none when the text starts between words.
fn plain_word(text: &[u8]) -> Option<usize> {
    let limit = text.len().min(MAX_PLAIN_BYTES);
    let length = text[..limit].iter().position(|b| !IS_PLAIN[usize::from(*b)]).unwrap_or(limit);
    match text.get(length) {
        _ if length == 0 => None,
        Some(next) if length < MAX_PLAIN_BYTES && !next.is_ascii() => Some(0),
        _ => Some(length),
    }
}

/// Other forms of an English word have the same stem; any other word is its own.
pub fn stem(term: &str) -> String {
    if term.len() < 3 || !term.bytes().all(|b| b.is_ascii_lowercase()) {
        return term.to_owned();
    }
    Stemmer::create(Algorithm::English).stem(term).into_owned()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Goes on with the word before it.
    Letter,
    /// A word of its own.
    Single,
    /// Belongs to the character before it.
    Mark,
    /// Between words.
    Other,
}

impl Kind {
    fn of(c: char) -> Self {
        if c.is_ascii() {
            return if c.is_ascii_alphanumeric() { Self::Letter } else { Self::Other };
        }
        if is_combining_mark(c) {
            Self::Mark
        } else if !c.is_alphanumeric() {
            Self::Other
        } else if unspaced(c) {
            Self::Single
        } else {
            Self::Letter
        }
    }
}

/// Whether the character's script is written without spaces between words, or, as in Korean, with
/// what belongs to a word attached to it.
fn unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1100..=0x11FF | 0x1780..=0x17FF | 0x2E80..=0x2FDF | 0x3005..=0x303B
        | 0x3040..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xA960..=0xA97F | 0xAA60..=0xAA7F | 0xAC00..=0xD7FF
        | 0xF900..=0xFAFF | 0xFF66..=0xFFDC | 0x1B000..=0x1B16F | 0x20000..=0x3FFFF)
}

/// The word that is being read.
#[derive(Default)]
struct Run {
    open: bool,
    single: bool,
    start: u64,
    term: String,
}

impl Run {
    fn push(&mut self, c: char) {
        if self.term.len() >= MAX_TERM_BYTES {
            return;
        }
        if c.is_ascii() {
            self.term.push(c.to_ascii_lowercase());
        } else if self.single {
            self.term.extend(c.nfkc());
        } else {
            fold(c, &mut self.term);
        }
    }

    /// Ends the word; false when the visitor has seen enough.
    fn close(&mut self, end: u64, visit: &mut impl FnMut(Word<'_>) -> bool) -> bool {
        let open = std::mem::take(&mut self.open);
        let more = !open || self.term.is_empty() || visit(Word { term: &self.term, start: self.start, end });
        self.term.clear();
        more
    }
}

/// Lower case, without diacritics, ligatures and widths.
fn fold(c: char, term: &mut String) {
    for c in c.to_lowercase().nfkd() {
        match c {
            'ß' => term.push_str("ss"),
            'æ' => term.push_str("ae"),
            'œ' => term.push_str("oe"),
            'þ' => term.push_str("th"),
            'ø' => term.push('o'),
            'đ' | 'ð' => term.push('d'),
            'ł' => term.push('l'),
            'ħ' => term.push('h'),
            'ı' => term.push('i'),
            'ς' => term.push('σ'),
            c if c.is_alphanumeric() && !is_combining_mark(c) => term.push(c),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<(String, u64, u64)> {
        let mut words = Vec::new();
        each_word(text, |word| {
            words.push((word.term.to_owned(), word.start, word.end));
            true
        });
        words
    }

    fn terms(text: &str) -> Vec<String> {
        words(text).into_iter().map(|(term, ..)| term).collect()
    }

    #[test]
    fn case_diacritics_and_widths_do_not_matter() {
        assert_eq!(terms("Zürich ZÜRICH zu\u{308}rich"), ["zurich"; 3]);
        assert_eq!(terms("Straße STRASSE ＳＴＲＡＳＳＥ"), ["strasse"; 3]);
        assert_eq!(terms("don't e-mail me@x.org 3,14"), ["don", "t", "e", "mail", "me", "x", "org", "3", "14"]);
        assert_eq!(terms("ΟΔΟΣ οδός"), ["οδοσ"; 2]);
        assert_eq!(
            words("naïve cafe\u{301}s, x"),
            [("naive".into(), 0, 5), ("cafes".into(), 6, 12), ("x".into(), 14, 15)]
        );
        assert_eq!(terms("🙂 -- \u{0} \u{301}"), Vec::<String>::new());
    }

    #[test]
    fn scripts_without_spaces_give_a_word_per_character() {
        assert_eq!(terms("東京tower"), ["東", "京", "tower"]);
        assert_eq!(terms("がか"), ["が", "か"]);
        assert_eq!(terms("학교에서"), ["학", "교", "에", "서"]);
        assert_eq!(terms("น้ำดื่ม").len(), 4);
        assert_eq!(words("a 東x")[1], ("東".into(), 2, 3));
    }

    #[test]
    fn long_runs_are_several_words() {
        let text = "a".repeat(300);
        assert_eq!(
            words(&text).iter().map(|(term, start, end)| (term.len(), *start, *end)).collect::<Vec<_>>(),
            [(64, 0, 128), (64, 128, 256), (44, 256, 300)]
        );
        for (plain, words_of_it) in [(127, 1), (128, 2)] {
            assert_eq!(words(&("b".repeat(plain) + "é")).len(), words_of_it);
        }
    }

    #[test]
    fn forms_of_an_english_word_share_a_stem() {
        assert_eq!(stem("meetings"), stem("meeting"));
        assert_ne!(stem("organ"), stem("orange"));
        assert_eq!(stem("zurich2"), "zurich2");
    }

    proptest! {
        /// What a word's meeting a stem relies on.
        #[test]
        fn a_stem_starts_as_its_word_does(term in "(skies|dying|lying|tying|idly|ugly|early|only)|y?[a-z]{1,3}[aeiouy]{0,2}[a-z]{0,4}(ing|ies|ed|ly|s|ational|eous)?") {
            prop_assert_eq!(stem(&term).chars().next(), term.chars().next());
        }

        #[test]
        fn words_stand_where_they_say(text in ".{0,60}") {
            let mut last = 0;
            for (term, start, end) in words(&text) {
                prop_assert!(last <= start && start < end && end <= text.chars().count() as u64);
                let inside = |(at, _): &(u64, char)| (start..end).contains(at);
                let alone: String = (0..).zip(text.chars()).filter(inside).map(|(_, c)| c).collect();
                prop_assert_eq!(terms(&alone).concat(), term);
                last = end;
            }
        }
    }
}
