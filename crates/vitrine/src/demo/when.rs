//! Five years that end on the first of November 2026, whatever the machine's clock says.

use jiff::civil::{Date, Weekday, date, time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp};

use super::dice::Dice;

/// The first day of the records.
pub(crate) const FIRST_DAY: Date = date(2021, 11, 1);
/// The day on which the records end.
pub(crate) const TODAY: Date = date(2026, 11, 1);
/// How many days lie between.
pub(crate) const DAYS: i64 = 1826;

/// The day that many days after the first.
pub(crate) fn day(number: i64) -> Date {
    days_after(FIRST_DAY, number)
}

/// The day that many days after, or before, another.
pub(crate) fn days_after(day: Date, days: i64) -> Date {
    day.saturating_add(Span::new().days(days))
}

/// Every day of the records.
pub(crate) fn every_day() -> impl Iterator<Item = Date> {
    (0..DAYS).map(day)
}

/// The first of every month.
pub(crate) fn every_month() -> impl Iterator<Item = Date> {
    every_day().filter(|day| day.day() == 1)
}

/// A day like any other.
pub(crate) fn some_day(dice: &mut Dice) -> Date {
    day(dice.between(0, DAYS - 1))
}

/// A day somebody works.
pub(crate) fn some_working_day(dice: &mut Dice) -> Date {
    let day = some_day(dice);
    match day.weekday() {
        Weekday::Saturday => days_after(day, -1),
        Weekday::Sunday => days_after(day, -2),
        _ => day,
    }
}

/// An instant of a day.
pub(crate) fn at(day: Date, hour: i64, minute: i64) -> Timestamp {
    let midnight = TimeZone::UTC.to_timestamp(day.to_datetime(time(0, 0, 0, 0))).unwrap_or_default();
    minutes_after(midnight, hour * 60 + minute)
}

/// An instant of a day between two hours, with odd seconds.
pub(crate) fn during(dice: &mut Dice, day: Date, from_hour: i64, to_hour: i64) -> Timestamp {
    let seconds = dice.between(from_hour * 3600, to_hour * 3600 - 1);
    at(day, 0, 0).saturating_add(SignedDuration::from_secs(seconds)).unwrap_or_default()
}

/// The instant some minutes later.
pub(crate) fn minutes_after(instant: Timestamp, minutes: i64) -> Timestamp {
    seconds_after(instant, minutes * 60)
}

/// The instant some seconds later.
pub(crate) fn seconds_after(instant: Timestamp, seconds: i64) -> Timestamp {
    instant.saturating_add(SignedDuration::from_secs(seconds)).unwrap_or(instant)
}

/// The instant, or the next morning when it falls into the night.
pub(crate) fn awake(instant: Timestamp) -> Timestamp {
    let hour = TimeZone::UTC.to_datetime(instant).hour();
    if hour < 6 { minutes_after(instant, 7 * 60) } else { instant }
}

/// Whether it happened before the records end.
pub(crate) fn is_past(instant: Timestamp) -> bool {
    instant < at(TODAY, 0, 0)
}

/// A date as a person writes it.
pub(crate) fn spoken(day: Date) -> String {
    day.strftime("%-d %B %Y").to_string()
}
