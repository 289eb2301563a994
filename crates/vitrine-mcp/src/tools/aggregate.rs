//! `aggregate`: a number, or numbers by group.

use std::collections::BTreeMap;

use rmcp::model::{JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use vitrine_contract::request::{AggregateRequest, Granularity, Metric};
use vitrine_contract::{ApiError, ReadApi};

use super::definition;
use crate::answer::Answer;
use crate::arguments;
use crate::render::{Frame, aggregation};

pub(crate) const NAME: &str = "aggregate";
pub(super) const USAGE: &str = r#"Call it like aggregate({"stream":"messages","metric":"count","group_by_time":"received_at","granularity":"month"})."#;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Stream name, from schema.
    stream: String,
    #[schemars(extend("enum" = ["count", "sum", "min", "max", "count_distinct"]))]
    metric: String,
    /// The field measured; none for count.
    field: Option<String>,
    /// Group by this field's values.
    group_by: Option<String>,
    /// Or by this field's time, with granularity.
    group_by_time: Option<String>,
    #[schemars(extend("enum" = ["minute", "hour", "day", "week", "month", "quarter", "year"]))]
    granularity: Option<String>,
    /// IANA zone of the calendar; UTC if left out.
    time_zone: Option<String>,
    /// Groups at most.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
    /// As in `query_records`.
    #[schemars(with = "Option<BTreeMap<String, Value>>")]
    filter: Option<Value>,
    /// One account, from schema.
    connection_id: Option<String>,
}

pub(crate) fn definition() -> Tool {
    definition::read_only::<Input>(
        NAME,
        "Aggregate records",
        "Count, sum, min, max or count distinct values over the records of one stream, in all or grouped by a field \
         or by calendar time (how many, how much, per month). Read-only; GET /v1/streams/{stream}/aggregate. Answers \
         without reading records: prefer it to paging, and narrow with filter; schema lists what each field can do. Structured output: data is the \
         aggregation.",
        definition::framed(json!({
            "data": { "type": "object" },
        })),
    )
}

pub(crate) fn parse(arguments: JsonObject) -> Result<AggregateRequest, ApiError> {
    let input: Input = arguments::parse(arguments, USAGE)?;
    let request = AggregateRequest {
        stream: arguments::name("stream", input.stream)?,
        metric: arguments::word("metric", Some(&input.metric), Metric::ALL, Metric::as_str)?.unwrap_or_default(),
        field: arguments::optional_field("field", input.field)?,
        group_by: arguments::optional_field("group_by", input.group_by)?,
        group_by_time: arguments::optional_field("group_by_time", input.group_by_time)?,
        granularity: arguments::word(
            "granularity",
            input.granularity.as_deref(),
            Granularity::ALL,
            Granularity::as_str,
        )?,
        time_zone: arguments::optional_field("time_zone", input.time_zone)?,
        limit: arguments::group_limit(input.limit)?,
        filter: arguments::filter(input.filter)?,
        connection_id: arguments::optional_name("connection_id", input.connection_id)?,
    };
    check(&request)?;
    Ok(request)
}

fn check(request: &AggregateRequest) -> Result<(), ApiError> {
    let refused = |param: &str, said: &str| Err(ApiError::invalid(param, format!("{said} {USAGE}")));
    match request {
        AggregateRequest { metric: Metric::Count, field: Some(_), .. } => {
            refused("field", "A count is of records: leave `field` out, or use metric count_distinct.")
        }
        AggregateRequest {
            metric: Metric::Sum | Metric::Min | Metric::Max | Metric::CountDistinct,
            field: None,
            ..
        } => refused("field", "This metric needs the `field` to measure."),
        AggregateRequest { group_by: Some(_), group_by_time: Some(_), .. } => {
            refused("group_by", "Pass `group_by` or `group_by_time`, not both.")
        }
        AggregateRequest { group_by_time: Some(_), granularity: None, .. } => {
            refused("granularity", "`group_by_time` needs a `granularity`.")
        }
        AggregateRequest { group_by_time: None, granularity: Some(_), .. } => {
            refused("granularity", "`granularity` goes with `group_by_time`.")
        }
        AggregateRequest { group_by_time: None, time_zone: Some(_), .. } => {
            refused("time_zone", "`time_zone` goes with `group_by_time`.")
        }
        _ => Ok(()),
    }
}

pub(crate) async fn answer<R: ReadApi>(
    reader: &R,
    request: &AggregateRequest,
    frame: Frame<'_>,
) -> Result<Answer, ApiError> {
    Ok(aggregation::answer(&reader.aggregate(request).await?, frame))
}
