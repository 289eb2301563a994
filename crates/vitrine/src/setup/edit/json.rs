//! JSON, with or without comments.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::{Map, Value};
use vitrine_server::clients::{Format, SERVER_NAME};

use super::Broken;

pub(super) fn read(text: &str, format: Format) -> Result<Map<String, Value>, Broken> {
    let value = if format == Format::Json {
        Some(serde_json::from_str(text).map_err(|error| broken(&error))?)
    } else {
        CstRootNode::parse(text, &options()).map_err(|error| broken(&error))?.to_serde_value()
    };
    match value {
        Some(Value::Object(object)) => Ok(object),
        // Nothing but comments.
        None => Ok(Map::new()),
        Some(_) => Err(not_an_object()),
    }
}

pub(super) fn put(text: &str, section: &str, value: &Map<String, Value>) -> Result<String, Broken> {
    let (document, root) = open(text)?;
    if let Some(null) =
        root.get(section).filter(|prop| prop.value().is_some_and(|value| value.as_null_keyword().is_some()))
    {
        null.remove();
    }
    let servers = root.object_value_or_create(section).ok_or_else(|| Broken::NotATable(section.to_owned()))?;
    let entry = object(value);
    match servers.get(SERVER_NAME) {
        Some(known) => known.set_value(entry),
        None => {
            servers.append(SERVER_NAME, entry);
        }
    }
    let edited = document.to_string();
    Ok(if text.is_empty() { ending_with_newline(edited) } else { edited })
}

pub(super) fn remove(text: &str, section: &str, whole: bool) -> Result<String, Broken> {
    let (document, root) = open(text)?;
    let found = if whole { root.get(section) } else { root.object_value(section).and_then(|o| o.get(SERVER_NAME)) };
    if let Some(found) = found {
        found.remove();
    }
    Ok(document.to_string())
}

fn open(text: &str) -> Result<(CstRootNode, CstObject), Broken> {
    let document = CstRootNode::parse(text, &options()).map_err(|error| broken(&error))?;
    let root = document.object_value_or_create().ok_or_else(not_an_object)?;
    Ok((document, root))
}

/// Comments and trailing commas, and nothing else that JSON does not have.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn object(value: &Map<String, Value>) -> CstInputValue {
    CstInputValue::Object(value.iter().map(|(key, value)| (key.clone(), input(value))).collect())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(values) => object(values),
    }
}

fn ending_with_newline(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn broken(error: &dyn std::fmt::Display) -> Broken {
    Broken::Syntax { format: "JSON", why: error.to_string() }
}

fn not_an_object() -> Broken {
    Broken::Syntax { format: "JSON", why: "the whole of it should be an object".to_owned() }
}
