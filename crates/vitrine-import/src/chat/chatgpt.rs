//! ChatGPT: conversations whose messages hang in a tree, one branch for each time a question was
//! asked anew. The branch that was last seen is taken; where none is named, the one last written.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::{Conversation, Message};
use crate::json;
use crate::kind::Importer;
use crate::sink::Sink;

pub(crate) const IMPORTER: Importer = Importer::declared(
    "a ChatGPT export",
    "the ZIP archive that ChatGPT sent, or its `conversations.json`",
    include_str!("../declarations/chatgpt.json"),
    |export| super::has_field(export, b"\"mapping\""),
    |export, _, sink| super::read_each(export, sink, conversation),
);

#[derive(Deserialize)]
struct Exported {
    #[serde(alias = "conversation_id")]
    id: Option<String>,
    title: Option<String>,
    create_time: Option<f64>,
    update_time: Option<f64>,
    default_model_slug: Option<String>,
    current_node: Option<String>,
    mapping: HashMap<String, Node>,
}

#[derive(Deserialize)]
struct Node {
    message: Option<Told>,
    parent: Option<String>,
}

#[derive(Deserialize)]
struct Told {
    id: String,
    author: Author,
    create_time: Option<f64>,
    content: Value,
    #[serde(default)]
    metadata: Value,
}

#[derive(Deserialize)]
struct Author {
    role: String,
}

fn conversation(text: &[u8], sink: &mut Sink<'_>) -> Option<Conversation> {
    // An entry has both `id` and `conversation_id`, which are the same.
    let mut value: Value = json::parse(text)?;
    let entry = value.as_object_mut()?;
    if entry.contains_key("id") {
        entry.remove("conversation_id");
    }
    let mut exported: Exported = serde_json::from_value(value).ok()?;
    let mut messages = Vec::new();
    let named = exported.current_node.take().filter(|id| exported.mapping.contains_key(id));
    let mut node = named.or_else(|| latest(&exported.mapping));
    while let Some(one) = node.and_then(|id| exported.mapping.remove(&id)) {
        messages.extend(one.message.and_then(message));
        node = one.parent;
    }
    messages.reverse();
    for left in exported.mapping.into_values().filter_map(|node| node.message).filter_map(message) {
        sink.leave_out("a message of a branch that was replaced", left.id);
    }
    Some(Conversation {
        id: exported.id?,
        title: exported.title,
        created_at: exported.create_time.and_then(instant),
        updated_at: exported.update_time.and_then(instant),
        model: exported.default_model_slug,
        messages,
    })
}

/// The end of the branch that was written last. What has no time of its own has that of what it follows.
fn latest(mapping: &HashMap<String, Node>) -> Option<String> {
    let followed: HashSet<&str> = mapping.values().filter_map(|node| node.parent.as_deref()).collect();
    let written = |node: &Node| node.message.as_ref().and_then(|message| message.create_time);
    let time = |node: &Node| {
        let before = || written(mapping.get(node.parent.as_deref()?)?);
        written(node).or_else(before).unwrap_or(f64::NEG_INFINITY)
    };
    let ends = mapping.iter().filter(|(id, _)| !followed.contains(id.as_str()));
    ends.max_by(|(a, one), (b, other)| time(one).total_cmp(&time(other)).then_with(|| a.cmp(b)))
        .map(|(id, _)| id.clone())
}

/// A message with something to read in it.
fn message(told: Told) -> Option<Message> {
    if told.author.role == "system" {
        return None;
    }
    let text = text(&told);
    let model = told.metadata.get("model_slug").and_then(Value::as_str).map(str::to_owned);
    let created_at = told.create_time.and_then(instant);
    (!text.is_empty()).then_some(Message { id: told.id, role: told.author.role, model, text, created_at })
}

/// What a message says, after the names of the files it came with.
fn text(told: &Told) -> String {
    let attached = told.metadata.get("attachments").and_then(Value::as_array).into_iter().flatten();
    let names = attached.filter_map(|file| file.get("name")?.as_str());
    let names: Vec<String> = names.map(|name| format!("[file: {name}]")).collect();
    let parts = told.content.get("parts").and_then(Value::as_array).into_iter().flatten();
    let parts = parts.filter_map(|part| match part {
        Value::String(text) => Some(text.as_str()),
        Value::Object(part) if part.contains_key("asset_pointer") => names.is_empty().then_some("[image or file]"),
        Value::Object(part) => part.get("text").and_then(Value::as_str),
        _ => None,
    });
    let alone = ["text", "result"].iter().filter_map(|field| told.content.get(field)?.as_str());
    let all = names.iter().map(String::as_str).chain(parts).chain(alone);
    all.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

#[expect(clippy::cast_possible_truncation, reason = "out of range becomes the ends of the range, which are no times")]
fn instant(seconds: f64) -> Option<Timestamp> {
    Timestamp::from_millisecond((seconds * 1e3).round() as i64).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{read, zip};
    use crate::{Export, ImportError, Kind};

    fn export() -> String {
        json!([{
            "title": "Sourdough", "create_time": 1_700_000_000.25, "update_time": 1_700_000_100.0, "id": "c1",
            "conversation_id": "c1", "default_model_slug": "gpt-4o", "current_node": "n4", "mapping": {
                "n1": { "id": "n1", "message": null, "parent": null, "children": ["n2"] },
                "n2": { "id": "n2", "parent": "n1", "children": ["n3", "n4"], "message": { "id": "m2", "author": { "role": "user" },
                    "create_time": 1_700_000_001.0, "content": { "content_type": "multimodal_text",
                    "parts": [{ "content_type": "image_asset_pointer", "asset_pointer": "file-service://x" }, "Why so flat?"] } } },
                "n3": { "id": "n3", "parent": "n2", "children": [], "message": { "id": "m3", "author": { "role": "assistant" },
                    "create_time": 1.0, "content": { "content_type": "text", "parts": ["No idea."] } } },
                "n4": { "id": "n4", "parent": "n2", "children": [], "message": { "id": "m4", "author": { "role": "assistant" },
                    "create_time": null, "content": { "content_type": "text", "parts": ["Let it rest."] }, "metadata": { "model_slug": "gpt-4o" } } }
            } }, { "title": "broken" }])
        .to_string()
    }

    #[test]
    fn the_branch_last_seen_is_told_in_order() {
        let bytes = zip(&[("conversations.json", export().as_bytes()), ("chat.html", b"<html>"), ("user.json", b"{}")]);
        let found = read(Kind::Chatgpt, "chatgpt.zip", bytes);
        assert_eq!(found.of("conversations")[0]["created_at"], "2023-11-14T22:13:20.25Z");
        let told: Vec<_> = found.of("messages").iter().map(|m| json!([m["id"], m["position"], m["text"]])).collect();
        assert_eq!(json!(told), json!([["m2", 0, "[image or file]\nWhy so flat?"], ["m4", 1, "Let it rest."]]));
        assert_eq!(found.of("messages")[1]["created_at"], "2023-11-14T22:13:20.25Z", "its conversation's");
        assert_eq!(found.reasons(), ["a message of a branch that was replaced", "an entry that is no conversation"]);
    }

    #[test]
    fn files_are_called_by_their_names() {
        let mut conversations: serde_json::Value = serde_json::from_str(&export()).unwrap();
        conversations[0]["mapping"]["n2"]["message"]["metadata"] =
            json!({ "attachments": [{ "name": "crumb.png" }, {}] });
        let found = read(Kind::Chatgpt, "conversations.json", conversations.to_string());
        assert_eq!(found.of("messages")[0]["text"], "[file: crumb.png]\nWhy so flat?");
    }

    #[test]
    fn a_conversation_that_names_no_branch_keeps_the_latest() {
        for named in [json!(null), json!("gone")] {
            let mut conversations: serde_json::Value = serde_json::from_str(&export()).unwrap();
            conversations[0]["current_node"] = named;
            let found = read(Kind::Chatgpt, "conversations.json", conversations.to_string());
            let told: Vec<_> = found.of("messages").iter().map(|m| m["id"].clone()).collect();
            assert_eq!(json!(told), json!(["m2", "m4"]));
            assert_eq!(found.reasons()[0], "a message of a branch that was replaced");
        }
    }

    #[test]
    fn it_is_told_from_another_product_s_export() {
        let mut export = Export::of_bytes("conversations.json", export().into_bytes()).unwrap();
        let refused = Kind::Claude.check(&mut export);
        assert!(matches!(refused, Err(ImportError::Wrong(why)) if why.contains("`vitrine import chatgpt`")));
    }
}
