//! What an aggregate computes, checked against the grant and the declaration.

use jiff::tz::TimeZone;
use vitrine_contract::request::{AggregateRequest, Metric};
use vitrine_contract::{ApiError, limits};

use super::plan::{Grouping, Measure, MeasureField, Scope};
use crate::declaration::{Aggregations, Field};

pub(super) fn of_request(scopes: &[Scope], request: &AggregateRequest) -> Result<Measure, ApiError> {
    let field = match (request.metric, &request.field) {
        (Metric::Count, None) => None,
        (Metric::Count, Some(_)) => {
            return Err(ApiError::invalid(
                "field",
                "`metric=count` counts records and takes no `field`. Leave it out, or use count_distinct.",
            ));
        }
        (metric, None) => {
            return Err(ApiError::invalid("field", format!("`metric={}` needs a `field`.", metric.as_str())));
        }
        (metric, Some(name)) => Some(capable(scopes, name, "field", metric.as_str(), |can| match metric {
            Metric::Sum => can.sum,
            Metric::Min => can.min,
            Metric::Max => can.max,
            Metric::CountDistinct => can.count_distinct,
            Metric::Count => true,
        })?),
    };
    let limit = request.limit.unwrap_or(u64::from(limits::DEFAULT_GROUPS)).min(u64::from(limits::MAX_LIMIT));
    Ok(Measure {
        metric: request.metric,
        field,
        group: grouping(scopes, request)?,
        limit: usize::try_from(limit).unwrap_or(1),
    })
}

fn grouping(scopes: &[Scope], request: &AggregateRequest) -> Result<Grouping, ApiError> {
    match (&request.group_by, &request.group_by_time) {
        (Some(_), Some(_)) => Err(ApiError::invalid("group_by", "Pass `group_by` or `group_by_time`, not both.")),
        (_, None) if request.granularity.is_some() || request.time_zone.is_some() => {
            Err(ApiError::invalid("granularity", "`granularity` and `time_zone` go with `group_by_time`."))
        }
        (None, None) => Ok(Grouping::None),
        (Some(name), None) => Ok(Grouping::Value(capable(scopes, name, "group_by", "group_by", |can| can.group_by)?)),
        (None, Some(name)) => {
            let field = capable(scopes, name, "group_by_time", "group_by_time", |can| can.group_by_time)?;
            let granularity = request.granularity.ok_or_else(|| {
                ApiError::invalid(
                    "granularity",
                    "`group_by_time` needs a `granularity`: minute, hour, day, week, month, quarter or year.",
                )
            })?;
            Ok(Grouping::Calendar(field, granularity, zone(request.time_zone.as_deref())?))
        }
    }
}

fn zone(name: Option<&str>) -> Result<TimeZone, ApiError> {
    let Some(name) = name else { return Ok(TimeZone::UTC) };
    TimeZone::get(name)
        .map_err(|_| ApiError::invalid("time_zone", "`time_zone` must be an IANA name such as Europe/Berlin."))
}

fn capable(
    scopes: &[Scope],
    name: &str,
    param: &str,
    what: &str,
    able: impl Fn(&Aggregations) -> bool,
) -> Result<MeasureField, ApiError> {
    super::check_field(scopes, name, param, true)?;
    let scope = &scopes[0];
    match (scope.stream().field(name).filter(|field| able(&field.aggregations)), scope.field_number(name)) {
        (Some(field), Some(number)) => Ok(measure_field(field, number)),
        _ => Err(ApiError::invalid(
            param,
            format!("`{name}` does not support {what}. GET /v1/schema says what each field can do."),
        )),
    }
}

fn measure_field(field: &Field, number: i64) -> MeasureField {
    let dates = field.schema.get("format").and_then(|f| f.as_str()) == Some("date");
    MeasureField { number, name: field.name.clone(), kind: field.kind, dates }
}
