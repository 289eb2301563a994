//! `fetch`: one record as a document.

use std::collections::BTreeMap;

use rmcp::model::{JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use vitrine_contract::request::RecordRequest;
use vitrine_contract::{ApiError, ReadApi};

use super::definition;
use crate::answer::Answer;
use crate::arguments;
use crate::declared;
use crate::ids::{RecordRef, told};
use crate::render::record::Eye;
use crate::render::{Frame, document};
use crate::tails;

pub(crate) const NAME: &str = "fetch";
pub(super) const USAGE: &str =
    r#"Call it like fetch({"id":"{connection_id}/{stream}:{record_id}"}) with an id that search returned."#;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Id from search, as it is: `{connection_id}/{stream}:{record_id}`.
    id: String,
    /// Only these fields.
    fields: Option<Vec<String>>,
    /// Relationships to bring along, if schema lists any.
    expand: Option<Vec<String>>,
    /// Related records per relationship.
    expand_limit: Option<BTreeMap<String, i64>>,
    /// Only with an id of the form `{stream}:{record_id}`.
    connection_id: Option<String>,
}

/// Which record, and how much of it.
pub(crate) struct Ask {
    record: RecordRef,
    fields: Option<Vec<String>>,
    expand: Vec<String>,
    expand_limit: BTreeMap<String, u64>,
}

impl Ask {
    /// The whole record.
    pub(crate) fn whole(record: RecordRef) -> Self {
        Self { record, fields: None, expand: Vec::new(), expand_limit: BTreeMap::new() }
    }
}

pub(crate) fn definition() -> Tool {
    definition::read_only::<Input>(
        NAME,
        "Fetch a record",
        "Fetch one record by id as a readable document. Read-only; GET /v1/streams/{stream}/records/{id}. Narrow \
         with fields, which schema lists; long text comes as a preview with the read_record_field call that reads on. The text is the \
         structured output as JSON.",
        json!({
            "id": { "type": "string" },
            "title": { "type": "string" },
            "text": { "type": "string" },
            "url": { "type": "string" },
            "metadata": { "type": "object" },
        }),
    )
}

pub(crate) fn parse(arguments: JsonObject) -> Result<Ask, ApiError> {
    let input: Input = arguments::parse(arguments, USAGE)?;
    let connection_id = arguments::connection(input.connection_id)?;
    Ok(Ask {
        record: RecordRef::parse(&input.id)?.scoped(connection_id)?,
        fields: arguments::fields("fields", input.fields)?,
        expand: arguments::expand(input.expand)?,
        expand_limit: arguments::expand_limits(input.expand_limit)?,
    })
}

pub(crate) async fn answer<R: ReadApi>(reader: &R, ask: Ask, frame: Frame<'_>) -> Result<Answer, ApiError> {
    let RecordRef { connection_id, stream, record_id } = ask.record;
    if !ask.expand.is_empty() || !ask.expand_limit.is_empty() {
        declared::expandable(reader, &stream, connection_id.as_deref()).await?;
    }
    let request = RecordRequest {
        stream,
        id: record_id,
        fields: ask.fields.clone(),
        expand: ask.expand,
        expand_limit: ask.expand_limit,
        connection_id,
        preview_chars: Some(document::preview_chars(ask.fields.as_deref())),
    };
    let mut record = reader.record(&request).await?;
    tails::trim(reader, std::slice::from_mut(&mut record)).await;
    let connection_id = told(&record.connection_id);
    let encoded = declared::encoded(reader, &record.stream, connection_id, std::slice::from_ref(&record)).await;
    Ok(document::answer(&record, Eye { frame, encoded: &encoded, only: ask.fields.as_deref() }))
}
