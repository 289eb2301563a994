//! Instants as the contract writes them: RFC 3339, UTC, `Z`.

use jiff::{Timestamp, civil, tz::TimeZone};

const NANO_DIGITS: usize = 9;

/// Reads an instant: RFC 3339, or a date (and time) without an offset, taken as UTC. What follows nanoseconds is left
/// out, and the last hours of the year 9999, which mean that something has no end, are the last instant there is.
pub fn parse(text: &str) -> Option<Timestamp> {
    if text.len() < 10 || text.len() > 64 || !text.as_bytes()[0].is_ascii_digit() {
        return None;
    }
    exact(text).or_else(|| exact(&to_nanoseconds(text)?)).or_else(|| {
        let a_year_before = format!("9998-12-3{}", text.strip_prefix("9999-12-3")?);
        parse(&a_year_before).map(|_| Timestamp::MAX)
    })
}

/// The text with nine fractional digits, if it has more.
fn to_nanoseconds(text: &str) -> Option<String> {
    let (whole, rest) = text.split_once('.')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (digits > NANO_DIGITS).then(|| format!("{whole}.{}{}", &rest[..NANO_DIGITS], &rest[digits..]))
}

fn exact(text: &str) -> Option<Timestamp> {
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
        let fine = parse("2026-03-12T09:41:00.123456789123Z").map(format);
        assert_eq!(fine.as_deref(), Some("2026-03-12T09:41:00.123456789Z"));
        for text in ["", "now", "2026", "2026-13-01", "1899999999", "2026-02-30T00:00:00Z"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_has_no_end_comes_last() {
        for text in
            ["9999-12-31", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999999999+01:00", "9999-12-30T23:00:00"]
        {
            assert_eq!(parse(text), Some(Timestamp::MAX), "{text}");
        }
        assert!(parse("9999-12-30T12:00:00Z").is_some_and(|before| before < Timestamp::MAX));
        for text in ["9999-12-32", "9999-12-31T25:00:00Z", "9999-12-31 or so", "9999-12-3"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
