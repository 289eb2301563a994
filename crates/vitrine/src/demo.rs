//! A sample person: Nora Lindgren, who looks after flood warnings in Hamburg, and five years of her records.
//!
//! What happens to her is decided first ([`story`]); then each account tells its part of it, so that an invoice
//! in the mail is a booking at the bank, and a concert is in the calendar, the mail, the music and the photos.
//! Everything follows from one seed: each run gives the same bytes.

mod bank;
mod calendar;
mod chat;
mod dice;
mod files;
mod grammar;
mod load;
mod mail;
mod moving_in;
mod music;
mod notes;
mod people;
mod photos;
mod story;
#[cfg(test)]
mod tests;
mod when;

pub(crate) use load::Load;
pub(crate) use moving_in::{Keys, move_in};
pub(crate) use story::Story;

/// The declarations of the sources, as JSON.
pub(crate) const DECLARATIONS: [&str; 7] = [
    include_str!("demo/declarations/gmail.json"),
    include_str!("demo/declarations/slack.json"),
    include_str!("demo/declarations/bank.json"),
    include_str!("demo/declarations/spotify.json"),
    include_str!("demo/declarations/notes.json"),
    include_str!("demo/declarations/calendar.json"),
    include_str!("demo/declarations/photos.json"),
];

/// One of the person's accounts.
pub(crate) struct Account {
    /// Its connection id.
    pub(crate) id: &'static str,
    /// Its source's short name.
    pub(crate) source: &'static str,
    /// What the person calls it.
    pub(crate) name: &'static str,
    /// Its part of the story.
    pub(crate) tell: fn(&Story, Scale) -> Vec<Load>,
}

/// The person's accounts, those with most to tell first.
pub(crate) const ACCOUNTS: [Account; 8] = [
    Account { id: mail::WORK, source: "gmail", name: "Work Gmail", tell: mail::work },
    Account { id: mail::PERSONAL, source: "gmail", name: "Personal Gmail", tell: mail::personal },
    Account { id: "spotify", source: "spotify", name: "Spotify", tell: music::plays },
    Account { id: "slack-work", source: "slack", name: "Fathom Tide Slack", tell: chat::messages_and_channels },
    Account { id: "bank-elbe", source: "bank", name: "Elbe Bank", tell: bank::transactions },
    Account { id: "photos", source: "photos", name: "Photo library", tell: photos::photos },
    Account { id: "calendar", source: "calendar", name: "Calendar", tell: calendar::events },
    Account { id: "notes", source: "notes", name: "Notes", tell: notes::notes },
];

/// How much of the everyday is told. What is decided in the story always is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    percent: usize,
}

impl Scale {
    /// That many of a hundred records.
    pub(crate) fn percent(percent: u8) -> Self {
        Self { percent: usize::from(percent) }
    }

    fn of(self, whole: usize) -> usize {
        (whole * self.percent).div_ceil(100)
    }
}
