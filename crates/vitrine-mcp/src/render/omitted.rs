//! Fields of a record that there is no room for, and how each of them is still reached.

use vitrine_contract::Record;

use super::ladder::{Omitted, ReadCall};
use super::most_rows;
use super::record::Detail;
use crate::answer::Answer;
use crate::budget::Budget;
use crate::ids::{RecordRef, is_field};

/// Names in one call that reads omitted fields, together.
const PART_CHARS: usize = 600;
/// Names of omitted fields, together, where there are too many to name them all.
const MAX_NAMES_CHARS: usize = 4_000;

/// As many fields of a record as fit, the others by name: the names of all of them if they fit, else of the first.
pub(super) fn most_fields(record: &Record, detail: Detail, at: impl Fn(Detail) -> Answer) -> Answer {
    let entries = record.data.as_ref().map(vitrine_contract::Fields::entries).unwrap_or_default();
    let chars: usize = entries.iter().map(|(name, _)| name.chars().count()).sum();
    if Budget::CHANNEL.room(0).take(chars) {
        let answer = most_rows(entries.len(), |fields| at(Detail { fields, names_all: true, ..detail })).1;
        if answer.fits() {
            return answer;
        }
    }
    most_rows(entries.len(), |fields| at(Detail { fields, names_all: false, ..detail })).1
}

/// The fields that do not fit, with the calls that read them part by part. The names of very many do not fit either.
pub(super) fn of(record: &RecordRef, names: &[&str], names_all: bool) -> Option<Omitted> {
    if names.is_empty() {
        return None;
    }
    let mut room = if names_all { usize::MAX } else { MAX_NAMES_CHARS };
    let mut reads: Vec<ReadCall> = Vec::new();
    let (mut part, mut part_chars) = (Vec::new(), 0);
    let mut listed_by = None;
    for name in names.iter().filter(|name| is_field(name)) {
        let chars = name.len() + 3;
        if room < chars {
            listed_by = Some(ReadCall::schema(record));
            break;
        }
        room -= chars;
        if part_chars + chars > PART_CHARS && !part.is_empty() {
            reads.push(ReadCall::fields(record, &std::mem::take(&mut part)));
            part_chars = 0;
        }
        part.push((*name).to_owned());
        part_chars += chars;
    }
    if !part.is_empty() {
        reads.push(ReadCall::fields(record, &part));
    }
    let mut reads = reads.into_iter();
    Some(Omitted { count: names.len(), read: reads.next(), then: reads.collect(), listed_by })
}
