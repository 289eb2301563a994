//! Events of several calendars: an invitation has the same UID in each calendar it was put into.

use std::collections::HashMap;

use crate::export::Member;
use crate::hash;

/// Events remembered; beyond this many, those of files without a name of their own may be taken for one another.
const MAX_REMEMBERED: usize = 2_000_000;

/// The calendar that events stand in.
pub(super) struct Calendar {
    /// What it calls itself.
    own: Option<String>,
    /// What its file is called.
    file: String,
    /// The path of that, without its ending.
    path: String,
    /// Which file of the export it is.
    number: usize,
}

impl Calendar {
    pub(super) fn of_file(member: &Member, number: usize) -> Self {
        let stem = |name: &str| name.trim_end_matches(".ics").to_owned();
        Self { own: None, file: stem(member.file_name()), path: stem(&member.name), number }
    }

    pub(super) fn call(&mut self, own: String) {
        self.own = Some(own);
    }

    pub(super) fn name(&self) -> &str {
        self.own.as_deref().unwrap_or(&self.file)
    }
}

/// Which file told an event first, for those whose calendar has no name of its own.
#[derive(Default)]
pub(super) struct Apart(HashMap<[u8; 8], usize>);

impl Apart {
    /// The id of an event among those of all calendars. Files are called anything, so that their names count only where
    /// two files of an export have the same event.
    pub(super) fn id(&mut self, calendar: &Calendar, id: String) -> String {
        if let Some(own) = &calendar.own {
            return within(&id, own);
        }
        let mut short = [0; 8];
        short.copy_from_slice(&hash::text_key(&[&id]).as_bytes()[..8]);
        if self.0.len() >= MAX_REMEMBERED && !self.0.contains_key(&short) {
            return id;
        }
        let first = *self.0.entry(short).or_insert(calendar.number);
        if first == calendar.number { id } else { within(&id, &calendar.path) }
    }
}

/// An event's id with the name of its calendar, which stays one that a record can have.
fn within(id: &str, calendar: &str) -> String {
    format!("{id}~{}", calendar.replace(|c: char| c.is_whitespace() || matches!(c, '/' | '\\'), "-"))
}
