//! Time zones as programs print them beside a time.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

/// Abbreviations and the minutes they are ahead of UTC. Where two zones share one, the more populous.
const ABBREVIATIONS: &[(&str, i32)] = &[
    ("Z", 0),
    ("UT", 0),
    ("UTC", 0),
    ("GMT", 0),
    ("WET", 0),
    ("WEST", 60),
    ("BST", 60),
    ("CET", 60),
    ("CEST", 120),
    ("MET", 60),
    ("MEST", 120),
    ("MEZ", 60),
    ("MESZ", 120),
    ("EET", 120),
    ("EEST", 180),
    ("OEZ", 120),
    ("OESZ", 180),
    ("MSK", 180),
    ("TRT", 180),
    ("EST", -300),
    ("EDT", -240),
    ("CST", -360),
    ("CDT", -300),
    ("MST", -420),
    ("MDT", -360),
    ("PST", -480),
    ("PDT", -420),
    ("AKST", -540),
    ("AKDT", -480),
    ("HST", -600),
    ("AST", -240),
    ("ADT", -180),
    ("NST", -210),
    ("NDT", -150),
    ("BRT", -180),
    ("ART", -180),
    ("COT", -300),
    ("PKT", 300),
    ("IST", 330),
    ("WIB", 420),
    ("HKT", 480),
    ("SGT", 480),
    ("AWST", 480),
    ("JST", 540),
    ("KST", 540),
    ("ACST", 570),
    ("ACDT", 630),
    ("AEST", 600),
    ("AEDT", 660),
    ("NZST", 720),
    ("NZDT", 780),
    ("SAST", 120),
];

/// The instant of a local time with a printed zone; in the `chosen` zone when that is unknown, or is
/// how the chosen one abbreviates itself.
pub(crate) fn instant(local: DateTime, printed: &str, chosen: &TimeZone) -> Option<Timestamp> {
    let there = chosen.to_timestamp(local).ok()?;
    if chosen.to_offset_info(there).abbreviation() == printed {
        return Some(there);
    }
    match offset(printed) {
        Some(offset) => TimeZone::fixed(offset).to_timestamp(local).ok(),
        None => Some(there),
    }
}

/// `GMT+2`, `UTC-03:30`, `+0530`, `CEST`
fn offset(printed: &str) -> Option<Offset> {
    let known = ABBREVIATIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(printed));
    let minutes = known.map(|(_, minutes)| *minutes).or_else(|| figures(printed))?;
    Offset::from_seconds(minutes * 60).ok()
}

/// The minutes of an offset in figures.
fn figures(printed: &str) -> Option<i32> {
    let figures = printed.trim_start_matches("GMT").trim_start_matches("UTC");
    let sign = if figures.starts_with('+') { 1 } else { -1 };
    let figures = figures.strip_prefix(['+', '-', '\u{2212}'])?;
    let (hours, minutes) = match figures.split_once(':') {
        Some(parts) => parts,
        None if figures.len() > 2 && figures.is_ascii() => figures.split_at(figures.len() - 2),
        None => (figures, "0"),
    };
    let number = |text: &str| text.parse::<u8>().ok().map(i32::from);
    Some(sign * (number(hours)? * 60 + number(minutes).filter(|minutes| *minutes < 60)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_zones_are_what_they_say() {
        let chosen = TimeZone::get("Europe/Berlin").expect("a zone");
        let at = |printed: &str| instant("2024-03-12T21:45:03".parse().expect("a time"), printed, &chosen);
        for (printed, expected) in [
            ("PST", "2024-03-13T05:45:03Z"),
            ("GMT-8", "2024-03-13T05:45:03Z"),
            ("UTC+5:30", "2024-03-12T16:15:03Z"),
            ("+0530", "2024-03-12T16:15:03Z"),
            ("JST", "2024-03-12T12:45:03Z"),
            ("UTC", "2024-03-12T21:45:03Z"),
            ("CET", "2024-03-12T20:45:03Z"),
            ("XYZ", "2024-03-12T20:45:03Z"),
            ("GMT+99999", "2024-03-12T20:45:03Z"),
            ("", "2024-03-12T20:45:03Z"),
        ] {
            assert_eq!(at(printed).map(|at| at.to_string()).as_deref(), Some(expected), "{printed}");
        }
    }

    #[test]
    fn an_abbreviation_of_two_zones_is_the_chosen_one() {
        let dublin = TimeZone::get("Europe/Dublin").expect("a zone");
        let summer = "2024-07-01T12:00:00".parse().expect("a time");
        assert_eq!(instant(summer, "IST", &dublin).map(|at| at.to_string()).as_deref(), Some("2024-07-01T11:00:00Z"));
    }
}
