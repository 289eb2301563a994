//! Whether money came in or went out, where a column of its own says so.

/// Which way money went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    In,
    Out,
}

const OUT: &[&str] = &[
    "d",
    "dr",
    "db",
    "debit",
    "debet",
    "débit",
    "debito",
    "débito",
    "s",
    "soll",
    "belastung",
    "ausgang",
    "ausgabe",
    "out",
    "outgoing",
    "expense",
    "withdrawal",
    "af",
    "addebito",
    "cargo",
    "-",
    "\u{2212}",
];
const IN: &[&str] = &[
    "c",
    "cr",
    "credit",
    "kredit",
    "crédit",
    "credito",
    "crédito",
    "h",
    "haben",
    "gutschrift",
    "eingang",
    "einnahme",
    "in",
    "incoming",
    "income",
    "deposit",
    "bij",
    "accredito",
    "abono",
    "+",
];
/// Headings that promise such a column, without what is neither letter nor digit.
const HEADINGS: &[&str] = &[
    "dc",
    "cd",
    "sh",
    "hs",
    "crdr",
    "drcr",
    "sollhaben",
    "habensoll",
    "debitcredit",
    "creditdebit",
    "debitorcredit",
    "creditordebit",
    "debetcredit",
    "afbij",
    "bijaf",
    "direction",
    "vorzeichen",
    "sens",
];

/// What a cell says.
pub(super) fn way(text: &str) -> Option<Way> {
    let word = text.trim().trim_end_matches('.').to_lowercase();
    if OUT.contains(&word.as_str()) { Some(Way::Out) } else { IN.contains(&word.as_str()).then_some(Way::In) }
}

/// Whether a heading, in small letters, promises nothing but which way money went.
pub(super) fn is_heading(heading: &str) -> bool {
    let letters: String = heading.chars().filter(|c| c.is_alphanumeric()).collect();
    let letters = ["indicator", "kennzeichen", "flag", "code"]
        .iter()
        .find_map(|end| letters.strip_suffix(end))
        .unwrap_or(&letters);
    HEADINGS.contains(&letters)
}

/// What the cells of a column say, all together.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    outs: u64,
    ins: u64,
    blank: u64,
    other: u64,
    /// Of what went out, how much had a minus already.
    minus: u64,
}

impl Tally {
    pub(super) fn see(&mut self, cell: &str, negative: bool) {
        match way(cell) {
            Some(Way::Out) => {
                self.outs += 1;
                self.minus += u64::from(negative);
            }
            Some(Way::In) => self.ins += 1,
            None if cell.trim().is_empty() => self.blank += 1,
            None => self.other += 1,
        }
    }

    /// Whether the column says of each booking which way it went. A heading that speaks of something
    /// else must be outdone by both words.
    pub(super) fn is_sign(&self, heading_allows: bool) -> bool {
        let words = if heading_allows { self.outs + self.ins > 0 } else { self.outs > 0 && self.ins > 0 };
        words && self.blank == 0 && self.other == 0
    }

    /// How a column that gives amounts their sign is read; nothing when they have it already.
    pub(super) fn reading(&self) -> Option<Reading> {
        if self.minus > self.outs - self.minus {
            return None;
        }
        let blank = match (self.outs, self.ins) {
            (1.., 0) => Some(Way::In),
            (0, 1..) => Some(Way::Out),
            _ => None,
        };
        Some(Reading { blank })
    }
}

/// How cells of a column give amounts their sign.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    /// What an empty cell says, where only one way is marked.
    blank: Option<Way>,
}

impl Reading {
    /// The amount with its sign; nothing when the cell does not say.
    pub(super) fn apply(self, amount: f64, cell: Option<&str>) -> Option<f64> {
        match cell.map_or(self.blank, way)? {
            Way::In => Some(amount),
            Way::Out => Some(-amount),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_that_promise_a_sign_are_told_from_amounts() {
        for heading in ["d/c", "soll/haben", "s/h", "cr/dr", "debit / credit indicator", "s/h-kennzeichen", "af bij"] {
            assert!(is_heading(heading), "{heading}");
        }
        for heading in ["debit", "haben", "credit", "description", "saldo", ""] {
            assert!(!is_heading(heading), "{heading}");
        }
    }

    #[test]
    fn one_marked_way_leaves_the_other_blank() {
        let reading = |cells: &[&str]| {
            let mut tally = Tally::default();
            for cell in cells {
                tally.see(cell, false);
            }
            tally.reading().expect("amounts without sign")
        };
        assert_eq!(reading(&["Dr", ""]).apply(5.0, None), Some(5.0));
        assert_eq!(reading(&["CR", ""]).apply(5.0, None), Some(-5.0));
        assert_eq!(reading(&["CR", "DR", ""]).apply(5.0, None), None);
        assert_eq!(reading(&["CR", "DR"]).apply(5.0, Some("??")), None);
    }
}
