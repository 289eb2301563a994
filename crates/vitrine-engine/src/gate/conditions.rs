//! A request's filter, checked against the grant and read by the declared types.

use std::collections::BTreeMap;
use std::ops::Bound;

use vitrine_contract::request::{Condition as Asked, Filter, RangeOp};
use vitrine_contract::{ApiError, ErrorCode};

use super::plan::{Condition, Scope, Test};
use crate::declaration::{Field, FieldKind};
use crate::sort_key::SortKey;

pub(super) fn of_filter(scopes: &[Scope], filter: &Filter) -> Result<Vec<Condition>, ApiError> {
    filter.iter().map(|(name, asked)| condition(scopes, name, asked)).collect()
}

fn condition(scopes: &[Scope], name: &str, asked: &Asked) -> Result<Condition, ApiError> {
    let param = format!("filter[{name}]");
    super::check_field(scopes, name, &param, true)?;
    let scope = &scopes[0];
    let invalid = |message: String| ApiError::new(ErrorCode::InvalidFilter, message).param(&param);
    let (Some(field), Some(number)) = (scope.stream().field(name), scope.field_number(name)) else {
        return Err(invalid(format!("`{name}` can no longer be filtered by.")));
    };
    let test = match asked {
        Asked::Equals(_) if !field.exact_filter => {
            return Err(invalid(format!(
                "`{name}` cannot be filtered by value. GET /v1/schema says what each field can do."
            )));
        }
        Asked::Equals(value) => Test::OneOf(values(field, value).map_err(invalid)?),
        Asked::Range(bounds) => between(field, bounds).map_err(invalid)?,
    };
    Ok(Condition { field: number, test })
}

fn values(field: &Field, text: &str) -> Result<Vec<SortKey>, String> {
    let keys = SortKey::of_filter(field.kind, text);
    if keys.is_empty() { Err(expected(field)) } else { Ok(keys) }
}

fn between(field: &Field, bounds: &BTreeMap<RangeOp, String>) -> Result<Test, String> {
    if let Some(op) = bounds.keys().find(|op| !field.range_filter.contains(op)) {
        let known: Vec<&str> = field.range_filter.iter().map(|op| op.as_str()).collect();
        return Err(if known.is_empty() {
            format!("`{}` cannot be compared by range. GET /v1/schema says what each field can do.", field.name)
        } else {
            format!("`{}` does not support `{}`, only: {}.", field.name, op.as_str(), known.join(", "))
        });
    }
    let key = |op| bounds.get(&op).map(|text| values(field, text).map(|keys| keys[0].clone())).transpose();
    let low = tightest(key(RangeOp::Gte)?, key(RangeOp::Gt)?, |inclusive, exclusive| inclusive > exclusive);
    let high = tightest(key(RangeOp::Lte)?, key(RangeOp::Lt)?, |inclusive, exclusive| inclusive < exclusive);
    Ok(Test::Between(low, high))
}

fn tightest(
    inclusive: Option<SortKey>,
    exclusive: Option<SortKey>,
    inclusive_is_tighter: impl Fn(&SortKey, &SortKey) -> bool,
) -> Bound<SortKey> {
    match (inclusive, exclusive) {
        (None, None) => Bound::Unbounded,
        (Some(key), None) => Bound::Included(key),
        (Some(a), Some(b)) if inclusive_is_tighter(&a, &b) => Bound::Included(a),
        (_, Some(key)) => Bound::Excluded(key),
    }
}

fn expected(field: &Field) -> String {
    let what = match field.kind {
        FieldKind::Time => "a time such as 2026-03-12T09:41:00Z, or a date",
        FieldKind::Number => "a number",
        FieldKind::Boolean => "true or false",
        _ => "text",
    };
    format!("`{}` is compared with {what}.", field.name)
}
