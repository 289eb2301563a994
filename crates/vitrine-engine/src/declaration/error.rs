//! Why a declaration was refused.

use std::fmt;

/// Why a declaration was refused: which stream, which field, which rule, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct DeclarationError {
    /// The stream at fault; none when the document around the streams is.
    pub stream: Option<String>,
    /// The declared field, or the key of the document, at fault.
    pub field: Option<String>,
    /// A short name of the rule that does not change between releases.
    pub rule: String,
    /// What is wrong and what to do.
    pub message: String,
}

const MAX_QUOTED_CHARS: usize = 128;

impl DeclarationError {
    pub(super) fn in_stream(stream: &str, field: &str, rule: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(Some(stream), Some(field), rule, message)
    }

    pub(super) fn new(
        stream: Option<&str>,
        field: Option<&str>,
        rule: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { stream: stream.map(quoted), field: field.map(quoted), rule: rule.into(), message: message.into() }
    }
}

impl fmt::Display for DeclarationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the declaration is refused: ")?;
        if let Some(stream) = &self.stream {
            write!(f, "stream `{stream}`, ")?;
        }
        if let Some(field) = &self.field {
            write!(f, "`{field}`, ")?;
        }
        write!(f, "rule {}: {}", self.rule, self.message)
    }
}

/// A name from the document, cut short and without control characters, fit for a message.
pub(super) fn quoted(name: &str) -> String {
    let clean = |c: char| if c.is_control() { '\u{FFFD}' } else { c };
    let mut shown: String = name.chars().take(MAX_QUOTED_CHARS).map(clean).collect();
    if name.chars().nth(MAX_QUOTED_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_where_and_which_rule() {
        let error = DeclarationError::in_stream("messages", "sent", "cursor_field_not_declared", "declare it");
        assert_eq!(
            error.to_string(),
            "the declaration is refused: stream `messages`, `sent`, rule cursor_field_not_declared: declare it"
        );
        assert_eq!(
            DeclarationError::new(None, None, "not_json", "send JSON").to_string(),
            "the declaration is refused: rule not_json: send JSON"
        );
    }

    #[test]
    fn long_names_are_cut() {
        let shown = quoted(&"é\n".repeat(500));
        assert_eq!(shown.chars().count(), MAX_QUOTED_CHARS + 1);
        assert!(!shown.contains('\n'));
    }
}
