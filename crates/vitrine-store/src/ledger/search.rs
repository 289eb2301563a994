//! Asking the book: newest first, segment by segment.

use std::borrow::Cow;
use std::fs::File;
use std::io;

use jiff::Timestamp;
use memchr::memmem;
use serde::Deserialize;
use serde_json::value::RawValue;
use vitrine_contract::time;
use vitrine_engine::ledger::{LedgerAsk, LedgerPage};

use super::postings::{Postings, Term};
use super::segments::{self, Places};
use super::{LedgerError, Result};

/// Lines one question may look at. A page that stops here says where to go on.
const MAX_LINES: usize = 50_000;

/// An entry, as far as it can be asked about.
#[derive(Deserialize)]
pub(super) struct Shown<'a> {
    #[serde(borrow)]
    object: Cow<'a, str>,
    seq: u64,
    #[serde(borrow)]
    pub(super) at: Cow<'a, str>,
    #[serde(borrow, default)]
    client_id: Cow<'a, str>,
    #[serde(borrow, default)]
    grant_package_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    items: Vec<ShownItem<'a>>,
}

#[derive(Deserialize)]
struct ShownItem<'a> {
    #[serde(borrow)]
    connection_id: Cow<'a, str>,
    #[serde(borrow)]
    stream: Cow<'a, str>,
    #[serde(borrow, default)]
    grant_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    record_ids: Vec<Name<'a>>,
}

/// Borrowed where the JSON has no escape.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Shown<'a> {
    /// Reads an entry; another kind of line is none.
    pub(super) fn parse(line: &'a [u8]) -> Option<Self> {
        serde_json::from_slice::<Self>(line).ok().filter(|shown| shown.object == "ledger_entry")
    }

    /// Everything the entry can be found by.
    pub(super) fn terms<'s>(&'s self) -> impl Iterator<Item = Term<'s>> {
        let of_item = |item: &'s ShownItem<'a>| {
            let record_ids = item.record_ids.iter().map(|Name(id)| &**id);
            Term::of_item(&item.connection_id, &item.stream, item.grant_id.as_deref(), record_ids)
        };
        Term::of_client(&self.client_id, self.grant_package_id.as_deref()).chain(self.items.iter().flat_map(of_item))
    }

    fn answers(&self, ask: &LedgerAsk) -> bool {
        let at = time::parse(&self.at).unwrap_or_default();
        let is = |asked: &Option<String>, name: &str| asked.as_deref().is_none_or(|asked| asked == name);
        let of_package =
            self.grant_package_id.is_some() && is(&ask.grant_id, self.grant_package_id.as_deref().unwrap_or(""));
        let about = |item: &ShownItem<'_>| {
            is(&ask.connection_id, &item.connection_id)
                && is(&ask.stream, &item.stream)
                && (of_package || is(&ask.grant_id, item.grant_id.as_deref().unwrap_or_default()))
                && (ask.record_id.is_none() || item.record_ids.iter().any(|Name(id)| is(&ask.record_id, id)))
        };
        let about_nothing =
            [&ask.connection_id, &ask.stream, &ask.record_id, &ask.grant_id].iter().all(|a| a.is_none());
        ask.before.is_none_or(|before| self.seq < before)
            && ask.since.is_none_or(|since| since <= at)
            && ask.until.is_none_or(|until| at < until)
            && is(&ask.client_id, &self.client_id)
            && (about_nothing || self.items.iter().any(about))
    }
}

/// Entries that match, newest first.
pub(super) fn entries(places: &Places, ask: &LedgerAsk) -> Result<LedgerPage> {
    let mut numbers = places.segments()?;
    let mut found = Found { ask, page: LedgerPage::default(), last: 0, looked_at: 0 };
    let mut done = match numbers.pop() {
        Some(last) => unless_dropped(open_segment(places, last, &mut found))?,
        None => return Ok(found.page),
    };
    while let Some(number) = numbers.pop().filter(|_| !done) {
        done = unless_dropped(closed_segment(places, number, &mut found))?;
    }
    Ok(found.page)
}

/// Retention may drop a segment while someone is at it: then there is nothing in it.
pub(super) fn unless_dropped<T: Default>(outcome: Result<T>) -> Result<T> {
    match outcome {
        Err(LedgerError::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        outcome => outcome,
    }
}

struct Found<'a> {
    ask: &'a LedgerAsk,
    page: LedgerPage,
    /// The last entry that was looked at.
    last: u64,
    looked_at: usize,
}

impl Found<'_> {
    /// Takes a line if it matches; true when the page is complete.
    fn look_at(&mut self, line: &[u8]) -> Result<bool> {
        let Some(entry) = Shown::parse(line) else { return Ok(false) };
        self.looked_at += 1;
        if entry.answers(self.ask) {
            if self.page.entries.len() == self.ask.limit {
                self.page.next = Some(self.last);
                return Ok(true);
            }
            let text = String::from_utf8_lossy(line.trim_ascii_end()).into_owned();
            self.page.entries.push(RawValue::from_string(text)?);
            self.last = entry.seq;
        }
        if self.looked_at >= MAX_LINES {
            self.page.next = Some(entry.seq);
            return Ok(true);
        }
        Ok(false)
    }
}

/// The segment that is written to has no postings: lines that cannot match are told by their text.
fn open_segment(places: &Places, number: u64, found: &mut Found<'_>) -> Result<bool> {
    let text = segments::rest(&mut File::open(places.segment(number))?, 0)?;
    let ask = found.ask;
    let names = [&ask.client_id, &ask.grant_id, &ask.connection_id, &ask.stream, &ask.record_id];
    let quoted = names.into_iter().flatten().map(serde_json::to_string).collect::<serde_json::Result<Vec<_>>>()?;
    let needles: Vec<_> = quoted.iter().map(|name| memmem::Finder::new(name.as_bytes())).collect();
    for line in segments::newest_first(&text) {
        if needles.iter().all(|needle| needle.find(line).is_some()) && found.look_at(line)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn closed_segment(places: &Places, number: u64, found: &mut Found<'_>) -> Result<bool> {
    let ask = found.ask;
    let path = places.segment(number);
    if let (Some(before), Some(first)) = (ask.before, segments::first_line(&path)?)
        && before <= first.seq
    {
        return Ok(false);
    }
    let mut postings = Postings::of(places, number)?;
    let (first, last) = postings.span;
    let starts_after = ask.until.is_some_and(|until| first >= Timestamp::as_microsecond(until));
    if starts_after || ask.since.is_some_and(|since| last < Timestamp::as_microsecond(since)) {
        return Ok(false);
    }
    let Some(mut lines) = common_lines(&mut postings, ask)? else { return Ok(false) };
    keep_asked_times(&mut postings, ask, &mut lines)?;
    let mut segment = File::open(&path)?;
    if let Some(before) = ask.before {
        lines.truncate(lines_before(&mut segment, &lines, before)?);
    }
    for offset in lines.into_iter().rev() {
        let line = segments::line_at(&mut segment, offset.into())?;
        if let Some(line) = line
            && found.look_at(&line)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Drops the lines of entries that were made at other times, without reading them.
fn keep_asked_times(postings: &mut Postings, ask: &LedgerAsk, lines: &mut Vec<u32>) -> Result<()> {
    let since = ask.since.map_or(i64::MIN, Timestamp::as_microsecond);
    let until = ask.until.map_or(i64::MAX, Timestamp::as_microsecond);
    let (first, last) = postings.span;
    if since <= first && last < until {
        return Ok(());
    }
    let times = postings.times()?;
    // A bound between two microseconds is left to the look at the line.
    let is_asked = |at: i64| since <= at && at <= until;
    lines.retain(|line| {
        times.binary_search_by_key(line, |(offset, _)| *offset).is_ok_and(|found| is_asked(times[found].1))
    });
    Ok(())
}

/// How many of these lines come before an entry: they are numbered in order.
fn lines_before(segment: &mut File, lines: &[u32], before: u64) -> Result<usize> {
    let (mut low, mut high) = (0, lines.len());
    while low < high {
        let middle = low.midpoint(high);
        let line = segments::line_at(segment, lines[middle].into())?;
        if line.as_deref().and_then(Shown::parse).is_some_and(|entry| entry.seq < before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Ok(low)
}

/// The lines that name everything that is asked for.
fn common_lines(postings: &mut Postings, ask: &LedgerAsk) -> Result<Option<Vec<u32>>> {
    let place = match (ask.connection_id.as_deref(), ask.stream.as_deref()) {
        (Some(connection_id), Some(stream)) => Some(Term::Place(connection_id, stream)),
        (Some(connection_id), None) => Some(Term::Connection(connection_id)),
        (None, Some(stream)) => Some(Term::Stream(stream)),
        (None, None) => None,
    };
    let terms = [
        ask.record_id.as_deref().map(Term::Record),
        ask.grant_id.as_deref().map(Term::Grant),
        ask.client_id.as_deref().map(Term::Client),
        place,
    ];
    let mut terms = terms.into_iter().flatten();
    let mut lines = postings.lines(terms.next().unwrap_or(Term::Any))?;
    for term in terms {
        if lines.is_empty() {
            return Ok(None);
        }
        let others = postings.lines(term)?;
        lines.retain(|line| others.binary_search(line).is_ok());
    }
    Ok((!lines.is_empty()).then_some(lines))
}
