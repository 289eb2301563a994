//! Where in a text the wanted units stand.

use std::cell::RefCell;
use std::rc::Rc;

use hashbrown::HashMap;
use vitrine_engine::words::{self, Sought, Unit};

/// A unit where it stands, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) unit: usize,
    pub(super) start: u64,
    pub(super) end: u64,
}

/// Finds units in texts.
pub(super) struct Reader<'q> {
    /// Every word that is sought, with its unit and its place in it.
    sought: Vec<(usize, usize, &'q Sought)>,
    units: &'q [Unit],
    /// Which of them a word meets; most meet none.
    met: RefCell<HashMap<Box<str>, Rc<[usize]>>>,
}

impl<'q> Reader<'q> {
    pub(super) fn new(units: &'q [Unit]) -> Self {
        let numbered = units.iter().enumerate();
        let sought =
            numbered.flat_map(|(u, unit)| unit.0.iter().enumerate().map(move |(nth, sought)| (u, nth, sought)));
        Self { sought: sought.collect(), units, met: RefCell::default() }
    }

    /// The units in a text, in the order they start; those cut off by its end are none.
    pub(super) fn find(&self, text: &str) -> Vec<Standing> {
        let mut words = Vec::new();
        words::each_word(text, |word| {
            words.push((word.start, word.end, self.met_by(word.term)));
            true
        });
        let mut standing = Vec::new();
        for (at, (start, _, met)) in words.iter().enumerate() {
            for (unit, nth, _) in met.iter().map(|sought| self.sought[*sought]) {
                if nth > 0 {
                    continue;
                }
                let rest = &words[at..];
                let length = self.units[unit].0.len();
                let follows = |(nth, word): (usize, &(u64, u64, Rc<[usize]>))| {
                    word.2.iter().any(|sought| self.sought[*sought].0 == unit && self.sought[*sought].1 == nth)
                };
                if rest.len() >= length && rest[..length].iter().enumerate().all(follows) {
                    standing.push(Standing { unit, start: *start, end: rest[length - 1].1 });
                }
            }
        }
        standing
    }

    fn met_by(&self, term: &str) -> Rc<[usize]> {
        if let Some(known) = self.met.borrow().get(term) {
            return Rc::clone(known);
        }
        let meets = self.sought.iter().enumerate().filter(|(_, (.., sought))| sought.is_met_by(term));
        let met: Rc<[usize]> = meets.map(|(at, _)| at).collect();
        self.met.borrow_mut().insert(term.into(), Rc::clone(&met));
        met
    }
}
