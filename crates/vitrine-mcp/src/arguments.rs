//! Arguments of a call: read once, checked in full, refused with the way to call it right.

use std::collections::BTreeMap;

use rmcp::model::JsonObject;
use serde::de::DeserializeOwned;
use serde_json::Value;
use vitrine_contract::ident::is_name;
use vitrine_contract::limits::MAX_LIMIT;
use vitrine_contract::request::{Filter, RangeOp};
use vitrine_contract::{ApiError, ErrorCode};

use crate::ids::{is_connection, is_field};
use crate::render::text;

/// The most fields one can ask for.
const MAX_FIELDS: usize = 1_000;
/// The longest cursor or bookmark any provider may have made.
const MAX_CURSOR_CHARS: usize = 8_192;

/// What providers used to call a connection's id. No agent is shown it.
pub(crate) const OLD_NAME: &str = "connector_instance_id";

/// Reads the arguments of a tool; `usage` shows a right call.
pub(crate) fn parse<T: DeserializeOwned>(mut arguments: JsonObject, usage: &str) -> Result<T, ApiError> {
    if arguments.contains_key(OLD_NAME) {
        let message = format!("An account is named by `connection_id` and no other argument. {usage}");
        return Err(ApiError::invalid("connection_id", message));
    }
    // A filter's values are the records' own, and stay as they were written.
    arguments.iter_mut().filter(|(name, _)| *name != "filter").for_each(|(_, value)| make_whole(value));
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let said = text::cut(&error.inner().to_string(), 400).to_owned();
        let (place, param) = match path.as_str() {
            "." => (String::new(), None),
            named => (format!("`{}`: ", text::cut(named, 80)), Some(text::cut(named, 80).to_owned())),
        };
        let refusal = ApiError::new(ErrorCode::InvalidRequest, format!("{place}{said}. {usage}"));
        match param {
            Some(param) => refusal.param(param),
            None => refusal,
        }
    })
}

/// `10.0` is an integer to JSON Schema, and to some hosts the only way to write one.
fn make_whole(value: &mut Value) {
    match value {
        Value::Number(number) if !number.is_i64() => {
            let text = number.to_string();
            let whole = text.split_once('.').filter(|(_, rest)| rest.bytes().all(|digit| digit == b'0'));
            if let Some(whole) = whole.and_then(|(whole, _)| whole.parse::<i64>().ok()) {
                *value = whole.into();
            }
        }
        Value::Object(members) => members.values_mut().for_each(make_whole),
        _ => {}
    }
}

/// A stream name or connection id, which must look like one before anything is asked.
pub(crate) fn name(param: &str, value: String) -> Result<String, ApiError> {
    if is_name(&value) {
        return Ok(value);
    }
    Err(ApiError::invalid(param, format!("`{param}` is not such a name. Pass one exactly as schema returned it.")))
}

pub(crate) fn optional_name(param: &str, value: Option<String>) -> Result<Option<String>, ApiError> {
    value.map(|value| name(param, value)).transpose()
}

/// The connection of one record, as it was shown beside the record's id.
pub(crate) fn connection(value: Option<String>) -> Result<Option<String>, ApiError> {
    match value {
        Some(id) if !is_connection(&id) => name("connection_id", id).map(Some),
        value => Ok(value),
    }
}

pub(crate) fn names(param: &str, values: Option<Vec<String>>) -> Result<Vec<String>, ApiError> {
    values.unwrap_or_default().into_iter().map(|value| name(param, value)).collect()
}

/// A number of rows or hits.
pub(crate) fn limit(value: Option<i64>) -> Result<Option<u64>, ApiError> {
    bounded(value, " Read on with `cursor`.")
}

/// A number of groups, of which there is only one page.
pub(crate) fn group_limit(value: Option<i64>) -> Result<Option<u64>, ApiError> {
    bounded(value, " The records of the other groups are counted in `other_count`.")
}

fn bounded(value: Option<i64>, then: &str) -> Result<Option<u64>, ApiError> {
    let Some(given) = value else { return Ok(None) };
    u64::try_from(given)
        .ok()
        .filter(|limit| (1..=u64::from(MAX_LIMIT)).contains(limit))
        .map(Some)
        .ok_or_else(|| ApiError::invalid("limit", format!("`limit` must be from 1 to {MAX_LIMIT}.{then}")))
}

/// A count of characters.
pub(crate) fn chars(param: &str, value: Option<i64>, least: u64) -> Result<Option<u64>, ApiError> {
    let Some(given) = value else { return Ok(None) };
    u64::try_from(given).ok().filter(|chars| *chars >= least).map(Some).ok_or_else(|| {
        ApiError::new(ErrorCode::InvalidWindow, format!("`{param}` must be a whole number, {least} or more."))
            .param(param)
    })
}

/// A word of a closed set.
pub(crate) fn word<T: Copy>(
    param: &str,
    value: Option<&str>,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<Option<T>, ApiError> {
    let Some(given) = value else { return Ok(None) };
    all.iter().copied().find(|word| name(*word) == given).map(Some).ok_or_else(|| {
        let allowed = all.iter().map(|word| name(*word)).collect::<Vec<_>>().join(", ");
        ApiError::invalid(param, format!("`{param}` must be one of: {allowed}."))
    })
}

/// A field name, view, relationship or sort: any text that could be one.
pub(crate) fn field(param: &str, value: String) -> Result<String, ApiError> {
    field_or(ErrorCode::InvalidRequest, param, value)
}

/// The same, where what is none has a code of its own.
pub(crate) fn field_or(code: ErrorCode, param: &str, value: String) -> Result<String, ApiError> {
    if is_field(&value) {
        return Ok(value);
    }
    Err(ApiError::new(code, format!("`{param}` must name fields exactly as schema returned them.")).param(param))
}

pub(crate) fn optional_field(param: &str, value: Option<String>) -> Result<Option<String>, ApiError> {
    value.map(|value| field(param, value)).transpose()
}

pub(crate) fn fields(param: &str, values: Option<Vec<String>>) -> Result<Option<Vec<String>>, ApiError> {
    some_of(param, values, "Leave it out to ask for everything.")
}

/// Relationships to bring along.
pub(crate) fn expand(values: Option<Vec<String>>) -> Result<Vec<String>, ApiError> {
    let values = some_of("expand", values, "Leave it out, and nothing is expanded.")?;
    Ok(values.unwrap_or_default())
}

fn some_of(param: &str, values: Option<Vec<String>>, without: &str) -> Result<Option<Vec<String>>, ApiError> {
    match values {
        Some(values) if values.is_empty() || values.len() > MAX_FIELDS => {
            Err(ApiError::invalid(param, format!("`{param}` takes 1 to {MAX_FIELDS} names. {without}")))
        }
        Some(values) => values.into_iter().map(|value| field(param, value)).collect::<Result<_, _>>().map(Some),
        None => Ok(None),
    }
}

/// A cursor or bookmark: opaque, but not without end.
pub(crate) fn cursor(param: &str, value: Option<String>) -> Result<Option<String>, ApiError> {
    match value {
        Some(value) if value.is_empty() || value.len() > MAX_CURSOR_CHARS => Err(ApiError::new(
            ErrorCode::InvalidCursor,
            format!("`{param}` must be passed exactly as the last result returned it. Leave it out to start over."),
        )
        .param(param)),
        value => Ok(value),
    }
}

/// Text to find.
pub(crate) fn query(param: &str, value: String) -> Result<String, ApiError> {
    let most = vitrine_contract::limits::MAX_QUERY_CHARS;
    if value.contains('\0') || value.chars().count() > most {
        return Err(ApiError::invalid(param, format!("`{param}` takes up to {most} characters of text.")));
    }
    Ok(value)
}

/// How many related records of each kind.
pub(crate) fn expand_limits(values: Option<BTreeMap<String, i64>>) -> Result<BTreeMap<String, u64>, ApiError> {
    let wrong = || {
        ApiError::new(ErrorCode::InvalidExpand, "`expand_limit` is {relationship: number}, each at least 1.")
            .param("expand_limit")
    };
    values
        .unwrap_or_default()
        .into_iter()
        .map(|(relationship, limit)| {
            let limit = u64::try_from(limit).ok().filter(|limit| *limit > 0).ok_or_else(wrong)?;
            Ok((field("expand_limit", relationship)?, limit))
        })
        .collect()
}

/// The resource server's error, about the argument as this tool calls it.
pub(crate) fn renamed(mut error: ApiError, param: &str, argument: &str) -> ApiError {
    if error.param.as_deref() == Some(param) {
        error.param = Some(argument.to_owned());
    }
    error
}

/// `{field: scalar | {gte, gt, lte, lt}}`.
pub(crate) fn filter(value: Option<Value>) -> Result<Filter, ApiError> {
    let mut filter = Filter::default();
    let Some(value) = value else { return Ok(filter) };
    let Value::Object(conditions) = value else {
        return Err(bad_filter("filter", "`filter` must be an object, not text."));
    };
    if conditions.is_empty() {
        return Err(bad_filter("filter", "`filter` is empty. Leave it out to match every record."));
    }
    for (field, condition) in conditions {
        let param = format!("filter.{}", text::cut(&field, 80));
        if !is_field(&field) || field.contains(['[', ']']) {
            return Err(bad_filter(&param, "A key of `filter` is a field name alone, without brackets."));
        }
        match condition {
            Value::Object(bounds) => {
                if bounds.is_empty() {
                    return Err(bad_filter(&param, "A range needs at least one of gte, gt, lte, lt."));
                }
                for (operator, bound) in bounds {
                    let op = RangeOp::parse(&operator)
                        .ok_or_else(|| bad_filter(&param, "The comparisons are gte, gt, lte and lt."))?;
                    let bound = scalar(&bound).ok_or_else(|| bad_filter(&param, "A bound is text or a number."))?;
                    filter.bound(&field, op, &bound);
                }
            }
            value => {
                let value =
                    scalar(&value).ok_or_else(|| bad_filter(&param, "A value is text, a number or a boolean."))?;
                filter.equals(&field, &value);
            }
        }
    }
    Ok(filter)
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn bad_filter(param: &str, said: &str) -> ApiError {
    let usage = r#"Pass {"field": value} or {"field": {"gte": value, "lt": value}}."#;
    ApiError::new(ErrorCode::InvalidFilter, format!("{said} {usage}")).param(param)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_old_name_of_an_account_is_answered_with_the_new_one() {
        let given = json!({ "connection_id": "work", "connector_instance_id": "work" });
        let refusal = parse::<Value>(given.as_object().unwrap().clone(), "Call it so.").unwrap_err();
        assert_eq!((refusal.code, refusal.param.as_deref()), (ErrorCode::InvalidRequest, Some("connection_id")));
        assert_eq!(refusal.message, "An account is named by `connection_id` and no other argument. Call it so.");
    }

    #[test]
    fn filters_are_typed_objects() {
        let good = filter(Some(json!({"a": 1, "b": true, "c": "x", "d": {"gte": "2026-01-01", "lt": 7.5}}))).unwrap();
        assert_eq!(good.iter().count(), 4);
        for bad in [
            json!("a=1"),
            json!([]),
            json!({}),
            json!({"a": null}),
            json!({"a": []}),
            json!({"a": {}}),
            json!({"": 1}),
            json!({"a[gte]": 1}),
            json!({"a": {"near": 1}}),
            json!({"a": {"gte": {}}}),
            json!({"a": {"gte": null}}),
        ] {
            assert_eq!(filter(Some(bad.clone())).unwrap_err().code, ErrorCode::InvalidFilter, "{bad}");
        }
    }
}
