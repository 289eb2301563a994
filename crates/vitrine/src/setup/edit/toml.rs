//! TOML.

use serde_json::{Map, Value};
use toml_edit::{Array, DocumentMut, Item, Table, TableLike};
use vitrine_server::clients::SERVER_NAME;

use super::Broken;

pub(super) fn read(text: &str) -> Result<Map<String, Value>, Broken> {
    Ok(table(open(text)?.as_table()))
}

pub(super) fn put(text: &str, section: &str, value: &Map<String, Value>) -> Result<String, Broken> {
    let mut document = open(text)?;
    let not_a_table = || Broken::NotATable(section.to_owned());
    let servers = document.entry(section).or_insert_with(|| {
        let mut table = Table::new();
        // Only `[mcp_servers.vitrine]` is written, not an empty `[mcp_servers]` above it.
        table.set_implicit(true);
        Item::Table(table)
    });
    let inline = servers.is_inline_table();
    let servers = servers.as_table_like_mut().ok_or_else(not_a_table)?;
    let mut entry = Table::new();
    for (key, value) in value {
        entry.insert(key, Item::Value(scalar_or_list(value).ok_or(Broken::Unsafe)?));
    }
    let entry = if inline { Item::Value(entry.into_inline_table().into()) } else { Item::Table(entry) };
    servers.insert(SERVER_NAME, entry);
    Ok(document.to_string())
}

pub(super) fn remove(text: &str, section: &str, whole: bool) -> Result<String, Broken> {
    let mut document = open(text)?;
    if whole {
        document.remove(section);
    } else if let Some(servers) = document.get_mut(section).and_then(Item::as_table_like_mut) {
        servers.remove(SERVER_NAME);
    }
    Ok(document.to_string())
}

fn open(text: &str) -> Result<DocumentMut, Broken> {
    text.parse()
        .map_err(|error: toml_edit::TomlError| Broken::Syntax { format: "TOML", why: error.message().to_owned() })
}

fn scalar_or_list(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::String(text) => text.as_str().into(),
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number.as_i64()?.into(),
        Value::Array(values) => values.iter().map(scalar_or_list).collect::<Option<Array>>()?.into(),
        Value::Null | Value::Object(_) => return None,
    })
}

fn table(table: &dyn TableLike) -> Map<String, Value> {
    table.iter().map(|(key, item)| (key.to_owned(), item_value(item))).collect()
}

fn item_value(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(found) => value(found),
        Item::Table(found) => table(found).into(),
        Item::ArrayOfTables(tables) => tables.iter().map(|found| Value::from(table(found))).collect(),
    }
}

fn value(found: &toml_edit::Value) -> Value {
    match found {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Boolean(value) => (*value.value()).into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        // Not every float and no date is a JSON value; how they read is enough to see that they did not change.
        toml_edit::Value::Float(number) => number.value().to_string().into(),
        toml_edit::Value::Datetime(time) => time.value().to_string().into(),
        toml_edit::Value::Array(values) => values.iter().map(value).collect(),
        toml_edit::Value::InlineTable(found) => table(found).into(),
    }
}
