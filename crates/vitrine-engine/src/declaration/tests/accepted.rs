//! What a declaration says once it is read.

use serde_json::{Value, json};
use vitrine_contract::request::RangeOp;

use super::super::{ExpandLimits, FieldKind, KeySide, Semantics, Stream};
use super::{gmail, gmail_manifest, parse, with};

fn kind(stream: &Stream, field: &str) -> FieldKind {
    stream.field(field).expect(field).kind
}

fn fields_where(stream: &Stream, able: impl Fn(&super::super::Field) -> bool) -> Vec<&str> {
    stream.fields.iter().filter(|field| able(field)).map(|field| field.name.as_str()).collect()
}

#[test]
fn the_current_form_is_read() {
    let gmail = parse(&gmail()).expect("the mailbox is well declared");
    assert_eq!(gmail.source_id, "https://registry.pdpp.dev/connectors/gmail");
    assert_eq!(gmail.source_kind, "connector");
    assert_eq!((&*gmail.connector_key, &*gmail.display_name, &*gmail.version), ("gmail", "Gmail", "2026-11-01"));
    assert_eq!(gmail.document, super::gmail());
    assert_eq!(gmail.streams.keys().collect::<Vec<_>>(), ["attachments", "messages"]);
}

#[test]
fn the_older_manifest_reads_the_same() {
    let manifest = parse(&gmail_manifest()).expect("the manifest is well formed");
    let current = parse(&gmail()).expect("the mailbox is well declared");
    assert_eq!(manifest.source_id, current.source_id);
    assert_eq!((&*manifest.source_kind, &*manifest.display_name, &*manifest.version), ("connector", "Gmail", "1.4.0"));
    assert_eq!(manifest.streams, current.streams);
}

#[test]
fn messages_say_what_can_be_done_with_them() {
    let gmail = parse(&gmail()).expect("the mailbox is well declared");
    let messages = gmail.stream("messages").expect("messages");
    assert_eq!(messages.semantics, Semantics::AppendOnly);
    assert_eq!(messages.label.as_deref(), Some("Messages"));
    assert_eq!(messages.required, ["received_at", "id"]);
    assert!(messages.select_fields && messages.select_resources);
    assert_eq!(messages.views[0].fields, ["id", "subject"]);
    assert_eq!(messages.fields[0].name, "id");
    for (field, expected) in [
        ("subject", FieldKind::Text),
        ("received_at", FieldKind::Time),
        ("imported_on", FieldKind::Time),
        ("size", FieldKind::Number),
        ("unread", FieldKind::Boolean),
        ("labels", FieldKind::Json),
        ("headers", FieldKind::Json),
        ("extra", FieldKind::Any),
    ] {
        assert_eq!(kind(messages, field), expected, "{field}");
    }
    assert_eq!(fields_where(messages, |f| f.exact_filter), ["thread_id", "unread"]);
    assert_eq!(messages.field("size").expect("size").range_filter, [RangeOp::Gte]);
    assert_eq!(messages.field("received_at").expect("received_at").range_filter, RangeOp::ALL);
    assert_eq!(fields_where(messages, |f| f.lexical), ["subject", "body", "extra"]);
    assert_eq!(fields_where(messages, |f| f.semantic), ["subject"]);
    let aggregations = |field| messages.field(field).expect(field).aggregations.names();
    assert_eq!(aggregations("size"), ["sum", "min"]);
    assert_eq!(aggregations("received_at"), ["min", "group_by_time"]);
    let expandable = messages.expandable("attachments").expect("attachments");
    assert_eq!((expandable.key_side, expandable.has_one), (KeySide::Related, false));
    assert_eq!(expandable.expand, Some(ExpandLimits { default: 5, max: 20 }));
}

#[test]
fn attachments_take_the_defaults() {
    let gmail = parse(&gmail()).expect("the mailbox is well declared");
    let attachments = gmail.stream("attachments").expect("attachments");
    assert_eq!(attachments.required, ["message_id", "part"]);
    assert!(!attachments.select_fields && !attachments.select_resources);
    assert_eq!(kind(attachments, "blob_ref"), FieldKind::Blob);
    assert_eq!(fields_where(attachments, |f| f.exact_filter), ["message_id", "part", "filename"]);
    assert!(attachments.fields.iter().all(|field| field.aggregations.names().is_empty()));
    let message = attachments.expandable("message").expect("message");
    assert_eq!((message.key_side, message.has_one), (KeySide::Own, true));
    assert_eq!(message.expand, Some(ExpandLimits { default: 10, max: 50 }));
}

#[test]
fn expansion_limits_left_out_follow_the_given_one() {
    for (entry, default, max) in [
        (json!({ "name": "message", "max_limit": 4 }), 4, 4),
        (json!({ "name": "message", "default_limit": 80 }), 80, 80),
        (json!({ "name": "message", "default_limit": 100, "max_limit": 100 }), 100, 100),
    ] {
        let gmail = parse(&with(gmail(), "/streams/1/query/expand", json!([entry]))).expect("limits in range");
        assert_eq!(gmail.streams["attachments"].relationships[0].expand, Some(ExpandLimits { default, max }));
    }
}

#[test]
fn what_is_not_known_yet_is_allowed() {
    for (pointer, value) in [
        ("/later", json!({ "any": 1 })),
        ("/streams/0/later", json!([])),
        ("/streams/0/query/later", json!(7)),
        ("/streams/0/cursor_field", Value::Null),
        ("/streams/0/query", Value::Null),
        ("/display", Value::Null),
        ("/streams/0/schema/$schema", json!("http://json-schema.org/draft-07/schema#")),
    ] {
        parse(&with(gmail(), pointer, value)).expect(pointer);
    }
}

#[test]
fn references_inside_the_schema_are_followed() {
    let mut document = with(gmail(), "/streams/0/schema/$defs", json!({ "word": { "type": "string" } }));
    document = with(document, "/streams/0/schema/properties/subject", json!({ "$ref": "#/$defs/word" }));
    let gmail = parse(&document).expect("a local reference needs no fetching");
    assert_eq!(kind(&gmail.streams["messages"], "subject"), FieldKind::Text);
}
