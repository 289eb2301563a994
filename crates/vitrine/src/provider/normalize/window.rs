//! Field windows. The next read goes by their positions, so those must hold together.

use vitrine_contract::limits::{DEFAULT_WINDOW_CHARS, MAX_WINDOW_CHARS};
use vitrine_contract::record::Tag;
use vitrine_contract::request::FieldWindowRequest;
use vitrine_contract::schema::{FieldWindow, Window, WindowField};

use super::members::Members;
use super::{CONNECTION_ID, Read, unreadable};

const RECORD_ID: &[&str] = &["record_id", "record_key", "id"];
const FIELD_PATH: &[&str] = &["path", "field_path"];

/// A bounded part of one field.
pub(in super::super) fn field_window(body: &str, request: &FieldWindowRequest) -> Read<FieldWindow> {
    let members = Members::of_answer(body)?.unwrapped(|members| members.object(&["window"]).is_some());
    let field = members.object(&["field"]);
    let in_field = |spellings| field.as_ref().and_then(|field| field.text(spellings));
    let path = in_field(FIELD_PATH).or_else(|| members.text(&["field"])).or_else(|| request.field.clone());
    Ok(FieldWindow {
        object: Tag::default(),
        record_id: members.id(RECORD_ID).unwrap_or_else(|| request.id.clone()),
        stream: members.text(&["stream"]).unwrap_or_else(|| request.stream.clone()),
        connection_id: members.text(CONNECTION_ID).or_else(|| request.connection_id.clone()).unwrap_or_default(),
        connector_key: members.text(&["connector_key"]).unwrap_or_default(),
        field: WindowField {
            path: path.unwrap_or_default(),
            kind: in_field(&["type"]).unwrap_or_else(|| "string".to_owned()),
        },
        window: window(&members, request)?,
    })
}

fn window(answer: &Members<'_>, request: &FieldWindowRequest) -> Read<Window> {
    let Some(window) = answer.object(&["window"]) else { return unreadable("a field window without `window`") };
    let chars = |name| window.read::<u64>(&[name]);
    let (Some(text), Some(start)) = (window.read::<String>(&["text"]), chars("start_chars")) else {
        return unreadable("a field window without `text` and `start_chars`");
    };
    let Some(end) = start.checked_add(text.chars().count() as u64) else {
        return unreadable("a field window that starts beyond every text");
    };
    if chars("end_chars").is_some_and(|stated| stated != end) {
        return unreadable("a field window whose text is not as long as it says");
    }
    let has_more = window.read::<bool>(&["has_more"]);
    let Some(total) = chars("total_chars").or_else(|| (has_more == Some(false)).then_some(end)) else {
        return unreadable("a field window without `total_chars`");
    };
    if total < end && !text.is_empty() {
        return unreadable("a field window that reaches beyond its field");
    }
    if text.is_empty() && start < total {
        return unreadable("an empty window of a field that goes on");
    }
    Ok(Window {
        text,
        start_chars: start,
        end_chars: end,
        limit_chars: chars("limit_chars").unwrap_or_else(|| limit(request)),
        total_chars: total,
        complete: start == 0 && end == total,
        has_more: end < total,
        next_offset_chars: (end < total).then_some(end),
        previous_offset_chars: chars("previous_offset_chars"),
        match_start_chars: chars("match_start_chars"),
        match_end_chars: chars("match_end_chars"),
    })
}

/// The most characters that a request asks for.
fn limit(request: &FieldWindowRequest) -> u64 {
    let context = request.before_chars.is_some() || request.after_chars.is_some();
    let usual = if context { MAX_WINDOW_CHARS } else { DEFAULT_WINDOW_CHARS };
    request.limit_chars.unwrap_or(usual.into()).min(MAX_WINDOW_CHARS.into())
}

/// Whether a window is of the part that was asked for, and no more than it. Beyond the end there is nothing.
pub(in super::super) fn is_as_asked(window: &Window, request: &FieldWindowRequest) -> bool {
    let starts = |offset: u64| window.start_chars == offset || (window.text.is_empty() && offset >= window.total_chars);
    request.offset_chars.is_none_or(starts) && window.end_chars - window.start_chars <= limit(request)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(body: &Value) -> Read<FieldWindow> {
        let request = FieldWindowRequest {
            stream: "m".into(),
            id: "1".into(),
            field: Some("body".into()),
            limit_chars: Some(9),
            ..Default::default()
        };
        field_window(&body.to_string(), &request)
    }

    #[test]
    fn what_follows_from_the_text_is_worked_out() {
        let short = json!({ "window": { "text": "né", "start_chars": 3, "total_chars": 9 }, "field": "body" });
        let read = read(&short).unwrap();
        assert_eq!((read.record_id.as_str(), read.stream.as_str(), read.field.path.as_str()), ("1", "m", "body"));
        let window = read.window;
        assert_eq!((window.end_chars, window.limit_chars, window.next_offset_chars), (5, 9, Some(5)));
        assert!(window.has_more && !window.complete);
    }

    #[test]
    fn the_end_is_the_total_when_nothing_follows() {
        let window = read(&json!({ "window": { "text": "né", "start_chars": 0, "has_more": false } })).unwrap().window;
        assert_eq!((window.total_chars, window.complete), (2, true));
    }

    #[test]
    fn positions_that_contradict_the_text_are_refused() {
        for window in [
            json!({ "text": "né", "start_chars": 3, "end_chars": 6, "total_chars": 9 }),
            json!({ "text": "né", "start_chars": 3, "total_chars": 4 }),
            json!({ "text": "né", "start_chars": u64::MAX, "total_chars": 4 }),
            json!({ "text": "né", "start_chars": 3 }),
            json!({ "text": "né" }),
            json!({ "start_chars": 0 }),
            json!(null),
        ] {
            assert!(read(&json!({ "window": window })).is_err(), "{window}");
        }
    }
}
