//! iCalendar files, as calendars export them.

mod apart;
mod windows;
mod zone;

use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarEntry, ICalendarParameterName,
    ICalendarParameterValue, ICalendarProperty, ICalendarValue,
};
use serde::Serialize;

use super::components::{self, Piece};
use super::export::{Export, Member};
use super::hash;
use super::kind::Importer;
use super::moments::{Lasting, Moment, moment};
use super::settings::Settings;
use super::sink::{ImportError, Sink};
use super::text;
use apart::{Apart, Calendar};
use zone::Zones;

pub(super) const IMPORTER: Importer = Importer::declared(
    "an iCalendar file",
    "an `.ics` file, which starts with BEGIN:VCALENDAR, or a ZIP or directory with such files",
    include_str!("declarations/calendar.json"),
    recognizes,
    read,
);

/// Attendees and left-out dates of one event that are kept.
const MAX_ENTRIES: usize = 500;

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
    excluded_dates: Vec<String>,
    added_dates: Vec<String>,
    categories: Vec<&'a str>,
    url: Option<&'a str>,
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

/// What is looked for in a calendar.
const COMPONENTS: [&str; 4] = ["VEVENT", "VTIMEZONE", "VTODO", "VJOURNAL"];

fn read(export: &mut Export, settings: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
    let several = export.members().len() > 1;
    let mut apart = Apart::default();
    for (file, member) in export.select(|member| !several || is_calendar(member)).into_iter().enumerate() {
        let mut calendar = Calendar::of_file(&member, file);
        let mut zones = Zones::new(&settings.time_zone);
        let mut reader = text::reader(export, &member)?;
        components::each(&mut *reader, &member.name, &COMPONENTS, sink, &mut |piece, sink| {
            match piece {
                Piece::Line(around) if around.eq_ignore_ascii_case("BEGIN:VCALENDAR") => {
                    calendar = Calendar::of_file(&member, file);
                }
                Piece::Line(around) => {
                    if let Some(name) = own_name(around) {
                        calendar.call(name);
                    }
                }
                Piece::Component("VTIMEZONE", _, source) => zones.define(source),
                Piece::Component("VEVENT", number, source) => {
                    let place = || format!("{}, event {number}", member.name);
                    return event(source, (&calendar, &mut apart), &zones, &place, sink);
                }
                Piece::Component(name, number, _) => {
                    let reason = if name == "VTODO" { "a task: only events are imported" } else { "a journal entry" };
                    sink.leave_out(reason, format!("{}, {} {number}", member.name, name.to_lowercase()));
                }
            }
            Ok(())
        })?;
        for zone in zones.unknown() {
            let name = &member.name;
            sink.note(format!(
                "{name}: the time zone `{zone}` is not known; its times were taken like those without a zone."
            ));
        }
    }
    Ok(())
}

/// What a calendar calls itself.
fn own_name(around: &str) -> Option<String> {
    let name = line(around, "X-WR-CALNAME")?.replace("\\,", ",").replace("\\;", ";").replace("\\\\", "\\");
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

fn event(
    source: &str,
    (calendar, apart): (&Calendar, &mut Apart),
    zones: &Zones,
    place: &dyn Fn() -> String,
    sink: &mut Sink<'_>,
) -> Result<(), ImportError> {
    let parsed = ICalendar::parse(format!("BEGIN:VCALENDAR\r\n{source}END:VCALENDAR\r\n"));
    let event = parsed
        .as_ref()
        .ok()
        .and_then(|calendar| calendar.components.iter().find(|c| c.component_type == ICalendarComponentType::VEvent));
    let Some(event) = event else {
        sink.reject("an event that cannot be read", place());
        return Ok(());
    };
    let start = property(event, &ICalendarProperty::Dtstart);
    if start.is_some_and(|start| when(start, zones).is_none()) {
        sink.reject("an event whose start cannot be read", place());
        return Ok(());
    }
    record(event, (calendar, apart), source, zones, sink)
}

fn record(
    event: &ICalendarComponent,
    (calendar, apart): (&Calendar, &mut Apart),
    source: &str,
    zones: &Zones,
    sink: &mut Sink<'_>,
) -> Result<(), ImportError> {
    let text = |name: ICalendarProperty| property(event, &name).and_then(text_of).filter(|text| !text.is_empty());
    let time = |name: ICalendarProperty| property(event, &name).and_then(|entry| when(entry, zones));
    let all = |name: ICalendarProperty| event.entries.iter().filter(move |entry| entry.name == name);
    let fallback;
    let uid = if let Some(uid) = text(ICalendarProperty::Uid) {
        uid
    } else {
        fallback = hash::text_key(&[source]);
        &fallback
    };
    let occurrence = time(ICalendarProperty::RecurrenceId);
    let start = property(event, &ICalendarProperty::Dtstart);
    let starts = time(ICalendarProperty::Dtstart);
    let lasting = || starts?.after(property(event, &ICalendarProperty::Duration).and_then(duration)?);
    let excluded = all(ICalendarProperty::Exdate).flat_map(|entry| moments(entry, zones));
    let added = all(ICalendarProperty::Rdate).flat_map(|entry| moments(entry, zones));
    let categories = all(ICalendarProperty::Categories).flat_map(|entry| entry.values.iter().filter_map(text_value));
    let id = occurrence.as_ref().map_or_else(|| uid.to_owned(), |at| format!("{uid}#{}", at.text()));
    let record = Event {
        id: apart.id(calendar, id),
        uid,
        calendar: calendar.name(),
        title: text(ICalendarProperty::Summary),
        description: text(ICalendarProperty::Description),
        location: text(ICalendarProperty::Location),
        starts_at: starts.map(Moment::text),
        ends_at: time(ICalendarProperty::Dtend).or_else(lasting).map(Moment::text),
        all_day: matches!(starts, Some(Moment::Day(_))),
        time_zone: start.and_then(zone_name),
        organizer: property(event, &ICalendarProperty::Organizer).map(person),
        attendees: all(ICalendarProperty::Attendee).take(MAX_ENTRIES).map(person).collect(),
        status: property(event, &ICalendarProperty::Status).and_then(word),
        recurrence: line(source, "RRULE"),
        excluded_dates: excluded.take(MAX_ENTRIES).map(Moment::text).collect(),
        added_dates: added.take(MAX_ENTRIES).map(Moment::text).collect(),
        categories: categories.filter(|category| !category.is_empty()).take(MAX_ENTRIES).collect(),
        url: property(event, &ICalendarProperty::Url).and_then(address),
        updated_at: time(ICalendarProperty::LastModified)
            .or_else(|| time(ICalendarProperty::Dtstamp))
            .map(Moment::text),
    };
    sink.record("events", starts.map(Moment::instant), &record)
}

fn property<'a>(event: &'a ICalendarComponent, name: &ICalendarProperty) -> Option<&'a ICalendarEntry> {
    event.entries.iter().find(|entry| entry.name == *name)
}

fn text_of(entry: &ICalendarEntry) -> Option<&str> {
    entry.values.iter().find_map(text_value)
}

fn text_value(value: &ICalendarValue) -> Option<&str> {
    match value {
        ICalendarValue::Text(text) => Some(text.as_str()),
        _ => None,
    }
}

fn address(entry: &ICalendarEntry) -> Option<&str> {
    entry.values.iter().find_map(|value| match value {
        ICalendarValue::Text(text) => Some(text.as_str()),
        ICalendarValue::Uri(uri) => uri.as_str(),
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

fn when(entry: &ICalendarEntry, zones: &Zones) -> Option<Moment> {
    moments(entry, zones).next()
}

/// Every time of an entry, in the zone it names.
fn moments<'a>(entry: &'a ICalendarEntry, zones: &Zones) -> impl Iterator<Item = Moment> + use<'a> {
    let zone = zones.get(zone_name(entry));
    entry.values.iter().filter_map(move |value| match value {
        ICalendarValue::PartialDateTime(at) => moment(at, &zone),
        _ => None,
    })
}

/// How long an event lasts, unless it ends before it starts.
fn duration(entry: &ICalendarEntry) -> Option<Lasting> {
    entry.values.iter().find_map(|value| match value {
        ICalendarValue::Duration(lasting) if !lasting.neg => Some(Lasting {
            days: i64::from(lasting.weeks) * 7 + i64::from(lasting.days),
            seconds: i64::from(lasting.hours) * 3_600 + i64::from(lasting.minutes) * 60 + i64::from(lasting.seconds),
        }),
        _ => None,
    })
}

/// `Anna Müller <anna@example.org>`
fn person(entry: &ICalendarEntry) -> String {
    let address = address(entry).unwrap_or_default();
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
mod tests;
