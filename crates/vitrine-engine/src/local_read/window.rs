//! A bounded part of one field.

use vitrine_contract::read_api::Answer;
use vitrine_contract::record::Tag;
use vitrine_contract::request::{FieldWindowRequest, ReadRequest};
use vitrine_contract::schema::{FieldWindow, Window, WindowField};
use vitrine_contract::{ApiError, ErrorCode, limits};

use super::record::{not_found, two_holders};
use super::{LocalRead, ReadFault};
use crate::declaration::FieldKind;
use crate::gate::{ReadPlan, window_field};
use crate::port::{FieldPart, Store, WindowAsk, WindowPart};

pub(super) async fn read<S: Store>(reader: &LocalRead<S>, request: &FieldWindowRequest) -> Answer<FieldWindow> {
    let asked = ReadRequest::FieldWindow(request.clone());
    reader.planned(&asked, |_, plan| find(reader, request, plan)).await
}

async fn find<S: Store>(
    reader: &LocalRead<S>,
    request: &FieldWindowRequest,
    plan: ReadPlan,
) -> Result<FieldWindow, ReadFault> {
    let limit = limit(request)?;
    let field = window_field(request)?;
    let ask = WindowAsk { id: &request.id, field, part: part(request, limit)? };
    let mut found = reader.store.window(&plan, &ask).await?;
    if found.len() > 1 {
        let holders: Vec<usize> = found.iter().map(|field| field.scope).collect();
        return Err(two_holders(&plan, &holders).into());
    }
    let found = found.pop().ok_or_else(not_found)?;
    let scope = &plan.scopes()[found.scope];
    if is_binary(scope.stream(), field) && found.value != FieldPart::Missing {
        return Err(not_text(field).into());
    }
    let FieldPart::Text { json, text, start, total, found: matched } = found.value else {
        return Err(no_window(field, &found.value).into());
    };
    let end = start + text.chars().count() as u64;
    Ok(FieldWindow {
        object: Tag::default(),
        record_id: request.id.clone(),
        stream: scope.stream_name().to_string(),
        connection_id: scope.connection().connection_id.to_string(),
        connector_key: scope.connection().connector_key.to_string(),
        field: WindowField { path: field.to_owned(), kind: if json { "json" } else { "string" }.to_owned() },
        window: Window {
            text,
            start_chars: start,
            end_chars: end,
            limit_chars: limit,
            total_chars: total,
            complete: start == 0 && end == total,
            has_more: end < total,
            next_offset_chars: (end < total).then_some(end),
            previous_offset_chars: (start > 0).then(|| start.saturating_sub(limit)),
            match_start_chars: matched.map(|(start, _)| start),
            match_end_chars: matched.map(|(_, end)| end),
        },
    })
}

fn limit(request: &FieldWindowRequest) -> Result<u64, ApiError> {
    match request.limit_chars {
        Some(0) => Err(invalid("limit_chars", "`limit_chars` must be at least 1.")),
        // Whoever says how much to show around a match has said how much to show.
        None if request.before_chars.is_some() || request.after_chars.is_some() => Ok(limits::MAX_WINDOW_CHARS.into()),
        asked => Ok(asked.unwrap_or(limits::DEFAULT_WINDOW_CHARS.into()).min(limits::MAX_WINDOW_CHARS.into())),
    }
}

fn part(request: &FieldWindowRequest, limit: u64) -> Result<WindowPart<'_>, ApiError> {
    let Some(needle) = request.q.as_deref() else {
        if request.before_chars.is_some() || request.after_chars.is_some() {
            return Err(invalid(
                "before_chars",
                "`before_chars` and `after_chars` go with `q`. Pass `offset_chars` to read at a place.",
            ));
        }
        return Ok(WindowPart::At { offset: request.offset_chars.unwrap_or(0), limit });
    };
    if request.offset_chars.is_some() {
        return Err(invalid("offset_chars", "Pass `offset_chars` or `q`, not both."));
    }
    if needle.is_empty() || needle.chars().count() > limits::MAX_QUERY_CHARS {
        return Err(invalid("q", &format!("`q` must have 1 to {} characters.", limits::MAX_QUERY_CHARS)));
    }
    let context = |asked: Option<u64>| {
        asked.unwrap_or(limits::DEFAULT_CONTEXT_CHARS.into()).min(limits::MAX_CONTEXT_CHARS.into())
    };
    Ok(WindowPart::Around { needle, before: context(request.before_chars), after: context(request.after_chars), limit })
}

fn is_binary(stream: &crate::declaration::Stream, field: &str) -> bool {
    stream.field(field).is_some_and(|f| f.kind == FieldKind::Blob || f.schema.get("contentEncoding").is_some())
}

fn no_window(field: &str, value: &FieldPart) -> ApiError {
    match value {
        FieldPart::Missing => {
            ApiError::new(ErrorCode::FieldNotFound, format!("This record has no `{field}`.")).param("field")
        }
        FieldPart::NoMatch => {
            let message =
                format!("`{field}` does not contain that text. Try other words, or read from `offset_chars=0`.");
            ApiError::new(ErrorCode::MatchNotFound, message).param("q")
        }
        FieldPart::NotText | FieldPart::Text { .. } => not_text(field),
    }
}

fn not_text(field: &str) -> ApiError {
    let message = format!("`{field}` is not text. Read the record itself for its value, or its blob for its bytes.");
    ApiError::new(ErrorCode::FieldNotText, message).param("field")
}

fn invalid(param: &str, message: &str) -> ApiError {
    ApiError::new(ErrorCode::InvalidWindow, message).param(param)
}
