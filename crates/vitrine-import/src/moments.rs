//! Days and instants of calendars and address books.

use calcard::common::PartialDateTime;
use jiff::civil::{Date, DateTime};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Span, Timestamp};
use vitrine_contract::time;

/// A day or an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    Day(Date),
    Instant(Timestamp),
}

/// How long something lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lasting {
    pub(super) days: i64,
    pub(super) seconds: i64,
}

impl Moment {
    /// The moment so much later.
    pub(super) fn after(self, lasting: Lasting) -> Option<Self> {
        let Lasting { days, seconds } = lasting;
        match self {
            Self::Day(day) => day.checked_add(Span::new().try_days(days).ok()?).ok().map(Self::Day),
            Self::Instant(at) => {
                let seconds = days.checked_mul(86_400)?.checked_add(seconds)?;
                at.checked_add(SignedDuration::from_secs(seconds)).ok().map(Self::Instant)
            }
        }
    }

    /// The instant; of a day, its midnight in UTC.
    pub(super) fn instant(self) -> Timestamp {
        match self {
            Self::Instant(at) => at,
            Self::Day(day) => {
                TimeZone::UTC.to_timestamp(day.to_datetime(jiff::civil::Time::midnight())).unwrap_or_default()
            }
        }
    }

    pub(super) fn text(self) -> String {
        time::format(self.instant())
    }
}

/// What a value of a file says, in `zone` when it names none.
pub(super) fn moment(at: &PartialDateTime, zone: &TimeZone) -> Option<Moment> {
    let number = |value: Option<u8>| i8::try_from(value?).ok();
    let date = Date::new(i16::try_from(at.year?).ok()?, number(at.month)?, number(at.day)?).ok()?;
    let Some(hour) = number(at.hour) else { return Some(Moment::Day(date)) };
    let (minute, second) = (number(at.minute).unwrap_or_default(), number(at.second).unwrap_or_default().min(59));
    let local = DateTime::from_parts(date, jiff::civil::Time::new(hour, minute, second, 0).ok()?);
    let zone = match at.tz_hour {
        None => zone.clone(),
        Some(hours) => {
            let seconds = i32::from(hours) * 3_600 + i32::from(at.tz_minute.unwrap_or_default()) * 60;
            TimeZone::fixed(Offset::from_seconds(if at.tz_minus { -seconds } else { seconds }).ok()?)
        }
    };
    zone.to_timestamp(local).ok().map(Moment::Instant)
}
