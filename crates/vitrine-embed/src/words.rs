//! A text as the words the vocabulary is made of: lower case, without accents, punctuation and ideographs apart.

use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

use unicode_normalization::char::decompose_canonical;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// No vocabulary entry comes near; a longer run of letters is read as several words, so that no word is unbounded.
const MAX_CHARS: usize = 256;

/// Where a word stands, and what stands before it.
pub(crate) struct Word {
    pub(crate) range: Range<usize>,
    pub(crate) after: Gap,
}

/// What separates a word from the one before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    Nothing,
    Space,
    Line,
}

enum Kind {
    Space,
    Line,
    /// Not part of any word, and no boundary either.
    Dropped,
    Alone,
    Letter,
}

pub(crate) struct Words<'t> {
    chars: Peekable<CharIndices<'t>>,
}

impl<'t> Words<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { chars: text.char_indices().peekable() }
    }

    /// Writes the next word's normal form into `form` and tells where it stands.
    pub(crate) fn next(&mut self, form: &mut String) -> Option<Word> {
        form.clear();
        let mut after = Gap::Nothing;
        let (start, first, first_kind) = loop {
            let (at, char) = self.chars.next()?;
            match kind(char) {
                Kind::Space => after = after.max(Gap::Space),
                Kind::Line => after = Gap::Line,
                Kind::Dropped => {}
                kind => break (at, char, kind),
            }
        };
        push_normal(first, form);
        let mut end = start + first.len_utf8();
        if matches!(first_kind, Kind::Letter) {
            let mut length = 1;
            while length < MAX_CHARS
                && let Some((at, char)) =
                    self.chars.next_if(|(_, char)| matches!(kind(*char), Kind::Letter | Kind::Dropped))
            {
                push_normal(char, form);
                end = at + char.len_utf8();
                length += 1;
            }
        }
        Some(Word { range: start..end, after })
    }
}

fn kind(char: char) -> Kind {
    if char.is_ascii() {
        return match char {
            '\n' | '\r' | '\x0b' | '\x0c' => Kind::Line,
            ' ' | '\t' => Kind::Space,
            _ if char.is_ascii_alphanumeric() => Kind::Letter,
            _ if char.is_ascii_punctuation() => Kind::Alone,
            _ => Kind::Dropped,
        };
    }
    match char {
        '\u{2028}' | '\u{2029}' | '\u{85}' => Kind::Line,
        char::REPLACEMENT_CHARACTER => Kind::Dropped,
        _ if char.is_whitespace() => Kind::Space,
        _ if is_ideograph(char) => Kind::Alone,
        _ => match char.general_category_group() {
            GeneralCategoryGroup::Other => Kind::Dropped,
            GeneralCategoryGroup::Punctuation => Kind::Alone,
            _ => match bare(char).next() {
                None => Kind::Dropped,
                Some(first) if first.is_ascii_punctuation() => Kind::Alone,
                Some(_) => Kind::Letter,
            },
        },
    }
}

fn push_normal(char: char, form: &mut String) {
    if char.is_ascii() {
        if !char.is_ascii_control() {
            form.push(char.to_ascii_lowercase());
        }
    } else if !matches!(kind(char), Kind::Dropped) {
        form.extend(bare(char).flat_map(char::to_lowercase));
    }
}

/// The character taken apart, without the accents.
fn bare(char: char) -> impl Iterator<Item = char> {
    let mut parts = [None; 4];
    let mut count = 0;
    decompose_canonical(char, |part| {
        if part.general_category() != GeneralCategory::NonspacingMark && count < parts.len() {
            parts[count] = Some(part);
            count += 1;
        }
    });
    parts.into_iter().flatten()
}

/// Ideographs of Chinese and Japanese stand without spaces; the vocabulary knows them one by one.
fn is_ideograph(char: char) -> bool {
    matches!(char, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{2A6DF}' | '\u{2A700}'..='\u{2CEAF}' | '\u{2F800}'..='\u{2FA1F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let (mut words, mut form, mut found) = (Words::new(text), String::new(), Vec::new());
        while words.next(&mut form).is_some() {
            found.push(form.clone());
        }
        found
    }

    #[test]
    fn case_and_accents_go() {
        assert_eq!(words("Crème BRÛLÉE İstanbul Straße"), ["creme", "brulee", "istanbul", "straße"]);
        assert_eq!(words("e\u{301}t\u{e9}"), ["ete"]);
    }

    #[test]
    fn punctuation_and_ideographs_stand_alone() {
        assert_eq!(words("don't $5,00 a_b «x»"), ["don", "'", "t", "$", "5", ",", "00", "a", "_", "b", "«", "x", "»"]);
        assert_eq!(words("日本go語"), ["日", "本", "go", "語"]);
        assert_eq!(words("a≮b"), ["a", "<", "b"]);
    }

    #[test]
    fn what_cannot_be_seen_joins_and_space_of_any_kind_parts() {
        assert_eq!(words("a\u{0}b\u{200b}c\u{fffd}d"), ["abcd"]);
        assert_eq!(words("a\u{a0}b\u{2003}c\td\r\ne\u{3000}f\u{c}g"), ["a", "b", "c", "d", "e", "f", "g"]);
        assert_eq!(words("\u{0}\u{301} \n"), Vec::<String>::new());
    }

    #[test]
    fn a_word_without_end_is_read_in_parts() {
        let lengths: Vec<usize> = words(&"x".repeat(600)).iter().map(String::len).collect();
        assert_eq!(lengths, [256, 256, 88]);
    }

    #[test]
    fn a_word_knows_where_it_stands() {
        let text = "  Élan,\n日";
        let (mut words, mut form, mut found) = (Words::new(text), String::new(), Vec::new());
        while let Some(word) = words.next(&mut form) {
            found.push((&text[word.range], word.after as u8));
        }
        assert_eq!(found, [("Élan", 1), (",", 0), ("日", 2)]);
    }
}
