//! What the engine asks of a search, and what a store found.

use vitrine_contract::request::SearchMode;
use vitrine_contract::search::IndexCoverage;

use super::Row;
use crate::words::Query;

/// Which records to find.
#[derive(Debug, Clone, Copy)]
pub struct SearchAsk<'a> {
    /// How.
    pub mode: SearchMode,
    /// What.
    pub query: &'a Query,
    /// Hits after this one, weighed as it was.
    pub after: Option<&'a Ranked>,
    /// Hits at most.
    pub rows: usize,
    /// Fields to bring along, as far as they may be seen.
    pub show: &'a [&'a str],
}

/// A place in a ranking, and the weights the ranking was made with: whatever is written meanwhile,
/// a record that has not changed keeps its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// How things were weighed.
    pub weights: Weights,
    /// The hit's score.
    pub score: f64,
    /// Its connection.
    pub connection_id: String,
    /// Its stream.
    pub stream: String,
    /// The record.
    pub id: String,
}

/// What a score depends on besides the record itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Weights {
    /// Whether any wanted thing was enough, since no record had them all.
    pub relaxed: bool,
    /// How telling each wanted thing is.
    pub rarity: Vec<f64>,
    /// Words in a field, on average.
    pub length: f64,
    /// The best lexical score, which fusion measures others against.
    pub best: f64,
    /// The last text that counts among those that were read for their meaning.
    pub last_read: i64,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The hits, best first.
    pub hits: Vec<FoundHit>,
    /// Whether more follow.
    pub more: bool,
    /// How many records match, if they were counted.
    pub total: Option<u64>,
    /// Whether every match was ranked.
    pub complete: bool,
    /// How things were weighed.
    pub weights: Weights,
    /// How much can be found by meaning, until all of it can.
    pub coverage: Option<IndexCoverage>,
}

/// A record that matches.
#[derive(Debug, Clone, Default)]
pub struct FoundHit {
    /// The record, with the fields that were to be brought along.
    pub row: Row,
    /// How well it matches.
    pub score: f64,
    /// Visible fields with a match, in declared order.
    pub matched_fields: Vec<String>,
    /// The best matches in place.
    pub evidence: Vec<Evidence>,
    /// Found by its words.
    pub lexical: bool,
    /// Found by its meaning.
    pub semantic: bool,
}

/// A match, and the characters around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The field.
    pub field: String,
    /// The characters.
    pub text: String,
    /// The first of them.
    pub start: u64,
    /// Where the match stands.
    pub found: (u64, u64),
    /// Characters in the whole field.
    pub total: u64,
}
