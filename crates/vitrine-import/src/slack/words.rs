//! What a message says beside its text: apps write into attachments and blocks, some into those alone.

use std::borrow::Cow;

use serde_json::Value;

/// How deep blocks are looked into.
const MAX_DEPTH: usize = 16;
const MAX_BYTES: usize = 1024 * 1024;

/// The words of blocks and attachments, in Slack's own markup.
pub(super) fn of(blocks: &Value, attachments: &Value) -> String {
    let mut words = String::new();
    for block in blocks.as_array().into_iter().flatten() {
        gather(block, 0, &mut words);
        end_line(&mut words);
    }
    for attachment in attachments.as_array().into_iter().flatten() {
        attached(attachment, &mut words);
        end_line(&mut words);
    }
    words.truncate(words.trim_end().len());
    words
}

/// The text of a message, and what its attachments say that it does not.
pub(super) fn beside<'a>(text: &'a str, attachments: &Value) -> Cow<'a, str> {
    let attached = of(&Value::Null, attachments);
    let new: Vec<&str> = attached.lines().filter(|line| !line.trim().is_empty() && !text.contains(line)).collect();
    if new.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{text}\n{}", new.join("\n"))) }
}

/// Title and text; what apps wrote for those who see neither, when there is none.
fn attached(attachment: &Value, words: &mut String) {
    let texts = ["pretext", "title", "text"].into_iter().filter_map(|name| attachment[name].as_str());
    let before = words.len();
    for text in texts.filter(|text| !text.trim().is_empty()) {
        push(text, words);
        end_line(words);
    }
    if words.len() == before {
        gather(&attachment["blocks"], 0, words);
    }
    if words.len() == before {
        push(attachment["fallback"].as_str().unwrap_or_default(), words);
    }
}

fn gather(block: &Value, depth: usize, words: &mut String) {
    if depth > MAX_DEPTH {
        return;
    }
    if let Some(list) = block.as_array() {
        for block in list {
            gather(block, depth + 1, words);
        }
        return;
    }
    match (block["type"].as_str(), &block["text"]) {
        (Some("user"), _) => push(&format!("<@{}>", block["user_id"].as_str().unwrap_or_default()), words),
        (Some("emoji"), _) => push(&format!(":{}:", block["name"].as_str().unwrap_or_default()), words),
        (Some("channel"), _) => push(&format!("<#{}>", block["channel_id"].as_str().unwrap_or_default()), words),
        (Some("broadcast"), _) => push(&format!("<!{}>", block["range"].as_str().unwrap_or_default()), words),
        (Some("link"), Value::Null) => push(block["url"].as_str().unwrap_or_default(), words),
        (Some("link"), Value::String(text)) => {
            push(&format!("<{}|{text}>", block["url"].as_str().unwrap_or_default()), words);
        }
        (_, Value::String(text)) => push(text, words),
        (_, text) => gather_inside(text, depth, words),
    }
    for name in ["fields", "elements"] {
        gather_inside(&block[name], depth, words);
    }
    if matches!(block["type"].as_str(), Some("rich_text_section" | "section" | "header")) {
        end_line(words);
    }
}

fn gather_inside(value: &Value, depth: usize, words: &mut String) {
    if value.is_object() || value.is_array() {
        gather(value, depth + 1, words);
    }
}

fn push(text: &str, words: &mut String) {
    if words.len() + text.len() < MAX_BYTES {
        words.push_str(text);
    }
}

fn end_line(words: &mut String) {
    if !words.is_empty() && !words.ends_with('\n') {
        words.push('\n');
    }
}
