//! How a field's values compare, from its JSON Schema.

use serde_json::Value;

use super::FieldKind;

/// A reference that leads to another is followed this often.
const MAX_HOPS: usize = 8;

/// The kind of the field `name`, whose schema stands in `root`.
pub(super) fn of(name: &str, schema: &Value, root: &Value) -> FieldKind {
    let schema = followed(schema, root);
    if is_blob(name, schema) {
        return FieldKind::Blob;
    }
    let mut kinds: Vec<FieldKind> = types(schema).filter_map(|word| of_type(word, schema)).collect();
    kinds.dedup();
    match kinds[..] {
        [kind] => kind,
        // An object cannot be compared, whatever else the field may hold.
        _ if kinds.contains(&FieldKind::Json) => FieldKind::Json,
        _ => FieldKind::Any,
    }
}

/// Whether a value of the field may be a string.
pub(super) fn allows_text(schema: &Value, root: &Value) -> bool {
    allows_text_within(schema, root, MAX_HOPS)
}

fn allows_text_within(schema: &Value, root: &Value, hops: usize) -> bool {
    let schema = followed(schema, root);
    if schema == &Value::Bool(false) {
        return false;
    }
    if schema.get("type").is_some() {
        return types(schema).any(|word| word == "string");
    }
    let choices = ["anyOf", "oneOf"].into_iter().filter_map(|keyword| schema.get(keyword)?.as_array());
    choices.into_iter().all(|choice| hops > 0 && choice.iter().any(|s| allows_text_within(s, root, hops - 1)))
}

fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let declared = schema.get("type");
    let single = declared.and_then(Value::as_str);
    let several = declared.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    single.into_iter().chain(several)
}

fn of_type(word: &str, schema: &Value) -> Option<FieldKind> {
    let format = schema.get("format").and_then(Value::as_str);
    match word {
        "string" if matches!(format, Some("date-time" | "date")) => Some(FieldKind::Time),
        "string" => Some(FieldKind::Text),
        "number" | "integer" => Some(FieldKind::Number),
        "boolean" => Some(FieldKind::Boolean),
        "object" | "array" => Some(FieldKind::Json),
        _ => None,
    }
}

fn is_blob(name: &str, schema: &Value) -> bool {
    let holds_blob_id =
        || types(schema).any(|word| word == "object") && schema.pointer("/properties/blob_id").is_some();
    name == "blob_ref" || schema.get("x-pdpp-type").and_then(Value::as_str) == Some("blob_ref") || holds_blob_id()
}

/// The schema itself, or what its reference inside the same document leads to.
fn followed<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let mut current = schema;
    for _ in 0..MAX_HOPS {
        let reference = current.get("$ref").and_then(Value::as_str);
        match reference.and_then(|reference| root.pointer(reference.strip_prefix('#')?)) {
            Some(target) if current.get("type").is_none() => current = target,
            _ => break,
        }
    }
    current
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kinds_follow_the_declared_types() {
        let root =
            json!({ "$defs": { "when": { "type": "string", "format": "date" }, "loop": { "$ref": "#/$defs/loop" } } });
        for (schema, kind) in [
            (json!({ "type": "string" }), FieldKind::Text),
            (json!({ "type": ["string", "null"] }), FieldKind::Text),
            (json!({ "type": ["null", "string"], "format": "date-time" }), FieldKind::Time),
            (json!({ "$ref": "#/$defs/when" }), FieldKind::Time),
            (json!({ "type": "integer" }), FieldKind::Number),
            (json!({ "type": ["integer", "number"] }), FieldKind::Number),
            (json!({ "type": ["boolean", "null"] }), FieldKind::Boolean),
            (json!({ "type": ["string", "number"] }), FieldKind::Any),
            (json!({ "type": ["string", "array"] }), FieldKind::Json),
            (json!({ "type": "object" }), FieldKind::Json),
            (json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }), FieldKind::Any),
            (json!({ "type": "null" }), FieldKind::Any),
            (json!({ "$ref": "#/$defs/loop" }), FieldKind::Any),
            (json!({}), FieldKind::Any),
            (json!(true), FieldKind::Any),
            (json!({ "type": "object", "properties": { "blob_id": {} } }), FieldKind::Blob),
            (json!({ "x-pdpp-type": "blob_ref" }), FieldKind::Blob),
        ] {
            assert_eq!(of("field", &schema, &root), kind, "{schema}");
        }
        assert_eq!(of("blob_ref", &json!({}), &root), FieldKind::Blob);
    }

    #[test]
    fn text_may_be_one_of_several_choices() {
        let root = json!({});
        for schema in [json!({}), json!({ "type": ["null", "string"] }), json!({ "anyOf": [{ "type": "string" }] })] {
            assert!(allows_text(&schema, &root), "{schema}");
        }
        for schema in [json!(false), json!({ "type": "integer" }), json!({ "oneOf": [{ "type": "object" }] })] {
            assert!(!allows_text(&schema, &root), "{schema}");
        }
    }
}
