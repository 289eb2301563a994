//! A small picture of records over time.

use maud::{Markup, html};
use vitrine_engine::oauth::preview::Histogram;

use super::super::words;

const WIDTH: u64 = 240;
const HEIGHT: u64 = 32;

/// Bars from the first unit to the last; units without records leave a gap.
pub(super) fn bars(histogram: &Histogram) -> Markup {
    let bars: Vec<(u64, u64)> = placed(histogram);
    let Some(highest) = bars.iter().map(|(_, count)| *count).max().filter(|highest| *highest > 0) else {
        return Markup::default();
    };
    let slots = bars.iter().map(|(slot, _)| slot + 1).max().unwrap_or(1);
    let label = spoken(histogram);
    html! {
        svg .chart viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) preserveAspectRatio="none" role="img" aria-label=(label) {
            title { (label) }
            @for (slot, count) in &bars {
                @let height = (count * HEIGHT / highest).max(1);
                @let (left, right) = (slot * WIDTH / slots, (slot + 1) * WIDTH / slots);
                @let gap = u64::from(right - left > 3);
                rect x=(left) y=(HEIGHT - height) width=((right - left - gap).max(1)) height=(height) {}
            }
        }
        p .axis aria-hidden="true" { span { (ends(histogram).0) } span { (ends(histogram).1) } }
    }
}

/// Each bar's distance from the first, in units.
fn placed(histogram: &Histogram) -> Vec<(u64, u64)> {
    let months = |key: &str| -> Option<u64> {
        let (year, month) = (key.get(..4)?.parse::<u64>().ok()?, key.get(5..7)?.parse::<u64>().ok()?);
        Some(if histogram.unit == "year" { year } else { year * 12 + month - 1 })
    };
    let known: Vec<_> = histogram.bars.iter().filter_map(|(key, count)| Some((months(key)?, *count))).collect();
    let first = known.iter().map(|(slot, _)| *slot).min().unwrap_or(0);
    known.into_iter().map(|(slot, count)| (slot - first, count)).collect()
}

/// The first and the last unit that has a date.
fn ends(histogram: &Histogram) -> (&str, &str) {
    let digits = if histogram.unit == "year" { 4 } else { 7 };
    let names = histogram.bars.iter().filter(|(key, _)| key.starts_with(|c: char| c.is_ascii_digit()));
    let mut names = names.filter_map(|(key, _)| key.get(..digits));
    let first = names.next().unwrap_or_default();
    (first, names.next_back().unwrap_or(first))
}

fn spoken(histogram: &Histogram) -> String {
    let (first, last) = ends(histogram);
    let most = histogram.bars.iter().max_by_key(|(_, count)| *count);
    let most = most.map(|(key, count)| format!(", most in {}: {}", key.get(..7).unwrap_or(key), words::number(*count)));
    format!("Records by {} from {first} to {last}{}", histogram.unit, most.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_without_records_leave_a_gap() {
        let bar = |key: &str, count| (key.to_owned(), count);
        let histogram = Histogram {
            unit: "month",
            bars: vec![bar("2025-12-01T00:00:00Z", 4), bar("2026-02-01T00:00:00Z", 8), bar("without a date", 1)],
        };
        assert_eq!(placed(&histogram), [(0, 4), (2, 8)]);
        let picture = bars(&histogram).into_string();
        assert_eq!(picture.matches("<rect").count(), 2);
        assert!(picture.contains("from 2025-12 to 2026-02, most in 2026-02: 8"), "{picture}");
    }

    #[test]
    fn nothing_dated_is_no_picture() {
        let histogram = Histogram { unit: "month", bars: vec![("without a date".to_owned(), 3)] };
        assert_eq!(bars(&histogram).into_string(), "");
    }
}
