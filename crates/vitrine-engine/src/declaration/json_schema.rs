//! A stream's `schema` as JSON Schema: checked against its dialect and compiled, never fetching.

use std::collections::HashSet;

use jsonschema::error::ValidationErrorKind;
use jsonschema::paths::LocationSegment;
use jsonschema::{PatternOptions, ReferencingError, ValidationError, Validator};
use serde_json::Value;

use super::error::{DeclarationError, quoted};

// Compiled schemas are walked recursively: nesting times references bounds the stack they need.
const MAX_NESTING: usize = 64;
const MAX_REFERENCES: usize = 64;
/// A pattern gives up after this many steps back, so that no record can stall an import.
const BACKTRACK_LIMIT: usize = 100_000;

/// Compiles the schema of a stream.
pub(super) fn compile(stream: &str, schema: &Value) -> Result<Validator, DeclarationError> {
    let mut references = HashSet::new();
    if !is_bounded(schema, MAX_NESTING, &mut references) {
        let message =
            format!("nest it at most {MAX_NESTING} levels deep and refer to at most {MAX_REFERENCES} definitions");
        return Err(DeclarationError::in_stream(stream, "schema", "schema_too_complex", message));
    }
    jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT))
        .build(schema)
        .map_err(|error| refusal(stream, &error))
}

fn is_bounded<'a>(value: &'a Value, levels: usize, references: &mut HashSet<&'a str>) -> bool {
    match value {
        Value::Object(_) | Value::Array(_) if levels == 0 => false,
        Value::Array(items) => items.iter().all(|item| is_bounded(item, levels - 1, references)),
        Value::Object(object) => object.iter().all(|(key, value)| {
            if let (true, Value::String(target)) = (key.ends_with("Ref") || key == "$ref", value) {
                references.insert(target);
            }
            references.len() <= MAX_REFERENCES && is_bounded(value, levels - 1, references)
        }),
        _ => true,
    }
}

fn refusal(stream: &str, error: &ValidationError<'_>) -> DeclarationError {
    let field = field_at_fault(error).unwrap_or_else(|| "schema".to_owned());
    let path = quoted(error.instance_path().as_str());
    let (rule, message) = match error.kind() {
        ValidationErrorKind::Referencing(ReferencingError::Unretrievable { uri, .. }) => {
            ("schema_ref_remote", format!("`{}` is outside this schema and is not fetched; copy it in", quoted(uri)))
        }
        ValidationErrorKind::Referencing(reason) => ("schema_ref_unresolved", quoted(&reason.to_string())),
        _ => ("schema_invalid", format!("not valid JSON Schema at `{path}`: {}", quoted(&error.to_string()))),
    };
    DeclarationError::in_stream(stream, &field, rule, message)
}

fn field_at_fault(error: &ValidationError<'_>) -> Option<String> {
    let mut segments = error.instance_path().segments();
    match segments.next()? {
        LocationSegment::Property(keyword) if keyword == "properties" => segments.next().map(|name| name.to_string()),
        _ => None,
    }
}
