//! Appointments: the story's, the week's, and some that are still to come.

use jiff::Timestamp;
use serde::Serialize;
use vitrine_contract::time;

use super::dice::Dice;
use super::grammar::Grammar;
use super::load::Load;
use super::people::{COLLEAGUES, NORA};
use super::story::TRIPS;
use super::when::{self, DAYS, minutes_after};
use super::{Scale, Story};

const CONNECTION: &str = "calendar";
const PRIVATE_EVENTS: usize = 900;
const WORK_EVENTS: usize = 1_500;
const DAYS_PLANNED_AHEAD: i64 = 45;

#[derive(Serialize)]
struct Event {
    id: String,
    calendar: &'static str,
    title: String,
    description: String,
    location: Option<String>,
    organizer: &'static str,
    attendees: Vec<String>,
    all_day: bool,
    status: &'static str,
    starts_at: String,
    ends_at: String,
}

/// All appointments.
pub(crate) fn events(story: &Story, scale: Scale) -> Vec<Load> {
    let mut dice = Dice::named(CONNECTION);
    let grammar = Grammar::of(&[
        include_str!("material/friends.txt"),
        include_str!("material/work.txt"),
        include_str!("material/private.txt"),
    ]);
    let mut events = Vec::new();
    for concert in &story.concerts {
        let mut event = Event::private(&mut dice, format!("{} at {}", concert.artist, concert.venue));
        event.description = format!("Tickets: order {}, with {}", concert.order, concert.with.name);
        event.location = Some(format!("{}, Hamburg", concert.venue));
        event.attendees = vec![concert.with.name.to_owned()];
        events.push(event.lasting(when::at(concert.day, 19, 0), 210));
    }
    for visit in &story.visits {
        let mut event = Event::private(&mut dice, format!("{}: {}", visit.doctor, visit.reason));
        event.location = Some(format!("{}, Hamburg", visit.street));
        events.push(event.lasting(when::at(visit.day, visit.hour, 0), 40));
    }
    for trip in &TRIPS {
        let mut event = Event::private(&mut dice, format!("{} with {}", trip.place, trip.with));
        event.description = format!("{}, booking {}, {}", trip.carrier, trip.code(), trip.hotel);
        event.location = Some(format!("{}, {}", trip.place, trip.country));
        event.all_day = true;
        events.push(event.lasting(when::at(trip.start, 0, 0), trip.days * 24 * 60));
    }
    for _ in 0..scale.of(PRIVATE_EVENTS) {
        let (title, location) = titled(&mut dice, &grammar, "personal.event");
        let mut event = Event::private(&mut dice, title);
        event.location = location;
        let day = when::day(dice.between(0, DAYS + DAYS_PLANNED_AHEAD));
        let start = when::at(day, dice.between(16, 20), 30);
        events.push(event.lasting(start, 120));
    }
    for _ in 0..scale.of(WORK_EVENTS) {
        let event = Event::at_work(&mut dice, &grammar);
        let day = when::some_working_day(&mut dice);
        let start = when::at(day, dice.between(7, 16), *dice.pick(&[0, 15, 30]));
        let minutes = *dice.pick(&[15, 30, 45, 60]);
        events.push(event.lasting(start, minutes));
    }
    events.sort_by_key(|(at, _)| *at);
    vec![Load::of(CONNECTION, "events", events)]
}

impl Event {
    fn private(dice: &mut Dice, title: String) -> Self {
        Self {
            id: format!("evt-{}", dice.hex::<6>()),
            calendar: "Personal",
            title,
            description: String::new(),
            location: None,
            organizer: NORA.name,
            attendees: Vec::new(),
            all_day: false,
            status: if dice.chance(4) { "cancelled" } else { "confirmed" },
            starts_at: String::new(),
            ends_at: String::new(),
        }
    }

    fn at_work(dice: &mut Dice, grammar: &Grammar) -> Self {
        let (title, location) = titled(dice, grammar, "work.event");
        let mut event = Self::private(dice, title);
        event.calendar = "Work";
        event.location = location;
        event.organizer = dice.favourite(&COLLEAGUES).name;
        event.attendees = (0..2 + dice.below(3)).map(|_| dice.favourite(&COLLEAGUES).name.to_owned()).collect();
        event.attendees.sort();
        event.attendees.dedup();
        event.description = if dice.chance(40) { grammar.say(dice, "minutes.action", &[]) } else { String::new() };
        event
    }

    fn lasting(mut self, start: Timestamp, minutes: i64) -> (Timestamp, Self) {
        self.starts_at = time::format(start);
        self.ends_at = time::format(minutes_after(start, minutes));
        (start, self)
    }
}

/// `title|place`, the place may be missing.
fn titled(dice: &mut Dice, grammar: &Grammar, rule: &str) -> (String, Option<String>) {
    let said = grammar.say(dice, rule, &[]);
    match said.split_once('|') {
        Some((title, place)) => (title.to_owned(), Some(place.to_owned()).filter(|place| !place.is_empty())),
        None => (said, None),
    }
}
