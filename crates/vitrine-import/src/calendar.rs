//! iCalendar files, as calendars export them.

use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarEntry, ICalendarParameterName,
    ICalendarParameterValue, ICalendarProperty, ICalendarValue,
};
use jiff::tz::TimeZone;
use serde::Serialize;

use super::components;
use super::export::{Export, Member};
use super::hash;
use super::kind::Importer;
use super::moments::{Moment, moment};
use super::settings::Settings;
use super::sink::{ImportError, Sink};
use super::text;

pub(super) const IMPORTER: Importer = Importer::declared(
    "an iCalendar file",
    "an `.ics` file, which starts with BEGIN:VCALENDAR, or a ZIP or directory with such files",
    include_str!("declarations/calendar.json"),
    recognizes,
    read,
);

#[derive(Serialize)]
struct Event<'a> {
    id: String,
    uid: &'a str,
    calendar: &'a str,
    title: Option<&'a str>,
    description: Option<&'a str>,
    location: Option<&'a str>,
    starts_at: Option<String>,
    ends_at: Option<String>,
    all_day: bool,
    time_zone: Option<&'a str>,
    organizer: Option<String>,
    attendees: Vec<String>,
    status: Option<String>,
    recurrence: Option<String>,
    updated_at: Option<String>,
}

fn is_calendar(member: &Member) -> bool {
    member.has_extension("ics") || member.has_extension("ical")
}

fn recognizes(export: &mut Export) -> Result<bool, ImportError> {
    let members = export.members();
    let Some(first) = members.iter().find(|m| is_calendar(m)).or(members.first()).cloned() else { return Ok(false) };
    Ok(text::head(export, &first, 512)?.trim_start().to_ascii_uppercase().starts_with("BEGIN:VCALENDAR"))
}

fn read(export: &mut Export, settings: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let several = export.members().len() > 1;
    for member in export.select(|member| !several || is_calendar(member)) {
        let calendar = member.file_name().trim_end_matches(".ics").to_owned();
        let mut reader = text::reader(export, &member)?;
        components::each(&mut *reader, &member.name, "VEVENT", sink, &mut |number, component, sink| {
            let parsed = ICalendar::parse(format!("BEGIN:VCALENDAR\r\n{component}END:VCALENDAR\r\n"));
            let event = parsed.as_ref().ok().and_then(|calendar| {
                calendar.components.iter().find(|c| c.component_type == ICalendarComponentType::VEvent)
            });
            if let Some(event) = event {
                return record(event, &calendar, component, &settings.time_zone, sink);
            }
            sink.reject("an event that cannot be read", format!("{}, event {number}", member.name));
            Ok(())
        })?;
    }
    Ok(())
}

fn record(
    event: &ICalendarComponent,
    calendar: &str,
    source: &str,
    zone: &TimeZone,
    sink: &mut Sink<'_>,
) -> Result<(), ImportError> {
    let text = |name: ICalendarProperty| property(event, &name).and_then(text_of).filter(|text| !text.is_empty());
    let fallback;
    let uid = if let Some(uid) = text(ICalendarProperty::Uid) {
        uid
    } else {
        fallback = hash::text_key(&[source]);
        &fallback
    };
    let occurrence = property(event, &ICalendarProperty::RecurrenceId).and_then(|entry| when(entry, zone));
    let start = property(event, &ICalendarProperty::Dtstart);
    let starts = start.and_then(|entry| when(entry, zone));
    let ends = property(event, &ICalendarProperty::Dtend).and_then(|entry| when(entry, zone));
    let record = Event {
        id: occurrence.as_ref().map_or_else(|| uid.to_owned(), |at| format!("{uid}#{}", at.text())),
        uid,
        calendar,
        title: text(ICalendarProperty::Summary),
        description: text(ICalendarProperty::Description),
        location: text(ICalendarProperty::Location),
        starts_at: starts.map(Moment::text),
        ends_at: ends.map(Moment::text),
        all_day: matches!(starts, Some(Moment::Day(_))),
        time_zone: start.and_then(zone_name),
        organizer: property(event, &ICalendarProperty::Organizer).map(person),
        attendees: event
            .entries
            .iter()
            .filter(|e| e.name == ICalendarProperty::Attendee)
            .take(500)
            .map(person)
            .collect(),
        status: property(event, &ICalendarProperty::Status).and_then(word),
        recurrence: line(source, "RRULE"),
        updated_at: property(event, &ICalendarProperty::LastModified)
            .or_else(|| property(event, &ICalendarProperty::Dtstamp))
            .and_then(|entry| when(entry, zone))
            .map(Moment::text),
    };
    sink.record("events", starts.map(Moment::instant), &record)
}

fn property<'a>(event: &'a ICalendarComponent, name: &ICalendarProperty) -> Option<&'a ICalendarEntry> {
    event.entries.iter().find(|entry| entry.name == *name)
}

fn text_of(entry: &ICalendarEntry) -> Option<&str> {
    entry.values.iter().find_map(|value| match value {
        ICalendarValue::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

/// A word the parser knows, as it stands in the standard.
fn word(entry: &ICalendarEntry) -> Option<String> {
    entry.values.iter().find_map(|value| match value {
        ICalendarValue::Status(status) => Some(format!("{status:?}").to_lowercase()),
        ICalendarValue::Text(text) => Some(text.to_lowercase()),
        _ => None,
    })
}

fn zone_name(entry: &ICalendarEntry) -> Option<&str> {
    entry.params.iter().find_map(|parameter| match (&parameter.name, &parameter.value) {
        (ICalendarParameterName::Tzid, ICalendarParameterValue::Text(zone)) => Some(zone.as_str()),
        _ => None,
    })
}

fn when(entry: &ICalendarEntry, zone: &TimeZone) -> Option<Moment> {
    let named = zone_name(entry).and_then(|name| TimeZone::get(name.trim_start_matches('/')).ok());
    entry.values.iter().find_map(|value| match value {
        ICalendarValue::PartialDateTime(at) => moment(at, named.as_ref().unwrap_or(zone)),
        _ => None,
    })
}

/// `Anna Müller <anna@example.org>`
fn person(entry: &ICalendarEntry) -> String {
    let address = entry.values.iter().find_map(|value| match value {
        ICalendarValue::Text(text) => Some(text.as_str()),
        ICalendarValue::Uri(uri) => uri.as_str(),
        _ => None,
    });
    let address = address.unwrap_or_default();
    let address =
        address.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("mailto:")).map_or(address, |_| &address[7..]);
    let name = entry.params.iter().find_map(|parameter| match (&parameter.name, &parameter.value) {
        (ICalendarParameterName::Cn, ICalendarParameterValue::Text(name)) => Some(name.as_str()),
        _ => None,
    });
    match name.filter(|name| *name != address) {
        Some(name) => format!("{name} <{address}>"),
        None => address.to_owned(),
    }
}

/// The value of a property that the parser takes apart further than a reader wants.
fn line(source: &str, name: &str) -> Option<String> {
    let mut lines = source.lines();
    let first = lines.find(|line| line.split([':', ';']).next().is_some_and(|word| word.eq_ignore_ascii_case(name)))?;
    let mut value = first.split_once(':')?.1.trim_end().to_owned();
    for folded in lines.map_while(|line| line.strip_prefix([' ', '\t'])) {
        value.push_str(folded.trim_end());
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{read, read_export, settings};
    use crate::{Export, ImportError, Kind};

    const CALENDAR: &str = "BEGIN:VCALENDAR\r\nPRODID:-//Google Inc//Google Calendar 70.9054//EN\r\nVERSION:2.0\r\n\
BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\nBEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n\
BEGIN:VEVENT\r\nDTSTART;TZID=Europe/Berlin:20240501T093000\r\nDTEND;TZID=Europe/Berlin:20240501T103000\r\n\
RRULE:FREQ=WEEKLY;BYDAY=WE\r\n ;COUNT=5\r\nDTSTAMP:20240401T000000Z\r\nUID:u1@google.com\r\n\
ORGANIZER;CN=Anna Müller:mailto:anna@example.org\r\nATTENDEE;CN=ben@example.org;PARTSTAT=ACCEPTED:mailto:ben@example.org\r\n\
SUMMARY:Stand-up\\, weekly\r\nDESCRIPTION:Bring\\nnotes that are so long that the line is fol\r\n ded here\r\nSTATUS:CONFIRMED\r\n\
BEGIN:VALARM\r\nACTION:DISPLAY\r\nTRIGGER:-PT10M\r\nEND:VALARM\r\nEND:VEVENT\r\n\
BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20240510\r\nDTEND;VALUE=DATE:20240511\r\nUID:u2\r\nSUMMARY:Birthday\r\nEND:VEVENT\r\n\
BEGIN:VEVENT\r\nDTSTART:20240508T080000Z\r\nRECURRENCE-ID;TZID=Europe/Berlin:20240508T093000\r\nUID:u1@google.com\r\nSUMMARY:Late\r\nEND:VEVENT\r\n\
END:VCALENDAR\r\n";

    #[test]
    fn events_are_told_with_zones_days_and_rules() {
        let found = read(Kind::Icalendar, "work.ics", CALENDAR);
        let [weekly, day, moved] = found.of("events")[..] else { panic!("{:?} {:?}", found.records, found.skips) };
        assert_eq!(
            (&weekly["starts_at"], &weekly["time_zone"]),
            (&json!("2024-05-01T07:30:00Z"), &json!("Europe/Berlin"))
        );
        assert_eq!(
            (&weekly["title"], &weekly["recurrence"]),
            (&json!("Stand-up, weekly"), &json!("FREQ=WEEKLY;BYDAY=WE;COUNT=5"))
        );
        assert_eq!(weekly["description"], "Bring\nnotes that are so long that the line is folded here");
        assert_eq!(weekly["organizer"], "Anna Müller <anna@example.org>");
        assert_eq!(weekly["attendees"], json!(["ben@example.org"]));
        assert_eq!((&weekly["status"], &weekly["calendar"]), (&json!("confirmed"), &json!("work")));
        assert_eq!((&day["all_day"], &day["starts_at"]), (&json!(true), &json!("2024-05-10T00:00:00Z")));
        assert_eq!(
            (&moved["id"], &moved["uid"]),
            (&json!("u1@google.com#2024-05-08T07:30:00Z"), &json!("u1@google.com"))
        );
    }

    #[test]
    fn a_calendar_that_is_cut_off_gives_what_it_has() {
        let cut = &CALENDAR[..CALENDAR.len() - 60];
        let mut export = Export::of_bytes("work.ics", cut.as_bytes()).unwrap();
        let (found, end) = read_export(Kind::Icalendar, &mut export, &settings());
        assert_eq!(found.of("events").len(), 2);
        assert!(matches!(end, Err(ImportError::Damaged(why)) if why.contains("cut off in entry 3")));
    }
}
