//! The kinds of export that are understood.

use std::borrow::Cow;

use clap::ValueEnum;
use serde_json::Value;

use super::browser::{chrome, firefox};
use super::chat::{chatgpt, claude};
use super::export::Export;
use super::mail::{maildir, mbox};
use super::sessions::{claude_code, codex};
use super::settings::Settings;
use super::sink::{ImportError, Sink};
use super::{apple_health, bank, calendar, contacts, slack, spotify, table, takeout, whatsapp};

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
    /// Google's My Activity, YouTube history and location history
    #[value(alias = "takeout")]
    GoogleTakeout,
    /// A calendar
    #[value(alias = "ical", alias = "ics")]
    Icalendar,
    /// An address book
    #[value(alias = "contacts")]
    Vcard,
    /// Apple Health
    AppleHealth,
    /// A bank's list of transactions as CSV
    BankCsv,
    /// A bank's list of transactions as OFX or QFX
    Ofx,
    /// Any table as CSV; its declaration is derived
    Csv,
    /// Any JSON lines or JSON array; its declaration is derived
    #[value(alias = "json")]
    Jsonl,
}

/// The forms exports come in, as bytes under a name, for checks that need one of each.
pub const FORMS: [(Kind, &str); 17] = [
    (Kind::Mbox, "a.mbox"),
    (Kind::Chatgpt, "conversations.json"),
    (Kind::Claude, "conversations.json"),
    (Kind::ClaudeCode, "a.jsonl"),
    (Kind::Codex, "a.jsonl"),
    (Kind::Whatsapp, "a.txt"),
    (Kind::Spotify, "a.json"),
    (Kind::GoogleTakeout, "a.json"),
    (Kind::GoogleTakeout, "a.html"),
    (Kind::Icalendar, "a.ics"),
    (Kind::Vcard, "a.vcf"),
    (Kind::AppleHealth, "a.xml"),
    (Kind::BankCsv, "a.csv"),
    (Kind::Ofx, "a.ofx"),
    (Kind::Csv, "a.csv"),
    (Kind::Jsonl, "a.jsonl"),
    (Kind::Slack, "a.zip"),
];

/// How a kind of export is read.
pub(crate) struct Importer {
    /// What it is, in words that follow "looks like".
    title: &'static str,
    /// What it must be.
    expected: &'static str,
    /// Whether an export is one of these.
    recognizes: fn(&mut Export) -> Result<bool, ImportError>,
    origin: Origin,
}

/// Where the declaration of a kind's records comes from.
enum Origin {
    /// It is known beforehand.
    Declared { declaration: &'static str, read: Read },
    /// It is found out from the export, the name of the account and what was declared for it before.
    Derived { key: &'static str, prepare: Derive },
}

/// Makes an export ready whose declaration is found out.
pub(crate) type Derive = fn(&mut Export, &Settings, &str, Option<&Value>) -> Result<Prepared, ImportError>;

/// Reads an export.
pub(crate) type Read = fn(&mut Export, &Settings, &mut Sink<'_>) -> Result<(), ImportError>;
type ReadOnce = Box<dyn FnOnce(&mut Export, &Settings, &mut Sink<'_>) -> Result<(), ImportError> + Send>;

/// An export about to be read.
pub struct Prepared {
    /// Says what its records are.
    pub declaration: Cow<'static, str>,
    /// Whether the declaration was found out, and the owner should look at it.
    pub derived: bool,
    pub(super) read: ReadOnce,
}

impl Importer {
    pub(super) const fn declared(
        title: &'static str,
        expected: &'static str,
        declaration: &'static str,
        recognizes: fn(&mut Export) -> Result<bool, ImportError>,
        read: Read,
    ) -> Self {
        Self { title, expected, recognizes, origin: Origin::Declared { declaration, read } }
    }

    pub(super) const fn derived(
        title: &'static str,
        expected: &'static str,
        key: &'static str,
        recognizes: fn(&mut Export) -> Result<bool, ImportError>,
        prepare: Derive,
    ) -> Self {
        Self { title, expected, recognizes, origin: Origin::Derived { key, prepare } }
    }
}

impl Prepared {
    /// Reads the export it was prepared for.
    pub fn read(self, export: &mut Export, settings: &Settings, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        for passed in export.ignored().to_vec() {
            sink.leave_out(passed.reason, passed.name);
        }
        let read = (self.read)(export, settings, sink);
        for note in export.take_notes() {
            sink.note(note);
        }
        read
    }
}

impl Kind {
    /// As it is typed.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// How it is read.
    fn importer(self) -> &'static Importer {
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
            Self::GoogleTakeout => &takeout::IMPORTER,
            Self::Icalendar => &calendar::IMPORTER,
            Self::Vcard => &contacts::IMPORTER,
            Self::AppleHealth => &apple_health::IMPORTER,
            Self::BankCsv => &bank::csv::IMPORTER,
            Self::Ofx => &bank::ofx::IMPORTER,
            Self::Csv => &table::csv::IMPORTER,
            Self::Jsonl => &table::jsonl::IMPORTER,
        }
    }

    /// Whether an export that reads as this kind is likely to be of it: any text with commas reads as a table.
    fn is_likely(self, export: &Export) -> bool {
        let extensions = ["csv", "tsv", "tab"];
        self != Self::Csv || export.members().iter().any(|m| extensions.iter().any(|e| m.has_extension(e)))
    }

    /// Refuses an export of another kind, before anything is taken from it.
    pub fn check(self, export: &mut Export) -> Result<(), ImportError> {
        let Importer { recognizes, expected, .. } = self.importer();
        if recognizes(export)? {
            return Ok(());
        }
        for other in Self::value_variants() {
            let importer = other.importer();
            if other.is_likely(export) && (importer.recognizes)(export)? {
                let (name, title, other) = (export.name(), importer.title, other.name());
                return Err(ImportError::Wrong(format!("{name} looks like {title}; use `vitrine import {other}`.")));
            }
        }
        Err(ImportError::Wrong(format!("{} is not what was expected: {expected}.", export.name())))
    }

    /// What the source of the account called `name` is called, when its declaration is found out.
    pub fn derived_source(self, name: &str) -> Option<String> {
        match self.importer().origin {
            Origin::Declared { .. } => None,
            Origin::Derived { key, .. } => Some(table::connector_key(key, name)),
        }
    }

    /// Makes an export ready to be read into the account called `name`, of which nothing is known.
    pub fn prepare(self, export: &mut Export, settings: &Settings, name: &str) -> Result<Prepared, ImportError> {
        self.prepare_onto(export, settings, name, None)
    }

    /// Makes an export ready to be read into the account called `name`, whose source is `registered` already.
    pub fn prepare_onto(
        self,
        export: &mut Export,
        settings: &Settings,
        name: &str,
        registered: Option<&Value>,
    ) -> Result<Prepared, ImportError> {
        match self.importer().origin {
            Origin::Declared { declaration, read } => {
                Ok(Prepared { declaration: declaration.into(), derived: false, read: Box::new(read) })
            }
            Origin::Derived { prepare, .. } => prepare(export, settings, name, registered),
        }
    }
}
