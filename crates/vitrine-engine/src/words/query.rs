//! What a person typed, as what is to be found. Nothing typed is an error.

use super::function::is_function_word;
use super::{each_word, stem};

/// Different things to find at most.
pub const MAX_UNITS: usize = 64;
/// Words of one phrase that count.
const MAX_PHRASE_WORDS: usize = 64;
/// How much a word that only holds a sentence together counts against one that says something.
const FUNCTION_WORD: f64 = 0.2;

/// A query, taken apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// What a record should have.
    pub wanted: Vec<Unit>,
    /// How much each of `wanted` counts in a ranking: once for every time it was typed.
    pub emphasis: Vec<f64>,
    /// What it must not have.
    pub excluded: Vec<Unit>,
    /// The wanted text without operators, for searches by meaning.
    pub plain: String,
    /// Whether there was more than is looked for.
    pub shortened: bool,
}

/// Words that stand next to each other; mostly one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit(pub Vec<Sought>);

/// One word to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sought {
    /// Any word with this stem.
    Stem(String),
    /// Any word that starts like this.
    Prefix(String),
}

impl Sought {
    /// Whether a word is meant. The store answers the same from its index.
    pub fn is_met_by(&self, term: &str) -> bool {
        match self {
            // A stem starts as its words do, which rules out most at a glance.
            Self::Stem(stem) => term.chars().next() == stem.chars().next() && super::stem(term) == *stem,
            Self::Prefix(prefix) => term.starts_with(prefix.as_str()),
        }
    }
}

impl Query {
    /// Reads what was typed: words, `"phrases"`, `-excluded`, `prefix*`.
    pub fn parse(text: &str) -> Self {
        let mut query = Self::default();
        for piece in Pieces(text) {
            let Some(unit) = piece.unit() else { continue };
            if !piece.excluded {
                if !query.plain.is_empty() {
                    query.plain.push(' ');
                }
                query.plain.push_str(piece.text);
            }
            let units = if piece.excluded { &mut query.excluded } else { &mut query.wanted };
            match place_of(unit, units) {
                None => query.shortened = true,
                Some(_) if piece.excluded => {}
                Some(place) => {
                    query.emphasis.resize(query.wanted.len(), 0.0);
                    query.emphasis[place] += piece.emphasis();
                }
            }
        }
        query
    }
}

/// Where a unit stands among others, after adding it; none when there is no room for it.
fn place_of(unit: Unit, units: &mut Vec<Unit>) -> Option<usize> {
    let known = units.iter().position(|known| *known == unit);
    if known.is_none() && units.len() < MAX_UNITS {
        units.push(unit);
        return Some(units.len() - 1);
    }
    known
}

/// What stands between spaces or quotes.
struct Piece<'a> {
    text: &'a str,
    excluded: bool,
    prefix: bool,
}

impl Piece<'_> {
    fn unit(&self) -> Option<Unit> {
        let mut words = Vec::new();
        each_word(self.text, |word| {
            words.push(word.term.to_owned());
            words.len() < MAX_PHRASE_WORDS
        });
        let last = words.len().checked_sub(1)?;
        let sought = words
            .into_iter()
            .enumerate()
            .map(|(at, term)| if self.prefix && at == last { Sought::Prefix(term) } else { Sought::Stem(stem(&term)) });
        Some(Unit(sought.collect()))
    }

    fn emphasis(&self) -> f64 {
        let mut words = 0;
        let mut holds_together = !self.prefix;
        each_word(self.text, |word| {
            words += 1;
            holds_together &= words == 1 && is_function_word(word.term);
            holds_together
        });
        if holds_together { FUNCTION_WORD } else { 1.0 }
    }
}

struct Pieces<'a>(&'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let rest = self.0.trim_start();
        if rest.is_empty() {
            return None;
        }
        let (rest, excluded) = match rest.strip_prefix('-') {
            Some(after) if after.starts_with(|c: char| c.is_alphanumeric() || is_quote(c)) => (after, true),
            _ => (rest, false),
        };
        if let Some(inside) = rest.strip_prefix(is_quote) {
            let end = inside.find(is_quote).unwrap_or(inside.len());
            let after = &inside[end..];
            self.0 = after.strip_prefix(is_quote).unwrap_or(after);
            return Some(Piece { text: &inside[..end], excluded, prefix: false });
        }
        let end = rest.find(|c: char| c.is_whitespace() || is_quote(c)).unwrap_or(rest.len());
        self.0 = &rest[end..];
        Some(Piece { text: &rest[..end], excluded, prefix: rest[..end].ends_with('*') })
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '«' | '»')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stems(words: &[&str]) -> Unit {
        Unit(words.iter().map(|word| Sought::Stem(stem(word))).collect())
    }

    #[test]
    fn words_phrases_exclusions_and_prefixes_are_told_apart() {
        let query = Query::parse(r#"Invoice "annual report" -draft -"old copy" zür* e-mail"#);
        assert_eq!(
            query.wanted,
            [
                stems(&["invoice"]),
                stems(&["annual", "report"]),
                Unit(vec![Sought::Prefix("zur".into())]),
                stems(&["e", "mail"]),
            ]
        );
        assert_eq!(query.excluded, [stems(&["draft"]), stems(&["old", "copy"])]);
        assert_eq!(query.plain, "Invoice annual report zür* e-mail");
    }

    #[test]
    fn words_count_as_often_as_they_are_typed_and_function_words_little() {
        let query = Query::parse("the invoice Invoices of \"the who\" the");
        assert_eq!(query.wanted, [stems(&["the"]), stems(&["invoice"]), stems(&["of"]), stems(&["the", "who"])]);
        assert_eq!(query.emphasis, [2.0 * FUNCTION_WORD, 2.0, FUNCTION_WORD, 1.0]);
    }

    #[test]
    fn text_without_spaces_is_a_phrase() {
        assert_eq!(Query::parse("東京").wanted, [stems(&["東", "京"])]);
    }

    #[test]
    fn nothing_but_operators_is_nothing_to_find() {
        for text in ["", "  ", "-", "\"", "\"\"", "* - \" \"", "🙂 !!", "--", "-*"] {
            assert_eq!(Query::parse(text).wanted, [], "{text}");
        }
        assert_eq!(Query::parse("\"open phrase").wanted, [stems(&["open", "phrase"])]);
        assert_eq!(Query::parse("a a A").wanted, [stems(&["a"])]);
    }

    #[test]
    fn a_very_long_query_is_shortened_and_says_so() {
        let text: Vec<String> = (0..100).map(|n| format!("w{n}")).collect();
        let query = Query::parse(&text.join(" "));
        assert_eq!((query.wanted.len(), query.shortened), (MAX_UNITS, true));
    }

    proptest! {
        #[test]
        fn anything_can_be_typed(text in "[ab*\"“ \\-]{0,24}|.{0,40}") {
            let query = Query::parse(&text);
            prop_assert!(query.wanted.iter().chain(&query.excluded).all(|unit| !unit.0.is_empty()));
            prop_assert_eq!(query.wanted.len(), query.emphasis.len());
        }
    }
}
