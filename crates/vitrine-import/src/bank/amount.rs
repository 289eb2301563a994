//! Amounts of money, with the decimal mark of the bank's country.

/// Which mark stands before the cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decimal {
    Point,
    Comma,
}

/// Counts which mark amounts use.
#[derive(Debug, Default)]
pub(super) struct DecimalGuess {
    points: u64,
    commas: u64,
}

impl DecimalGuess {
    pub(super) fn see(&mut self, text: &str) {
        let cents = |mark: char| {
            let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit()).rsplit_once(mark).map(|(_, cents)| cents);
            digits.is_some_and(|cents| (1..=2).contains(&cents.len()) && cents.bytes().all(|b| b.is_ascii_digit()))
        };
        self.points += u64::from(cents('.'));
        self.commas += u64::from(cents(','));
    }

    /// The mark most amounts use; `otherwise` when none tells.
    pub(super) fn decimal(&self, otherwise: Decimal) -> Decimal {
        match self.points.cmp(&self.commas) {
            std::cmp::Ordering::Greater => Decimal::Point,
            std::cmp::Ordering::Less => Decimal::Comma,
            std::cmp::Ordering::Equal => otherwise,
        }
    }
}

/// Whether an amount is marked as one that went out: `-1`, `€ -1`, `(1)`, `1-`, `1 S`, `1 DR`.
pub(super) fn is_negative(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let before = text.split(is_digit).next().unwrap_or_default();
    let after = text.rsplit(is_digit).next().unwrap_or_default().trim();
    before.contains(['-', '\u{2212}', '(']) || after.starts_with('-') || matches!(after, "S" | "D" | "DR" | "Dr" | "DB")
}

/// Whether a text has nothing in it that no amount has: a card number is none, nor is `5 pieces`.
fn is_amount(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let (Some(first), Some(last)) = (text.find(is_digit), text.rfind(is_digit)) else { return false };
    let figures = text[first..=last].chars().all(|c| is_digit(c) || is_mark(c));
    let around = |text: &str| {
        let is_sign =
            |c: char| is_mark(c) || "+-\u{2212}\u{2013}()$£¥¤\"".contains(c) || ('\u{20a0}'..'\u{20d0}').contains(&c);
        text.split(is_sign).all(is_currency)
    };
    figures && around(&text[..first]) && around(&text[last + 1..])
}

fn is_mark(c: char) -> bool {
    matches!(c, '.' | ',' | '\'' | '’') || c.is_whitespace()
}

/// Letters that may stand beside an amount: a currency, or which way it went.
fn is_currency(word: &str) -> bool {
    let is_short = word.chars().count() <= 3 && word.chars().all(char::is_alphabetic);
    is_short || word.eq_ignore_ascii_case("euro") || word.eq_ignore_ascii_case("euros")
}

/// Reads `-1.234,56 EUR`, `(12.50)`, `1'000.00-` and the like.
pub(super) fn parse(text: &str, decimal: Decimal) -> Option<f64> {
    if !is_amount(text) {
        return None;
    }
    let (mark, other) = if decimal == Decimal::Comma { (',', '.') } else { ('.', ',') };
    let mut plain = String::with_capacity(text.len());
    // Digits since the other mark, which may only stand before thousands.
    let mut grouped = None;
    for c in text.trim().chars() {
        match c {
            '0'..='9' => {
                plain.push(c);
                grouped = grouped.map(|digits| digits + 1);
            }
            c if c == mark && plain.contains('.') => return None,
            c if c == mark && grouped.is_some_and(|digits| digits != 3) => return None,
            c if c == mark => (plain, grouped) = (plain + ".", None),
            c if c == other && plain.contains('.') && !plain.ends_with('.') => return None,
            c if c == other && !plain.is_empty() => grouped = Some(0),
            _ => {}
        }
    }
    let value: f64 = plain.parse().ok().filter(|_| grouped.is_none_or(|digits| digits == 3))?;
    Some(if is_negative(text) { -value } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_in_every_country() {
        for (text, decimal, amount) in [
            ("-1.234,56 EUR", Decimal::Comma, Some(-1234.56)),
            ("1,234.56", Decimal::Point, Some(1234.56)),
            ("1'000.00-", Decimal::Point, Some(-1000.0)),
            ("(12.50)", Decimal::Point, Some(-12.5)),
            ("\u{2212}3,00", Decimal::Comma, Some(-3.0)),
            ("12,50 S", Decimal::Comma, Some(-12.5)),
            ("+7", Decimal::Comma, Some(7.0)),
            ("€ -3,00", Decimal::Comma, Some(-3.0)),
            ("12.50 DR", Decimal::Point, Some(-12.5)),
            ("12.50 USD", Decimal::Point, Some(12.5)),
            ("1,23,456.00", Decimal::Point, Some(123_456.0)),
            ("1,234.-", Decimal::Point, Some(1234.0)),
            ("12,34", Decimal::Point, None),
            ("1.234,56", Decimal::Point, None),
            ("1.2.3", Decimal::Point, None),
            ("", Decimal::Point, None),
            ("n/a", Decimal::Point, None),
            ("4000********1234", Decimal::Point, None),
            ("12a34", Decimal::Point, None),
            ("20-00-00 12345678", Decimal::Point, None),
            ("5 pieces", Decimal::Point, None),
            ("1\u{202f}234,50 euros", Decimal::Comma, Some(1234.5)),
            ("5’000.00", Decimal::Point, Some(5000.0)),
            ("R$ 12,50", Decimal::Comma, Some(12.5)),
            ("'-12.34", Decimal::Point, Some(-12.34)),
        ] {
            assert_eq!(parse(text, decimal), amount, "{text}");
        }
    }

    #[test]
    fn the_mark_is_found_out_from_all_amounts() {
        let guess = |texts: &[&str]| {
            let mut guess = DecimalGuess::default();
            for text in texts {
                guess.see(text);
            }
            guess.decimal(Decimal::Comma)
        };
        assert_eq!(guess(&["1.234", "-2,50 EUR"]), Decimal::Comma);
        assert_eq!(guess(&["1,234", "2.50"]), Decimal::Point);
        assert_eq!(guess(&["100"]), Decimal::Comma);
    }
}
