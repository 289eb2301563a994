//! Declarations as sources write them, and one that breaks each rule.

mod accepted;
mod arbitrary;
mod rules;

use serde_json::{Value, json};

use super::{Declaration, DeclarationError};

/// A mailbox with messages, their attachments and their threads.
pub(super) fn gmail() -> Value {
    json!({
        "protocol_version": "0.1.0",
        "source": { "kind": "connector", "id": "https://registry.pdpp.dev/connectors/gmail" },
        "connector_key": "gmail",
        "declaration_version": "2026-11-01",
        "publisher": { "id": "https://registry.pdpp.dev/" },
        "display": { "name": "Gmail" },
        "streams": [messages(), attachments()]
    })
}

fn messages() -> Value {
    json!({
        "name": "messages",
        "description": "Mail, one record a message.",
        "display": { "label": "Messages", "detail": "Subjects, senders and text of your mail." },
        "semantics": "append_only",
        "schema": {
            "type": "object",
            "properties": {
                "id": { "type": "string" },
                "thread_id": { "type": "string" },
                "subject": { "type": ["string", "null"] },
                "body": { "type": ["string", "null"] },
                "received_at": { "type": "string", "format": "date-time" },
                "imported_on": { "type": ["string", "null"] },
                "size": { "type": "integer", "minimum": 0 },
                "unread": { "type": "boolean" },
                "labels": { "type": "array", "items": { "type": "string" } },
                "headers": { "type": "object", "additionalProperties": { "type": "string" } },
                "extra": {}
            },
            "required": ["received_at", "vanished"]
        },
        "primary_key": ["id"],
        "cursor_field": "received_at",
        "consent_time_field": "received_at",
        "views": [{ "id": "basic", "label": "Basics", "fields": ["id", "subject"] }],
        "relationships": [
            { "name": "attachments", "stream": "attachments", "foreign_key": "message_id", "cardinality": "has_many" }
        ],
        "query": {
            "exact_filters": ["thread_id", "unread"],
            "range_filters": { "received_at": ["gte", "gt", "lte", "lt"], "size": ["gte", "gte"] },
            "search": { "lexical_fields": ["subject", "body", "extra"], "semantic_fields": ["subject"] },
            "aggregations": {
                "count": true, "sum": ["size"], "min": ["received_at", "size"], "max": ["subject"],
                "count_distinct": ["thread_id"], "group_by": ["unread"], "group_by_time": ["received_at", "imported_on"]
            },
            "expand": [{ "name": "attachments", "default_limit": 5, "max_limit": 20 }]
        }
    })
}

fn attachments() -> Value {
    json!({
        "name": "attachments",
        "semantics": "mutable_state",
        "schema": {
            "type": "object",
            "properties": {
                "message_id": { "type": "string" },
                "part": { "type": "integer" },
                "filename": { "type": "string" },
                "blob_ref": { "type": ["object", "null"], "properties": { "blob_id": { "type": "string" } } }
            }
        },
        "primary_key": ["message_id", "part"],
        "selection": { "fields": false, "resources": false },
        "relationships": [
            { "name": "message", "stream": "messages", "foreign_key": "message_id", "cardinality": "has_one" }
        ],
        "query": { "expand": [{ "name": "message" }] }
    })
}

/// The mailbox as the older manifests put it.
pub(super) fn gmail_manifest() -> Value {
    json!({
        "connector_id": "https://registry.pdpp.dev/connectors/gmail",
        "connector_key": "gmail",
        "display_name": "Gmail",
        "version": "1.4.0",
        "streams": [messages(), attachments()]
    })
}

pub(super) fn parse(document: &Value) -> Result<Declaration, DeclarationError> {
    Declaration::parse(&document.to_string())
}

/// Puts a value where the pointer leads, adding the last key if it is not there.
pub(super) fn with(mut document: Value, pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer starts with a slash");
    match document.pointer_mut(parent).expect("the parent stands in the document") {
        Value::Array(items) => items[key.parse::<usize>().expect("an index")] = value,
        parent => parent[key] = value,
    }
    document
}
