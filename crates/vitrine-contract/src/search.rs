//! Search hits: references with evidence, never records.

use serde::{Deserialize, Serialize};

use crate::Warning;
use crate::record::{ConnectionFreshness, SearchResultTag, Tag};

/// A record that matched, and the proof.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// `"search_result"`.
    pub object: Tag<SearchResultTag>,
    /// The account it came from.
    pub connection_id: String,
    /// The kind of source.
    pub connector_key: String,
    /// The owner's label for the account.
    pub display_name: String,
    /// The record's stream.
    pub stream: String,
    /// The record's id.
    pub record_key: String,
    /// Where to read it.
    pub record_url: String,
    /// When the source emitted it.
    pub emitted_at: String,
    /// When a person wrote, sent or received it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authored_at: Option<String>,
    /// What a person would call it.
    pub title: String,
    /// Fields with a match.
    #[serde(default)]
    pub matched_fields: Vec<String>,
    /// The best matches, in place.
    #[serde(default)]
    pub match_windows: Vec<MatchWindow>,
    /// How well it matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// Which searches found it, in a hybrid one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieval_sources: Option<Vec<String>>,
}

/// A proven match: `text` is exactly the field's characters `start_chars..end_chars`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchWindow {
    /// The field.
    pub field_path: String,
    /// The characters, with no markup.
    pub text: String,
    /// First character.
    pub start_chars: u64,
    /// One past the last.
    pub end_chars: u64,
    /// Where the match starts.
    pub match_start_chars: u64,
    /// Where it ends.
    pub match_end_chars: u64,
    /// Characters in the whole field.
    pub total_chars: u64,
    /// Whether this is the whole field.
    pub complete: bool,
}

/// How well a record matched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// `bm25`, `cosine` or `fusion`.
    pub kind: String,
    /// `descending`: larger is better.
    pub order: String,
    /// The number.
    pub value: f64,
}

/// What a page of hits says about itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SearchMeta {
    /// How many records match, if known.
    #[serde(default)]
    pub count: Option<u64>,
    /// `exact`, `lower_bound`, `estimated` or `not_counted`.
    #[serde(default)]
    pub count_accuracy: String,
    /// What was ranked.
    #[serde(default)]
    pub recall: Recall,
    /// True when no record had all the words, so any of them counted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub relaxed: bool,
    /// How much is indexed, until all of it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<IndexCoverage>,
    /// What was adjusted.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// How far the data of each searched connection reaches, whatever was found in it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub freshness: Vec<ConnectionFreshness>,
}

/// How much of what may be seen was ranked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Recall {
    /// Whether every match was considered.
    pub complete: bool,
    /// `all_matches` or `candidate_window`.
    pub ranking_scope: String,
    /// Whether candidates were cut.
    pub truncated: bool,
}

/// How much of the semantic index is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct IndexCoverage {
    /// Texts indexed.
    pub covered: u64,
    /// Texts in all.
    pub total: u64,
}
