use jiff::tz::TimeZone;
use serde_json::json;

use crate::testing::{read, read_export, settings, zip};
use crate::{Export, ImportError, Kind, Settings};

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
    assert_eq!((&weekly["starts_at"], &weekly["time_zone"]), (&json!("2024-05-01T07:30:00Z"), &json!("Europe/Berlin")));
    assert_eq!(
        (&weekly["title"], &weekly["recurrence"]),
        (&json!("Stand-up, weekly"), &json!("FREQ=WEEKLY;BYDAY=WE;COUNT=5"))
    );
    assert_eq!(weekly["description"], "Bring\nnotes that are so long that the line is folded here");
    assert_eq!(weekly["organizer"], "Anna Müller <anna@example.org>");
    assert_eq!(weekly["attendees"], json!(["ben@example.org"]));
    assert_eq!((&weekly["status"], &weekly["calendar"]), (&json!("confirmed"), &json!("work")));
    assert_eq!((&day["all_day"], &day["starts_at"]), (&json!(true), &json!("2024-05-10T00:00:00Z")));
    assert_eq!((&moved["id"], &moved["uid"]), (&json!("u1@google.com#2024-05-08T07:30:00Z"), &json!("u1@google.com")));
}

#[test]
fn a_calendar_that_is_cut_off_gives_what_it_has() {
    let cut = &CALENDAR[..CALENDAR.len() - 60];
    let mut export = Export::of_bytes("work.ics", cut.as_bytes()).unwrap();
    let (found, end) = read_export(Kind::Icalendar, &mut export, &settings());
    assert_eq!(found.of("events").len(), 2);
    assert!(matches!(end, Err(ImportError::Damaged(why)) if why.contains("cut off in VEVENT 3")));
}

/// A calendar with these lines inside.
fn calendar(inside: &str) -> String {
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}END:VCALENDAR\r\n", inside.replace('\n', "\r\n"))
}

#[test]
fn an_event_that_says_how_long_it_lasts_has_an_end() {
    let found = read(
        Kind::Icalendar,
        "a.ics",
        calendar(
            "BEGIN:VEVENT\nUID:1\nDTSTART:20240402T100000Z\nDURATION:PT1H30M\nEND:VEVENT\n\
             BEGIN:VEVENT\nUID:2\nDTSTART;VALUE=DATE:20240402\nDURATION:P2D\nEND:VEVENT\n",
        ),
    );
    let ends: Vec<_> = found.of("events").iter().map(|event| event["ends_at"].clone()).collect();
    assert_eq!(json!(ends), json!(["2024-04-02T11:30:00Z", "2024-04-04T00:00:00Z"]));
}

#[test]
fn dates_left_out_of_a_rule_are_kept() {
    let inside = "BEGIN:VEVENT\nUID:1\nDTSTART;TZID=Europe/Berlin:20240312T190000\nRRULE:FREQ=WEEKLY\n\
        EXDATE;TZID=Europe/Berlin:20240319T190000,20240326T190000\nEXDATE:20240401T170000Z\nEND:VEVENT\n";
    let found = read(Kind::Icalendar, "a.ics", calendar(inside));
    let left_out = json!(["2024-03-19T18:00:00Z", "2024-03-26T18:00:00Z", "2024-04-01T17:00:00Z"]);
    assert_eq!(found.of("events")[0]["excluded_dates"], left_out);
}

#[test]
fn a_zone_is_what_the_calendar_defines_it_as() {
    let inside = "BEGIN:VTIMEZONE\nTZID:W. Europe Standard Time\nBEGIN:STANDARD\nDTSTART:16010101T030000\nTZOFFSETFROM:+0200\n\
        TZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\nEND:STANDARD\nBEGIN:DAYLIGHT\nDTSTART:16010101T020000\n\
        TZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\nEND:DAYLIGHT\nEND:VTIMEZONE\n\
        BEGIN:VTIMEZONE\nTZID:Ours\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0530\nTZOFFSETTO:+0530\nEND:STANDARD\nEND:VTIMEZONE\n\
        BEGIN:VEVENT\nUID:1\nDTSTART;TZID=\"W. Europe Standard Time\":20240702T100000\nEND:VEVENT\n\
        BEGIN:VEVENT\nUID:2\nDTSTART;TZID=\"W. Europe Standard Time\":20240102T100000\nEND:VEVENT\n\
        BEGIN:VEVENT\nUID:3\nDTSTART;TZID=Ours:20240702T100000\nEND:VEVENT\n\
        BEGIN:VEVENT\nUID:4\nDTSTART;TZID=/example.org/America/New_York:20240702T100000\nEND:VEVENT\n";
    let mut export = Export::of_bytes("a.ics", calendar(inside).into_bytes()).unwrap();
    let elsewhere = Settings { time_zone: TimeZone::UTC, ..settings() };
    let (found, _) = read_export(Kind::Icalendar, &mut export, &elsewhere);
    let starts: Vec<_> = found.of("events").iter().map(|event| event["starts_at"].clone()).collect();
    let expected = ["2024-07-02T08:00:00Z", "2024-01-02T09:00:00Z", "2024-07-02T04:30:00Z", "2024-07-02T14:00:00Z"];
    assert_eq!(json!(starts), json!(expected));
}

#[test]
fn one_event_in_two_calendars_is_two() {
    let event = "BEGIN:VEVENT\nUID:1\nDTSTART:20240402T100000Z\nSUMMARY:Party\nEND:VEVENT\n";
    let named = |name: &str| calendar(&format!("X-WR-CALNAME:{name}\n{event}"));
    let ids = |found: &crate::testing::Found| json!(found.of("events").iter().map(|e| &e["id"]).collect::<Vec<_>>());
    let together = zip(&[("a.ics", named("Home").as_bytes()), ("b.ics", named("Work").as_bytes())]);
    let together = read(Kind::Icalendar, "all.zip", together);
    assert_eq!(ids(&together), json!(["1~Home", "1~Work"]));
    assert_eq!(ids(&read(Kind::Icalendar, "b (2).ics", named("Work"))), json!(["1~Work"]), "also one after the other");
    let joined = format!("{}{}{}", named("Home"), named("Work"), calendar(event));
    assert_eq!(ids(&read(Kind::Icalendar, "all.ics", joined)), json!(["1~Home", "1~Work", "1"]));

    let plain = calendar(event);
    let together = zip(&[("x/a.ics", plain.as_bytes()), ("y/a.ics", plain.as_bytes())]);
    assert_eq!(ids(&read(Kind::Icalendar, "all.zip", together)), json!(["1", "1~y-a"]));
    assert_eq!(ids(&read(Kind::Icalendar, "b.ics", plain)), json!(["1"]), "files are called anything");
}

#[test]
fn what_becomes_no_event_is_counted() {
    let inside = "X-WR-CALNAME:Nora\\, private\nBEGIN:VTODO\nUID:t\nSUMMARY:Buy milk\nEND:VTODO\n\
        BEGIN:VEVENT\nUID:1\nDTSTART:20241340T100000Z\nSUMMARY:never\nEND:VEVENT\n\
        BEGIN:VEVENT\nUID:2\nDTSTART:20240402T100000Z\nEND:VEVENT\n";
    let found = read(Kind::Icalendar, "a.ics", calendar(inside));
    assert_eq!((found.of("events").len(), &found.of("events")[0]["calendar"]), (1, &json!("Nora, private")));
    assert_eq!(found.reasons(), ["a task: only events are imported", "an event whose start cannot be read"]);
    assert_eq!(found.skips.iter().map(|skip| skip.rejected).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn zones_that_windows_names_are_known_and_others_told() {
    let inside = "BEGIN:VEVENT\nUID:1\nDTSTART;TZID=W. Europe Standard Time:20240801T120000\nEND:VEVENT\n\
        BEGIN:VEVENT\nUID:2\nDTSTART;TZID=\"(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna\":20240801T120000\nEND:VEVENT\n\
        BEGIN:VEVENT\nUID:3\nDTSTART;TZID=Pacific Standard Time:20240801T120000\nEND:VEVENT\n\
        BEGIN:VEVENT\nUID:4\nDTSTART;TZID=Nowhere/Place:20240801T120000\nDTEND;TZID=Nowhere/Place:20240801T130000\nEND:VEVENT\n";
    let mut export = Export::of_bytes("a.ics", calendar(inside).into_bytes()).unwrap();
    let elsewhere = Settings { time_zone: TimeZone::UTC, ..settings() };
    let (found, _) = read_export(Kind::Icalendar, &mut export, &elsewhere);
    let starts: Vec<_> = found.of("events").iter().map(|event| event["starts_at"].clone()).collect();
    let expected = ["2024-08-01T10:00:00Z", "2024-08-01T10:00:00Z", "2024-08-01T19:00:00Z", "2024-08-01T12:00:00Z"];
    assert_eq!(json!(starts), json!(expected));
    let note = "a.ics: the time zone `Nowhere/Place` is not known; its times were taken like those without a zone.";
    assert_eq!(found.notes, [note]);
}

#[test]
fn links_categories_and_added_dates_are_kept() {
    let inside = "BEGIN:VEVENT\nUID:1\nDTSTART:20240712T090000Z\nRRULE:FREQ=WEEKLY\nRDATE:20240715T090000Z,20240716T090000Z\n\
        CATEGORIES:Arbeit,Team\nCATEGORIES:x\nURL:https://meet.example.org/x\nEND:VEVENT\n";
    let found = read(Kind::Icalendar, "a.ics", calendar(inside));
    let event = found.of("events")[0];
    assert_eq!(
        (&event["url"], &event["categories"]),
        (&json!("https://meet.example.org/x"), &json!(["Arbeit", "Team", "x"]))
    );
    assert_eq!(event["added_dates"], json!(["2024-07-15T09:00:00Z", "2024-07-16T09:00:00Z"]));
}
