//! What a tool answers: two channels, and what only a resource-aware host looks at.

use std::sync::OnceLock;

use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value};
use vitrine_contract::{ApiError, ErrorCode};

use crate::budget::Budget;

/// A result, rendered for both kinds of host.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// The one text block of `content`.
    pub(crate) text: String,
    /// `structuredContent`, as minified JSON.
    pub(crate) structured: String,
    /// `_meta`, where alone `pdpp://` URIs may stand.
    pub(crate) meta: Map<String, Value>,
    pub(crate) is_error: bool,
    /// What the text may hold.
    pub(crate) text_budget: Budget,
    /// What the JSON may hold.
    pub(crate) structured_budget: Budget,
    /// Whether both do, once that was looked at: an answer does not change after it was.
    fits: OnceLock<bool>,
}

impl Answer {
    /// An answer under the ordinary budget of a channel.
    pub(crate) fn new(text: String, structured: String) -> Self {
        Self {
            text,
            structured,
            meta: Map::new(),
            is_error: false,
            text_budget: Budget::CHANNEL,
            structured_budget: Budget::CHANNEL,
            fits: OnceLock::new(),
        }
    }

    /// An answer that is the same JSON in both channels.
    pub(crate) fn document(document: String) -> Self {
        let fits = OnceLock::from(Budget::CHANNEL.holds_text(&document));
        Self { fits, ..Self::new(document.clone(), document) }
    }

    pub(crate) fn with_budgets(mut self, text: Budget, structured: Budget) -> Self {
        (self.text_budget, self.structured_budget) = (text, structured);
        self
    }

    pub(crate) fn fits(&self) -> bool {
        *self.fits.get_or_init(|| {
            self.text_budget.holds_text(&self.text) && self.structured_budget.holds_text(&self.structured)
        })
    }

    /// How full the fuller channel is of characters, in thousandths.
    pub(crate) fn filled(&self) -> usize {
        self.text_budget.filled(&self.text).max(self.structured_budget.filled(&self.structured))
    }

    /// The last line of defence: what no renderer could make fit is refused, not sent.
    pub(crate) fn within_bounds(self) -> Result<Self, ApiError> {
        if self.fits() {
            return Ok(self);
        }
        Err(ApiError::new(
            ErrorCode::PayloadTooLarge,
            "The answer does not fit one result. Narrow it: name a few short `fields`, one `stream`, one \
             `connection_id`, or a lower `limit`.",
        ))
    }
}

impl From<Answer> for CallToolResponse {
    fn from(answer: Answer) -> Self {
        CallToolResult::from(answer).into()
    }
}

impl From<Answer> for CallToolResult {
    fn from(answer: Answer) -> Self {
        let mut result = Self::success(vec![ContentBlock::text(answer.text)]);
        result.structured_content = serde_json::from_str(&answer.structured).ok();
        result.is_error = Some(answer.is_error);
        result.meta = (!answer.meta.is_empty()).then_some(MetaObject(answer.meta));
        result
    }
}
