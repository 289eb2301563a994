//! A provider's own errors, in whatever form they come.

use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value};
use vitrine_contract::error::Candidates;
use vitrine_contract::request::ReadRequest;
use vitrine_contract::{ApiError, CandidateConnection, ErrorCode};

/// As much of a provider's prose as is passed on.
const MAX_MESSAGE_CHARS: usize = 1_000;

const LEAST_TOKEN_BYTES: usize = 16;

/// An answer that is not a success.
pub(super) struct Refusal<'a> {
    pub(super) status: StatusCode,
    pub(super) headers: &'a HeaderMap,
    pub(super) body: &'a [u8],
    /// Taken out of anything the provider repeats.
    pub(super) token: &'a str,
}

impl Refusal<'_> {
    /// The error of the contract that says the same.
    pub(super) fn to_error(&self, request: &ReadRequest) -> ApiError {
        let mut object = self.object();
        let code = take_text(&mut object, "code").map(|code| ErrorCode::from(code.as_str()));
        if matches!(request, ReadRequest::FieldWindow(_)) && is_no_path(self.status, code.as_ref()) {
            return no_field_windows();
        }
        let code = code.unwrap_or_else(|| code_of(self.status));
        let message = take_text(&mut object, "message").unwrap_or_else(|| say(self.status));
        let mut error = ApiError::new(code, message.chars().take(MAX_MESSAGE_CHARS).collect::<String>());
        error.status = self.status.as_u16();
        error.param = take_text(&mut object, "param");
        error.request_id = take_text(&mut object, "request_id").or_else(|| self.header("request-id"));
        error.retry_with = take_text(&mut object, "retry_with");
        error.available_connections = take_candidates(&mut object);
        if matches!(error.code, ErrorCode::AmbiguousConnection | ErrorCode::AmbiguousSchemaDetail) {
            error.retry_with.get_or_insert_with(|| "connection_id".to_owned());
        }
        // The family follows from the status, so it is not kept twice.
        object.remove("type");
        error.extra = object;
        if let Some(wait) = self.header(RETRY_AFTER.as_str()) {
            let wait = wait.parse::<u64>().map_or(Value::String(wait), Value::from);
            error.extra.entry("retry_after").or_insert(wait);
        }
        error
    }

    /// The error object: what stands under `error`, the body itself, or prose as a `message`.
    fn object(&self) -> Map<String, Value> {
        let text = String::from_utf8_lossy(self.body);
        let Ok(mut body) = serde_json::from_str::<Value>(&text) else {
            return self.prose(&concealed(self.token, &text)).map(said).unwrap_or_default();
        };
        conceal(self.token, &mut body);
        match body {
            Value::String(text) => said(text),
            Value::Object(mut body) => match body.remove("error") {
                Some(Value::Object(error)) => error,
                Some(Value::String(error)) => oauth(error, &mut body),
                _ => body,
            },
            _ => Map::new(),
        }
    }

    /// A body that is not JSON, unless it is a page made for a browser.
    fn prose(&self, text: &str) -> Option<String> {
        let text = text.trim();
        let is_page = text.starts_with('<') || self.header(CONTENT_TYPE.as_str()).is_some_and(|t| t.contains("html"));
        (!is_page && !text.is_empty()).then(|| text.chars().filter(|c| !c.is_control()).collect())
    }

    fn header(&self, name: &str) -> Option<String> {
        Some(self.headers.get(name)?.to_str().ok()?.to_owned())
    }
}

/// A sentence, or one of the contract's codes alone.
fn said(text: String) -> Map<String, Value> {
    let is_code = ErrorCode::ALL.iter().any(|code| code.as_str() == text);
    Map::from_iter([(if is_code { "code" } else { "message" }.to_owned(), text.into())])
}

/// `{"error": "code", "error_description": "…"}` as in OAuth, `{"error": "a sentence"}` or `{"error": "code"}`.
fn oauth(error: String, body: &mut Map<String, Value>) -> Map<String, Value> {
    match body.remove("error_description").or_else(|| body.remove("message")) {
        Some(description) => Map::from_iter([("code".to_owned(), error.into()), ("message".to_owned(), description)]),
        None => said(error),
    }
}

fn take_text(object: &mut Map<String, Value>, name: &str) -> Option<String> {
    match object.remove(name)? {
        Value::String(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// The connections to choose from; left where they are when there is no telling what they are.
fn take_candidates(object: &mut Map<String, Value>) -> Option<Candidates> {
    let rows = object.get("available_connections")?.as_array()?;
    let found: Vec<_> = rows.iter().filter_map(candidate).collect();
    if found.len() < rows.len() {
        return None;
    }
    object.remove("available_connections");
    object.remove("truncated");
    let stated = object.remove("available_connection_count").and_then(|count| count.as_u64());
    let candidates = Candidates::of(found);
    let stated = stated.and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
    Some(Candidates { total: stated.max(candidates.total), ..candidates })
}

fn candidate(row: &Value) -> Option<CandidateConnection> {
    let text = |name: &str| row[name].as_str().map(str::to_owned);
    let connection_id =
        row.as_str().map(str::to_owned).or_else(|| text("connection_id")).or_else(|| text("connector_instance_id"))?;
    Some(CandidateConnection {
        connector_key: text("connector_key").unwrap_or_default(),
        display_name: text("display_name").unwrap_or_default(),
        grant_id: text("grant_id"),
        has_stream: row["has_stream"].as_bool(),
        connection_id,
    })
}

/// Takes the token out of whatever a provider says, except what says which error it is.
fn conceal(token: &str, value: &mut Value) {
    match value {
        Value::String(text) => *text = concealed(token, text),
        Value::Array(values) => values.iter_mut().for_each(|value| conceal(token, value)),
        Value::Object(members) => {
            let told = members.iter_mut().filter(|(name, _)| !matches!(name.as_str(), "code" | "type"));
            told.for_each(|(_, value)| conceal(token, value));
        }
        _ => {}
    }
}

/// A shorter token than any server issues is a word that may stand anywhere.
fn concealed(token: &str, text: &str) -> String {
    if token.len() < LEAST_TOKEN_BYTES { text.to_owned() } else { text.replace(token, "…") }
}

/// Whether it is the path that is missing, and not the record or its field.
fn is_no_path(status: StatusCode, code: Option<&ErrorCode>) -> bool {
    match status {
        StatusCode::NOT_FOUND => matches!(code, None | Some(ErrorCode::Other(_))),
        StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED => true,
        _ => false,
    }
}

/// The error of a provider that has no windows, or other ones than are asked for.
pub(super) fn no_field_windows() -> ApiError {
    ApiError::new(
        ErrorCode::FieldWindowUnsupported,
        "This provider cannot read part of a field. Read the record itself, with only the fields you need.",
    )
}

fn code_of(status: StatusCode) -> ErrorCode {
    match status.as_u16() {
        401 => ErrorCode::AuthenticationError,
        403 => ErrorCode::Other("permission_error".to_owned()),
        404 => ErrorCode::NotFound,
        405 => ErrorCode::MethodNotAllowed,
        409 => ErrorCode::Conflict,
        410 => ErrorCode::CursorExpired,
        413 => ErrorCode::PayloadTooLarge,
        429 => ErrorCode::RateLimitExceeded,
        400..=499 => ErrorCode::InvalidRequest,
        502..=504 => ErrorCode::Other("provider_unavailable".to_owned()),
        _ => ErrorCode::ApiError,
    }
}

fn say(status: StatusCode) -> String {
    let next = match status.as_u16() {
        401 => "Connect again to get a new token.",
        403 => "The grant does not allow this. Ask for something it covers, or connect again.",
        404 => "Use names and ids that the schema, a list or a search returned.",
        410 => "Start again without the cursor or bookmark.",
        413 => "Ask for less at once.",
        429 => "Wait a while, then try again.",
        400..=499 => "Check the arguments against the schema.",
        _ => "Try again; if it persists, tell the provider's operator.",
    };
    format!("The provider answered with status {} and no explanation. {next}", status.as_u16())
}

#[cfg(test)]
mod tests;
