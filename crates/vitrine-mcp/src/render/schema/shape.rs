//! How much of a schema document to show.

use serde_json::{Value, json};
use vitrine_contract::schema::{Connector, SchemaDocument, StreamRow};

use super::facts::Facts;
use super::flags;
use super::onward::{Listers, Onward};

/// How much to show.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape<'a> {
    pub(super) streams: Streams,
    pub(super) connections: Connections,
    /// Connectors at most.
    pub(super) connectors: usize,
    /// What is told of a row besides its fields.
    pub(super) head: Head,
    /// What is told of fields besides their flags.
    pub(super) facts: Option<Facts>,
    /// The call that shows more.
    pub(super) onward: Onward,
    /// The calls that list connections which are left out.
    pub(super) listers: Listers<'a>,
}

/// How much of a connector's streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Streams {
    /// Rows with fields.
    Fields(Form, Part),
    /// Rows without fields.
    Rows,
    /// This many names.
    Names(usize),
}

impl Streams {
    /// Rows with all fields, each with its flags.
    pub(super) const FIELDS: Self = Self::Fields(Form::Each, Part::ALL);

    /// Whether flags are shown that want explaining.
    pub(super) fn has_flags(self) -> bool {
        matches!(self, Self::Fields(Form::Each | Form::ByFlags, _))
    }
}

/// How fields are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Each with its flags.
    Each,
    /// Those with the same flags together.
    ByFlags,
    /// By name alone.
    Names,
}

/// Which fields of a row are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    First(usize),
    /// What a compact row, which lists the first, has no room for.
    Last(usize),
}

impl Part {
    pub(super) const ALL: Self = Self::First(usize::MAX);

    pub(super) fn of<T>(self, fields: &[T]) -> &[T] {
        match self {
            Self::First(most) => &fields[..fields.len().min(most)],
            Self::Last(most) => &fields[fields.len().saturating_sub(most)..],
        }
    }
}

/// What is told of a row besides its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    /// All there is.
    Whole,
    /// Views without their fields, and a few entries of each list.
    Brief,
    /// Its name.
    Slim,
}

impl Head {
    /// Entries of each list at most.
    pub(super) fn most(self) -> usize {
        match self {
            Self::Whole => usize::MAX,
            Self::Brief | Self::Slim => 12,
        }
    }

    pub(super) fn of<T>(self, list: &[T]) -> &[T] {
        &list[..list.len().min(self.most())]
    }
}

/// How much of the connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Connections {
    /// All, with their labels.
    Labelled,
    /// All, by id alone.
    Ids,
    /// This many, by id alone, and the others counted.
    Few(usize),
}

impl Connections {
    pub(super) fn most(self) -> usize {
        match self {
            Self::Labelled | Self::Ids => usize::MAX,
            Self::Few(most) => most,
        }
    }
}

impl Shape<'_> {
    pub(super) fn new(streams: Streams, connections: Connections, onward: Onward) -> Self {
        let (connectors, head) = (usize::MAX, Head::Whole);
        Self { streams, connections, connectors, head, facts: None, onward, listers: Listers::Nowhere }
    }

    /// Whether the call that shows more stands once, for the whole document.
    pub(super) fn is_led_on_once(&self) -> bool {
        match self.streams {
            Streams::Fields(..) => self.head == Head::Slim,
            Streams::Rows | Streams::Names(_) => true,
        }
    }

    /// That call.
    pub(super) fn next(&self, document: &SchemaDocument) -> Option<Value> {
        if !self.is_led_on_once() {
            return None;
        }
        match self.onward {
            Onward::Streams | Onward::Nowhere => Some(json!({ "stream": "<name>" })),
            Onward::Fields | Onward::Full => document.connectors.iter().find_map(|c| self.onward.args(c)),
        }
    }

    /// Whether a row is shown with less than the call onward shows.
    pub(super) fn leaves_out(&self, row: &StreamRow) -> bool {
        let Streams::Fields(_, part) = self.streams else { return false };
        let fields_of_views = self.head != Head::Whole && !row.views.is_empty() && self.onward == Onward::Full;
        let listed = match part {
            Part::First(most) | Part::Last(most) => most,
        };
        fields_of_views || flags::count(row) > listed
    }

    pub(super) fn with_fields(self, form: Form, part: Part) -> Self {
        Self { streams: Streams::Fields(form, part), ..self }
    }
}

/// The names of a connector's streams, each once.
pub(super) fn names(connector: &Connector) -> Vec<&str> {
    let mut names: Vec<&str> = connector.streams.iter().map(|row| row.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}
