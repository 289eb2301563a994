//! One declaration for each rule, wrong in just that.

use serde_json::{Map, Value, json};

use super::super::Declaration;
use super::{gmail, gmail_manifest, parse, with};

/// Where the mailbox goes wrong, and who is named for it.
type Breach = (&'static str, Value, Option<&'static str>, &'static str, &'static str);

fn each_is_refused(breaches: Vec<Breach>) {
    for (pointer, value, stream, field, rule) in breaches {
        let document = with(gmail(), pointer, value.clone());
        let error = parse(&document).expect_err(&format!("{pointer} = {value} must break {rule}"));
        let named = (error.stream.as_deref(), error.field.as_deref(), error.rule.as_str());
        assert_eq!(named, (stream, Some(field), rule), "{pointer} = {value}: {error}");
        assert!(!error.message.is_empty());
    }
}

const MESSAGES: Option<&str> = Some("messages");

#[test]
fn the_source_must_be_named() {
    each_is_refused(vec![
        ("/source", Value::Null, None, "source", "missing"),
        ("/source", json!("gmail"), None, "source", "wrong_type"),
        ("/source", json!({}), None, "source.id", "missing"),
        ("/source/id", json!("gmail"), None, "source.id", "source_id_not_absolute_uri"),
        ("/source/id", json!("https://"), None, "source.id", "source_id_not_absolute_uri"),
        ("/source/id", json!("https://a b"), None, "source.id", "source_id_not_absolute_uri"),
        ("/source/id", json!("/relative"), None, "source.id", "source_id_not_absolute_uri"),
        ("/source/id", json!(format!("https://{}", "a".repeat(2_048))), None, "source.id", "too_long"),
        ("/source/kind", json!(1), None, "source.kind", "wrong_type"),
        ("/connector_key", json!("g mail"), None, "connector_key", "invalid_name"),
        ("/connector_key", Value::Null, None, "connector_key", "missing"),
        ("/declaration_version", Value::Null, None, "declaration_version", "missing"),
        ("/declaration_version", json!(1), None, "declaration_version", "wrong_type"),
        ("/display", json!({ "name": "a\nb" }), None, "display.name", "control_character"),
        ("/display", json!({ "name": " " }), None, "display.name", "empty"),
        ("/publisher", json!("x"), None, "publisher", "wrong_type"),
        ("/protocol_version", json!(1), None, "protocol_version", "wrong_type"),
    ]);
}

#[test]
fn streams_must_be_told_apart() {
    each_is_refused(vec![
        ("/streams", Value::Null, None, "streams", "missing"),
        ("/streams", json!({}), None, "streams", "wrong_type"),
        ("/streams", json!([]), None, "streams", "no_streams"),
        ("/streams", json!(vec![1; 2_001]), None, "streams", "too_many"),
        ("/streams", json!(vec![json!({}); 501]), None, "streams", "too_many"),
        ("/streams/0", json!(1), None, "streams[0]", "wrong_type"),
        ("/streams/0/name", json!("../x"), None, "streams[0].name", "invalid_name"),
        ("/streams/1/name", json!("messages"), MESSAGES, "name", "stream_duplicate"),
        ("/streams/0/semantics", Value::Null, MESSAGES, "semantics", "missing"),
        ("/streams/0/semantics", json!("eventual"), MESSAGES, "semantics", "semantics_unknown"),
        ("/streams/0/description", json!("x".repeat(4_001)), MESSAGES, "description", "too_long"),
        ("/streams/0/display", json!({ "label": 1 }), MESSAGES, "display.label", "wrong_type"),
        ("/streams/1/selection", json!({ "fields": "no" }), Some("attachments"), "selection.fields", "wrong_type"),
    ]);
}

#[test]
fn the_schema_must_be_json_schema_that_needs_no_fetching() {
    let wide: Map<String, Value> = (0..2_001).map(|i| (format!("f{i}"), json!({}))).collect();
    let chain: Map<String, Value> =
        (0..300).map(|i| (format!("d{i}"), json!({ "$ref": format!("#/$defs/d{}", i + 1) }))).collect();
    each_is_refused(vec![
        ("/streams/0/schema", Value::Null, MESSAGES, "schema", "missing"),
        ("/streams/0/schema", json!(true), MESSAGES, "schema", "schema_not_object"),
        ("/streams/0/schema/type", json!("array"), MESSAGES, "schema", "schema_not_object"),
        ("/streams/0/schema/properties", Value::Null, MESSAGES, "schema.properties", "schema_without_properties"),
        ("/streams/0/schema/properties", Value::Object(wide), MESSAGES, "schema.properties", "too_many"),
        ("/streams/0/schema/properties/a,b", json!({}), MESSAGES, "a,b", "invalid_field_name"),
        ("/streams/0/schema/properties/size", json!({ "type": "intger" }), MESSAGES, "size", "schema_invalid"),
        ("/streams/0/schema/properties/body", json!({ "pattern": "(" }), MESSAGES, "body", "schema_invalid"),
        ("/streams/0/schema/properties/body", json!(1), MESSAGES, "body", "schema_invalid"),
        ("/streams/0/schema/required", json!("id"), MESSAGES, "schema", "schema_invalid"),
        ("/streams/0/schema/$ref", json!("https://a.example/s"), MESSAGES, "schema", "schema_ref_remote"),
        ("/streams/0/schema/$ref", json!("file:///etc/passwd"), MESSAGES, "schema", "schema_ref_remote"),
        ("/streams/0/schema/$ref", json!("#/$defs/none"), MESSAGES, "schema", "schema_ref_unresolved"),
        ("/streams/0/schema/$schema", json!("https://a.example/s"), MESSAGES, "schema", "schema_ref_unresolved"),
        ("/streams/0/schema/$defs", Value::Object(chain), MESSAGES, "schema", "schema_too_complex"),
    ]);
}

#[test]
fn keys_and_times_must_be_declared() {
    each_is_refused(vec![
        ("/streams/0/primary_key", Value::Null, MESSAGES, "primary_key", "missing"),
        ("/streams/0/primary_key", json!("id"), MESSAGES, "primary_key", "wrong_type"),
        ("/streams/0/primary_key", json!([1]), MESSAGES, "primary_key[0]", "wrong_type"),
        ("/streams/0/primary_key", json!([]), MESSAGES, "primary_key", "primary_key_empty"),
        ("/streams/0/primary_key", json!(["uid"]), MESSAGES, "uid", "primary_key_not_declared"),
        ("/streams/0/primary_key", json!(["labels"]), MESSAGES, "labels", "primary_key_not_scalar"),
        ("/streams/0/primary_key", json!(["unread"]), MESSAGES, "unread", "primary_key_not_scalar"),
        ("/streams/0/primary_key", json!(["id", "id"]), MESSAGES, "primary_key", "primary_key_duplicate"),
        ("/streams/0/cursor_field", json!("sent"), MESSAGES, "sent", "cursor_field_not_declared"),
        ("/streams/0/cursor_field", json!("labels"), MESSAGES, "labels", "cursor_field_not_scalar"),
        ("/streams/0/consent_time_field", json!("sent"), MESSAGES, "sent", "consent_time_field_not_declared"),
        ("/streams/0/consent_time_field", json!("size"), MESSAGES, "size", "consent_time_field_not_text"),
        (
            "/streams/1/consent_time_field",
            json!("blob_ref"),
            Some("attachments"),
            "blob_ref",
            "consent_time_field_not_text",
        ),
        ("/streams/0/views/0/id", json!("a b"), MESSAGES, "views[0].id", "invalid_name"),
        ("/streams/0/views/0/fields", json!(["sent"]), MESSAGES, "sent", "view_field_not_declared"),
        ("/streams/0/views/0/fields", json!([]), MESSAGES, "views[0].fields", "view_empty"),
        (
            "/streams/0/views",
            json!([{ "id": "a", "fields": ["id"] }, { "id": "a", "fields": ["id"] }]),
            MESSAGES,
            "views[1].id",
            "view_duplicate",
        ),
    ]);
}

#[test]
fn queries_must_fit_their_fields() {
    let at = |key: &'static str, value, field, rule| (key, value, MESSAGES, field, rule);
    each_is_refused(vec![
        at("/streams/0/query", json!([]), "query", "wrong_type"),
        at("/streams/0/query/exact_filters", json!(["sent"]), "sent", "exact_filter_not_declared"),
        at("/streams/0/query/exact_filters", json!(["labels"]), "labels", "exact_filter_not_scalar"),
        at("/streams/0/query/range_filters", json!({ "sent": ["gt"] }), "sent", "range_filter_not_declared"),
        at("/streams/0/query/range_filters", json!({ "labels": ["gt"] }), "labels", "range_filter_not_scalar"),
        at("/streams/0/query/range_filters/size", json!(["ge"]), "query.range_filters.size", "range_filter_unknown_op"),
        at("/streams/0/query/range_filters/size", json!([]), "query.range_filters.size", "range_filter_empty"),
        at("/streams/0/query/search/lexical_fields", json!(["sent"]), "sent", "lexical_field_not_declared"),
        at("/streams/0/query/search/lexical_fields", json!(["size"]), "size", "lexical_field_not_textual"),
        at("/streams/0/query/search/semantic_fields", json!(["sent"]), "sent", "semantic_field_not_declared"),
        at(
            "/streams/0/query/search/semantic_fields",
            json!(["received_at"]),
            "received_at",
            "semantic_field_not_textual",
        ),
        at("/streams/0/query/aggregations/count", json!("yes"), "query.aggregations.count", "wrong_type"),
        at("/streams/0/query/aggregations/sum", json!(["sent"]), "sent", "sum_not_declared"),
        at("/streams/0/query/aggregations/sum", json!(["subject"]), "subject", "sum_not_number"),
        at("/streams/0/query/aggregations/min", json!(["unread"]), "unread", "min_not_ordered"),
        at("/streams/0/query/aggregations/max", json!(["extra"]), "extra", "max_not_ordered"),
        at("/streams/0/query/aggregations/count_distinct", json!(["labels"]), "labels", "count_distinct_not_scalar"),
        at("/streams/0/query/aggregations/group_by", json!(["headers"]), "headers", "group_by_not_scalar"),
        at("/streams/0/query/aggregations/group_by_time", json!(["size"]), "size", "group_by_time_not_text"),
        at("/streams/0/query/aggregations/group_by_time", json!(["sent"]), "sent", "group_by_time_not_declared"),
    ]);
}

#[test]
fn relationships_must_lead_somewhere() {
    let at = |key: &'static str, value, field, rule| (key, value, MESSAGES, field, rule);
    let twice = json!([gmail()["streams"][0]["relationships"][0], gmail()["streams"][0]["relationships"][0]]);
    each_is_refused(vec![
        at("/streams/0/relationships/0/name", json!(""), "relationships[0].name", "invalid_name"),
        at(
            "/streams/0/relationships/0/stream",
            json!("parts"),
            "relationships[0].stream",
            "relationship_stream_unknown",
        ),
        at(
            "/streams/0/relationships/0/foreign_key",
            json!("mid"),
            "relationships[0].foreign_key",
            "foreign_key_not_declared",
        ),
        at(
            "/streams/0/relationships/0/foreign_key",
            json!("labels"),
            "relationships[0].foreign_key",
            "foreign_key_not_scalar",
        ),
        at(
            "/streams/0/relationships/0/cardinality",
            json!("many"),
            "relationships[0].cardinality",
            "cardinality_unknown",
        ),
        at("/streams/0/relationships", twice, "relationships[1].name", "relationship_duplicate"),
        at("/streams/0/query/expand/0/name", json!("parts"), "query.expand[0].name", "expand_not_declared"),
        at(
            "/streams/0/query/expand",
            json!([{ "name": "attachments" }, { "name": "attachments" }]),
            "query.expand[1].name",
            "expand_duplicate",
        ),
        at(
            "/streams/0/query/expand/0/default_limit",
            json!(0),
            "query.expand[0].default_limit",
            "expand_limit_out_of_range",
        ),
        at(
            "/streams/0/query/expand/0/default_limit",
            json!(21),
            "query.expand[0].default_limit",
            "expand_limit_out_of_range",
        ),
        at("/streams/0/query/expand/0/default_limit", json!(1.5), "query.expand[0].default_limit", "wrong_type"),
        at("/streams/0/query/expand/0/max_limit", json!(101), "query.expand[0].max_limit", "expand_limit_out_of_range"),
    ]);
}

#[test]
fn the_older_manifest_is_held_to_the_same_rules() {
    for (pointer, value, rule) in [
        ("/connector_id", json!("gmail"), "source_id_not_absolute_uri"),
        ("/connector_id", json!(1), "wrong_type"),
        ("/connector_key", json!(""), "invalid_name"),
        ("/version", Value::Null, "missing"),
        ("/streams/0/primary_key", json!([]), "primary_key_empty"),
    ] {
        let error = parse(&with(gmail_manifest(), pointer, value)).expect_err(rule);
        assert_eq!(error.rule, rule);
    }
}

#[test]
fn the_document_must_be_json_of_bounded_size() {
    let rule = |text: &str| Declaration::parse(text).expect_err("refused").rule;
    assert_eq!(rule("{"), "not_json");
    assert_eq!(rule(&"[".repeat(10_000)), "not_json");
    assert_eq!(rule("[]"), "wrong_type");
    assert_eq!(rule(&" ".repeat(4 * 1024 * 1024 + 1)), "too_large");
}
