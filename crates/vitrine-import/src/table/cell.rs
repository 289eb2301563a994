//! What the text of a cell may be, and what it is once its column is known.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use vitrine_contract::time;

use crate::dates::{self, OrderGuess};
use crate::settings::{DateOrder, Settings};

/// What all cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Boolean,
    Integer,
    Point,
    Comma,
    Day,
    Instant,
    Text,
}

/// The kinds a column may still be of, the first that holds decides.
const KINDS: [Kind; 6] = [Kind::Boolean, Kind::Integer, Kind::Point, Kind::Comma, Kind::Day, Kind::Instant];

/// Finds out the kind of a column.
#[derive(Debug)]
pub(super) struct KindGuess {
    refuted: [bool; KINDS.len()],
    order: OrderGuess,
    /// The order of dates, when the owner said.
    said: Option<DateOrder>,
    seen: bool,
}

impl KindGuess {
    pub(super) fn new(said: Option<DateOrder>) -> Self {
        Self { refuted: [false; KINDS.len()], order: OrderGuess::default(), said, seen: false }
    }

    pub(super) fn see(&mut self, text: &str) {
        self.seen = true;
        for (kind, refuted) in KINDS.iter().zip(&mut self.refuted) {
            *refuted = *refuted || !is(*kind, text);
        }
        if let Some((figures, _)) = dates::figures(text) {
            self.order.see(figures);
        }
    }

    pub(super) fn kind(&self) -> Kind {
        KINDS.into_iter().find(|kind| self.seen && self.may_be(*kind)).unwrap_or(Kind::Text)
    }

    /// Whether every cell so far can be read as this.
    pub(super) fn may_be(&self, kind: Kind) -> bool {
        let refuted = KINDS.iter().zip(self.refuted).any(|(known, refuted)| *known == kind && refuted);
        !refuted && (!matches!(kind, Kind::Day | Kind::Instant) || self.order.fits(self.order()))
    }

    /// Whether any cell told.
    pub(super) fn is_told(&self) -> bool {
        self.seen
    }

    pub(super) fn order(&self) -> DateOrder {
        self.said.unwrap_or_else(|| self.order.order())
    }

    /// What to say about the order of its dates, if it is a column of dates and the owner said nothing.
    pub(super) fn doubt(&self, column: &str) -> Option<String> {
        let is_open = self.said.is_none() && matches!(self.kind(), Kind::Day | Kind::Instant);
        is_open.then(|| self.order.doubt(column)).flatten()
    }
}

fn is(kind: Kind, text: &str) -> bool {
    match kind {
        Kind::Boolean => text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false"),
        Kind::Integer => is_integer(text),
        Kind::Point => is_decimal(text, '.'),
        Kind::Comma => is_decimal(text, ','),
        Kind::Day => dates::figures(text).is_some_and(|(_, rest)| rest.is_empty()),
        Kind::Instant => {
            let figures = dates::figures(text);
            let is_told = figures.is_some_and(|(_, rest)| {
                rest.is_empty()
                    || dates::clock(rest.trim_start_matches([',', ' '])).is_some_and(|(_, rest)| rest.is_empty())
            });
            let has_instants = figures.is_none_or(|(figures, _)| figures.has_instants());
            has_instants && (is_told || (text.len() > 10 && time::parse(text).is_some()))
        }
        Kind::Text => true,
    }
}

/// Digits that are a number: `007` is a name, and so is what no float holds exactly.
fn is_whole(text: &str) -> bool {
    (1..=15).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'))
}

/// A number that is written back as it stands: `+491511234567` is dialled, and a nought has no sign.
fn is_integer(text: &str) -> bool {
    is_whole(text.strip_prefix('-').unwrap_or(text)) && text != "-0"
}

fn is_decimal(text: &str, mark: char) -> bool {
    match text.split_once(mark) {
        None => is_integer(text),
        Some((whole, part)) => {
            is_whole(whole.strip_prefix(['-', '+']).unwrap_or(whole))
                && (1..=15).contains(&part.len())
                && part.bytes().all(|b| b.is_ascii_digit())
        }
    }
}

/// The value of a cell of this kind; nothing when it is none.
pub(super) fn value(text: &str, kind: Kind, order: DateOrder, settings: &Settings) -> Option<Value> {
    match kind {
        Kind::Boolean => Some(json!(text.eq_ignore_ascii_case("true"))),
        Kind::Integer => text.parse::<i64>().ok().map(Value::from),
        Kind::Point => text.parse::<f64>().ok().map(Value::from),
        Kind::Comma => text.replace(',', ".").parse::<f64>().ok().map(Value::from),
        Kind::Day => day(text, order).map(|day| json!(day.to_string())),
        Kind::Instant => instant(text, order, &settings.time_zone).map(Value::from),
        Kind::Text => Some(json!(text)),
    }
}

fn day(text: &str, order: DateOrder) -> Option<Date> {
    dates::figures(text)?.0.date(order)
}

/// RFC 3339 as it says; without an offset, in the owner's zone.
fn instant(text: &str, order: DateOrder, zone: &TimeZone) -> Option<String> {
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return Some(time::format(instant));
    }
    let in_figures = || {
        let (figures, rest) = dates::figures(text)?;
        let rest = rest.trim_start_matches([',', ' ', 'T']);
        let clock = if rest.is_empty() { jiff::civil::Time::midnight() } else { dates::clock(rest)?.0 };
        Some(figures.date(order)?.to_datetime(clock))
    };
    let local = in_figures().or_else(|| text.parse().ok())?;
    zone.to_timestamp(local).ok().map(time::format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::settings;

    fn told(texts: &[&str]) -> (Kind, Vec<Option<Value>>) {
        told_in(None, texts)
    }

    fn told_in(order: Option<DateOrder>, texts: &[&str]) -> (Kind, Vec<Option<Value>>) {
        let mut guess = KindGuess::new(order);
        for text in texts {
            guess.see(text);
        }
        (guess.kind(), texts.iter().map(|text| value(text, guess.kind(), guess.order(), &settings())).collect())
    }

    #[test]
    fn telephone_numbers_are_no_amounts() {
        let number = "+4915112345678";
        assert_eq!(told(&[number, "+49301234567"]).1[0], Some(json!(number)));
        assert_eq!(told(&[number, "1.5"]).0, Kind::Text);
        assert_eq!(told(&["-0", "1"]).0, Kind::Text, "a sign is kept");
        assert_eq!(told(&["+1.5", "-2"]), (Kind::Point, vec![Some(json!(1.5)), Some(json!(-2.0))]));
        assert_eq!(told(&["+1,5", "-2"]).0, Kind::Comma);
    }

    #[test]
    fn a_column_is_of_dates_only_if_each_is_one() {
        for texts in [
            &["2024-02-30", "2024-01-01"][..],
            &["31.02.2024"],
            &["13/01/2024", "01/13/2024"],
            &["2024-02-30 10:00:00", "2024-01-01"],
            &["9999-12-31 23:59:59", "2024-01-01"],
            &["0000-00-00 00:00:00"],
        ] {
            let (kind, values) = told(texts);
            assert_eq!((kind, values), (Kind::Text, texts.iter().map(|text| Some(json!(text))).collect()), "{texts:?}");
        }
        assert_eq!(told(&["9999-12-31", "2024-01-01"]).0, Kind::Day);
        assert_eq!(told_in(Some(DateOrder::Mdy), &["13/01/2024"]).0, Kind::Text, "the owner said so");
        assert_eq!(told_in(Some(DateOrder::Ymd), &["24-01-02"]).1, [Some(json!("2024-01-02"))]);
        assert_eq!(told(&["20240102T030405"]).1, [Some(json!("2024-01-02T02:04:05Z"))], "without marks between");
    }

    #[test]
    fn columns_are_what_all_their_cells_are() {
        assert_eq!(told(&["1", "-20", "0"]), (Kind::Integer, vec![Some(json!(1)), Some(json!(-20)), Some(json!(0))]));
        assert_eq!(told(&["1", "2.5"]), (Kind::Point, vec![Some(json!(1.0)), Some(json!(2.5))]));
        assert_eq!(told(&["1,5", "2"]), (Kind::Comma, vec![Some(json!(1.5)), Some(json!(2.0))]));
        assert_eq!(told(&["TRUE", "false"]).0, Kind::Boolean);
        assert_eq!(told(&["01067", "20459"]).0, Kind::Text, "a postal code is no number");
        assert_eq!(told(&["12345678901234567"]).0, Kind::Text, "too long to be exact");
        assert_eq!(
            told(&["31.12.2023", "01.02.2024"]),
            (Kind::Day, vec![Some(json!("2023-12-31")), Some(json!("2024-02-01"))])
        );
        assert_eq!(told(&["12/31/2023 11:00 PM"]), (Kind::Instant, vec![Some(json!("2023-12-31T22:00:00Z"))]));
        assert_eq!(told(&["2024-01-02T03:04:05Z", "2024-01-02 03:04:05"]).1[1], Some(json!("2024-01-02T02:04:05Z")));
        assert_eq!(told(&["x", "1"]).0, Kind::Text);
        assert_eq!(told(&[]).0, Kind::Text);
    }
}
