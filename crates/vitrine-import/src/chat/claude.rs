//! Claude: conversations with their messages in order.

use serde::Deserialize;
use vitrine_contract::time;

use super::{Conversation, Message};
use crate::json;
use crate::kind::Importer;
use crate::sink::Sink;

pub(crate) const IMPORTER: Importer = Importer::declared(
    "a Claude export",
    "the ZIP archive that Claude sent, or its `conversations.json`",
    include_str!("../declarations/claude.json"),
    |export| super::has_field(export, b"\"chat_messages\""),
    |export, _, sink| super::read_each(export, sink, conversation),
);

#[derive(Deserialize)]
struct Exported {
    uuid: String,
    name: Option<String>,
    created_at: Option<String>,
    updated_at: Option<String>,
    chat_messages: Vec<Told>,
}

#[derive(Deserialize)]
struct Told {
    uuid: String,
    #[serde(default)]
    text: String,
    #[serde(default)]
    content: Vec<Content>,
    sender: String,
    created_at: Option<String>,
    #[serde(default)]
    attachments: Vec<Attached>,
    #[serde(default)]
    files: Vec<Attached>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    text: Option<String>,
}

#[derive(Deserialize)]
struct Attached {
    #[serde(default)]
    file_name: Option<String>,
    #[serde(default)]
    extracted_content: Option<String>,
}

fn conversation(text: &[u8], sink: &mut Sink<'_>) -> Option<Conversation> {
    let exported: Exported = json::parse(text)?;
    let mut messages = Vec::with_capacity(exported.chat_messages.len());
    for told in exported.chat_messages {
        let text = told.text();
        if text.is_empty() {
            sink.leave_out("a message without text", told.uuid);
            continue;
        }
        let role = if told.sender == "human" { "user".to_owned() } else { told.sender };
        let created_at = told.created_at.as_deref().and_then(time::parse);
        messages.push(Message { id: told.uuid, role, model: None, text, created_at });
    }
    Some(Conversation {
        id: exported.uuid,
        title: exported.name.filter(|name| !name.is_empty()),
        created_at: exported.created_at.as_deref().and_then(time::parse),
        updated_at: exported.updated_at.as_deref().and_then(time::parse),
        model: None,
        messages,
    })
}

impl Told {
    /// What was written, then the texts and names of the files that came with it.
    fn text(&self) -> String {
        let written: Vec<&str> = self.content.iter().filter_map(|part| part.text.as_deref()).collect();
        let mut text = if written.is_empty() { self.text.clone() } else { written.join("\n") };
        for file in self.attachments.iter().chain(&self.files) {
            let name = file.file_name.as_deref().filter(|name| !name.is_empty()).unwrap_or("a pasted text");
            let content = file.extracted_content.as_deref().unwrap_or_default();
            let gap = if text.is_empty() { "" } else { "\n\n" };
            text.extend([gap, "[file: ", name, "]"]);
            if !content.is_empty() {
                text.extend(["\n", content]);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Kind;
    use crate::testing::read;

    #[test]
    fn messages_keep_their_files_texts() {
        let export = json!([{ "uuid": "c1", "name": "", "created_at": "2025-02-01T10:00:00.123456+00:00",
            "updated_at": "2025-02-01T11:00:00Z", "account": { "uuid": "a" }, "chat_messages": [
            { "uuid": "m1", "text": "old", "content": [{ "type": "text", "text": "Look at this" }], "sender": "human",
              "created_at": "2025-02-01T10:00:01Z", "attachments": [{ "file_name": "", "extracted_content": "pasted" }],
              "files": [{ "file_name": "a.png" }] },
            { "uuid": "m2", "text": "Nice.", "sender": "assistant", "created_at": "2025-02-01T10:00:09Z" },
            { "uuid": "m3", "text": "", "content": [], "sender": "assistant", "created_at": null } ] }]);
        let found = read(Kind::Claude, "conversations.json", export.to_string());
        let [first, second] = found.of("messages")[..] else { panic!("{:?}", found.records) };
        assert_eq!(first["text"], "Look at this\n\n[file: a pasted text]\npasted\n\n[file: a.png]");
        assert_eq!((&first["role"], &second["role"]), (&json!("user"), &json!("assistant")));
        assert_eq!(found.of("conversations")[0]["message_count"], 2);
        assert_eq!(found.reasons(), ["a message without text"]);
    }

    #[test]
    fn half_a_character_loses_no_conversation() {
        let export = r#"[{"uuid":"c","chat_messages":[{"uuid":"m","text":"cut \ud83d","sender":"human"}]}]"#;
        let found = read(Kind::Claude, "conversations.json", export);
        assert_eq!((&found.of("messages")[0]["text"], found.reasons().len()), (&json!("cut \u{fffd}"), 0));
    }
}
