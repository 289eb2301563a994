//! Reads one stream of a declaration. Its relationships wait until all streams are known.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::error::{DeclarationError, quoted};
use super::fields::{Demand, Fields};
use super::shape::Shape;
use super::{Semantics, Stream, View, json_schema, query};

const MAX_DESCRIPTION_CHARS: usize = 4_000;
const MAX_LABEL_CHARS: usize = 200;
const MAX_DETAIL_CHARS: usize = 2_000;

/// Reads the stream called `name`, without its relationships.
pub(super) fn read<'a>(name: &'a str, shape: &Shape<'a>) -> Result<Stream, DeclarationError> {
    let schema = shape.required("schema", shape.value("schema"))?;
    let properties = properties(shape, schema)?;
    let mut fields = Fields::declared_by(schema, properties, name)?;
    json_schema::compile(name, schema)?;

    let primary_key = primary_key(shape, &mut fields)?;
    let consent_time_field = consent_time_field(shape, &mut fields)?;
    let cursor_field = cursor_field(shape, &mut fields)?;
    query::apply(shape, &mut fields)?;
    let views = views(shape, &mut fields)?;
    let required = required(schema, &fields, &primary_key);

    let display = shape.object("display")?;
    let display_text = |key, max| display.as_ref().map_or(Ok(None), |display| display.text(key, max));
    let selection = shape.object("selection")?;
    let selects = |key| selection.as_ref().map_or(Ok(None), |selection| selection.flag(key));

    Ok(Stream {
        name: name.to_owned(),
        shared_name: name.into(),
        description: shape.text("description", MAX_DESCRIPTION_CHARS)?.map(str::to_owned),
        label: display_text("label", MAX_LABEL_CHARS)?.map(str::to_owned),
        detail: display_text("detail", MAX_DETAIL_CHARS)?.map(str::to_owned),
        semantics: semantics(shape)?,
        schema: schema.clone(),
        fields: fields.into_list(),
        primary_key,
        required,
        cursor_field,
        consent_time_field,
        select_fields: selects("fields")?.unwrap_or(true),
        select_resources: selects("resources")?.unwrap_or(true),
        views,
        relationships: Vec::new(),
    })
}

fn semantics(shape: &Shape<'_>) -> Result<Semantics, DeclarationError> {
    let word = shape.required("semantics", shape.text("semantics", MAX_LABEL_CHARS)?)?;
    [Semantics::AppendOnly, Semantics::MutableState]
        .into_iter()
        .find(|semantics| semantics.as_str() == word)
        .ok_or_else(|| shape.refuse("semantics", "semantics_unknown", "use `append_only` or `mutable_state`"))
}

fn properties<'a>(shape: &Shape<'a>, schema: &'a Value) -> Result<&'a Map<String, Value>, DeclarationError> {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(shape.refuse(
            "schema",
            "schema_not_object",
            "a record is an object; give it `\"type\": \"object\"`",
        ));
    }
    schema.get("properties").and_then(Value::as_object).ok_or_else(|| {
        shape.refuse("schema.properties", "schema_without_properties", "declare the record's fields under `properties`")
    })
}

fn primary_key(shape: &Shape<'_>, fields: &mut Fields<'_>) -> Result<Vec<String>, DeclarationError> {
    let names = shape.required("primary_key", shape.texts("primary_key")?)?;
    if names.is_empty() {
        return Err(shape.refuse(
            "primary_key",
            "primary_key_empty",
            "name at least one field that identifies a record",
        ));
    }
    let mut seen = HashSet::new();
    for name in &names {
        fields.of_kind("primary_key", name, Demand::Key)?;
        if !seen.insert(name) {
            return Err(shape.refuse("primary_key", "primary_key_duplicate", format!("name `{name}` once")));
        }
    }
    Ok(names.into_iter().map(str::to_owned).collect())
}

fn consent_time_field(shape: &Shape<'_>, fields: &mut Fields<'_>) -> Result<Option<String>, DeclarationError> {
    let Some(name) = shape.text("consent_time_field", MAX_LABEL_CHARS)? else { return Ok(None) };
    fields.count_as_time("consent_time_field", name)?;
    Ok(Some(name.to_owned()))
}

fn cursor_field(shape: &Shape<'_>, fields: &mut Fields<'_>) -> Result<Option<String>, DeclarationError> {
    let Some(name) = shape.text("cursor_field", MAX_LABEL_CHARS)? else { return Ok(None) };
    fields.of_kind("cursor_field", name, Demand::Scalar)?;
    Ok(Some(name.to_owned()))
}

fn views(shape: &Shape<'_>, fields: &mut Fields<'_>) -> Result<Vec<View>, DeclarationError> {
    let mut views = Vec::new();
    let mut ids = HashSet::new();
    for view in shape.objects("views")? {
        let id = view.required("id", view.name("id")?)?;
        if !ids.insert(id) {
            return Err(view.refuse(
                "id",
                "view_duplicate",
                format!("two views are called `{}`; rename one", quoted(id)),
            ));
        }
        let names = view.required("fields", view.texts("fields")?)?;
        if names.is_empty() {
            return Err(view.refuse("fields", "view_empty", "name at least one field or take the view out"));
        }
        for name in &names {
            fields.in_role("view_field", name)?;
        }
        let label = view.text("label", MAX_LABEL_CHARS)?.map(str::to_owned);
        views.push(View { id: id.to_owned(), label, fields: names.into_iter().map(str::to_owned).collect() });
    }
    Ok(views)
}

/// The declared fields the schema requires, and the key whether it says so or not.
fn required(schema: &Value, fields: &Fields<'_>, primary_key: &[String]) -> Vec<String> {
    let listed = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let declared = listed.filter(|name| fields.get(name).is_some());
    let mut seen = HashSet::new();
    let all = declared.chain(primary_key.iter().map(String::as_str));
    all.filter(|name| seen.insert(*name)).map(str::to_owned).collect()
}
