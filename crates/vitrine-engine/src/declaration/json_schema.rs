//! A stream's `schema` as JSON Schema: checked against its dialect and compiled, never fetching.

use std::collections::HashSet;

use jsonschema::error::ValidationErrorKind;
use jsonschema::paths::LocationSegment;
use jsonschema::{PatternOptions, ReferencingError, ValidationError, Validator};
use serde_json::Value;

use super::error::{DeclarationError, quoted};

// Schemas are compiled and walked recursively, so both bound the stack they need.
const MAX_NESTING: usize = 40;
/// Levels a schema may reach when each reference leads on to the next.
const MAX_REACH: usize = 1_024;
/// A pattern gives up after this many steps back, so that no record can stall an import.
const BACKTRACK_LIMIT: usize = 100_000;

/// Compiles the schema of a stream.
pub(super) fn compile(stream: &str, schema: &Value) -> Result<Validator, DeclarationError> {
    let mut references = HashSet::new();
    let nesting = nesting(schema, &mut references);
    if nesting > MAX_NESTING || nesting * (references.len() + 1) > MAX_REACH {
        let message = "nest it less deeply or refer to fewer definitions";
        return Err(DeclarationError::in_stream(stream, "schema", "schema_too_complex", message));
    }
    jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT))
        .build(schema)
        .map_err(|error| refusal(stream, &error))
}

/// How deeply the schema is nested, collecting the places it refers to.
fn nesting<'a>(value: &'a Value, references: &mut HashSet<&'a str>) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(|item| nesting(item, references)).max().unwrap_or(0),
        Value::Object(object) => {
            let targets =
                ["$ref", "$dynamicRef", "$recursiveRef"].into_iter().filter_map(|key| object.get(key)?.as_str());
            references.extend(targets);
            1 + object.values().map(|value| nesting(value, references)).max().unwrap_or(0)
        }
        _ => 0,
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

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    /// Definitions that each lead to the next, each nested in negations.
    fn chain(definitions: usize, negations: usize) -> Value {
        let negated = |inner| (0..negations).fold(inner, |inner, _| json!({ "not": inner }));
        let next = |i| (format!("d{i}"), negated(json!({ "$ref": format!("#/$defs/d{}", i + 1) })));
        let mut all: Map<String, Value> = (0..definitions).map(next).collect();
        all.insert(format!("d{definitions}"), json!({ "type": "object" }));
        json!({ "$ref": "#/$defs/d0", "$defs": all })
    }

    #[test]
    fn a_schema_within_bounds_fits_a_small_stack() {
        for (definitions, negations) in [(24, 36), (7, 36), (50, 16), (200, 2)] {
            let validator = compile("messages", &chain(definitions, negations)).expect("within bounds");
            assert!(validator.is_valid(&json!({})), "an even number of negations cancels out");
        }
    }

    #[test]
    fn a_schema_that_would_overflow_the_stack_is_refused() {
        for (definitions, negations) in [(20_000, 0), (64, 30), (1, 60)] {
            let error = compile("messages", &chain(definitions, negations)).expect_err("out of bounds");
            assert_eq!(error.rule, "schema_too_complex");
        }
    }

    #[test]
    fn a_schema_may_refer_to_itself() {
        let tree = json!({ "type": "object", "properties": { "child": { "$ref": "#" } }, "allOf": [{ "$ref": "#" }] });
        let validator = compile("messages", &tree).expect("recursion is allowed");
        let deep = (0..120).fold(json!({}), |child, _| json!({ "child": child }));
        assert!(validator.is_valid(&deep));
        assert!(!validator.is_valid(&json!({ "child": 1 })));
    }
}
