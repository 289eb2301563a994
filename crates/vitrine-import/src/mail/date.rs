//! When a mail was sent, in the forms that mail programs have written over the years.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

use crate::zones;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// Words of a date that are looked at.
const MAX_WORDS: usize = 16;

/// Reads `Tue, 10 Mar 2026 12:00:00 +0100`, `10 Mar 26 12:00 EST`, `Tue Mar 10 12:00:00 2026`; in
/// `zone` when it names none.
pub(super) fn instant(header: &str, zone: &TimeZone) -> Option<Timestamp> {
    let told = header.split('(').next().unwrap_or_default().trim();
    if let Ok(at) = told.parse() {
        return Some(at);
    }
    if let Ok(local) = told.parse() {
        return zones::instant(local, "", zone);
    }
    if let Some(at) = international(told, zone) {
        return Some(at);
    }
    let (mut day, mut month, mut year, mut clock, mut printed) = (None, None, None, None, "");
    let words = told.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    for word in words.take(MAX_WORDS).flat_map(parts) {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        if word.contains(':') && clock.is_none() && !word.starts_with(['+', '-']) {
            clock = Some(time(word)?);
        } else if is_number && day.is_none() && word.len() <= 2 {
            day = word.parse().ok();
        } else if is_number && year.is_none() {
            year = Some(full_year(word)?);
        } else if month.is_none() && month_of(word).is_some() {
            month = month_of(word);
        } else if clock.is_some() && printed.is_empty() {
            printed = word.trim_matches('"');
        }
    }
    let local = DateTime::from_parts(Date::new(year?, month?, day?).ok()?, clock?);
    zones::instant(local, printed, zone)
}

/// `2026-03-10 12:00:00 +0100`
fn international(told: &str, zone: &TimeZone) -> Option<Timestamp> {
    let mut words = told.split_ascii_whitespace();
    let (date, clock) = (words.next()?.parse().ok()?, time(words.next()?)?);
    zones::instant(DateTime::from_parts(date, clock), words.next().unwrap_or_default(), zone)
}

/// `10-Mar-2026` is three words.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let is_date = word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(|c: char| c.is_ascii_alphabetic());
    let (dashed, whole) = if is_date { (Some(word.split('-')), None) } else { (None, Some(word)) };
    dashed.into_iter().flatten().chain(whole)
}

fn month_of(word: &str) -> Option<i8> {
    let start = word.get(..3)?.to_ascii_lowercase();
    MONTHS.iter().position(|month| *month == start).and_then(|at| i8::try_from(at + 1).ok())
}

/// Two digits are of this century up to 49, as the standard says.
fn full_year(word: &str) -> Option<i16> {
    match (word.len(), word.parse::<i16>().ok()?) {
        (2, year @ 0..50) => Some(2000 + year),
        (2 | 3, year) => Some(1900 + year),
        (4, year) => Some(year).filter(|year| *year >= 1970),
        _ => None,
    }
}

/// A leap second is told as the one before.
fn time(word: &str) -> Option<Time> {
    let mut numbers = word.split(':').map(str::parse::<i8>);
    let (hour, minute) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    let second = numbers.next().transpose().ok()?.unwrap_or_default();
    Time::new(hour, minute, second.min(59), 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_old_and_careless_programs_are_read() {
        let zone = TimeZone::get("Europe/Berlin").expect("a zone");
        for (header, expected) in [
            ("Tue, 10 Mar 2026 12:00:00 +0100", "2026-03-10T11:00:00Z"),
            ("Tue, 10 Mar 2026 12:00:00 -0800 (PST)", "2026-03-10T20:00:00Z"),
            ("10 Mar 26 12:00 EST", "2026-03-10T17:00:00Z"),
            ("Tue Mar 10 12:00:00 2026", "2026-03-10T11:00:00Z"),
            ("Tue, 10 Mar 2026 12:00:00", "2026-03-10T11:00:00Z"),
            ("Tue, 10 Mar 2026 12:00:60 +0000", "2026-03-10T12:00:59Z"),
            ("Fri, 10 Jul 2026 12:00:00 CEST", "2026-07-10T10:00:00Z"),
            ("Fri, 10 Jul 2026 12:00:00 MESZ", "2026-07-10T10:00:00Z"),
            ("Tue, 10 Mar 2026 12:00:00 MEZ", "2026-03-10T11:00:00Z"),
            ("Tuesday, 10-Mar-98 12:00:00 GMT", "1998-03-10T12:00:00Z"),
            ("Tue, 10 Mar 2026 12:00:00 \"GMT\"", "2026-03-10T12:00:00Z"),
            ("2026-03-10 12:00:00 -0800", "2026-03-10T20:00:00Z"),
            ("2026-03-10 12:00:00", "2026-03-10T11:00:00Z"),
            ("2026-03-10T12:00:00-08:00", "2026-03-10T20:00:00Z"),
        ] {
            assert_eq!(instant(header, &zone).map(|at| at.to_string()).as_deref(), Some(expected), "{header}");
        }
        for none in ["garbage", "", "10 Mar 12:00", "32 Mar 2026 12:00:00 +0000", "10 Mar 2026 25:00:00 +0000"] {
            assert_eq!(instant(none, &zone), None, "{none}");
        }
    }
}
