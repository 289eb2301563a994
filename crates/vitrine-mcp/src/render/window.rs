//! A bounded part of one field.

use std::ops::Range;

use serde_json::Value;
use vitrine_contract::Warning;
use vitrine_contract::schema::{FieldWindow, Window};

use super::json::Object;
use super::record::export_url;
use super::text::{Lines, call, count, literal, slice};
use super::{Frame, most_rows, skipped, warning_lines};
use crate::answer::Answer;
use crate::budget::Budget;
use crate::handles::{self, WindowSelector};
use crate::ids::{RecordRef, told};

/// Keys under which `_meta` names resources.
pub(crate) const URI_META: &str = "dev.pdpp/resource_uri";
pub(crate) const NEXT_META: &str = "dev.pdpp/next_uri";
pub(crate) const PREVIOUS_META: &str = "dev.pdpp/previous_uri";

/// What stands around a window.
const AROUND_BYTES: usize = 256;

/// Renders as much of the window as fits, keeping the match in it; `skipped` are characters that were taken out of it.
pub(crate) fn answer(
    field: &FieldWindow,
    skipped: &[Range<u64>],
    selector: &WindowSelector,
    budget: Budget,
    frame: Frame<'_>,
) -> Answer {
    let record = RecordRef::shown(&field.connection_id, &field.stream, &field.record_id);
    let chars = usize::try_from(count(&field.window.text)).unwrap_or(usize::MAX);
    let url = if skipped.is_empty() { String::new() } else { export_url(frame, &record, &field.field.path, None) };
    let at = |chars| {
        let window = narrowed(&field.window, chars, selector.backward);
        let warnings = skipped::warnings(skipped, &window, &url);
        render(field, &window, &warnings, &record, selector, frame).with_budgets(budget, budget)
    };
    most_rows(chars, at).1
}

/// The window cut to `chars` characters: at its end, unless that would lose the match or what leads to it.
fn narrowed(window: &Window, chars: usize, backward: bool) -> Window {
    let held = count(&window.text);
    let kept = chars as u64;
    if kept >= held {
        return window.clone();
    }
    let beyond = match (window.match_start_chars, window.match_end_chars) {
        (Some(from), Some(to)) => {
            let (from, to) = (from.saturating_sub(window.start_chars), to.saturating_sub(window.start_chars));
            let margin = kept.saturating_sub(to.saturating_sub(from)) / 2;
            if to > kept { from.saturating_sub(margin).min(held - kept) } else { 0 }
        }
        _ if backward => held - kept,
        _ => 0,
    };
    // What was cut off here is read back from again: there is no need to ask for less.
    let step = if backward { window.limit_chars } else { kept };
    let start = window.start_chars + beyond;
    let end = start + kept;
    let from = usize::try_from(beyond).unwrap_or(usize::MAX);
    Window {
        text: slice(&window.text, from, from + chars).to_owned(),
        start_chars: start,
        end_chars: end,
        complete: false,
        has_more: end < window.end_chars || window.has_more,
        next_offset_chars: if end < window.end_chars { Some(end) } else { window.next_offset_chars },
        previous_offset_chars: if beyond > 0 {
            Some(start.saturating_sub(step.max(1)))
        } else {
            window.previous_offset_chars
        },
        ..window.clone()
    }
}

/// A window as the resource server has it, with the cursors that read on from it.
fn shown(window: &Window, next_cursor: Option<&str>, previous_cursor: Option<&str>) -> String {
    let mut shown = Object::with_capacity(window.text.len() + 2 * AROUND_BYTES);
    shown.text("text", &window.text);
    for (name, chars) in [
        ("start_chars", window.start_chars),
        ("end_chars", window.end_chars),
        ("limit_chars", window.limit_chars),
        ("total_chars", window.total_chars),
    ] {
        shown.insert(name, &chars);
    }
    shown.insert("complete", &window.complete);
    shown.insert("has_more", &window.has_more);
    for (name, chars) in [
        ("next_offset_chars", window.next_offset_chars),
        ("previous_offset_chars", window.previous_offset_chars),
        ("match_start_chars", window.match_start_chars),
        ("match_end_chars", window.match_end_chars),
    ] {
        shown.insert(name, &chars);
    }
    shown.text_or_null("next_cursor", next_cursor);
    shown.text_or_null("previous_cursor", previous_cursor);
    shown.finish()
}

fn render(
    field: &FieldWindow,
    window: &Window,
    warnings: &[Warning],
    record: &RecordRef,
    selector: &WindowSelector,
    frame: Frame<'_>,
) -> Answer {
    let path = &field.field.path;
    let limit = window.limit_chars.max(1);
    let next = window.next_offset_chars.filter(|_| window.has_more).map(|offset| (offset, limit));
    let previous = window
        .previous_offset_chars
        .map(|offset| (offset, (window.start_chars - offset.min(window.start_chars)).clamp(1, limit)));
    let uri = |at: Option<(u64, u64)>, backward| {
        let span = |(offset, limit)| WindowSelector::span(offset, limit, backward);
        at.map(|at| handles::field_window_uri(record, path, &span(at)))
    };
    let next_cursor = next.map(|(offset, limit)| handles::window_cursor(record, path, offset, limit));
    let previous_cursor = previous.map(|(offset, limit)| handles::backward_cursor(record, path, offset, limit));

    let id = record.result_id();
    let mut named = Object::with_capacity(AROUND_BYTES);
    named.text("id", &id);
    if let Some(connection_id) = told(&field.connection_id) {
        named.text("connection_id", connection_id);
    }
    named.text("stream", &field.stream);
    named.text("record_id", &field.record_id);
    let mut about = Object::with_capacity(AROUND_BYTES);
    about.text("path", path);
    about.text("type", &field.field.kind);
    about.insert("text_like", &(field.field.kind == "string"));
    let mut structured = Object::with_capacity(window.text.len() + 4 * AROUND_BYTES);
    structured.insert_json("record", &named.finish());
    structured.insert_json("field", &about.finish());
    structured.insert_json("window", &shown(window, next_cursor.as_deref(), previous_cursor.as_deref()));
    if !warnings.is_empty() {
        structured.insert("warnings", warnings);
    }

    let state = if window.complete { "complete" } else { "part" };
    let mut text = format!(
        "{} of {}: {state}, chars {}-{} of {}, has_more: {}\n",
        literal(path),
        literal(&id),
        window.start_chars,
        window.end_chars,
        window.total_chars,
        window.has_more
    );
    if let (Some(from), Some(to)) = (window.match_start_chars, window.match_end_chars) {
        text.line(format_args!("match: chars {from}-{to}"));
    }
    for (name, cursor) in [("next", &next_cursor), ("previous", &previous_cursor)] {
        if let Some(cursor) = cursor {
            let mut args = record.arguments();
            args["field_path"] = path.as_str().into();
            args["cursor"] = cursor.as_str().into();
            text.line(format_args!("{name}: {}", call("read_record_field", &args)));
        }
    }
    text += &warning_lines(warnings);
    text += &literal(&window.text);
    text.push('\n');

    let mut answer = Answer::new(text, frame.finish(structured));
    answer.meta.insert(URI_META.into(), handles::field_window_uri(record, path, selector).into());
    for (key, uri) in [(NEXT_META, uri(next, false)), (PREVIOUS_META, uri(previous, true))] {
        if let Some(uri) = uri {
            answer.meta.insert(key.into(), Value::from(uri));
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn window(text: &str, matched: Option<(u64, u64)>) -> Window {
        let chars = count(text);
        Window {
            text: text.to_owned(),
            start_chars: 100,
            end_chars: 100 + chars,
            limit_chars: chars,
            total_chars: 100 + chars,
            previous_offset_chars: Some(0),
            match_start_chars: matched.map(|(from, _)| from),
            match_end_chars: matched.map(|(_, to)| to),
            ..Window::default()
        }
    }

    #[test]
    fn a_window_is_cut_at_its_end() {
        let cut = narrowed(&window("日本語のテキスト", None), 3, false);
        assert_eq!((cut.text.as_str(), cut.start_chars, cut.end_chars), ("日本語", 100, 103));
        assert_eq!((cut.has_more, cut.next_offset_chars, cut.previous_offset_chars), (true, Some(103), Some(0)));
    }

    #[test]
    fn a_window_read_backward_is_cut_at_its_start() {
        let cut = narrowed(&window("日本語のテキスト", None), 3, true);
        assert_eq!((cut.text.as_str(), cut.start_chars, cut.end_chars), ("キスト", 105, 108));
        assert_eq!((cut.has_more, cut.previous_offset_chars), (false, Some(97)));
    }

    #[test]
    fn a_window_is_shown_as_the_resource_server_has_it() {
        let window = Window { has_more: true, next_offset_chars: Some(9), ..window("a \"word\"\n", Some((102, 106))) };
        let mut whole = json!(window);
        whole["next_cursor"] = "on".into();
        whole["previous_cursor"] = Value::Null;
        assert_eq!(shown(&window, Some("on"), None), whole.to_string());
    }

    #[test]
    fn the_match_stays_in_the_window() {
        let whole = window("0123456789abcdefghij", Some((115, 117)));
        let cut = narrowed(&whole, 6, false);
        assert_eq!((cut.text.as_str(), cut.start_chars, cut.has_more), ("defghi", 113, true));
        let last = narrowed(&window("0123456789abcdefghij", Some((118, 120))), 6, false);
        assert_eq!((last.text.as_str(), last.has_more, last.next_offset_chars), ("efghij", false, None));
        assert_eq!(last.previous_offset_chars, Some(108));
    }
}
