//! Figures, days and purposes as people read them.

use vitrine_engine::grant::DEFAULT_PURPOSE;
use vitrine_engine::oauth::offer::{AI_TRAINING, Lasting};

/// `1,234,567`.
pub(super) fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// `1 record`, `2 records`.
pub(super) fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(n), if n == 1 { one } else { many })
}

/// The day of an instant.
pub(super) fn day(instant: &str) -> &str {
    instant.get(..10).unwrap_or(instant)
}

/// The minute of an instant.
pub(super) fn moment(instant: &str) -> String {
    instant.get(..16).map_or_else(|| instant.to_owned(), |minute| minute.replace('T', " ") + " UTC")
}

/// A purpose that has words for it.
pub(super) fn purpose(code: &str) -> Option<&'static str> {
    match code {
        DEFAULT_PURPOSE => Some("to work as your personal AI assistant"),
        AI_TRAINING => Some("to train AI models with your records"),
        _ => None,
    }
}

/// How long a grant lasts.
pub(super) fn lasting(lasting: Lasting) -> &'static str {
    match lasting {
        Lasting::Once => "Once: one hour, then it has to ask again",
        Lasting::Day => "One day",
        Lasting::Week => "One week",
        Lasting::Month => "30 days",
        Lasting::Year => "One year",
        Lasting::UntilEnded => "Until I end it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (n, shown) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(number(n), shown);
        }
        assert_eq!(count(1, "record", "records"), "1 record");
    }
}
