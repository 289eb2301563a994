//! What each client was told: asked by client, record and time, page by page.

mod view;

use std::sync::Arc;

use axum::extract::{OriginalUri, State};
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use http::{StatusCode, Uri};
use maud::html;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::ledger::{LedgerAsk, LedgerPage};

use self::view::{Entry, Names};
use super::fault::PageFault;
use super::layout::Page;
use super::visitor::Visitor;
use crate::app::App;
use crate::failure::Failure;
use crate::owner::ledger::{asked, export, with_cursor};

/// Where it is.
pub(crate) const PATH: &str = "/ledger";
/// Where the same is had as a file.
pub(crate) const EXPORT_PATH: &str = "/ledger/export";

pub(crate) async fn show<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    visitor: Visitor,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, PageFault> {
    let visitor = visitor.owner(&uri)?;
    let names = Names::new(&app.owner().grants().await?, app.store.catalog().await?);
    let query = filled(&uri);
    let (ask, refused) = match asked(&query) {
        Ok((ask, _)) => (ask, None),
        Err(Failure(error)) => (LedgerAsk::default(), Some(error.message)),
    };
    let page = match refused {
        None => app.store.entries(&ask).await?,
        Some(_) => LedgerPage::default(),
    };
    let entries: Vec<Entry> = page.entries.iter().filter_map(|entry| serde_json::from_str(entry.get()).ok()).collect();
    let here: Uri = format!("{PATH}?{query}").parse().unwrap_or_default();
    let body = html! {
        h1 { "Ledger" }
        p .hint { "What each client was told, entered before the answer left. What you read yourself is not in it." }
        (view::filters(&ask, &names))
        @if let Some(message) = &refused { p .error role="alert" { (message) } }
        @if entries.is_empty() && refused.is_none() {
            p .note { @if query.is_empty() { "Nothing was read yet." } @else { "Nothing like that was read." } }
        }
        @for entry in &entries { (view::entry(entry, &names)) }
        @if !entries.is_empty() {
            nav .split aria-label="More of the ledger" {
                a href=(format!("{EXPORT_PATH}?{query}")) { "Export as NDJSON" }
                @if let Some(cursor) = page.next_cursor() {
                    a rel="next" href=(with_cursor(&here, &cursor)) { "Earlier" }
                }
            }
        }
    };
    let status = if refused.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    Ok(Page::new("Ledger", PATH, body).show(&visitor, status))
}

/// Everything that matches, as a file.
pub(crate) async fn download<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    visitor: Visitor,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, PageFault> {
    visitor.owner(&uri)?;
    let Ok((mut ask, _)) = asked(&filled(&uri)) else {
        return Err(PageFault::NotFound("There is nothing to export like that.".to_owned()));
    };
    ask.before = None;
    let headers = [
        (CONTENT_TYPE, "application/x-ndjson"),
        (CONTENT_DISPOSITION, "attachment; filename=\"vitrine-ledger.ndjson\""),
    ];
    Ok((headers, export(app, ask)).into_response())
}

/// The query without what was left empty: a form sends every field it has.
fn filled(uri: &Uri) -> String {
    let pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let kept = pairs.filter(|(_, value)| !value.trim().is_empty());
    form_urlencoded::Serializer::new(String::new()).extend_pairs(kept).finish()
}
