//! What is dropped when the book has become too long or too old, and what is kept of it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use vitrine_contract::time;

use super::line::{Hash, hexadecimal_hash};
use super::segments::{self, Places};
use super::signature::{Key, is_signed};
use super::{Result, Settings, private};

/// What is kept of a dropped segment: where it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Dropped {
    object: Tag,
    pub(super) segment: u64,
    /// Its last line.
    pub(super) seq: u64,
    #[serde(with = "hexadecimal_hash")]
    pub(super) hash: Hash,
    /// When that line was written.
    pub(super) written_at: String,
    /// When the segment was dropped.
    pub(super) at: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Tag {
    #[serde(rename = "ledger_dropped")]
    Dropped,
}

impl Dropped {
    pub(super) fn parse(line: &str, public_key: &str) -> Option<Self> {
        serde_json::from_str(line).ok().filter(|_| is_signed(line, public_key))
    }
}

/// Drops the oldest segments, all of them closed, until the rest is within the settings.
pub(super) fn apply(places: &Places, key: &Key, settings: &Settings, at: Timestamp) -> Result<()> {
    let numbers = places.segments()?;
    let sizes = numbers.iter().map(|number| fs::metadata(places.segment(*number)).map(|about| about.len()));
    let mut total: u64 = sizes.collect::<io::Result<Vec<_>>>()?.iter().sum();
    let oldest_kept = settings.max_days.map(|days| at - SignedDuration::from_hours(24 * i64::from(days)));
    for number in numbers.split_last().map_or(&[][..], |(_, closed)| closed) {
        if total <= settings.max_bytes && oldest_kept.is_none() {
            break;
        }
        let path = places.segment(*number);
        let last = segments::last_line(&path)?;
        let too_old = oldest_kept.is_some_and(|oldest| time::parse(&last.at).is_some_and(|end| end < oldest));
        if total <= settings.max_bytes && !too_old {
            break;
        }
        total -= fs::metadata(&path)?.len();
        let dropped = Dropped {
            object: Tag::Dropped,
            segment: *number,
            seq: last.seq,
            hash: last.hash,
            written_at: last.at,
            at: time::format(at),
        };
        keep(places, &key.sign(serde_json::to_string(&dropped)?))?;
        fs::remove_file(&path)?;
        match fs::remove_file(places.postings(*number)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// Kept before the segment goes, on the disk, or the gap would look like someone's work.
fn keep(places: &Places, line: &str) -> Result<()> {
    let mut file = private(OpenOptions::new().append(true).create(true)).open(places.dropped())?;
    file.write_all(format!("{line}\n").as_bytes())?;
    Ok(file.sync_all()?)
}
