//! The decision: who asks, for what, what exactly would be disclosed, and the owner's answer.

mod chart;
mod choice;
mod view;

use std::sync::Arc;

use axum::extract::{OriginalUri, Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use maud::html;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::oauth::ceremony::{Answered, Ceremony, NotAnswered, Reply};
use vitrine_engine::oauth::preview::{Previewer, StreamPreview};
use vitrine_engine::oauth::redirect;

use self::choice::Ticked;
use self::view::View;
use super::fault::PageFault;
use super::form::OwnerPosted;
use super::layout::{Page, bare};
use super::visitor::Visitor;
use crate::app::App;

/// Where a ceremony is decided.
pub(crate) fn path(secret: &str) -> String {
    format!("/consent/{secret}")
}

pub(crate) async fn show<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    visitor: Visitor,
    Path(secret): Path<String>,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, PageFault> {
    let visitor = visitor.owner(&uri)?;
    match app.authority().ceremony(&secret).await? {
        Some(ceremony) => render(&app, &visitor, &secret, &ceremony, None, None).await,
        None => Ok(gone()),
    }
}

pub(crate) async fn decide<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    Path(secret): Path<String>,
    OwnerPosted(posted): OwnerPosted,
) -> Result<Response, PageFault> {
    let authority = app.authority();
    let Some(ceremony) = authority.ceremony(&secret).await? else { return Ok(gone()) };
    let ticked = Ticked::read(&posted.pairs);
    let answered = match posted.get("decision") {
        "deny" => authority.deny(&secret).await,
        "allow" => authority.approve(&secret, &ticked.choices(), posted.get("revision")).await,
        "none" => {
            let none = ticked.without_picks();
            return render(&app, &posted.visitor, &secret, &ceremony, Some(none), None).await;
        }
        _ => return render(&app, &posted.visitor, &secret, &ceremony, Some(ticked), None).await,
    };
    match answered {
        Ok(Answered::Redirect(address)) => Ok(Redirect::to(&address).into_response()),
        Ok(Answered::Device) => Ok(done()),
        Err(NotAnswered::Gone) => Ok(gone()),
        Err(NotAnswered::Failed(error)) => Err(error.into()),
        Err(refused @ (NotAnswered::Changed | NotAnswered::Unready(_))) => {
            render(&app, &posted.visitor, &secret, &ceremony, Some(ticked), Some(refused.to_string())).await
        }
    }
}

/// The page over the catalog as it is now: everything on offer ticked at first, then as the
/// owner left it.
async fn render<S: Keeper>(
    app: &App<S>,
    visitor: &Visitor,
    secret: &str,
    ceremony: &Ceremony,
    ticked: Option<Ticked>,
    refusal: Option<String>,
) -> Result<Response, PageFault> {
    let (offer, catalog) = app.authority().offer(ceremony).await?;
    let status = if refusal.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
    let ticked = ticked.unwrap_or_else(|| Ticked::everything(&offer));
    let candidate = offer.cut(&ticked.choices(), &catalog, app.clock.now());
    let mut previews: Vec<(String, Vec<StreamPreview>)> = Vec::new();
    if let Ok(candidate) = &candidate {
        let mut previewer = Previewer::new(&app.store, &catalog, &app.clock, &app.random);
        for (key, grant) in candidate.keys.iter().zip(&candidate.grants) {
            previews.push((key.clone(), previewer.look(grant).await?));
        }
    }
    let problem = refusal.or_else(|| candidate.as_ref().err().map(ToString::to_string));
    let view = View {
        visitor,
        action: path(secret),
        ceremony,
        offer: &offer,
        catalog: &catalog,
        ticked: &ticked,
        revision: candidate.as_ref().map(|candidate| candidate.revision.as_str()).unwrap_or_default(),
        previews: &previews,
        problem: problem.as_deref(),
    };
    let title = format!("{} asks to read your records", ceremony.client.name);
    let mut page = Page::new(&title, "", view.render());
    if let Reply::Redirect { redirect_uri, .. } = &ceremony.reply {
        // Browsers hold a form to this policy through the redirects that follow it.
        page.form_target = redirect::policy_source(redirect_uri);
    }
    Ok(page.show(visitor, status))
}

fn gone() -> Response {
    let text = NotAnswered::Gone.to_string();
    let body = html! {
        section .card.narrow {
            h1 { "Nothing to decide here" }
            p { (text) }
            p { a href="/grants" { "See your grants" } }
        }
    };
    bare(StatusCode::GONE, "Nothing to decide here", &body)
}

fn done() -> Response {
    let body = html! {
        section .card.narrow {
            h1 { "Done" }
            p { "Go back to your device: it finds out by itself within a few seconds." }
            p { a href="/grants" { "See your grants" } }
        }
    };
    bare(StatusCode::OK, "Done", &body)
}
