//! The kinds of export that are understood.

use clap::ValueEnum;

use super::browser::{chrome, firefox};
use super::chat::{chatgpt, claude};
use super::export::Export;
use super::mail::{maildir, mbox};
use super::sessions::{claude_code, codex};
use super::settings::Settings;
use super::sink::{ImportError, Sink};
use super::{slack, spotify, whatsapp};

/// A kind of export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// A mail archive in one file, as Gmail's Takeout and most mail programs write it
    Mbox,
    /// A directory with one file a mail
    Maildir,
    /// What you and ChatGPT wrote
    Chatgpt,
    /// What you and Claude wrote
    Claude,
    /// Claude Code's session logs
    ClaudeCode,
    /// Codex's session logs
    Codex,
    /// A WhatsApp chat, with or without media
    Whatsapp,
    /// A Slack workspace
    Slack,
    /// Spotify's extended streaming history
    Spotify,
    /// The history of Chrome, Chromium, Edge or Brave
    Chrome,
    /// The history of Firefox
    Firefox,
}

/// How a kind of export is read.
pub(crate) struct Importer {
    /// What it is, in words that follow "this looks like".
    pub(crate) title: &'static str,
    /// What it must be, in words that follow "expected".
    pub(crate) expected: &'static str,
    /// Says what its records are.
    pub(crate) declaration: &'static str,
    /// Whether an export is one of these.
    pub(crate) recognizes: fn(&mut Export) -> Result<bool, ImportError>,
    /// Reads it.
    pub(crate) read: fn(&mut Export, &Settings, &mut Sink<'_>) -> Result<(), ImportError>,
}

impl Kind {
    /// As it is typed.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// How it is read.
    pub(crate) fn importer(self) -> &'static Importer {
        match self {
            Self::Mbox => &mbox::IMPORTER,
            Self::Maildir => &maildir::IMPORTER,
            Self::Chatgpt => &chatgpt::IMPORTER,
            Self::Claude => &claude::IMPORTER,
            Self::ClaudeCode => &claude_code::IMPORTER,
            Self::Codex => &codex::IMPORTER,
            Self::Whatsapp => &whatsapp::IMPORTER,
            Self::Slack => &slack::IMPORTER,
            Self::Spotify => &spotify::IMPORTER,
            Self::Chrome => &chrome::IMPORTER,
            Self::Firefox => &firefox::IMPORTER,
        }
    }

    /// Refuses an export of another kind, before anything is taken from it.
    pub fn check(self, export: &mut Export) -> Result<(), ImportError> {
        let Importer { recognizes, expected, .. } = self.importer();
        if recognizes(export)? {
            return Ok(());
        }
        for other in Self::value_variants() {
            let importer = other.importer();
            if (importer.recognizes)(export)? {
                let (name, title, other) = (export.name(), importer.title, other.name());
                return Err(ImportError::Wrong(format!("{name} looks like {title}; use `vitrine import {other}`.")));
            }
        }
        Err(ImportError::Wrong(format!("{} is not what was expected: {expected}.", export.name())))
    }

    /// Reads an export of this kind.
    pub fn read(self, export: &mut Export, settings: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        for passed in export.ignored().to_vec() {
            sink.leave_out(passed.reason, passed.name);
        }
        (self.importer().read)(export, settings, sink)
    }
}
