//! Conversations with assistants, as two products export them.

pub(super) mod chatgpt;
pub(super) mod claude;

use jiff::Timestamp;
use serde::Serialize;
use vitrine_contract::time;

use super::elements;
use super::export::{Export, Member};
use super::sink::{ImportError, Sink};

/// A conversation, in the words both products share.
struct Conversation {
    id: String,
    title: Option<String>,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    model: Option<String>,
    messages: Vec<Message>,
}

struct Message {
    id: String,
    role: String,
    model: Option<String>,
    text: String,
    created_at: Option<Timestamp>,
}

#[derive(Serialize)]
struct ConversationRecord<'a> {
    id: &'a str,
    title: Option<&'a str>,
    created_at: Option<String>,
    updated_at: Option<String>,
    model: Option<&'a str>,
    message_count: usize,
}

#[derive(Serialize)]
struct MessageRecord<'a> {
    id: &'a str,
    conversation_id: &'a str,
    conversation_title: Option<&'a str>,
    position: usize,
    role: &'a str,
    model: Option<&'a str>,
    text: &'a str,
    created_at: Option<String>,
}

impl Conversation {
    fn record(&self, sink: &mut Sink<'_>) -> Result<(), ImportError> {
        let conversation = ConversationRecord {
            id: &self.id,
            title: self.title.as_deref(),
            created_at: self.created_at.map(time::format),
            updated_at: self.updated_at.or(self.created_at).map(time::format),
            model: self.model.as_deref(),
            message_count: self.messages.len(),
        };
        sink.record("conversations", self.updated_at, &conversation)?;
        for (position, message) in self.messages.iter().enumerate() {
            let at = message.created_at.or(self.created_at);
            let record = MessageRecord {
                id: &message.id,
                conversation_id: &self.id,
                conversation_title: self.title.as_deref(),
                position,
                role: &message.role,
                model: message.model.as_deref(),
                text: &message.text,
                created_at: at.map(time::format),
            };
            sink.record("messages", at, &record)?;
        }
        Ok(())
    }
}

/// `conversations.json`, or its parts `conversations-000.json`.
fn is_conversations(member: &Member) -> bool {
    member.file_name().starts_with("conversations") && member.has_extension("json")
}

/// Whether the conversations of an export have a certain field.
fn has_field(export: &mut Export, field: &[u8]) -> Result<bool, ImportError> {
    let members = export.members();
    let Some(first) = members.iter().find(|m| is_conversations(m)).or(members.first()).cloned() else {
        return Ok(false);
    };
    let head = export.head(&first, 256 * 1024)?;
    Ok(head.trim_ascii_start().starts_with(b"[") && memchr::memmem::find(&head, field).is_some())
}

/// Reads each conversation with `parse`, which gives nothing for what is none.
fn read_each(
    export: &mut Export,
    sink: &mut Sink<'_>,
    parse: fn(&[u8], &mut Sink<'_>) -> Option<Conversation>,
) -> Result<(), ImportError> {
    let several = export.members().len() > 1;
    for member in export.select(|member| !several || is_conversations(member)) {
        elements::each(&mut *export.reader(&member)?, &member.name, sink, &mut |_, number, text, sink| {
            if let Some(conversation) = parse(text, sink) {
                return conversation.record(sink);
            }
            sink.reject("an entry that is no conversation", format!("{}, entry {number}", member.name));
            Ok(())
        })?;
    }
    Ok(())
}
