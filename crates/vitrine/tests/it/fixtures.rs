//! Sample sources and records.

use serde_json::{Value, json};

/// Mail, with attachments and labels.
pub(crate) fn gmail() -> Value {
    parse(include_str!("fixtures/gmail.json"))
}

/// Chat, whose `messages` share their name with mail's.
pub(crate) fn slack() -> Value {
    parse(include_str!("fixtures/slack.json"))
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("a fixture is JSON")
}

/// A line of any stream whose key is its `id`.
pub(crate) fn line(data: &Value) -> Value {
    json!({ "key": data["id"], "data": data, "emitted_at": "2026-04-01T00:00:00Z" })
}

/// A mail of a day in March 2026.
pub(crate) fn mail(id: &str, day: u32) -> Value {
    line(&json!({
        "id": id,
        "thread_id": "t1",
        "subject": format!("Subject {id}"),
        "body": format!("The body of {id}."),
        "sender": "ada@example.org",
        "size": day,
        "starred": false,
        "received_at": format!("2026-03-{day:02}T09:00:00Z"),
    }))
}

/// A label.
pub(crate) fn label(id: &str, name: &str) -> Value {
    line(&json!({ "id": id, "name": name, "unread": 1 }))
}

/// An attachment of a mail, whose content is a blob.
pub(crate) fn attachment(id: &str, message: &str, blob: &str) -> Value {
    line(&json!({ "id": id, "message_id": message, "filename": "a.pdf", "content": { "blob_id": blob } }))
}

/// A line that ends a record.
pub(crate) fn gone(key: &str) -> Value {
    json!({ "key": key, "op": "delete", "emitted_at": "2026-05-01T00:00:00Z" })
}
