//! What became of an import.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;
use vitrine_engine::owner::ConnectionShown;
use vitrine_import::Skip;

/// Reasons that are told apart; the rest is counted together.
const MAX_REASONS: usize = 40;
/// Places that are named for each reason.
const MAX_EXAMPLES: usize = 3;
const MAX_EXAMPLE_CHARS: usize = 120;
/// Notes that are kept; an archive of many chats may have one for each.
const MAX_NOTES: usize = 20;
const MAX_NOTE_CHARS: usize = 1_000;

/// What became of an import, so far or at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Summary {
    /// `"import_result"`.
    object: &'static str,
    kind: String,
    #[serde(flatten)]
    connection: ConnectionShown,
    records_imported: u64,
    records_unchanged: u64,
    /// Left out on purpose.
    records_skipped: u64,
    /// Should have become records and could not.
    records_rejected: u64,
    streams: BTreeMap<String, StreamSummary>,
    reasons: Vec<Tally>,
    /// How the export was read, where that is not plain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Why the end of the export was not reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stopped: Option<String>,
    /// What to know about the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) warning: Option<String>,
}

/// What became of one stream's records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct StreamSummary {
    imported: u64,
    unchanged: u64,
}

/// Why some of an export became no records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Tally {
    reason: Cow<'static, str>,
    rejected: bool,
    count: u64,
    examples: Vec<String>,
}

impl Summary {
    pub(super) fn new(kind: String, connection: ConnectionShown) -> Self {
        Self {
            object: "import_result",
            kind,
            connection,
            records_imported: 0,
            records_unchanged: 0,
            records_skipped: 0,
            records_rejected: 0,
            streams: BTreeMap::new(),
            reasons: Vec::new(),
            notes: Vec::new(),
            stopped: None,
            warning: None,
        }
    }

    pub(super) fn skip(&mut self, skip: Skip) {
        if skip.rejected {
            self.records_rejected += 1;
        } else {
            self.records_skipped += 1;
        }
        let reason = self.reason(skip.reason, skip.rejected);
        reason.count += 1;
        if reason.examples.len() < MAX_EXAMPLES {
            reason.examples.push(skip.place.chars().take(MAX_EXAMPLE_CHARS).collect());
        }
    }

    pub(super) fn note(&mut self, note: &str) {
        let note: String = note.chars().take(MAX_NOTE_CHARS).collect();
        if self.notes.len() < MAX_NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub(super) fn imported(&mut self, stream: &str) {
        self.records_imported += 1;
        self.streams.entry(stream.to_owned()).or_default().imported += 1;
    }

    pub(super) fn unchanged(&mut self, stream: &str) {
        self.records_unchanged += 1;
        self.streams.entry(stream.to_owned()).or_default().unchanged += 1;
    }

    /// Records and the rest, so far.
    pub(super) fn seen(&self) -> u64 {
        self.records_imported + self.records_unchanged + self.records_skipped + self.records_rejected
    }

    /// Whether everything that should have become a record is one.
    pub(crate) fn is_whole(&self) -> bool {
        self.records_rejected == 0 && self.stopped.is_none()
    }

    /// For a person.
    pub(crate) fn words(&self) -> String {
        let ConnectionShown { connection_id, display_name, .. } = &self.connection;
        let mut words = vec![format!(
            "{display_name} ({connection_id}): {} imported, {} unchanged, {} skipped, {} rejected",
            self.records_imported, self.records_unchanged, self.records_skipped, self.records_rejected
        )];
        for (name, stream) in &self.streams {
            words.push(format!("  {name}: {} imported, {} unchanged", stream.imported, stream.unchanged));
        }
        for Tally { reason, rejected, count, examples } in &self.reasons {
            let what = if *rejected { "rejected" } else { "skipped" };
            words.push(format!("  {what} {count}: {reason} ({})", examples.join(", ")));
        }
        words.extend(self.notes.iter().map(|note| format!("  {note}")));
        words.extend(self.warning.clone());
        if let Some(stopped) = &self.stopped {
            words.push(format!("Stopped early: {stopped}"));
            words.push("What was imported stays; the same command goes on where it is missing something.".to_owned());
        }
        words.join("\n")
    }

    fn reason(&mut self, reason: Cow<'static, str>, rejected: bool) -> &mut Tally {
        let place = |reasons: &[Tally], words: &str| {
            reasons.iter().position(|known| known.reason == words && known.rejected == rejected)
        };
        let known = place(&self.reasons, &reason);
        let full = known.is_none() && self.reasons.len() >= MAX_REASONS;
        let reason = if full { Cow::Borrowed("other reasons") } else { reason };
        let known = known.or_else(|| place(&self.reasons, &reason)).unwrap_or_else(|| {
            self.reasons.push(Tally { reason, rejected, count: 0, examples: Vec::new() });
            self.reasons.len() - 1
        });
        &mut self.reasons[known]
    }
}
