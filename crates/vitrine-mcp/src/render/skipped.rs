//! Encoded bytes inside a window of JSON: they are left out, and the window says which characters they are.

use std::ops::Range;

use serde_json::json;
use vitrine_contract::Warning;
use vitrine_contract::schema::Window;

use super::binary;
use super::text::{count, slice};

/// What stands right before and right behind a window, as far as that was read.
#[derive(Default)]
pub(crate) struct Around {
    pub(crate) before: String,
    pub(crate) after: String,
}

/// Cuts a window to one part without encoded bytes: the part with the match, else the last one if it is read `backward`,
/// else the first. What is next to it is read on from behind the bytes there, or back from before them. Returns the
/// characters of those bytes.
pub(crate) fn skip(window: &mut Window, around: &Around, backward: bool) -> Vec<Range<u64>> {
    let runs = runs(window, around);
    if runs.is_empty() {
        return Vec::new();
    }
    let (from, to) = (window.start_chars, window.end_chars);
    let parts = parts(from..to, &runs);
    let part = match window.match_start_chars {
        Some(found) => parts.iter().find(|part| part.contains(&found)).or(parts.first()),
        None if backward => parts.last(),
        None => parts.first(),
    };
    let nothing = || if backward { runs[0].start..runs[0].start } else { runs[0].end..runs[0].end };
    let part = part.cloned().unwrap_or_else(nothing);
    let before = runs.iter().find(|run| run.end == part.start);
    let after = runs.iter().find(|run| run.start == part.end);

    let place = |at: u64| usize::try_from(at.saturating_sub(from)).unwrap_or(usize::MAX);
    window.text = if part.is_empty() {
        String::new()
    } else {
        slice(&window.text, place(part.start), place(part.end)).to_owned()
    };
    (window.start_chars, window.end_chars, window.complete) = (part.start, part.end, false);
    if let Some(next) = after.map(|run| run.end).or((part.end > to).then_some(part.end)) {
        window.has_more = next < window.total_chars;
        window.next_offset_chars = window.has_more.then_some(next);
    }
    if let Some(end) = before.map(|run| run.start).or((part.start < from).then_some(part.start)) {
        window.previous_offset_chars = (end > 0).then(|| end.saturating_sub(window.limit_chars.max(1)));
    }
    if window.match_start_chars.is_some_and(|found| !part.contains(&found)) {
        (window.match_start_chars, window.match_end_chars) = (None, None);
    }
    // Read on, nobody has asked for what stands before the window.
    let start = |run: &Range<u64>| if backward { run.start } else { run.start.max(from) };
    let before = before.map(|run| start(run)..run.end);
    before.into_iter().chain(after.cloned()).collect()
}

/// The encoded bytes that reach into a window, in characters of the field.
fn runs(window: &Window, Around { before, after }: &Around) -> Vec<Range<u64>> {
    let text = [before, window.text.as_str(), after].concat();
    let origin = window.start_chars.saturating_sub(count(before));
    let place = |at: usize| origin + count(&text[..at]);
    binary::encoded_runs(&text)
        .map(|run| place(run.start)..place(run.end))
        .filter(|run| run.end > window.start_chars && run.start < window.end_chars)
        .collect()
}

/// What is left of a range without the runs.
fn parts(range: Range<u64>, runs: &[Range<u64>]) -> Vec<Range<u64>> {
    let starts = std::iter::once(range.start).chain(runs.iter().map(|run| run.end));
    let ends = runs.iter().map(|run| run.start).chain([range.end]);
    starts.zip(ends).map(|(start, end)| start..end).filter(|part| !part.is_empty()).collect()
}

/// Says which characters next to a window are left out, and where they can be had.
pub(crate) fn warnings(skipped: &[Range<u64>], window: &Window, url: &str) -> Vec<Warning> {
    let is_next_to = |run: &&Range<u64>| run.end == window.start_chars || run.start == window.end_chars;
    let warning = |Range { start, end }: &Range<u64>| Warning {
        code: "encoded_bytes_skipped".into(),
        message: Some(format!(
            "Of this field, characters {start}-{end} are encoded bytes, which are not shown. GET {url} exports all of it."
        )),
        detail: json!({ "start_chars": start, "end_chars": end, "export": { "method": "GET", "url": url } }),
    };
    skipped.iter().filter(is_next_to).map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0";

    #[test]
    fn bytes_in_json_are_skipped_backward_too() {
        let run = RUN.repeat(12);
        let text = format!("[\"{run}\",\"words\",\"{run}");
        let chars = count(&text);
        let mut window = Window {
            start_chars: 100,
            end_chars: 100 + chars,
            limit_chars: 50,
            total_chars: 900 + chars,
            text,
            ..Window::default()
        };
        let (first, last) = (102..102 + count(&run), 100 + chars - count(&run)..100 + chars);
        let skipped = skip(&mut window, &Around::default(), true);
        assert_eq!(window.text, "\",\"words\",\"");
        assert_eq!((window.start_chars, window.end_chars), (first.end, last.start));
        assert_eq!((window.previous_offset_chars, window.next_offset_chars), (Some(52), Some(last.end)));
        assert_eq!(skipped, [first, last]);
    }

    #[test]
    fn what_is_next_to_a_window_tells_a_word_from_bytes() {
        let short = |text: &str| Window {
            text: text.to_owned(),
            start_chars: 500,
            end_chars: 500 + count(text),
            total_chars: 9_000,
            ..Window::default()
        };
        let words = Around { before: "many a ".into(), after: "ing, said he".into() };
        let mut window = short("Read");
        assert_eq!(skip(&mut window, &words, false), []);
        assert_eq!(window.text, "Read");
        let bytes = Around { before: RUN.repeat(4), after: RUN.repeat(4) };
        let run = 500..504 + 4 * count(RUN);
        assert_eq!(skip(&mut window, &bytes, false), std::slice::from_ref(&run));
        assert_eq!((window.text.as_str(), window.next_offset_chars), ("", Some(run.end)));
    }
}
