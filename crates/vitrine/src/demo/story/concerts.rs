//! Bands, records and concerts. None of them exist.

use std::sync::LazyLock;

use jiff::civil::Date;

use crate::demo::dice::Dice;
use crate::demo::people::{FRIENDS, Person};
use crate::demo::when::{self, days_after};

const VENUES: [&str; 5] = ["Speicher 9", "Große Werfthalle", "Kulturkutter", "Fischmarkt-Saal", "Laeiszhafen"];

/// A track somebody can listen to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recording {
    pub(crate) artist: &'static str,
    pub(crate) album: &'static str,
    pub(crate) track: &'static str,
}

/// An evening with music.
pub(crate) struct Concert {
    pub(crate) artist: &'static str,
    pub(crate) venue: &'static str,
    pub(crate) day: Date,
    pub(crate) booked: Date,
    pub(crate) order: String,
    pub(crate) cents: i64,
    pub(crate) with: Person,
}

/// All there is to listen to, artist by artist.
pub(crate) static RECORDINGS: LazyLock<Vec<Recording>> =
    LazyLock::new(|| include_str!("../material/music.txt").lines().flat_map(recordings).collect());

/// `artist | album: track; track | album: track`
fn recordings(line: &'static str) -> Vec<Recording> {
    let mut parts = line.split(" | ");
    let artist = parts.next().unwrap_or_default();
    let albums = parts.filter_map(|part| part.split_once(": "));
    albums.flat_map(|(album, tracks)| tracks.split("; ").map(move |track| Recording { artist, album, track })).collect()
}

pub(super) fn concerts() -> Vec<Concert> {
    let mut dice = Dice::named("concerts");
    let mut artists: Vec<&str> = RECORDINGS.iter().map(|recording| recording.artist).collect();
    artists.dedup();
    let concert = |turn: i64| {
        let day = when::day(40 + turn * 70 + dice.between(0, 40));
        Concert {
            artist: dice.pick::<&str>(&artists),
            venue: dice.pick::<&str>(&VENUES),
            day,
            booked: days_after(day, -dice.between(20, 39)),
            order: format!("TK-{}", dice.between(300_000, 899_999)),
            cents: dice.between(24, 68) * 100 + 50,
            with: dice.favourite(&FRIENDS[..6]).person,
        }
    };
    (0..25).map(concert).collect()
}
