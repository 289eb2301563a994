//! Checks records against a stream's schema without repeating what they hold.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;
use vitrine_contract::chars;

use super::error::DeclarationError;
use super::{Stream, json_schema};

const MAX_MESSAGE_CHARS: usize = 300;

/// Checks the records of one stream. Clones share the compiled schema.
#[derive(Debug, Clone)]
pub struct RecordValidator(Arc<Compiled>);

#[derive(Debug)]
struct Compiled {
    validator: Validator,
    property_names: HashSet<String>,
}

impl Stream {
    /// Compiles the schema its records are checked against. Fails only for a schema that
    /// [`super::Declaration::parse`] would have refused.
    pub fn validator(&self) -> Result<RecordValidator, DeclarationError> {
        let validator = json_schema::compile(&self.name, &self.schema)?;
        let mut property_names = HashSet::new();
        collect_property_names(&self.schema, &mut property_names);
        Ok(RecordValidator(Arc::new(Compiled { validator, property_names })))
    }
}

impl RecordValidator {
    /// Checks a record's `data`. The message says where and which rule, never what stands there:
    /// it may be private.
    pub fn check(&self, data: &Value) -> Result<(), String> {
        self.0.validator.validate(data).map_err(|error| self.0.message(data, &error))
    }
}

impl Compiled {
    fn message(&self, data: &Value, error: &ValidationError<'_>) -> String {
        let mut message =
            format!("{}: {}; it is {}", self.path(data, error), broken_rule(error.kind()), type_name(error.instance()));
        if let Some(end) = chars::offset(&message, MAX_MESSAGE_CHARS) {
            message.truncate(end);
        }
        message
    }

    /// The place of the fault. A key the schema does not name is content, and shown as `*`.
    fn path(&self, data: &Value, error: &ValidationError<'_>) -> String {
        let mut path = String::new();
        let mut place = Some(data);
        for segment in error.instance_path().segments() {
            let segment = segment.to_string();
            let index = segment.parse::<usize>().ok().filter(|_| place.is_some_and(Value::is_array));
            place = match index {
                Some(index) => place.and_then(|value| value.get(index)),
                None => place.and_then(|value| value.get(&segment)),
            };
            let known = index.is_some() || self.property_names.contains(&segment);
            let _ = write!(path, "/{}", if known { &segment } else { "*" });
        }
        if path.is_empty() { "the record".to_owned() } else { path }
    }
}

fn broken_rule(kind: &ValidationErrorKind) -> String {
    match kind {
        ValidationErrorKind::Type { kind: TypeKind::Single(expected) } => format!("`type` asks for {expected}"),
        ValidationErrorKind::Type { kind: TypeKind::Multiple(expected) } => {
            let names: Vec<String> = expected.iter().map(|expected| expected.to_string()).collect();
            format!("`type` asks for {}", names.join(" or "))
        }
        ValidationErrorKind::Required { property: Value::String(name) } => format!("`required` asks for `{name}`"),
        other => format!("`{}` does not hold", other.keyword()),
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn collect_property_names(schema: &Value, names: &mut HashSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(properties) = object.get("properties").and_then(Value::as_object) {
                names.extend(properties.keys().cloned());
            }
            object.values().for_each(|value| collect_property_names(value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_property_names(item, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{gmail, parse};
    use super::*;

    fn messages() -> RecordValidator {
        parse(&gmail()).expect("the mailbox is well declared").streams["messages"].validator().expect("it compiles")
    }

    fn record(field: &str, value: Value) -> Value {
        let mut record = json!({ "id": "1", "received_at": "2026-01-01T00:00:00Z", "vanished": null });
        record[field] = value;
        record
    }

    #[test]
    fn records_that_fit_are_accepted() {
        let validator = messages();
        assert_eq!(validator.check(&record("size", json!(3))), Ok(()));
        assert_eq!(validator.check(&record("received_at", json!("yesterday"))), Ok(()), "format only annotates");
    }

    #[test]
    fn the_message_names_the_place_and_the_rule() {
        let validator = messages();
        for (field, value, message) in [
            ("subject", json!(7), "/subject: `type` asks for null or string; it is a number"),
            ("size", json!(-4), "/size: `minimum` does not hold; it is a number"),
            ("labels", json!(["a", true]), "/labels/1: `type` asks for string; it is a boolean"),
        ] {
            assert_eq!(validator.check(&record(field, value)), Err(message.to_owned()));
        }
        assert_eq!(
            validator.check(&json!({ "id": "1", "received_at": "x" })),
            Err("the record: `required` asks for `vanished`; it is an object".to_owned())
        );
    }

    #[test]
    fn the_message_keeps_what_the_record_holds_to_itself() {
        let headers = json!({ "secret@mail": { "deep": "secret" }, "0049170555": 1 });
        let message = messages().check(&record("headers", headers)).expect_err("headers are text");
        assert_eq!(message, "/headers/*: `type` asks for string; it is an object");
        let message = messages().check(&record("headers", json!({ "555": 1 }))).expect_err("headers are text");
        assert_eq!(message, "/headers/*: `type` asks for string; it is a number");
    }

    #[test]
    fn messages_are_bounded() {
        let name = "é".repeat(128);
        let nested = json!({ "properties": { name.clone(): { "properties": { name.clone(): { "properties": { name.clone(): false } } } } } });
        let mut stream = parse(&gmail()).expect("the mailbox is well declared").streams["messages"].as_ref().clone();
        stream.schema = nested;
        let data = json!({ name.clone(): { name.clone(): { name: 1 } } });
        let message = stream.validator().expect("it compiles").check(&data).expect_err("nothing is allowed there");
        assert_eq!(message.chars().count(), MAX_MESSAGE_CHARS);
    }

    #[test]
    fn validators_are_shared_between_threads() {
        fn shareable<T: Send + Sync + Clone>(_: &T) {}
        shareable(&messages());
    }
}
