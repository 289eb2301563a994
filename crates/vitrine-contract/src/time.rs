//! Instants as the contract writes them: RFC 3339, UTC, `Z`.

use jiff::{Timestamp, civil, tz::TimeZone};

/// Reads an instant: RFC 3339, or a date (and time) without an offset, taken as UTC.
pub fn parse(text: &str) -> Option<Timestamp> {
    if text.len() < 10 || text.len() > 64 || !text.as_bytes()[0].is_ascii_digit() {
        return None;
    }
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Some(instant);
    }
    let civil = if text.len() == 10 {
        text.parse::<civil::Date>().ok()?.to_datetime(civil::Time::midnight())
    } else {
        text.parse::<civil::DateTime>().ok()?
    };
    TimeZone::UTC.to_timestamp(civil).ok()
}

/// Writes an instant with as many fractional digits as it needs.
pub fn format(instant: Timestamp) -> String {
    instant.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_accepted_form_becomes_the_same_instant() {
        for text in ["2026-03-12T09:41:00Z", "2026-03-12T10:41:00+01:00", "2026-03-12T09:41:00", "2026-03-12 09:41:00"]
        {
            assert_eq!(parse(text).map(format).as_deref(), Some("2026-03-12T09:41:00Z"), "{text}");
        }
        assert_eq!(parse("2026-03-12").map(format).as_deref(), Some("2026-03-12T00:00:00Z"));
        for text in ["", "now", "2026", "2026-13-01", "1899999999", "2026-02-30T00:00:00Z"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
