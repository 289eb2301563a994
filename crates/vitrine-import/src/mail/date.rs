//! When a mail was sent, in the forms that mail programs have written over the years.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

use crate::zones;

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// Words of a date that are looked at.
const MAX_WORDS: usize = 16;
const MAX_CHARACTERS: usize = 1_000;

/// Reads `Tue, 10 Mar 2026 12:00:00 +0100`, `10 Mar 26 12:00 EST`, `Tue Mar 10 12:00:00 2026`, `2026-03-10 12:00`;
/// in `zone` when it names none. What it cannot make sense of is no date: better none than a wrong one.
pub(super) fn instant(header: &str, zone: &TimeZone) -> Option<Timestamp> {
    let told = without_comments(header);
    let told = told.trim();
    if let Ok(at) = told.parse() {
        return Some(at);
    }
    if let Ok(local) = told.parse() {
        return zones::instant(local, "", zone);
    }
    let (mut day, mut month, mut year, mut clock, mut half, mut printed) = (None, None, None, None, None, "");
    let words = told.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    for word in words.take(MAX_WORDS).flat_map(parts) {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let (figures, told_half) = halves(word);
        half = half.or(told_half);
        if figures.is_empty() {
            continue;
        }
        if clock.is_none() && is_clock(figures, day.is_some() && month.is_some()) {
            clock = Some(time(figures)?);
        } else if is_number && day.is_none() && word.len() <= 2 {
            day = word.parse().ok();
        } else if is_number && year.is_none() {
            year = Some(full_year(word)?);
        } else if is_number || (clock.is_some() && is_clock(figures, true)) {
            return None;
        } else if month.is_none() && month_of(word).is_some() {
            month = month_of(word);
        } else if let (None, Some(date)) = (day, international(word)) {
            (day, month, year) = (Some(date.day()), Some(date.month()), Some(date.year()));
        } else if clock.is_some() && (printed.is_empty() || word.starts_with(['+', '-'])) {
            printed = word.trim_matches('"');
        }
    }
    let clock = clock?;
    let hour = match half {
        Some(half) if clock.hour() <= 12 => clock.hour() % 12 + half,
        _ => clock.hour(),
    };
    let clock = Time::new(hour, clock.minute(), clock.second(), 0).ok()?;
    let local = DateTime::from_parts(Date::new(year?, month?, day?).ok()?, clock);
    zones::instant(local, printed, zone)
}

/// Without what stands in parentheses, mostly the name of the zone once more.
fn without_comments(header: &str) -> Cow<'_, str> {
    if !header.contains('(') {
        return Cow::Borrowed(header);
    }
    let mut depth = 0_u32;
    let mut is_told = |c: char| {
        let was_inside = depth > 0;
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && !was_inside
    };
    Cow::Owned(header.chars().take(MAX_CHARACTERS).filter(|c| is_told(*c)).collect())
}

/// `2026-03-10`
fn international(word: &str) -> Option<Date> {
    (word.as_bytes().get(4) == Some(&b'-')).then(|| word.parse().ok())?
}

/// The figures of `2:13PM`, and the hours that its half of the day adds.
fn halves(word: &str) -> (&str, Option<i8>) {
    if !word.ends_with(['m', 'M', '.']) {
        return (word, None);
    }
    for (mark, hours) in [("am", 0), ("pm", 12), ("a.m.", 0), ("p.m.", 12)] {
        if let Some(at) = word.len().checked_sub(mark.len())
            && let Some((figures, end)) = word.split_at_checked(at)
            && end.eq_ignore_ascii_case(mark)
            && figures.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'))
        {
            return (figures, Some(hours));
        }
    }
    (word, None)
}

/// Whether a word is a time of day: `12:00`, or `12.00` after a date.
fn is_clock(word: &str, after_date: bool) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && (word.contains(':') || (after_date && word.contains('.')))
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

/// A leap second is told as the one before, and parts of a second go.
fn time(word: &str) -> Option<Time> {
    let mut figures = word.split([':', '.']);
    let mut number = || figures.next().map(str::parse::<i8>);
    let (hour, minute) = (number()?.ok()?, number()?.ok()?);
    let second = number().transpose().ok()?.unwrap_or_default();
    let is_rest_figures = figures.all(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    Time::new(hour, minute, second.min(59), 0).ok().filter(|_| is_rest_figures && second <= 60)
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
            ("(sent) Tue, 10 Mar 2026 12:00:00 (that (is) PST) -0800", "2026-03-10T20:00:00Z"),
        ] {
            assert_eq!(instant(header, &zone).map(|at| at.to_string()).as_deref(), Some(expected), "{header}");
        }
        for none in ["garbage", "", "10 Mar 12:00", "32 Mar 2026 12:00:00 +0000", "10 Mar 2026 25:00:00 +0000"] {
            assert_eq!(instant(none, &zone), None, "{none}");
        }
    }

    #[test]
    fn an_odd_time_of_day_is_read_right_or_not_at_all() {
        let zone = TimeZone::get("Europe/Berlin").expect("a zone");
        for (header, expected) in [
            ("Tue, 14 Nov 2023 2:13:20 PM +0100", Some("2023-11-14T13:13:20Z")),
            ("Tue, 14 Nov 2023 2:13:20PM +0100", Some("2023-11-14T13:13:20Z")),
            ("Tue, 14 Nov 2023 12:13:20 a.m. +0100", Some("2023-11-13T23:13:20Z")),
            ("11/14/2023 2:13:20 PM", None),
            ("2023-11-14 2:13:20 PM", Some("2023-11-14T13:13:20Z")),
            ("Tue, 14 Nov 2023 14:13:20 PM +0100", Some("2023-11-14T13:13:20Z")),
            ("Tue, 14 Nov 2023 14.13.20 +0100", Some("2023-11-14T13:13:20Z")),
            ("Tue, 14 Nov 2023 14:13:20.500 +0100", Some("2023-11-14T13:13:20Z")),
            ("Tue, 14 Nov 2023 14:13:20 GMT +0100", Some("2023-11-14T13:13:20Z")),
            ("Tue, 14 Nov 2023 14:13:20 GMT+01:00", Some("2023-11-14T13:13:20Z")),
            ("Tue, 14 Nov 2023 14:13:20,500 +0100", None),
            ("Tue, 14 Nov 2023 14:13:20 15:13:20 +0100", None),
            ("14.11.2023 14:13:20", None),
            ("14.11.23 14:13:20", None),
            ("Tue, 14 Nov 2023 1413 +0100", None),
        ] {
            assert_eq!(instant(header, &zone).map(|at| at.to_string()).as_deref(), expected, "{header}");
        }
    }
}
