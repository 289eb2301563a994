//! `read_record_field`: a bounded part of one field.

use rmcp::model::{JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use vitrine_contract::limits::{MAX_CONTEXT_CHARS, MAX_WINDOW_CHARS};
use vitrine_contract::request::FieldWindowRequest;
use vitrine_contract::schema::{FieldWindow, Window};
use vitrine_contract::{ApiError, ErrorCode, ReadApi};

use super::definition;
use crate::answer::Answer;
use crate::arguments;
use crate::budget::Budget;
use crate::declared;
use crate::handles::{self, WindowSelector};
use crate::ids::RecordRef;
use crate::render::skipped::{self, Around};
use crate::render::{Frame, binary, window};

pub(crate) const NAME: &str = "read_record_field";
pub(super) const USAGE: &str =
    r#"Call it like read_record_field({"id":"{connection_id}/{stream}:{record_id}","field_path":"body"})."#;
const JSON: &str = "json";
/// Enough of a field to tell what it is.
const START_CHARS: u64 = 1_024;
/// What a channel holds unless the caller asks for more.
const USUAL_CHARS: u64 = 10_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Id from search, `query_records` or fetch; or pass `connection_id`, `stream` and `record_id`.
    id: Option<String>,
    connection_id: Option<String>,
    stream: Option<String>,
    record_id: Option<String>,
    /// Field name.
    field_path: String,
    /// `next_cursor` or `previous_cursor` of the last window; excludes `offset_chars` and `q`.
    cursor: Option<String>,
    /// Start here; excludes q.
    #[schemars(range(min = 0))]
    offset_chars: Option<i64>,
    /// Start around the first match of this text.
    q: Option<String>,
    /// With q.
    #[schemars(range(min = 0, max = 8192))]
    before_chars: Option<i64>,
    /// With q.
    #[schemars(range(min = 0, max = 8192))]
    after_chars: Option<i64>,
    /// 4096 if left out.
    #[schemars(range(min = 1, max = 16384))]
    limit_chars: Option<i64>,
}

/// Which field, and which part of it.
pub(crate) struct Ask {
    record: RecordRef,
    field_path: String,
    selector: WindowSelector,
    /// What a channel may use.
    budget: Budget,
}

impl Ask {
    /// The window a handle names, checked like any other.
    pub(crate) fn window(record: RecordRef, field_path: String, selector: WindowSelector) -> Result<Self, ApiError> {
        let field_path = arguments::field_or(ErrorCode::InvalidFieldPath, "field_path", field_path)?;
        let most = |chars: Option<u64>, most: u32| chars.is_none_or(|chars| chars <= u64::from(most));
        if !most(selector.limit_chars, MAX_WINDOW_CHARS) || selector.limit_chars == Some(0) {
            return Err(refused("limit_chars", "`limit_chars` is from 1 to 16384."));
        }
        if !most(selector.before_chars, MAX_CONTEXT_CHARS) || !most(selector.after_chars, MAX_CONTEXT_CHARS) {
            return Err(refused("before_chars", "`before_chars` and `after_chars` are up to 8192."));
        }
        if selector.q.as_deref() == Some("") {
            return Err(refused("q", "`q` is the text to find: it cannot be empty."));
        }
        if selector.q.is_some() && selector.offset_chars.is_some() {
            return Err(refused("q", "`q` finds its own place: leave `offset_chars` out."));
        }
        if selector.q.is_none() && (selector.before_chars.is_some() || selector.after_chars.is_some()) {
            return Err(refused("q", "`before_chars` and `after_chars` go with `q`."));
        }
        let budget = channel(selector.limit_chars);
        Ok(Self { record, field_path, selector, budget })
    }
}

/// Characters a channel may use: the usual, or as many as were asked for.
fn channel(limit_chars: Option<u64>) -> Budget {
    let asked = limit_chars.unwrap_or(0).clamp(USUAL_CHARS, u64::from(MAX_WINDOW_CHARS));
    Budget::of_chars(usize::try_from(asked).unwrap_or(usize::MAX))
}

pub(crate) fn definition() -> Tool {
    let cursor = json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] });
    definition::read_only::<Input>(
        NAME,
        "Read a record's field",
        "Read the text of one field of a record in bounded windows: from the start, from a character, around a \
         match, or on from a cursor. Read-only; GET /v1/streams/{stream}/records/{id}/field-window. Page with \
         next_cursor until has_more is false; narrow with q or limit_chars; schema lists the fields. Structured output: window.text is the \
         part read.",
        definition::framed(json!({
            "record": { "type": "object", "properties": {
                "id": { "type": "string" }, "connection_id": { "type": "string" },
                "stream": { "type": "string" }, "record_id": { "type": "string" } } },
            "field": { "type": "object", "properties": {
                "path": { "type": "string" }, "type": { "type": "string" }, "text_like": { "type": "boolean" } } },
            "window": { "type": "object", "properties": {
                "text": { "type": "string" }, "start_chars": { "type": "integer" }, "end_chars": { "type": "integer" },
                "total_chars": { "type": "integer" }, "complete": { "type": "boolean" },
                "has_more": { "type": "boolean" },
                "next_cursor": cursor, "previous_cursor": cursor } },
        })),
    )
}

pub(crate) fn parse(arguments: JsonObject) -> Result<Ask, ApiError> {
    let input: Input = arguments::parse(arguments, USAGE)?;
    if input.cursor.is_some()
        && (input.offset_chars.is_some()
            || input.q.is_some()
            || input.before_chars.is_some()
            || input.after_chars.is_some())
    {
        return Err(refused(
            "cursor",
            "`cursor` continues a window, and is exclusive with choosing one by `offset_chars` or `q`.",
        ));
    }
    let connection_id = arguments::connection(input.connection_id)?;
    let record = match (input.id, connection_id, input.stream, input.record_id) {
        (Some(id), connection_id, None, None) => RecordRef::parse(&id)?.scoped(connection_id)?,
        (None, connection_id @ Some(_), Some(stream), Some(record_id)) => {
            RecordRef::checked(connection_id, &stream, &record_id)?
        }
        _ => {
            let said = "Name the record by `id`, or by `connection_id`, `stream` and `record_id`.";
            return Err(ApiError::invalid("id", format!("{said} {USAGE}")));
        }
    };
    let limit_chars = arguments::chars("limit_chars", input.limit_chars, 1)?;
    let selector = match arguments::cursor("cursor", input.cursor)? {
        Some(cursor) => handles::window_at(&cursor, &record, &input.field_path)?.limited(limit_chars),
        None => WindowSelector {
            offset_chars: arguments::chars("offset_chars", input.offset_chars, 0)?,
            limit_chars,
            q: input.q.map(|q| arguments::query("q", q)).transpose()?,
            before_chars: arguments::chars("before_chars", input.before_chars, 0)?,
            after_chars: arguments::chars("after_chars", input.after_chars, 0)?,
            backward: false,
        },
    };
    let ask = Ask::window(record, input.field_path, selector)?;
    // A cursor remembers a size, but only the call itself can ask for a larger channel.
    Ok(Ask { budget: channel(limit_chars), ..ask })
}

fn refused(param: &str, said: &str) -> ApiError {
    ApiError::new(ErrorCode::InvalidWindow, format!("{said} {USAGE}")).param(param)
}

pub(crate) async fn answer<R: ReadApi>(reader: &R, ask: Ask, frame: Frame<'_>) -> Result<Answer, ApiError> {
    let Ask { record, field_path, selector, budget } = ask;
    let request = FieldWindowRequest {
        stream: record.stream,
        id: record.record_id,
        field: Some(field_path),
        offset_chars: selector.offset_chars,
        limit_chars: selector.limit_chars,
        q: selector.q.clone(),
        before_chars: selector.before_chars,
        after_chars: selector.after_chars,
        connection_id: record.connection_id,
    };
    let mut read =
        reader.field_window(&request).await.map_err(|error| arguments::renamed(error, "field", "field_path"))?;
    if holds_bytes(reader, &request, &read).await? {
        return Err(ApiError::new(
            ErrorCode::FieldNotText,
            "The field holds encoded bytes, which are not shown. fetch names the link that exports them.",
        )
        .param("field_path"));
    }
    let mut skipped = Vec::new();
    if read.field.kind == JSON {
        let around = around(reader, &request, &read.window).await;
        skipped = skipped::skip(&mut read.window, &around, selector.backward);
    }
    Ok(window::answer(&read, &skipped, &selector, budget, frame))
}

/// What stands next to a window of JSON, where only that tells whether it starts or ends amid encoded bytes.
async fn around<R: ReadApi>(reader: &R, request: &FieldWindowRequest, window: &Window) -> Around {
    let part = async |start: u64, end: u64| {
        let read = reader.field_window(&at(request, start, end - start)).await.ok()?.window;
        (read.start_chars == start && read.end_chars == end.min(read.total_chars)).then_some(read.text)
    };
    let (start, end, chars) = (window.start_chars, window.end_chars, binary::LEAST_CHARS as u64);
    let mut around = Around::default();
    if start > 0 && binary::might_start_inside(&window.text) {
        around.before = part(start.saturating_sub(chars), start).await.unwrap_or_default();
    }
    if end < window.total_chars && binary::might_end_inside(&window.text) {
        around.after = part(end, end.saturating_add(chars)).await.unwrap_or_default();
    }
    around
}

/// Another part of the field that was asked for.
fn at(request: &FieldWindowRequest, offset_chars: u64, limit_chars: u64) -> FieldWindowRequest {
    FieldWindowRequest {
        stream: request.stream.clone(),
        id: request.id.clone(),
        field: request.field.clone(),
        offset_chars: (offset_chars > 0).then_some(offset_chars),
        limit_chars: Some(limit_chars),
        connection_id: request.connection_id.clone(),
        ..FieldWindowRequest::default()
    }
}

/// Whether the field that was read is bytes. Most parts of a text tell by themselves that it is none; one that could
/// be either is held against the field's start and its declaration.
async fn holds_bytes<R: ReadApi>(
    reader: &R,
    request: &FieldWindowRequest,
    read: &FieldWindow,
) -> Result<bool, ApiError> {
    let FieldWindow { window, field, .. } = read;
    let start = at(request, 0, START_CHARS);
    if field.kind == JSON {
        if window.complete || window.total_chars > START_CHARS {
            return Ok(window.complete && binary::is_blob_ref(&window.text));
        }
        return Ok(binary::is_blob_ref(&reader.field_window(&start).await?.window.text));
    }
    if !binary::is_alphabet(&window.text) {
        return Ok(false);
    }
    let is_base64 = if window.complete || window.total_chars < binary::LEAST_CHARS as u64 {
        binary::is_base64(&window.text, window.total_chars)
    } else if binary::is_base64_part(&window.text, window.total_chars) {
        true
    } else {
        let start = reader.field_window(&start).await?.window;
        binary::is_base64(&start.text, start.total_chars)
    };
    Ok(is_base64 || declared::is_encoded(reader, read).await)
}
