//! A number, or numbers by group.

use serde_json::{Value, json};
use vitrine_contract::Warning;
use vitrine_contract::schema::{Aggregation, Group};

use super::binary;
use super::json::Object;
use super::text::{self, Lines, count, cut, literal, name, one_line, plural};
use super::{Frame, freshness, most_rows, said, warning_lines};
use crate::answer::Answer;

/// A longer key is shown by its beginning.
const MAX_KEY_CHARS: usize = 160;

/// Renders as many groups as fit; the records of the others are counted as beyond the limit.
pub(crate) fn answer(aggregation: &Aggregation, frame: Frame<'_>) -> Answer {
    let groups = aggregation.groups.as_deref().unwrap_or_default();
    most_rows(groups.len(), |kept| render(aggregation, &groups[..kept], groups.len() - kept, frame)).1
}

fn render(whole: &Aggregation, groups: &[Group], dropped: usize, frame: Frame<'_>) -> Answer {
    let mut shown = Aggregation { groups: None, ..whole.clone() };
    shown.meta.warnings = said::warnings(&whole.meta.warnings);
    shown.meta.freshness = freshness::told(&whole.meta.freshness, [].into_iter()).into_iter().cloned().collect();
    if let Some(all) = &whole.groups {
        let keys: Vec<Option<Value>> = groups.iter().map(|group| short(&group.key)).collect();
        shown.meta.warnings.extend(shortened(keys.iter().flatten().count()));
        let keyed = |(group, key): (&Group, Option<Value>)| match key {
            Some(key) => Group { key, ..group.clone() },
            None => group.clone(),
        };
        shown.groups = Some(groups.iter().zip(keys).map(keyed).collect());
        shown.other_count += all[groups.len()..].iter().map(|group| group.count).sum::<u64>();
    }
    if dropped > 0 {
        shown.meta.warnings.push(Warning {
            code: "groups_shortened".into(),
            message: Some(format!(
                "{} more did not fit and count as other_count; narrow with filter, or group more coarsely.",
                plural(dropped, "group")
            )),
            detail: json!({ "returned": groups.len(), "available": groups.len() + dropped }),
        });
    }
    let text = prose(&shown);
    let mut structured = Object::with_capacity(text.len());
    structured.insert("data", &shown);
    Answer::new(text, frame.finish(structured))
}

/// What is shown of a key that is too long, with a mark that keeps it apart from others that begin alike.
fn short(key: &Value) -> Option<Value> {
    let Value::String(key) = key else { return None };
    let chars = count(key);
    if binary::is_base64(key, chars) {
        return Some(format!("(encoded bytes, {chars} characters, {})", mark(key)).into());
    }
    (chars > MAX_KEY_CHARS as u64).then(|| format!("{}… ({})", cut(key, MAX_KEY_CHARS), mark(key)).into())
}

/// FNV-1a, enough to tell a hundred keys apart.
fn mark(key: &str) -> String {
    let hash = key.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    format!("#{hash:08x}")
}

fn shortened(keys: usize) -> Option<Warning> {
    let message = "Long keys are shown by their beginning, each with a mark of its own. Do not filter by them as they \
        are: search or query_records shows whole values.";
    (keys > 0).then(|| Warning {
        code: "keys_shortened".into(),
        message: Some(message.into()),
        detail: json!({ "shortened": keys }),
    })
}

fn prose(shown: &Aggregation) -> String {
    let over = shown.field.as_deref().map_or_else(String::new, |field| format!(" of {}", literal(field)));
    let by = match (&shown.group_by, &shown.group_by_time) {
        (Some(field), _) => format!(" by {}", literal(field)),
        (_, Some(field)) => format!(
            " by {} of {} in {}",
            name(shown.granularity.as_deref().unwrap_or("time")),
            literal(field),
            literal(shown.time_zone.as_deref().unwrap_or("UTC"))
        ),
        _ => String::new(),
    };
    let value = shown.value.as_ref().map_or_else(String::new, |value| format!(": {}", one_line(&text::json(value))));
    let metric = name(&shown.metric);
    let matched = shown.filtered_record_count.map(|count| format!("{count} matched"));
    let notes: Vec<String> = matched.into_iter().chain(shown.approximate.then(|| "approximate".to_owned())).collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    let mut text = format!("{metric}{over}{by} in {}{value}{notes}\n", name(&shown.stream));
    for group in shown.groups.iter().flatten() {
        let value = |value| format!(", {metric}: {}", one_line(&text::json(value)));
        let value = group.value.as_ref().map_or_else(String::new, value);
        let key = text::json(&group.key);
        text.line(format_args!("- {}: {}{value}", one_line(&key), group.count));
    }
    if shown.groups.is_some() {
        text.line(format_args!("other_count: {}", shown.other_count));
    }
    text + &freshness::line(&shown.meta.freshness) + &warning_lines(&shown.meta.warnings)
}
