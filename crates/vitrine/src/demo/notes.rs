//! Private notes: a journal, recipes, lists, and what is left of a journey.

use jiff::Timestamp;
use jiff::civil::{Date, date};
use serde::Serialize;
use vitrine_contract::time;

use super::dice::Dice;
use super::grammar::Grammar;
use super::load::Load;
use super::story::TRIPS;
use super::when::{self, minutes_after};
use super::{Scale, Story};

const CONNECTION: &str = "notes";
const EVERYDAY: usize = 620;

/// Notes that were thought about.
const KEPT: [(Date, &str, &str, &str); 4] = [
    (
        date(2025, 10, 19),
        "Work",
        "Four days: what I will say to Marcus",
        "I want four days from January, Fridays off. In return: I keep one on-call week in six, I write the handover \
         for Quarry, and we look again after six months. If he asks about money: 80 percent is fine, 75 is not.",
    ),
    (
        date(2026, 5, 5),
        "Lists",
        "The parcel, a chronicle",
        "27 Feb ordered. 4 March \"delivered to BRAND\". 9 March case 77120. 24 March no result. 15 April refund, 289.00. \
         2 May found in the cellar, behind the pram, next to the fire door. Brand = fire. 5 May paid it back.",
    ),
    (
        date(2026, 8, 23),
        "Ideas",
        "Vows, third draft",
        "No metaphors about water. Say that he moves out of the light when I read. Say the thing about the rice.",
    ),
    (
        date(2026, 1, 30),
        "Work",
        "Storm night, for the handbook",
        "What went well: the second warning was worded differently, people noticed. What did not: three gauges without \
         data next to each other paged nobody. Rule: one silent gauge is a ticket, three neighbours are an emergency.",
    ),
];

#[derive(Serialize)]
struct Note {
    id: String,
    title: String,
    body: String,
    folder: String,
    tags: Vec<String>,
    pinned: bool,
    created_at: String,
    updated_at: String,
}

/// All notes.
pub(crate) fn notes(_: &Story, scale: Scale) -> Vec<Load> {
    let mut dice = Dice::named(CONNECTION);
    let grammar = Grammar::of(&[
        include_str!("material/friends.txt"),
        include_str!("material/work.txt"),
        include_str!("material/private.txt"),
    ]);
    let mut notes = Vec::new();
    for (day, folder, title, body) in KEPT {
        let at = when::during(&mut dice, day, 18, 23);
        notes.push(note(&mut dice, at, folder, title.to_owned(), body.to_owned(), true));
    }
    for trip in &TRIPS {
        let title = format!("{} {}", trip.place, trip.start.year());
        let body = format!(
            "{}, {} days, with {}. Stayed at {}.\n\n{}\n\nBooking {}.",
            trip.country,
            trip.days,
            trip.with,
            trip.hotel,
            trip.memory,
            trip.code()
        );
        let at = when::during(&mut dice, trip.end(), 18, 23);
        notes.push(note(&mut dice, at, "Travel", title, body, false));
    }
    for _ in 0..scale.of(EVERYDAY) {
        let folder = grammar.say(&mut dice, "folder", &[]);
        let title = grammar.say(&mut dice, &format!("{folder}.title"), &[]);
        let rule = if folder == "Journal" { "journal" } else { &folder };
        let count = 2 + dice.below(4);
        let body = grammar.several(&mut dice, rule, count, &[]).join("\n");
        let day = when::some_day(&mut dice);
        let at = when::during(&mut dice, day, 6, 23);
        notes.push(note(&mut dice, at, &folder, title, body, false));
    }
    notes.sort_by_key(|(at, _)| *at);
    vec![Load::of(CONNECTION, "notes", notes)]
}

fn note(dice: &mut Dice, at: Timestamp, folder: &str, title: String, body: String, pinned: bool) -> (Timestamp, Note) {
    let changed = minutes_after(at, dice.between(0, 4_000));
    let note = Note {
        id: format!("note-{}", dice.hex::<5>()),
        title,
        body,
        folder: folder.to_owned(),
        tags: vec![folder.to_lowercase()],
        pinned,
        created_at: time::format(at),
        updated_at: time::format(if when::is_past(changed) { changed } else { at }),
    };
    (at, note)
}
