//! Errors: the code, what went wrong, and the next step, in both channels.

use serde_json::{Map, Value, json};
use vitrine_contract::ident::is_name;
use vitrine_contract::limits::MAX_CANDIDATES;
use vitrine_contract::{ApiError, CandidateConnection, ErrorCode};

use super::record::label;
use super::said;
use super::text::{Lines, cut, json, literal, one_line};
use crate::answer::Answer;
use crate::budget::Budget;

const MAX_MESSAGE_CHARS: usize = 1_000;
/// What a provider may add to an error of its own.
const MAX_EXTRA: Budget = Budget::of_chars(2_000);

/// The error as a result the model can act on.
pub(crate) fn answer(error: ApiError, request_id: &str) -> Answer {
    let error = bounded(error, request_id);
    let next_step = next_step(&error);
    let mut object = error.to_object();
    object.insert("next_step".into(), next_step.into());

    let mut text = format!("{}: {}\n", error.code.as_str(), error.message);
    if let Some(candidates) = &error.available_connections {
        for candidate in &candidates.listed {
            text += &line(candidate);
        }
        let left_out = candidates.total.saturating_sub(candidates.listed.len());
        if left_out > 0 {
            text.line(format_args!(
                "{left_out} more of {} not listed (truncated): schema lists them all.",
                candidates.total
            ));
        }
    }
    for (name, value) in [("param", &error.param), ("retry_with", &error.retry_with)] {
        if let Some(value) = value {
            text.line(format_args!("{name}: {}", literal(value)));
        }
    }
    for (name, value) in &error.extra {
        text.line(format_args!("{}: {}", literal(name), one_line(&json(value))));
    }
    text.line(format_args!("next step: {next_step}"));
    // No line follows: hosts that trim a text should change nothing.
    text += "request_id: ";
    text += &literal(error.request_id.as_deref().unwrap_or(request_id));
    let mut answer = Answer::new(text, json(&json!({ "error": object })));
    answer.is_error = true;
    answer
}

/// The error object alone, for hosts that read resources.
pub(crate) fn object(error: ApiError, request_id: &str) -> Value {
    Value::Object(bounded(error, request_id).to_object())
}

fn line(candidate: &CandidateConnection) -> String {
    let has_stream = match candidate.has_stream {
        Some(true) => ", has the stream",
        Some(false) => ", has no such stream",
        None => "",
    };
    let grant = candidate.grant_id.as_ref().map_or_else(String::new, |id| format!(", grant_id {}", literal(id)));
    format!(
        "- connection_id {} {} ({}{grant}){has_stream}\n",
        literal(&candidate.connection_id),
        literal(&candidate.display_name),
        literal(&candidate.connector_key),
    )
}

/// Another provider may answer at any length; ours never does.
fn bounded(mut error: ApiError, request_id: &str) -> ApiError {
    error.message = said::sentence(&error.message, MAX_MESSAGE_CHARS);
    if let ErrorCode::Other(code) = &error.code {
        error.code = ErrorCode::Other(said::code(code));
    }
    for part in [&mut error.param, &mut error.retry_with, &mut error.request_id].into_iter().flatten() {
        *part = said::sentence(part, 200);
    }
    error.request_id.get_or_insert_with(|| request_id.to_owned());
    if let Some(candidates) = &mut error.available_connections {
        candidates.total = candidates.total.max(candidates.listed.len());
        candidates.listed.retain(|candidate| is_name(&candidate.connection_id));
        candidates.listed.truncate(MAX_CANDIDATES);
        for candidate in &mut candidates.listed {
            candidate.display_name = label(&candidate.display_name).to_owned();
            candidate.connector_key = label(&candidate.connector_key).to_owned();
            candidate.grant_id = candidate.grant_id.as_deref().map(|id| cut(id, 80).to_owned());
        }
    }
    said::plain_members(&mut error.extra);
    if !MAX_EXTRA.holds_text(&json(&error.extra)) {
        error.extra = Map::new();
    }
    error
}

/// What to do about a place in a walk that is gone, whichever of the two it was.
const START_OVER: &str = "Start over: repeat the call without cursor, or with changes_since \"beginning\".";

/// What to do about it, for whoever can.
fn next_step(error: &ApiError) -> &'static str {
    match &error.code {
        ErrorCode::AmbiguousConnection if error.available_connections.as_ref().is_none_or(|c| c.listed.is_empty()) => {
            "Call schema for the connection index, then call again with one connection_id of it."
        }
        ErrorCode::AmbiguousConnection => {
            "Call again with connection_id set to one of available_connections; call schema for the full connection index."
        }
        ErrorCode::AmbiguousSchemaDetail => {
            "Call schema again with the same stream, detail \"full\" and one connection_id."
        }
        ErrorCode::InvalidCursor | ErrorCode::CursorExpired if error.param.as_deref() == Some("cursor") => {
            "Start over: repeat the call without cursor."
        }
        ErrorCode::InvalidCursor | ErrorCode::CursorExpired => START_OVER,
        ErrorCode::InvalidExpand => "Call schema with this stream: expand_capabilities lists what can be expanded.",
        ErrorCode::InvalidFilter | ErrorCode::InvalidSort | ErrorCode::UnknownField | ErrorCode::InvalidFieldPath => {
            "Call schema with this stream: it lists the fields and what each can do."
        }
        ErrorCode::FieldNotGranted | ErrorCode::GrantStreamNotAllowed | ErrorCode::ConnectionNotGranted => {
            "Call schema to see what is granted, and stay within it."
        }
        ErrorCode::NotFound | ErrorCode::BlobNotFound | ErrorCode::FieldNotFound => {
            "Find the record again with search or query_records, and use the id it returns."
        }
        ErrorCode::MatchNotFound => "Try another q, or read from offset_chars 0.",
        ErrorCode::FieldNotText => "Read the value with query_records and fields; export binary content with its link.",
        ErrorCode::FieldWindowUnsupported => {
            "Call fetch with fields set to this field alone: it shows as much of it as one result holds, which is all \
             that can be had of it here."
        }
        ErrorCode::AuthenticationError
        | ErrorCode::GrantExpired
        | ErrorCode::GrantRevoked
        | ErrorCode::OwnerTokenRefused => "Do not retry. Ask the person to connect this client again.",
        ErrorCode::RateLimitExceeded => "Wait a little, then repeat the call.",
        ErrorCode::PayloadTooLarge => "Repeat the call with fewer fields or a lower limit.",
        ErrorCode::ApiError => "Repeat the call once; if it fails again, tell the person.",
        ErrorCode::Other(_) => next_step_by_status(error.status),
        ErrorCode::InvalidRequest
        | ErrorCode::InvalidWindow
        | ErrorCode::InvalidId
        | ErrorCode::ConflictingConnectionId
        | ErrorCode::UnsupportedVersion
        | ErrorCode::MethodNotAllowed
        | ErrorCode::Conflict => "Correct the arguments as the message says, and call again.",
    }
}

/// What to do about an error that only its provider knows.
fn next_step_by_status(status: u16) -> &'static str {
    match status {
        401 => "Do not retry. Ask the person to get a new credential with `vitrine connect`.",
        403 => "Call schema to see what is granted, and stay within it.",
        404 => "Find the record again with search or query_records, and use the id it returns.",
        410 => START_OVER,
        413 => "Repeat the call with fewer fields or a lower limit.",
        429 => "Wait a little, then repeat the call.",
        400..=499 => "Correct the arguments as the message says, and call again.",
        _ => "Repeat the call once; if it fails again, tell the person.",
    }
}

#[cfg(test)]
mod tests {
    use vitrine_contract::error::Candidates;

    use super::*;

    #[test]
    fn a_choice_that_was_not_given_is_not_spoken_of() {
        let error = || ApiError::new(ErrorCode::AmbiguousConnection, "Say which.");
        let bare = answer(error(), "req_1");
        assert!(!bare.text.contains("available_connections") && bare.text.contains("Call schema"), "{}", bare.text);
        let candidate = CandidateConnection {
            connection_id: "cin_one".into(),
            connector_key: "gmail".into(),
            display_name: "One".into(),
            grant_id: None,
            has_stream: None,
        };
        let told = answer(error().candidates(Candidates { listed: vec![candidate], total: 1 }), "req_1");
        assert!(told.text.contains("available_connections") && told.text.contains("(\"gmail\")\n"), "{}", told.text);
        assert!(!told.structured.contains("has_stream"), "{}", told.structured);
    }
}
