//! What a person typed, as what is to be found. Nothing typed is an error.

use super::function::is_function_word;
use super::pieces::Pieces;
use super::{each_word, stem, unspaced};

/// Different things to find at most.
pub const MAX_UNITS: usize = 64;
/// Words of one phrase that count.
const MAX_PHRASE_WORDS: usize = 64;
/// How much a word that only holds a sentence together counts against one that says something.
const FUNCTION_WORD: f64 = 0.2;
/// How much a character counts in scripts that do not put spaces between words, of which mostly two make up one.
const CHARACTER: f64 = 0.5;
/// Words of a query that are looked for side by side at most.
const MAX_PAIRS: usize = 32;
/// How much two words side by side count beyond what each of them does.
const SIDE_BY_SIDE: f64 = 0.5;

/// A query, taken apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// What a record should have, all of it.
    pub strict: Reading,
    /// What counts when no record has all that: any of it, and words that were not quoted one by one.
    pub relaxed: Reading,
    /// What it must not have.
    pub excluded: Vec<Unit>,
    /// The wanted text without operators, for searches by meaning.
    pub plain: String,
}

/// One way to read what is wanted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reading {
    /// What is to be found.
    pub units: Vec<Unit>,
    /// How much each counts in a ranking: once for every time it was typed.
    pub emphasis: Vec<f64>,
    /// Words that were typed side by side. A record needs none of them, and ranks higher with them.
    pub pairs: Vec<Pair>,
    /// Whether there was more than is looked for.
    pub shortened: bool,
}

/// Two words side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The words.
    pub unit: Unit,
    /// How much it counts in a ranking.
    pub emphasis: f64,
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
        let (mut strict, mut relaxed) = (Draft::default(), Draft::default());
        for piece in Pieces(text) {
            let rows: Vec<Row> = piece.parts().into_iter().filter_map(|part| Row::read(part, piece.quoted)).collect();
            if !piece.excluded && !rows.is_empty() {
                if !query.plain.is_empty() {
                    query.plain.push(' ');
                }
                query.plain.push_str(piece.text);
            }
            for row in rows {
                if piece.excluded {
                    let whole = place_of(row.unit(), &mut query.excluded).is_some() && !row.cut;
                    strict.reading.shortened |= !whole;
                    relaxed.reading.shortened |= !whole;
                    (strict.last, relaxed.last) = (None, None);
                    continue;
                }
                for row in if row.quoted { vec![row.clone()] } else { row.apart() } {
                    relaxed.want(row);
                }
                strict.want(row);
            }
        }
        Self { strict: strict.reading, relaxed: relaxed.reading, ..query }
    }

    /// What is wanted: all of it, or, when that is nowhere, any.
    pub fn reading(&self, relaxed: bool) -> &Reading {
        if relaxed { &self.relaxed } else { &self.strict }
    }

    /// Whether there is anything less to ask for.
    pub fn can_be_relaxed(&self) -> bool {
        self.relaxed.units.len() > 1 || self.relaxed.units != self.strict.units
    }
}

/// A reading that is being made.
#[derive(Default)]
struct Draft {
    reading: Reading,
    /// What stands before, if it stands beside.
    last: Option<Row>,
}

impl Draft {
    fn want(&mut self, row: Row) {
        let reading = &mut self.reading;
        reading.shortened |= row.cut;
        let Some(place) = place_of(row.unit(), &mut reading.units) else {
            (reading.shortened, self.last) = (true, None);
            return;
        };
        reading.emphasis.resize(reading.units.len(), 0.0);
        reading.emphasis[place] += row.emphasis();
        if let Some(pair) = self.last.as_ref().and_then(|last| last.beside(&row)) {
            let is_full = reading.pairs.len() == MAX_PAIRS;
            match reading.pairs.iter_mut().find(|known| known.unit == pair.unit) {
                Some(known) => known.emphasis += pair.emphasis,
                None if is_full => {}
                None => reading.pairs.push(pair),
            }
        }
        self.last = Some(row);
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

/// Words that were typed next to each other.
#[derive(Clone)]
struct Row {
    words: Vec<String>,
    /// Whether the last is only how a word starts.
    prefix: bool,
    quoted: bool,
    /// Whether more were typed.
    cut: bool,
}

impl Row {
    fn read(text: &str, quoted: bool) -> Option<Self> {
        let (mut words, mut cut) = (Vec::new(), false);
        each_word(text, |word| {
            cut = words.len() == MAX_PHRASE_WORDS;
            if !cut {
                words.push(word.term.to_owned());
            }
            !cut
        });
        let prefix = !quoted && !cut && text.ends_with('*');
        (!words.is_empty()).then_some(Self { words, prefix, quoted, cut })
    }

    fn unit(&self) -> Unit {
        let last = self.words.len() - 1;
        let sought = self.words.iter().enumerate().map(|(at, term)| {
            if self.prefix && at == last { Sought::Prefix(term.clone()) } else { Sought::Stem(stem(term)) }
        });
        Unit(sought.collect())
    }

    /// Its words one by one; of a script without spaces the pairs of characters, since one says too little.
    fn apart(&self) -> Vec<Self> {
        let is_unspaced = |term: &String| term.chars().next().is_some_and(unspaced);
        let runs = self.words.chunk_by(|a, b| is_unspaced(a) && is_unspaced(b));
        let words = runs.flat_map(|run| run.windows(run.len().min(2)));
        let mut apart: Vec<Self> =
            words.map(|words| Self { words: words.to_vec(), prefix: false, quoted: false, cut: self.cut }).collect();
        if let Some(last) = apart.last_mut() {
            last.prefix = self.prefix;
        }
        apart
    }

    /// Words in a row count as much as they would one by one.
    fn emphasis(&self) -> f64 {
        let last = self.words.len() - 1;
        let words = self.words.iter().enumerate();
        words.map(|(at, word)| if self.prefix && at == last { 1.0 } else { emphasis(word) }).sum()
    }

    /// The word, if it is one and stands for itself.
    fn single(&self) -> Option<&str> {
        if let [word] = self.words.as_slice() { (!self.prefix && !self.quoted).then_some(word) } else { None }
    }

    /// The pair that two single words make, unless neither says anything.
    fn beside(&self, next: &Self) -> Option<Pair> {
        let (first, second) = (self.single()?, next.single()?);
        let says_something = !(is_function_word(first) && is_function_word(second));
        let unit = Unit([first, second].map(|term| Sought::Stem(stem(term))).to_vec());
        let emphasis = SIDE_BY_SIDE * emphasis(first).min(emphasis(second));
        says_something.then_some(Pair { unit, emphasis })
    }
}

/// How much a word counts.
fn emphasis(word: &str) -> f64 {
    match word.chars().next() {
        Some(first) if unspaced(first) => CHARACTER,
        _ if is_function_word(word) => FUNCTION_WORD,
        _ => 1.0,
    }
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
            query.strict.units,
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
        assert_eq!(query.strict.units, [stems(&["the"]), stems(&["invoice"]), stems(&["of"]), stems(&["the", "who"])]);
        assert_eq!(query.strict.emphasis, [2.0 * FUNCTION_WORD, 2.0, FUNCTION_WORD, 2.0 * FUNCTION_WORD]);
        assert_eq!(Query::parse("e-mail 東京タワー don* t*").strict.emphasis, [2.0, 2.5, 1.0, 1.0]);
    }

    #[test]
    fn words_typed_side_by_side_are_pairs() {
        let pairs = |text: &str| Query::parse(text).strict.pairs;
        let pair = |words: &[&str], emphasis: f64| Pair { unit: stems(words), emphasis: SIDE_BY_SIDE * emphasis };
        assert_eq!(
            pairs("open window, open windows"),
            [pair(&["open", "window"], 2.0), pair(&["window", "open"], 1.0)]
        );
        assert_eq!(pairs("out of the harbour"), [pair(&["the", "harbour"], FUNCTION_WORD)]);
        for apart in ["open", "open -shut window", "open \"a\" window", "\"open\" window", "open* window", "a-b window"]
        {
            assert_eq!(pairs(apart), [], "{apart}");
        }
        assert_eq!(Query::parse("don't go").relaxed.pairs.len(), 2);
        let many: Vec<String> = (0..64).map(|n| format!("w{n}")).collect();
        assert_eq!(pairs(&many.join(" ")).len(), MAX_PAIRS);
    }

    #[test]
    fn text_without_spaces_is_a_phrase() {
        assert_eq!(Query::parse("東京").strict.units, [stems(&["東", "京"])]);
    }

    #[test]
    fn signs_that_set_words_apart_are_told_from_those_that_join_them() {
        for text in ["picnic/meeting", "picnic,meeting", "(picnic)[meeting];", "picnic|meeting", "picnic…meeting!"] {
            assert_eq!(Query::parse(text).strict.units, [stems(&["picnic"]), stems(&["meeting"])], "{text}");
        }
        assert_eq!(Query::parse("京都、東京").strict.units, [stems(&["京", "都"]), stems(&["東", "京"])]);
        for (text, words) in [
            ("e-mail", vec!["e", "mail"]),
            ("2026-03-12", vec!["2026", "03", "12"]),
            ("12/03/2026", vec!["12", "03", "2026"]),
            ("1,000.50", vec!["1", "000", "50"]),
            ("me@x.org", vec!["me", "x", "org"]),
            ("don’t", vec!["don", "t"]),
        ] {
            assert_eq!(Query::parse(text).strict.units, [stems(&words)], "{text}");
        }
        assert_eq!(Query::parse("\"picnic/meeting\"").strict.units, [stems(&["picnic", "meeting"])]);
        assert_eq!(Query::parse("tea -picnic/meeting").excluded, [stems(&["picnic"]), stems(&["meeting"])]);
        let starts = ["ann", "re"].map(|start| Unit(vec![Sought::Prefix(start.into())]));
        assert_eq!(Query::parse("(ann*),re*").strict.units, starts);
    }

    #[test]
    fn a_relaxed_query_counts_the_words_of_what_was_not_quoted() {
        let query = Query::parse("\"annual report\" don't meet-up* meet");
        let prefix = Unit(vec![Sought::Prefix("up".into())]);
        assert_eq!(
            query.relaxed.units,
            [stems(&["annual", "report"]), stems(&["don"]), stems(&["t"]), stems(&["meet"]), prefix]
        );
        assert_eq!(query.relaxed.emphasis, [2.0, 1.0, FUNCTION_WORD, 2.0, 1.0]);
        assert_eq!(
            Query::parse("東京都tower第3").relaxed.units,
            [stems(&["東", "京"]), stems(&["京", "都"]), stems(&["tower"]), stems(&["第"]), stems(&["3"])]
        );
        for (text, can) in [("meeting", false), ("\"annual report\"", false), ("京東", false), ("e-mail", true)] {
            assert_eq!(Query::parse(text).can_be_relaxed(), can, "{text}");
        }
        let long: String = ('一'..).take(64).collect();
        let query = Query::parse(&format!("{long} {}", long.chars().rev().collect::<String>()));
        assert_eq!((query.strict.units.len(), query.strict.shortened), (2, false));
        assert_eq!((query.relaxed.units.len(), query.relaxed.shortened), (MAX_UNITS, true));
    }

    #[test]
    fn nothing_but_operators_is_nothing_to_find() {
        for text in ["", "  ", "-", "\"", "\"\"", "* - \" \"", "🙂 !!", "--", "-*"] {
            assert_eq!(Query::parse(text).strict.units, [], "{text}");
        }
        assert_eq!(Query::parse("\"open phrase").strict.units, [stems(&["open", "phrase"])]);
        assert_eq!(Query::parse("a a A").strict.units, [stems(&["a"])]);
    }

    #[test]
    fn a_very_long_query_is_shortened_and_says_so() {
        let text: Vec<String> = (0..100).map(|n| format!("w{n}")).collect();
        let query = Query::parse(&text.join(" "));
        assert_eq!((query.strict.units.len(), query.strict.shortened), (MAX_UNITS, true));
        for (words, shortened) in [(64, false), (65, true)] {
            for text in [format!("\"{}\"", text[..words].join(" ")), format!("a -{}", text[..words].join("-"))] {
                let query = Query::parse(&text);
                assert_eq!((query.strict.shortened, query.relaxed.shortened), (shortened, shortened), "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn anything_can_be_typed(text in "[ab*\"“ \\-]{0,24}|.{0,40}") {
            let query = Query::parse(&text);
            for reading in [&query.strict, &query.relaxed] {
                prop_assert!(reading.units.iter().chain(&query.excluded).all(|unit| !unit.0.is_empty()));
                prop_assert_eq!(reading.units.len(), reading.emphasis.len());
            }
            prop_assert_eq!(query.strict.units.is_empty(), query.relaxed.units.is_empty());
        }
    }
}
