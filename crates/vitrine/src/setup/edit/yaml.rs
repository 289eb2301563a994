//! YAML.

use std::str::FromStr;

use serde_json::{Map, Value};
use vitrine_server::clients::SERVER_NAME;
use yaml_edit::{Document, Mapping, ScalarType, ScalarValue, YamlFile, YamlNode};

use super::Broken;

pub(super) fn read(text: &str) -> Result<Map<String, Value>, Broken> {
    let Some(document) = open(text)?.document() else { return Ok(Map::new()) };
    match document.as_mapping() {
        Some(mapping) => object(&mapping),
        None if document.as_sequence().is_none() && document.as_scalar().is_none() => Ok(Map::new()),
        None => Err(broken(&"the whole of it should be a mapping")),
    }
}

pub(super) fn put(text: &str, section: &str, value: &Map<String, Value>) -> Result<String, Broken> {
    let file = open(text)?;
    let document = file.ensure_document();
    let lines = |indent: &str| value.iter().map(|(key, value)| format!("{indent}{key}: {value}\n")).collect::<Vec<_>>();
    match document.get_mapping(section) {
        Some(servers) => servers.set(SERVER_NAME, &mapping(&lines("").concat())?),
        None => {
            document.set(section, &mapping(&format!("{SERVER_NAME}:\n{}", lines("  ").concat()))?);
        }
    }
    Ok(file.to_string())
}

pub(super) fn remove(text: &str, section: &str, whole: bool) -> Result<String, Broken> {
    let file = open(text)?;
    if let Some(document) = file.document() {
        if whole {
            document.remove(section);
        } else if let Some(servers) = document.get_mapping(section) {
            servers.remove(SERVER_NAME);
        }
    }
    Ok(file.to_string())
}

fn open(text: &str) -> Result<YamlFile, Broken> {
    let file = YamlFile::from_str(text).map_err(|error| broken(&error))?;
    if file.documents().count() > 1 {
        return Err(broken(&"it holds several documents"));
    }
    Ok(file)
}

fn mapping(text: &str) -> Result<Mapping, Broken> {
    Document::from_str(text).ok().and_then(|document| document.as_mapping()).ok_or(Broken::Unsafe)
}

/// The value of a node. Aliases are not followed: a few lines of them can stand for more than memory holds.
fn plain(node: &YamlNode) -> Result<Value, Broken> {
    match node {
        YamlNode::Scalar(scalar) => Ok(scalar_value(&ScalarValue::from_scalar(scalar))),
        YamlNode::Sequence(values) => values.values().map(|value| plain(&value)).collect(),
        YamlNode::Mapping(entries) => object(entries).map(Into::into),
        YamlNode::Alias(_) | YamlNode::TaggedNode(_) => Err(Broken::Unsafe),
    }
}

fn object(entries: &Mapping) -> Result<Map<String, Value>, Broken> {
    let mut object = Map::new();
    for (key, value) in entries.iter() {
        let YamlNode::Scalar(key) = key else { return Err(Broken::Unsafe) };
        if object.insert(key.as_string(), plain(&value)?).is_some() {
            return Err(broken(&format!("`{}` stands in it twice", key.as_string())));
        }
    }
    Ok(object)
}

fn scalar_value(scalar: &ScalarValue) -> Value {
    match scalar.scalar_type() {
        ScalarType::Null => Value::Null,
        ScalarType::Boolean => scalar.to_bool().into(),
        ScalarType::Integer => scalar.to_i64().map_or_else(|| scalar.value().into(), Into::into),
        _ => scalar.value().into(),
    }
}

fn broken(why: &dyn std::fmt::Display) -> Broken {
    Broken::Syntax { format: "YAML", why: why.to_string() }
}
