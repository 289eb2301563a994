//! `/v1/owner/ledger`: what each client was told.

use std::io;
use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{OriginalUri, State};
use axum::response::{IntoResponse, Response};
use futures::stream;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, Uri};
use vitrine_contract::record::{Links, ListMeta, Tag};
use vitrine_contract::{ApiError, ErrorCode, List, Warning, time};
use vitrine_engine::keeping::Keeper;
use vitrine_engine::ledger::{DEFAULT_ENTRIES, LedgerAsk, MAX_ENTRIES};

use crate::app::App;
use crate::auth::AsOwner;
use crate::failure::Failure;

const NDJSON: &str = "application/x-ndjson";

/// A page of entries, newest first; all of them as NDJSON for whoever accepts that.
pub(crate) async fn list<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    _: AsOwner,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let (ask, warnings) = asked(uri.query().unwrap_or_default())?;
    if headers.get(ACCEPT).is_some_and(|accepted| accepted == NDJSON) {
        return Ok(([(CONTENT_TYPE, NDJSON)], export(app, ask)).into_response());
    }
    let page = app.store.entries(&ask).await?;
    let next_cursor = page.next_cursor();
    let next = next_cursor.as_deref().map(|cursor| with_cursor(&uri, cursor));
    let this = uri.path_and_query().map_or_else(|| uri.path().to_owned(), ToString::to_string);
    Ok(Json(List {
        object: Tag::default(),
        url: uri.path().to_owned(),
        has_more: next_cursor.is_some(),
        next_cursor,
        next_changes_since: None,
        data: page.entries,
        links: Links { this, next },
        meta: ListMeta { warnings, ..ListMeta::default() },
        resume: None,
    })
    .into_response())
}

/// Every entry that matches, a line each, page by page as the client takes them.
pub(crate) fn export<S: Keeper>(app: Arc<App<S>>, mut ask: LedgerAsk) -> Body {
    ask.limit = MAX_ENTRIES;
    Body::from_stream(stream::try_unfold(Some(ask), move |ask| {
        let app = Arc::clone(&app);
        async move {
            let Some(mut ask) = ask else { return Ok::<_, io::Error>(None) };
            let page = app.store.entries(&ask).await.map_err(io::Error::other)?;
            let lines: String = page.entries.iter().flat_map(|entry| [entry.get(), "\n"]).collect();
            ask.before = page.next;
            Ok(Some((lines, page.next.map(|_| ask))))
        }
    }))
}

/// The entries a query asks for.
pub(crate) fn asked(query: &str) -> Result<(LedgerAsk, Vec<Warning>), Failure> {
    let mut ask = LedgerAsk { limit: DEFAULT_ENTRIES, ..LedgerAsk::default() };
    let mut warnings = Vec::new();
    let mut seen = Vec::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        if seen.contains(&name) {
            let message = format!("`{name}` is given more than once. Pass it once.");
            return Err(ApiError::invalid(&name, message).into());
        }
        let text = || Some(value.clone().into_owned());
        match &*name {
            "client_id" => ask.client_id = text(),
            "grant_id" => ask.grant_id = text(),
            "connection_id" => ask.connection_id = text(),
            "stream" => ask.stream = text(),
            "record_id" => ask.record_id = text(),
            "since" => ask.since = Some(instant("since", &value)?),
            "until" => ask.until = Some(instant("until", &value)?),
            "limit" => warnings.extend(limit(&mut ask, &value)?),
            "cursor" if ask.resume(&value) => {}
            "cursor" => {
                let message = "This is no cursor of the ledger. Pass `next_cursor` of the last page as it is.";
                return Err(ApiError::new(ErrorCode::InvalidCursor, message).param("cursor").into());
            }
            _ => {
                let shown: String = name.chars().take(80).collect();
                let message = format!("`{shown}` is not a parameter of this endpoint. Leave it out.");
                return Err(ApiError::invalid(&shown, message).into());
            }
        }
        seen.push(name);
    }
    Ok((ask, warnings))
}

fn instant(name: &str, value: &str) -> Result<jiff::Timestamp, ApiError> {
    let message = "Write a time such as 2026-03-12T09:41:00Z, or a date.";
    time::parse(value).ok_or_else(|| ApiError::invalid(name, message))
}

fn limit(ask: &mut LedgerAsk, value: &str) -> Result<Option<Warning>, ApiError> {
    let asked = value.parse::<u64>().ok().filter(|limit| *limit > 0);
    let asked = asked.ok_or_else(|| ApiError::invalid("limit", "`limit` is a whole number from 1 on."))?;
    ask.limit = usize::try_from(asked).map_or(MAX_ENTRIES, |limit| limit.min(MAX_ENTRIES));
    let most = u32::try_from(MAX_ENTRIES).unwrap_or(u32::MAX);
    Ok((asked > u64::from(most)).then(|| Warning::limit_clamped("limit", asked, most)))
}

/// The same question, continued.
pub(crate) fn with_cursor(uri: &Uri, cursor: &str) -> String {
    let kept = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).filter(|(name, _)| name != "cursor");
    let query =
        form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).append_pair("cursor", cursor).finish();
    format!("{}?{query}", uri.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_understood_is_refused() {
        let (ask, warnings) = asked("client_id=a&record_id=b%2Fc&since=2026-01-01&limit=500").unwrap();
        assert_eq!((ask.record_id.as_deref(), ask.limit, warnings.len()), (Some("b/c"), MAX_ENTRIES, 1));
        for wrong in ["x=1", "limit=0", "limit=-1", "limit=ten", "since=soon", "cursor=1", "stream=a&stream=b"] {
            assert!(asked(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_continuation_keeps_the_question() {
        let uri: Uri = "/v1/owner/ledger?stream=a%20b&cursor=old".parse().unwrap();
        assert_eq!(with_cursor(&uri, "new"), "/v1/owner/ledger?stream=a+b&cursor=new");
    }
}
