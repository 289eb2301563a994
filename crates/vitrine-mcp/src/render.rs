//! Rendering: a contract value and a budget go in, text and JSON come out. Nothing here reads.

pub(crate) mod aggregation;
pub(crate) mod binary;
pub(crate) mod document;
pub(crate) mod error;
mod freshness;
pub(crate) mod hits;
mod json;
pub(crate) mod ladder;
mod omitted;
pub(crate) mod page;
pub(crate) mod record;
mod said;
pub(crate) mod schema;
pub(crate) mod skipped;
pub(crate) mod text;
pub(crate) mod window;

use serde_json::json;
use vitrine_contract::Warning;

use crate::answer::Answer;
use text::Lines;

/// What stands around every result.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) provider_url: &'a str,
    pub(crate) request_id: &'a str,
}

impl Frame<'_> {
    /// Closes a structured result with where it came from.
    pub(crate) fn finish(&self, mut structured: json::Object) -> String {
        structured.text("provider_url", self.provider_url);
        structured.text("request_id", self.request_id);
        structured.finish()
    }

    /// A link a person can follow.
    pub(crate) fn url(&self, path_and_query: &str) -> String {
        format!("{}{path_and_query}", self.provider_url.trim_end_matches('/'))
    }
}

/// A page that was rendered, or that must be asked for again with fewer rows, because only its
/// provider can make the cursor that continues after the last row that fits.
pub(crate) enum Fit {
    Whole(Box<Answer>),
    AskFor(usize),
}

/// The most rows, at most `all`, that `try_rows` can make fit; and what it made of them.
pub(crate) fn most_rows(all: usize, mut try_rows: impl FnMut(usize) -> Answer) -> (usize, Answer) {
    let whole = try_rows(all);
    if whole.fits() || all == 0 {
        return (all, whole);
    }
    let (mut kept, mut over) = ((0, None), all);
    while kept.0 + 1 < over {
        let rows = usize::midpoint(kept.0, over);
        let answer = try_rows(rows);
        if answer.fits() {
            kept = (rows, Some(answer));
        } else {
            over = rows;
        }
    }
    match kept {
        (rows, Some(answer)) => (rows, answer),
        (_, None) => (0, try_rows(0)),
    }
}

/// Says that a page was cut to what fits.
pub(crate) fn shortened(kept: usize, of: usize) -> Warning {
    Warning {
        code: "result_shortened".into(),
        message: Some(format!("Only the first {kept} of {of} fit this result; next_cursor continues after them.")),
        detail: json!({ "returned": kept, "available": of }),
    }
}

/// Warnings that were made fit to be shown, one a line.
pub(crate) fn warning_lines(warnings: &[Warning]) -> String {
    let mut lines = String::new();
    for warning in warnings {
        let message = warning.message.as_deref().unwrap_or_default();
        lines.line(format_args!("warning {}: {message}", warning.code));
    }
    lines
}
