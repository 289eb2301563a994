//! How a tool is described to a client.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// A read-only tool whose arguments are `I` and whose structured output has these properties.
pub(super) fn read_only<I: JsonSchema>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    output: Value,
) -> Tool {
    Tool::new(name, description, Arc::new(input::<I>()))
        .with_title(title)
        .with_raw_output_schema(Arc::new(with_error(output)))
        .with_annotations(ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false))
}

/// The arguments as a flat object in the plain types every host understands.
fn input<I: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<I>().to_value();
    plain(&mut schema);
    match schema {
        Value::Object(mut schema) => {
            schema.remove("title");
            schema.remove("description");
            schema
        }
        _ => Map::new(),
    }
}

/// An argument that may be left out is simply not required: hosts dislike a type of two.
fn plain(schema: &mut Value) {
    if let Value::Object(object) = schema {
        object.remove("format");
        if let Some(Value::Array(types)) = object.get_mut("type") {
            types.retain(|kind| kind != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                object.insert("type".into(), only);
            }
        }
    }
    match schema {
        Value::Object(object) => object.values_mut().for_each(plain),
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

/// The output of every tool but `fetch` ends in where it came from.
pub(super) fn framed(mut properties: Value) -> Value {
    for name in ["provider_url", "request_id"] {
        properties[name] = json!({ "type": "string" });
    }
    properties
}

/// Some clients hold errors against the output schema too, so it has room for one.
fn with_error(mut properties: Value) -> JsonObject {
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    properties["error"] = json!({ "type": "object" });
    schema.insert("properties".into(), properties);
    schema
}
