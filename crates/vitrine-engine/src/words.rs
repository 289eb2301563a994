//! What a word is. Indexing, queries and evidence all ask here, so that they agree on every match.
//!
//! Words are runs of letters and digits, without regard to case, diacritics, how characters are
//! composed, and signs that are not seen. Scripts that do not put spaces between words (Chinese,
//! Japanese, Korean, Thai, Lao, Khmer, Burmese) give one word per character; a query's characters
//! must then stand next to each other, so a word inside a sentence is found wherever it stands.
//!
//! Words are taken out of the index by reading a record's text again: whoever changes what a word
//! is adds a step to the store's layout that indexes all of them anew.

mod function;
mod kind;
mod pieces;
mod query;

use rust_stemmers::{Algorithm, Stemmer};
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, compose, is_combining_mark};

use kind::{Kind, is_diacritic, unspaced};

pub use query::{MAX_UNITS, Pair, Query, Reading, Sought, Unit};

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
/// Bytes of a word that are kept as they are; what follows is told apart by a digest.
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
                run.term.push_str(&rest[..length]);
                run.term.make_ascii_lowercase();
                if length > MAX_TERM_BYTES {
                    shorten(&mut run.term);
                }
                if !visit(Word { term: &run.term, start: at, end }) {
                    return;
                }
                run.term.clear();
                (rest, at) = (&rest[length..], end);
                continue;
            }
        }
        if !run.read(c, at, &mut visit) {
            return;
        }
        (rest, at) = (&rest[c.len_utf8()..], at + 1);
    }
    run.close(&mut visit);
}

/// The length of the word of plain letters and digits that a text starts with; 0 when it goes on in
/// others, none when the text starts between words.
#[inline]
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

/// The word that is being read.
#[derive(Default)]
struct Run {
    open: bool,
    single: bool,
    start: u64,
    end: u64,
    term: String,
}

impl Run {
    /// Takes the next character, which ends the word or goes on with it; false when the visitor has seen enough.
    #[inline(never)]
    fn read(&mut self, c: char, at: u64, visit: &mut impl FnMut(Word<'_>) -> bool) -> bool {
        let kind = Kind::of(c);
        let goes_on = self.open && at - self.start < MAX_WORD_CHARS && self.takes(kind, c);
        if !goes_on {
            if !self.close(visit) {
                return false;
            }
            self.single = kind != Kind::Letter;
            self.open = matches!(kind, Kind::Letter | Kind::Single | Kind::Tail);
            self.start = at;
        }
        if self.open && kind != Kind::Unseen {
            self.push(c);
            self.end = at + 1;
        }
        true
    }

    /// Whether the character belongs to the word.
    fn takes(&self, kind: Kind, c: char) -> bool {
        match kind {
            Kind::Letter => !self.single,
            Kind::Mark | Kind::Unseen => true,
            Kind::Tail => self.single && c.nfkc().next().is_some_and(|tail| self.composed_with(tail).is_some()),
            Kind::Single | Kind::Other => false,
        }
    }

    fn push(&mut self, c: char) {
        if c.is_ascii() {
            self.term.push(c.to_ascii_lowercase());
        } else if self.single && self.term.is_empty() {
            self.term.extend(c.nfkc());
        } else if self.single {
            for c in c.nfkc().filter(|c| !is_diacritic(*c)) {
                match self.composed_with(c) {
                    Some(composed) => {
                        self.term.pop();
                        self.term.push(composed);
                    }
                    None => append(c, &mut self.term),
                }
            }
        } else {
            fold(c, &mut self.term);
        }
    }

    /// The one character that the last one and the next make together.
    fn composed_with(&self, next: char) -> Option<char> {
        compose(self.term.chars().next_back()?, next)
    }

    /// Ends the word; false when the visitor has seen enough.
    fn close(&mut self, visit: &mut impl FnMut(Word<'_>) -> bool) -> bool {
        let open = std::mem::take(&mut self.open);
        if self.term.len() > MAX_TERM_BYTES {
            shorten(&mut self.term);
        }
        let more = !open || self.term.is_empty() || visit(Word { term: &self.term, start: self.start, end: self.end });
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
            c if is_diacritic(c) => {}
            c if is_combining_mark(c) => append(c, term),
            c if c.is_alphanumeric() => term.push(c),
            _ => {}
        }
    }
}

/// Adds a character; marks come in one order, however they were typed.
fn append(c: char, term: &mut String) {
    let class = canonical_combining_class(c);
    let before = if class == 0 {
        term.len()
    } else {
        term.trim_end_matches(|mark| canonical_combining_class(mark) > class).len()
    };
    term.insert(before, c);
}

/// Cuts a long term. The digest tells it from others that start alike; no term has the sign before it.
#[cold]
#[inline(never)]
fn shorten(term: &mut String) {
    let digest = Sha256::digest(term.as_bytes());
    term.truncate(term.floor_char_boundary(MAX_TERM_BYTES));
    term.push('…');
    let halves = digest[..8].iter().flat_map(|byte| [byte >> 4, byte & 15]);
    term.extend(halves.filter_map(|half| char::from_digit(half.into(), 16)));
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
        assert_eq!(terms("葛\u{e0100}"), ["葛"]);
        assert_eq!(words("a 東x")[1], ("東".into(), 2, 3));
    }

    #[test]
    fn long_runs_are_several_words() {
        let text = "a".repeat(300);
        assert_eq!(
            words(&text).iter().map(|(term, start, end)| (term.len(), *start, *end)).collect::<Vec<_>>(),
            [(83, 0, 128), (83, 128, 256), (44, 256, 300)]
        );
        for (plain, words_of_it) in [(127, 1), (128, 2)] {
            assert_eq!(words(&("b".repeat(plain) + "é")).len(), words_of_it);
        }
    }

    #[test]
    fn long_words_are_told_apart_by_all_of_them() {
        for long in ["a".repeat(64), "é".repeat(64), "я".repeat(40), "か".to_owned() + &"\u{302e}".repeat(80)] {
            let (one, other) = (terms(&format!("{long}1")).concat(), terms(&format!("{long}2")).concat());
            assert_ne!(one, other);
            assert_eq!(one, terms(&format!("{long}1").to_uppercase()).concat());
        }
        assert_eq!(terms(&"a".repeat(64)), ["a".repeat(64)]);
        assert!(terms(&"a".repeat(65))[0].starts_with(&("a".repeat(64) + "…")));
    }

    #[test]
    fn vowel_signs_are_kept_and_diacritics_are_not() {
        assert_eq!(terms("दिन दान क्या"), ["दिन", "दान", "क्या"]);
        assert_eq!(terms("நாய் নদী"), ["நாய்", "নদী"]);
        assert_eq!(terms("שָׁלוֹם كِتَابٌ й ё Ά"), ["שלום", "كتاب", "и", "е", "α"]);
    }

    #[test]
    fn composed_and_decomposed_text_gives_the_same_words() {
        for text in ["학교에서", "がくぱ", "ガス", "नदी क़लम", "কো", "Ångström", "ဦး", "กิ่ง"]
        {
            let decomposed: String = text.nfd().collect();
            assert_eq!(terms(&decomposed), terms(text), "{text}");
        }
        assert_eq!(terms("ｶﾞｽ"), ["ガ", "ス"]);
        assert_eq!(words("\u{1112}\u{1161}\u{11a8}\u{1100}\u{116d}"), [("학".into(), 0, 3), ("교".into(), 3, 5)]);
        assert_eq!(words("か\u{3099}く"), [("が".into(), 0, 2), ("く".into(), 2, 3)]);
        assert_eq!(terms("ก\u{e48}\u{e38}"), terms("ก\u{e38}\u{e48}"));
        assert_eq!(terms("ㅋㅏ\u{1161}ﾞ").len(), 4);
    }

    #[test]
    fn signs_that_are_not_seen_do_not_matter_inside_a_word() {
        assert_eq!(words("inter\u{ad}national\u{ad} x")[0], ("international".into(), 0, 14));
        assert_eq!(terms("كـتاب ـ"), ["كتاب"]);
        assert_eq!(terms("می\u{200c}خواهم"), ["میخواهم"]);
        assert_eq!(terms("क्\u{200d}ष"), ["क्ष"]);
        assert_eq!(words("\u{feff}a"), [("a".into(), 1, 2)]);
        assert_eq!(terms("night\u{200b}shift"), ["night", "shift"], "a space that is not seen is one");
        let far = format!("a{}b", "\u{ad}".repeat(200));
        assert_eq!(words(&far), [("a".into(), 0, 1), ("b".into(), 201, 202)]);
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
        fn words_stand_where_they_say(text in ".{0,60}|[a東か하\u{1112}\u{1161}\u{11a8}\u{3099}ﾞ\u{ad}ـ\u{301}\u{93f}क é]{0,40}") {
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
