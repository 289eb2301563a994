//! Statements of cards, some of which list purchases without a minus and payments of the bill with one.

/// Headings, in small letters, that only stand on statements of cards that write purchases without a minus:
/// American Express, Apple Card, Discover.
const HEADINGS: &[&str] = &["card member", "karteninhaber", "account #", "konto #", "purchased by", "trans. date"];
/// Kinds of booking that are purchases.
const PURCHASES: &[&str] = &["purchase", "sale", "card purchase", "kauf", "einkauf", "achat", "compra"];

/// What the rows of a table tell about how it writes purchases.
#[derive(Debug, Default)]
pub(super) struct Purchases {
    /// Whether the headings are those of a card that writes them without a minus.
    known: bool,
    with_minus: u64,
    without_minus: u64,
    /// Amounts of any booking.
    negative: u64,
    positive: u64,
}

/// Which way amounts of a table are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// What went out has a minus.
    Signed,
    /// What was bought has none.
    Reversed,
    /// Taken as signed, for want of anything that tells.
    Open,
}

impl Purchases {
    pub(super) fn of_headings<'a>(mut headings: impl Iterator<Item = &'a str>) -> Self {
        let known = headings.any(|heading| HEADINGS.contains(&heading.to_lowercase().as_str()));
        Self { known, ..Self::default() }
    }

    /// Looks at a booking: its kind, what it says, and whether its amount has a minus.
    pub(super) fn see(&mut self, kind: Option<&str>, said: Option<&str>, negative: bool) {
        if negative {
            self.negative += 1;
        } else {
            self.positive += 1;
        }
        let is_purchase = kind.is_some_and(|kind| PURCHASES.iter().any(|known| known.eq_ignore_ascii_case(kind)));
        // Who pays the bill of a card is thanked for it: that money came in.
        let is_thanked = said.is_some_and(is_thanks);
        if is_purchase || is_thanked {
            if negative == is_purchase {
                self.with_minus += 1;
            } else {
                self.without_minus += 1;
            }
        }
    }

    /// What all rows together say. A balance beside them is that of an account, where what goes out has a minus.
    pub(super) fn meaning(&self, has_balance: bool) -> Meaning {
        match self.without_minus.cmp(&self.with_minus) {
            std::cmp::Ordering::Greater => Meaning::Reversed,
            std::cmp::Ordering::Equal if self.known => Meaning::Reversed,
            std::cmp::Ordering::Equal if self.positive > self.negative && !has_balance => Meaning::Open,
            _ => Meaning::Signed,
        }
    }
}

impl Meaning {
    /// What the owner should know of it.
    pub(super) fn note(self, file: &str) -> Option<String> {
        match self {
            Self::Signed => None,
            Self::Reversed => Some(format!(
                "{file} is a card's statement, on which purchases have no minus; they were taken as money that went out."
            )),
            Self::Open => Some(format!(
                "{file}: most amounts have no minus and nothing says which way the money went; those without one were \
                 taken as money that came in."
            )),
        }
    }
}

fn is_thanks(said: &str) -> bool {
    let has =
        |words: &str| said.as_bytes().windows(words.len()).any(|part| part.eq_ignore_ascii_case(words.as_bytes()));
    said.len() < 200 && has("thank you") && has("payment")
}
