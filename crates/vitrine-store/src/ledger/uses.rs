//! When grants were last used: one way back through the book for all of them.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;

use memchr::memmem;

use super::Result;
use super::postings::{Postings, Term};
use super::search::{Shown, unless_dropped};
use super::segments::{self, Places};

/// When the newest entry under each of these grants and packages was made; nothing for those without one.
pub(super) fn last(places: &Places, ids: &[&str]) -> Result<BTreeMap<String, String>> {
    let left = ids.iter().map(|id| (Term::Grant(id).hash(), *id)).collect();
    let mut sought = Sought { left, found: BTreeMap::new() };
    let mut numbers = places.segments()?;
    if let Some(last) = numbers.pop() {
        unless_dropped(sought.open_segment(places, last))?;
    }
    while let Some(number) = numbers.pop().filter(|_| !sought.left.is_empty()) {
        unless_dropped(sought.closed_segment(places, number))?;
    }
    Ok(sought.found)
}

struct Sought<'a> {
    /// Those without an entry so far, by the hashes of their terms.
    left: HashMap<u64, &'a str>,
    found: BTreeMap<String, String>,
}

impl Sought<'_> {
    /// The segment that is written to has no postings: its lines are told by their text.
    fn open_segment(&mut self, places: &Places, number: u64) -> Result<()> {
        let names = [r#""grant_id":""#, r#""grant_package_id":""#].map(memmem::Finder::new);
        let text = segments::rest(&mut File::open(places.segment(number))?, 0)?;
        for line in segments::newest_first(&text) {
            let is_sought = |from: usize| {
                let id = line[from..].split(|byte| *byte == b'"').next().unwrap_or_default();
                std::str::from_utf8(id).is_ok_and(|id| self.left.contains_key(&Term::Grant(id).hash()))
            };
            if names.iter().any(|name| name.find_iter(line).any(|at| is_sought(at + name.needle().len()))) {
                self.look_at(line);
            }
            if self.left.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn closed_segment(&mut self, places: &Places, number: u64) -> Result<()> {
        let mut postings = Postings::of(places, number)?;
        let mut segment = File::open(places.segment(number))?;
        for hash in postings.grants()? {
            let Some(id) = self.left.get(&hash) else { continue };
            for offset in postings.lines(Term::Grant(id))?.into_iter().rev() {
                if let Some(line) = segments::line_at(&mut segment, offset.into())? {
                    self.look_at(&line);
                }
                if !self.left.contains_key(&hash) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Takes a line as the last use of every grant it names that had none so far.
    fn look_at(&mut self, line: &[u8]) {
        let Some(entry) = Shown::parse(line) else { return };
        for term in entry.terms() {
            let hash = term.hash();
            if let (Term::Grant(id), Some(sought)) = (term, self.left.get(&hash))
                && id == *sought
            {
                self.left.remove(&hash);
                self.found.insert(id.to_owned(), entry.at.clone().into_owned());
            }
        }
    }
}
