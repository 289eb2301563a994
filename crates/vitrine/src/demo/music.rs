//! Listening history: moods that last for weeks, and a band before and after its concert.

use jiff::Timestamp;
use serde::Serialize;
use vitrine_contract::time;

use super::dice::Dice;
use super::grammar::Grammar;
use super::load::Load;
use super::story::{RECORDINGS, Recording};
use super::when::{self, DAYS, days_after, seconds_after};
use super::{Scale, Story};

const CONNECTION: &str = "spotify";
const SITTINGS: usize = 1_800;
const PLAYS_ABOUT_A_CONCERT: usize = 34;

#[derive(Serialize)]
struct Play {
    id: String,
    played_at: String,
    track: &'static str,
    artist: &'static str,
    album: &'static str,
    ms_played: i64,
    skipped: bool,
    device: String,
    playlist: Option<String>,
}

/// What was played.
pub(crate) fn plays(story: &Story, scale: Scale) -> Vec<Load> {
    let mut dice = Dice::named(CONNECTION);
    let grammar = Grammar::of(&[include_str!("material/private.txt")]);
    let mut plays = Vec::new();
    for concert in &story.concerts {
        let songs: Vec<Recording> = RECORDINGS.iter().filter(|song| song.artist == concert.artist).copied().collect();
        for _ in 0..scale.of(PLAYS_ABOUT_A_CONCERT).max(3) {
            let day = days_after(concert.day, dice.between(-18, 5));
            let at = when::during(&mut dice, day, 6, 22);
            let song = *dice.pick(&songs);
            plays.push(play(&mut dice, &grammar, at, song, None));
        }
    }
    for _ in 0..scale.of(SITTINGS) {
        sitting(&mut dice, &grammar, &mut plays);
    }
    plays.retain(|(at, _)| when::is_past(*at));
    plays.sort_by_key(|(at, _)| *at);
    vec![Load::of(CONNECTION, "plays", plays)]
}

/// Some tracks in a row, mostly of what is the favourite in these months.
fn sitting(dice: &mut Dice, grammar: &Grammar, plays: &mut Vec<(Timestamp, Play)>) {
    let number = dice.between(0, DAYS - 1);
    let mut at = when::during(dice, when::day(number), 5, 22);
    let playlist = dice.chance(45).then(|| grammar.say(dice, "playlist", &[]));
    let mood = usize::try_from(number / 75).unwrap_or_default() * 11;
    for _ in 0..=dice.between(1, 11) {
        let offset = if dice.chance(65) { mood + dice.below(16) } else { dice.below(RECORDINGS.len()) };
        let song = RECORDINGS[offset % RECORDINGS.len()];
        let (started, play) = play(dice, grammar, at, song, playlist.clone());
        at = seconds_after(started, play.ms_played / 1_000 + 2);
        plays.push((started, play));
    }
}

fn play(
    dice: &mut Dice,
    grammar: &Grammar,
    at: Timestamp,
    song: Recording,
    playlist: Option<String>,
) -> (Timestamp, Play) {
    let skipped = dice.chance(9);
    let play = Play {
        id: dice.hex::<8>(),
        played_at: time::format(at),
        track: song.track,
        artist: song.artist,
        album: song.album,
        ms_played: if skipped { dice.between(2_000, 40_000) } else { dice.between(130_000, 340_000) },
        skipped,
        device: grammar.say(dice, "device", &[]),
        playlist,
    };
    (at, play)
}
