//! Dates in figures, whichever way round they are written.

use jiff::civil::{Date, Time};

use super::settings::DateOrder;

/// A date in figures: three numbers, of which one is the year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Figures {
    numbers: [i16; 3],
    /// How many digits the first number has.
    width: usize,
    /// Whether dots stand between them: nobody writes those after a month.
    dotted: bool,
}

/// Marks of writing direction, which phones put almost anywhere.
pub(crate) const MARKS: [char; 3] = ['\u{200e}', '\u{200f}', '\u{feff}'];
/// Spaces of any width.
pub(crate) const SPACES: [char; 3] = [' ', '\u{a0}', '\u{202f}'];

/// Reads a date in figures off the start of a text, and gives the rest.
pub(crate) fn figures(text: &str) -> Option<(Figures, &str)> {
    let (first, width, rest) = number(text, 4)?;
    let (separator, rest) = separator(rest)?;
    let (second, _, rest) = number(rest, 2)?;
    let (after_month, after_day) = match separator {
        '년' => ('월', "일"),
        '年' => ('月', "日"),
        other => (other, ""),
    };
    let rest = rest.trim_start_matches(MARKS).strip_prefix(after_month)?.trim_start_matches(' ');
    let (third, third_width, rest) = number(rest, 4)?;
    let plausible = (width <= 2 && third_width != 3) || (width == 4 && third_width <= 2);
    let rest = rest.strip_prefix(after_day).unwrap_or(rest);
    plausible.then_some((Figures { numbers: [first, second, third], width, dotted: separator == '.' }, rest))
}

/// Starts of the names of months, in English and German.
const MONTHS: [&[&str]; 12] = [
    &["jan", "jän"],
    &["feb"],
    &["mar", "mär"],
    &["apr"],
    &["may", "mai"],
    &["jun"],
    &["jul"],
    &["aug"],
    &["sep"],
    &["oct", "okt"],
    &["nov"],
    &["dec", "dez"],
];

/// A date that names its month: `12 Mar 2024`, `12-Mar-24`, `12. März 2024`
pub(crate) fn named(text: &str) -> Option<Date> {
    let is_between = |c: char| c.is_whitespace() || matches!(c, '.' | '-' | '/' | ',');
    let mut words = text.split(is_between).filter(|word| !word.is_empty());
    let (day, month, year) = (words.next()?, words.next()?, words.next()?);
    let month = month.to_lowercase();
    let month = MONTHS.iter().position(|names| names.iter().any(|name| month.starts_with(name)))?;
    let figures = Figures {
        numbers: [day.parse().ok()?, i16::try_from(month + 1).ok()?, year.parse().ok()?],
        width: day.len().min(2),
        dotted: false,
    };
    figures.date(DateOrder::Dmy)
}

fn separator(text: &str) -> Option<(char, &str)> {
    let text = text.trim_start_matches(MARKS);
    let separator = text.chars().next().filter(|c| matches!(c, '.' | '/' | '-' | '년' | '年'))?;
    Some((separator, text[separator.len_utf8()..].trim_start_matches(' ')))
}

/// Reads a number of up to `max` digits; how many it has, and the rest.
fn number(text: &str, max: usize) -> Option<(i16, usize, &str)> {
    let text = text.trim_start_matches(MARKS);
    let (mut value, mut width, mut rest) = (0, 0, text);
    while let Some(digit) = rest.chars().next().and_then(digit) {
        if width == max {
            return None;
        }
        (value, width) = (value * 10 + digit, width + 1);
        rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
    }
    (width > 0).then_some((value, width, rest))
}

/// A digit, as Europeans, Arabs, Persians and Indians write it.
fn digit(c: char) -> Option<i16> {
    let zero = ['0', '\u{660}', '\u{6f0}', '\u{966}'].into_iter().find(|zero| (*zero..).take(10).any(|d| d == c))?;
    i16::try_from(u32::from(c) - u32::from(zero)).ok()
}

impl Figures {
    /// The day, if there is one when it is read in this order.
    pub(crate) fn date(self, order: DateOrder) -> Option<Date> {
        let [a, b, c] = self.numbers;
        let (year, month, day) = match order {
            _ if self.width == 4 => (a, b, c),
            DateOrder::Dmy => (c, b, a),
            DateOrder::Mdy => (c, a, b),
            DateOrder::Ymd => (a, b, c),
        };
        let year = match year {
            0..70 => 2000 + year,
            70..100 => 1900 + year,
            year => year,
        };
        Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
    }

    /// Whether the year is one in which instants are told in any zone: neither the first that can be written, nor the last.
    pub(crate) fn has_instants(self) -> bool {
        let is_first = self.width == 4 && self.numbers[0] == 0;
        !is_first && !self.numbers.contains(&9999)
    }
}

/// Finds out the order of dates from all of them.
#[derive(Debug, Default)]
pub(crate) struct OrderGuess {
    trials: [Trial; 2],
    /// Whether some date is another day in the other order.
    differs: bool,
    /// Whether some date with the year in front is none.
    year_first_fails: bool,
}

/// A year in front is written out, and needs no guess.
const ORDERS: [DateOrder; 2] = [DateOrder::Dmy, DateOrder::Mdy];

#[derive(Debug, Default)]
struct Trial {
    /// Dates that are none in this order, or that nobody writes so.
    impossible: u32,
    /// Whether some date is none in this order.
    fails: bool,
    steps_back: u32,
    steps_ahead: u32,
    days: u64,
    last: Option<Date>,
}

impl OrderGuess {
    pub(crate) fn see(&mut self, figures: Figures) {
        let read @ [one, other] = ORDERS.map(|order| figures.date(order));
        self.differs |= one != other;
        let year_first = if figures.width == 4 { one } else { figures.date(DateOrder::Ymd) };
        self.year_first_fails |= year_first.is_none();
        for ((trial, order), date) in self.trials.iter_mut().zip(ORDERS).zip(read) {
            let unheard_of = figures.dotted && order == DateOrder::Mdy && one.is_some();
            trial.fails |= date.is_none();
            let Some(date) = date.filter(|_| !unheard_of) else {
                trial.impossible += 1;
                continue;
            };
            if let Some(last) = trial.last.replace(date) {
                trial.steps_back += u32::from(date < last);
                trial.steps_ahead += u32::from(date > last);
                let days = (date - last).get_days().unsigned_abs();
                trial.days += u64::from(days);
            }
        }
    }

    /// The order in which every date is one, and the dates run most evenly; day first when in doubt.
    pub(crate) fn order(&self) -> DateOrder {
        let cost = |trial: &Trial| (trial.impossible, trial.steps_back.min(trial.steps_ahead), trial.days);
        let best = (0..ORDERS.len()).min_by_key(|at| cost(&self.trials[*at]));
        ORDERS[best.unwrap_or_default()]
    }

    /// Whether every date is one in this order.
    pub(crate) fn fits(&self, order: DateOrder) -> bool {
        match order {
            DateOrder::Dmy => !self.trials[0].fails,
            DateOrder::Mdy => !self.trials[1].fails,
            DateOrder::Ymd => !self.year_first_fails,
        }
    }

    /// Which order was taken, when no date rules out the other.
    pub(crate) fn doubt(&self, what: &str) -> Option<String> {
        let open = self.differs && self.trials.iter().all(|trial| trial.impossible == 0);
        let [taken, other, flag] = match self.order() {
            DateOrder::Mdy => ["month", "day", "dmy"],
            _ => ["day", "month", "mdy"],
        };
        open.then(|| {
            format!(
                "{what}: the dates fit both orders and were read {taken} first; --date-order {flag} reads them {other} first."
            )
        })
    }
}

/// Reads a time of day off the start of a text: `9:05`, `21.05.33`, `9:05:33 p. m.`, `오후 9:05`
pub(crate) fn clock(text: &str) -> Option<(Time, &str)> {
    let (before, text) = leading_half(text);
    let (hour, _, rest) = number(text, 2)?;
    let separator = rest.chars().next().filter(|c| matches!(c, ':' | '.'))?;
    let (minute, _, mut rest) = number(&rest[1..], 2)?;
    let mut second = 0;
    if let Some(after) = rest.strip_prefix(separator)
        && let Some((seconds, _, after)) = number(after, 2)
    {
        (second, rest) = (seconds, after);
    }
    let (after, rest) = half_of_day(rest);
    let hour = match before.or(after) {
        Some(Half::Before) if hour == 12 => 0,
        Some(Half::After) if hour < 12 => hour + 12,
        _ => hour,
    };
    let time = Time::new(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, i8::try_from(second).ok()?, 0).ok()?;
    Some((time, rest))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Before,
    After,
}

/// Halves of the day that stand before the time.
const LEADING: &[(&str, Half)] = &[
    ("오전", Half::Before),
    ("오후", Half::After),
    ("午前", Half::Before),
    ("午後", Half::After),
    ("上午", Half::Before),
    ("凌晨", Half::Before),
    ("早上", Half::Before),
    ("中午", Half::After),
    ("下午", Half::After),
    ("晚上", Half::After),
];
/// And after it, where they are not `AM` and `PM`.
const TRAILING: &[(&str, Half)] = &[
    ("ص", Half::Before),
    ("م", Half::After),
    ("पूर्वाह्न", Half::Before),
    ("अपराह्न", Half::After),
    ("ÖÖ", Half::Before),
    ("ÖS", Half::After),
    ("π.μ.", Half::Before),
    ("μ.μ.", Half::After),
    ("SA", Half::Before),
    ("CH", Half::After),
];

/// Whether a time says its half of the day first, as in East Asia.
pub(crate) fn has_leading_half(text: &str) -> bool {
    leading_half(text).0.is_some()
}

fn leading_half(text: &str) -> (Option<Half>, &str) {
    let found = LEADING.iter().find_map(|(word, half)| Some((*half, text.strip_prefix(word)?)));
    found.map_or((None, text), |(half, rest)| (Some(half), rest.trim_start_matches(SPACES)))
}

/// `AM`, `p.m.`, `a. m.`, after spaces of any width.
fn half_of_day(text: &str) -> (Option<Half>, &str) {
    let start = text.trim_start_matches(MARKS).trim_start_matches(SPACES);
    for (word, half) in TRAILING {
        if let Some(rest) = start.strip_prefix(word)
            && !rest.starts_with(char::is_alphanumeric)
        {
            return (Some(*half), rest);
        }
    }
    let mut letters = start.char_indices().filter(|(_, c)| *c != '.' && !SPACES.contains(c));
    let (Some((0, half)), Some((at, 'm' | 'M'))) = (letters.next(), letters.next()) else { return (None, text) };
    let rest = start[at + 1..].strip_prefix('.').unwrap_or(&start[at + 1..]);
    if at > 4 || rest.starts_with(|c: char| c.is_alphanumeric()) {
        return (None, text);
    }
    match half {
        'a' | 'A' => (Some(Half::Before), rest),
        'p' | 'P' => (Some(Half::After), rest),
        _ => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(dates: &[&str]) -> DateOrder {
        let mut guess = OrderGuess::default();
        for date in dates {
            guess.see(figures(date).expect("a date").0);
        }
        guess.order()
    }

    #[test]
    fn the_order_is_found_out_from_all_dates() {
        assert_eq!(order(&["03.04.23", "25.04.23"]), DateOrder::Dmy);
        assert_eq!(order(&["3/4/23", "4/25/23"]), DateOrder::Mdy);
        assert_eq!(order(&["2023-04-03"]), DateOrder::Dmy, "a year in front speaks for itself");
        assert_eq!(order(&["1/11/23", "1/12/23", "2/1/23"]), DateOrder::Mdy, "days run on");
        assert_eq!(order(&["11/1/23", "12/1/23", "1/2/23"]), DateOrder::Dmy, "days run on");
        assert_eq!(order(&["03/04/23"]), DateOrder::Dmy);
        assert_eq!(order(&["1.11.23", "1.12.23", "2.1.23"]), DateOrder::Dmy, "dots stand after days");
        assert_eq!(order(&["12.31.23"]), DateOrder::Mdy, "unless there is no such day");
    }

    #[test]
    fn an_order_that_no_date_settles_is_told() {
        let doubt = |dates: &[&str]| {
            let mut guess = OrderGuess::default();
            for date in dates {
                guess.see(figures(date).expect("a date").0);
            }
            guess.doubt("x")
        };
        assert!(doubt(&["03/04/23"]).is_some_and(|told| told.contains("day first; --date-order mdy")));
        assert!(doubt(&["1/11/23", "1/12/23", "2/1/23"]).is_some_and(|told| told.contains("--date-order dmy")));
        for settled in [&["03/04/23", "25/04/23"][..], &["2023-04-03"], &["4/4/23"], &["03.04.23"], &[]] {
            assert_eq!(doubt(settled), None, "{settled:?}");
        }
    }

    #[test]
    fn dates_become_days() {
        let day = |text: &str, order| figures(text).and_then(|(f, _)| f.date(order)).map(|date| date.to_string());
        assert_eq!(day("31.12.99", DateOrder::Dmy).as_deref(), Some("1999-12-31"));
        assert_eq!(day("2023/1/2 x", DateOrder::Mdy).as_deref(), Some("2023-01-02"));
        assert_eq!(day("5. 1. 2024", DateOrder::Dmy).as_deref(), Some("2024-01-05"));
        assert_eq!(day("31.02.2024", DateOrder::Dmy), None);
        assert_eq!(day("2024년 3월 12일 x", DateOrder::Dmy).as_deref(), Some("2024-03-12"));
        assert_eq!(day("١٢\u{200f}/٣\u{200f}/٢٠٢٤", DateOrder::Dmy).as_deref(), Some("2024-03-12"));
        for none in ["", "1.2", "1234.5", "1.234,56", "12345.1.1", "1-2/3", "1.2.345"] {
            assert_eq!(figures(none), None, "{none}");
        }
    }

    #[test]
    fn times_of_day_are_read_in_both_halves() {
        for (text, time, rest) in [
            ("9:05 - x", "09:05:00", " - x"),
            ("21.05.33] x", "21:05:33", "] x"),
            ("9:05:33\u{202f}PM] x", "21:05:33", "] x"),
            ("12:00 a. m. - x", "00:00:00", " - x"),
            ("12:00 pm", "12:00:00", ""),
            ("7:00 amber", "07:00:00", " amber"),
            ("오후 9:45, x", "21:45:00", ", x"),
            ("下午9:45:03] x", "21:45:03", "] x"),
            ("٩:٤٥ م - x", "21:45:00", " - x"),
            ("9:45 अपराह्न - x", "21:45:00", " - x"),
        ] {
            assert_eq!(
                clock(text).map(|(time, rest)| (time.to_string(), rest)),
                Some((time.to_owned(), rest)),
                "{text}"
            );
        }
        assert_eq!(clock("25:00"), None);
    }
}
