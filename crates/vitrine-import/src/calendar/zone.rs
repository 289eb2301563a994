//! Time zones, by the names that calendars give them and as they define them themselves.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use jiff::tz::{Offset, TimeZone};

use super::{line, windows};

/// Definitions that are remembered; calendars of companies bring a few dozen.
const MAX_ZONES: usize = 500;

/// The zones of a calendar.
pub(super) struct Zones {
    defined: HashMap<String, TimeZone>,
    /// That of times without one.
    chosen: TimeZone,
    /// Names that nobody knows.
    unknown: RefCell<BTreeSet<String>>,
}

impl Zones {
    pub(super) fn new(chosen: &TimeZone) -> Self {
        Self { defined: HashMap::new(), chosen: chosen.clone(), unknown: RefCell::default() }
    }

    /// Takes a `VTIMEZONE` in.
    pub(super) fn define(&mut self, source: &str) {
        let (Some(name), Some(zone)) = (line(source, "TZID"), defined(source)) else { return };
        if self.defined.len() < MAX_ZONES {
            self.defined.insert(name, zone);
        }
    }

    /// The zone of this name: as the world knows it, else as the calendar defines it, else as Windows calls it.
    pub(super) fn get(&self, name: Option<&str>) -> TimeZone {
        let Some(name) = name else { return self.chosen.clone() };
        let zone = known(name).or_else(|| self.defined.get(name).cloned()).or_else(|| windows::zone(name));
        zone.unwrap_or_else(|| {
            let mut unknown = self.unknown.borrow_mut();
            if unknown.len() < MAX_ZONES && !unknown.contains(name) {
                unknown.insert(name.to_owned());
            }
            self.chosen.clone()
        })
    }

    /// The names that times were read without.
    pub(super) fn unknown(self) -> BTreeSet<String> {
        self.unknown.into_inner()
    }
}

/// `Europe/Berlin`, `/freeassociation.sourceforge.net/Europe/Berlin`
fn known(name: &str) -> Option<TimeZone> {
    let name = name.trim_start_matches('/');
    let end = || name.rmatch_indices('/').nth(1).map(|(at, _)| &name[at + 1..]);
    TimeZone::get(name).ok().or_else(|| TimeZone::get(end()?).ok())
}

/// The zone that a `VTIMEZONE` describes: by its present rules, or as one offset when it has none.
fn defined(source: &str) -> Option<TimeZone> {
    let standard = observance(source, "STANDARD");
    let (standard, daylight) = match (standard, observance(source, "DAYLIGHT")) {
        (Some(standard), daylight) => (standard, daylight),
        (None, daylight) => (daylight?, None),
    };
    let both = daylight.as_ref().and_then(|daylight| {
        let (summer, winter) = (daylight.rule.as_deref()?, standard.rule.as_deref()?);
        let [winter_offset, summer_offset] = [standard.offset, daylight.offset].map(posix_offset);
        TimeZone::posix(&format!("<STD>{winter_offset}<DST>{summer_offset},{summer},{winter}")).ok()
    });
    both.or_else(|| Some(TimeZone::fixed(Offset::from_seconds(standard.offset).ok()?)))
}

/// When clocks are turned, and what they are ahead of UTC from then on.
struct Observance {
    offset: i32,
    /// In the words of POSIX: `M3.5.0/2`.
    rule: Option<String>,
}

/// The one that still holds: the last that does not end.
fn observance(source: &str, name: &str) -> Option<Observance> {
    let all: Vec<&str> = source
        .split(&format!("BEGIN:{name}"))
        .skip(1)
        .map(|part| part.split(&format!("END:{name}")).next().unwrap_or_default())
        .collect();
    let holds = |part: &&&str| line(part, "RRULE").is_some_and(|rule| !rule.contains("UNTIL"));
    let part = all.iter().rev().find(holds).or(all.last())?;
    Some(Observance { offset: offset(&line(part, "TZOFFSETTO")?)?, rule: rule(part) })
}

/// `FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU` from two o'clock on.
fn rule(part: &str) -> Option<String> {
    let rule = line(part, "RRULE")?;
    let value = |name: &str| rule.split(';').find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
    let (week, day) = value("BYDAY")?.split_at_checked(value("BYDAY")?.len().checked_sub(2)?)?;
    let week = match week.trim_start_matches('+').parse::<i8>().ok()? {
        -1 => 5,
        week @ 1..=4 => week,
        _ => return None,
    };
    let day = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"].iter().position(|known| *known == day)?;
    let start = line(part, "DTSTART")?;
    let (_, clock) = start.split_once('T')?;
    let (hour, minute) = (clock.get(..2)?.parse::<u8>().ok()?, clock.get(2..4)?.parse::<u8>().ok()?);
    let month = value("BYMONTH")?.parse::<u8>().ok()?;
    Some(format!("M{month}.{week}.{day}/{hour}:{minute:02}"))
}

/// `+0530`
fn offset(text: &str) -> Option<i32> {
    let number = |from: usize| text.get(from..from + 2)?.parse::<u8>().ok().map(i32::from);
    let seconds = number(1)? * 3_600 + number(3)? * 60;
    match text.as_bytes().first()? {
        b'+' => Some(seconds),
        b'-' => Some(-seconds),
        _ => None,
    }
}

/// POSIX counts what a zone is behind.
fn posix_offset(seconds: i32) -> String {
    let sign = if seconds > 0 { "-" } else { "" };
    format!("{sign}{}:{:02}", seconds.abs() / 3_600, seconds.abs() / 60 % 60)
}
