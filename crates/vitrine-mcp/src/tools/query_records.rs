//! `query_records`: a page of records, or of changes.

use std::collections::BTreeMap;

use rmcp::model::{JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use vitrine_contract::request::{CountMode, Order, RecordsRequest};
use vitrine_contract::{ApiError, ErrorCode, ReadApi, route};

use super::definition;
use super::paging::{self, Paging};
use crate::answer::Answer;
use crate::arguments;
use crate::declared;
use crate::render::record::Eye;
use crate::render::{Frame, page};
use crate::tails;

pub(crate) const NAME: &str = "query_records";
pub(super) const USAGE: &str =
    r#"Call it like query_records({"stream":"messages","limit":10,"filter":{"received_at":{"gte":"2026-01-01"}}})."#;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Stream name, from schema.
    stream: String,
    /// Rows at most; 25 if left out.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
    /// `next_cursor` of the last page.
    cursor: Option<String>,
    #[schemars(extend("enum" = ["asc", "desc"]))]
    order: Option<String>,
    /// A sortable field, with - before it for descending.
    sort: Option<String>,
    #[schemars(extend("enum" = ["none", "estimated", "exact"]))]
    count: Option<String>,
    /// {field: value} or {field: {gte, gt, lte, lt}}.
    #[schemars(with = "Option<BTreeMap<String, Value>>")]
    filter: Option<Value>,
    /// Only these fields.
    fields: Option<Vec<String>>,
    /// A declared view, instead of fields.
    view: Option<String>,
    /// Relationships to bring along, if schema lists any.
    expand: Option<Vec<String>>,
    /// Related records per relationship.
    expand_limit: Option<BTreeMap<String, i64>>,
    /// "beginning", or the last `next_changes_since`: changes instead of records.
    changes_since: Option<String>,
    /// One account, from schema.
    connection_id: Option<String>,
}

pub(crate) fn definition() -> Tool {
    definition::read_only::<Input>(
        NAME,
        "Query records",
        "List, filter, sort and page the records of one stream, or follow its changes (messages, events, \
         transactions). Read-only; GET /v1/streams/{stream}/records. Narrow with fields and limit and page with \
         cursor; aggregate or search first when whole records are not needed; schema lists fields, filters and sorts. \
         A row's id for fetch is {connection_id}/{stream}:{id}. Structured output: data is the list, content_ladder how to read what was cut.",
        definition::framed(json!({
            "data": { "type": "object" },
            "content_ladder": { "type": "object" },
        })),
    )
}

pub(crate) fn parse(arguments: JsonObject) -> Result<RecordsRequest, ApiError> {
    let input: Input = arguments::parse(arguments, USAGE)?;
    if input.fields.is_some() && input.view.is_some() {
        return Err(ApiError::invalid("view", "Pass `fields` or `view`, not both."));
    }
    Ok(RecordsRequest {
        stream: arguments::name("stream", input.stream)?,
        limit: arguments::limit(input.limit)?,
        cursor: arguments::cursor("cursor", input.cursor)?,
        order: arguments::word("order", input.order.as_deref(), Order::ALL, Order::as_str)?,
        sort: input
            .sort
            .map(|sort| arguments::field_or(ErrorCode::InvalidSort, "sort", sort))
            .transpose()?
            .map(|sort| route::sort(&sort))
            .transpose()?,
        count: arguments::word("count", input.count.as_deref(), CountMode::ALL, CountMode::as_str)?.unwrap_or_default(),
        filter: arguments::filter(input.filter)?,
        fields: arguments::fields("fields", input.fields)?,
        view: arguments::optional_field("view", input.view)?,
        expand: arguments::expand(input.expand)?,
        expand_limit: arguments::expand_limits(input.expand_limit)?,
        changes_since: arguments::cursor("changes_since", input.changes_since)?,
        connection_id: arguments::optional_name("connection_id", input.connection_id)?,
        preview_chars: Some(page::PREVIEW_CHARS),
    })
}

pub(crate) async fn answer<R: ReadApi>(
    reader: &R,
    mut request: RecordsRequest,
    frame: Frame<'_>,
) -> Result<Answer, ApiError> {
    if !request.expand.is_empty() || !request.expand_limit.is_empty() {
        declared::expandable(reader, &request.stream, request.connection_id.as_deref()).await?;
    }
    let mut paging = Paging::of(request.limit);
    loop {
        let mut list = reader.records(&request).await?;
        let came = list.data.len();
        if let Some(fewer) = paging.over(came) {
            request.limit = Some(fewer);
            continue;
        }
        paging::cut(&mut list, paging.most());
        tails::trim(reader, &mut list.data).await;
        let encoded = declared::encoded(reader, &request.stream, request.connection_id.as_deref(), &list.data).await;
        let eye = Eye { frame, encoded: &encoded, only: request.fields.as_deref() };
        match paging.settle(&mut list, came, |list| page::answer(list, &request, eye)) {
            Ok(answer) => return Ok(answer),
            Err(fewer) => request.limit = Some(fewer),
        }
    }
}
