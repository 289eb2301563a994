//! `search`: records that match words or meaning.

use std::collections::BTreeMap;

use rmcp::model::{JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use vitrine_contract::request::SearchRequest;
use vitrine_contract::{ApiError, ErrorCode, ReadApi, SearchMode};

use super::definition;
use super::paging::{self, Paging};
use crate::answer::Answer;
use crate::arguments;
use crate::declared;
use crate::render::{Frame, hits};

pub(crate) const NAME: &str = "search";
pub(super) const USAGE: &str = r#"Call it like search({"query":"invoice march","limit":10})."#;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Words; "a phrase", -word and word* work.
    #[schemars(required)]
    query: Option<String>,
    #[schemars(skip)]
    q: Option<String>,
    /// Only these streams.
    streams: Option<Vec<String>>,
    /// Hits at most, over all accounts; 25 if left out.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<i64>,
    /// `next_cursor` of the last page.
    cursor: Option<String>,
    #[schemars(extend("enum" = ["lexical", "semantic", "hybrid"]))]
    mode: Option<String>,
    /// As in `query_records`; needs exactly one stream.
    #[schemars(with = "Option<BTreeMap<String, Value>>")]
    filter: Option<Value>,
    /// One account, from schema.
    connection_id: Option<String>,
}

pub(crate) fn definition() -> Tool {
    definition::read_only::<Input>(
        NAME,
        "Search records",
        "Search the text of records across all granted accounts by words or meaning; find emails, notes, documents, \
         people. Read-only; GET /v1/search (also /semantic, /hybrid). Returns ranked hits with proven excerpts and \
         ids, not records: fetch an id, or read on with read_record_field. Narrow with streams, which schema lists, \
         and limit; page with cursor. Structured output: results are the hits, data the envelope.",
        definition::framed(json!({
            "results": { "type": "array", "items": { "type": "object", "properties": {
                "id": { "type": "string" }, "title": { "type": "string" }, "url": { "type": "string" },
                "evidence_preview": { "type": "string" } } } },
            "data": { "type": "object" },
            "content_ladder": { "type": "object" },
        })),
    )
}

pub(crate) fn parse(arguments: JsonObject) -> Result<SearchRequest, ApiError> {
    let input: Input = arguments::parse(arguments, USAGE)?;
    let words = match (input.query, input.q) {
        (Some(_), Some(_)) => return Err(ApiError::invalid("q", format!("Pass `query` alone. {USAGE}"))),
        (Some(words), None) | (None, Some(words)) => words,
        (None, None) => return Err(ApiError::invalid("query", format!("`query` is missing. {USAGE}"))),
    };
    let request = SearchRequest {
        mode: arguments::word("mode", input.mode.as_deref(), SearchMode::ALL, SearchMode::as_str)?.unwrap_or_default(),
        q: arguments::query("query", words)?,
        streams: arguments::names("streams", input.streams)?,
        limit: arguments::limit(input.limit)?,
        cursor: arguments::cursor("cursor", input.cursor)?,
        filter: arguments::filter(input.filter)?,
        connection_id: arguments::optional_name("connection_id", input.connection_id)?,
    };
    if !request.filter.is_empty() && request.streams.len() != 1 {
        return Err(ApiError::new(
            ErrorCode::InvalidFilter,
            "A filter needs to know the fields: pass exactly one name in `streams` with it.",
        )
        .param("streams"));
    }
    Ok(request)
}

pub(crate) async fn answer<R: ReadApi>(
    reader: &R,
    mut request: SearchRequest,
    frame: Frame<'_>,
) -> Result<Answer, ApiError> {
    let mut paging = Paging::of(request.limit);
    loop {
        let mut list = reader.search(&request).await.map_err(|error| arguments::renamed(error, "q", "query"))?;
        let came = list.data.len();
        if let Some(fewer) = paging.over(came) {
            request.limit = Some(fewer);
            continue;
        }
        paging::cut(&mut list, paging.most());
        declared::drop_encoded(reader, &mut list.data).await;
        match paging.settle(&mut list, came, |list| hits::answer(list, frame)) {
            Ok(answer) => return Ok(answer),
            Err(fewer) => request.limit = Some(fewer),
        }
    }
}
