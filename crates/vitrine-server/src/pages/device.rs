//! Where the owner types the code that a device shows.

use std::sync::Arc;

use axum::extract::{OriginalUri, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use maud::html;
use vitrine_engine::keeping::Keeper;

use super::consent;
use super::fault::PageFault;
use super::form::OwnerPosted;
use super::layout::{Page, token_field};
use super::visitor::Visitor;
use crate::app::App;

/// Where it is.
pub(crate) const PATH: &str = "/device";
const FIELD: &str = "user_code";

pub(crate) async fn page<S: Keeper>(
    State(_): State<Arc<App<S>>>,
    visitor: Visitor,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, PageFault> {
    let visitor = visitor.owner(&uri)?;
    let query = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let code = query.into_iter().find(|(name, _)| name == FIELD).map(|(_, value)| value.chars().take(16).collect());
    let code: String = code.unwrap_or_default();
    Ok(form(&visitor, &code, None, StatusCode::OK))
}

fn form(visitor: &Visitor, code: &str, error: Option<&str>, status: StatusCode) -> Response {
    let body = html! {
        section .card.narrow {
            h1 { "Connect a device" }
            p { "Type the code that the device or program shows. Go on only if you started this yourself, just now." }
            @if let Some(error) = error { p .error role="alert" { (error) } }
            form method="post" action=(PATH) {
                (token_field(visitor))
                label for="code" { "Code" }
                input #code .code name=(FIELD) value=(code) autocomplete="off" autocapitalize="characters"
                    spellcheck="false" maxlength="16" placeholder="BCDF-GHJK" required autofocus;
                button .primary type="submit" { "Go on" }
            }
        }
    };
    Page::new("Connect a device", PATH, body).show(visitor, status)
}

pub(crate) async fn enter<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    OwnerPosted(posted): OwnerPosted,
) -> Result<Response, PageFault> {
    let place = posted.visitor.place();
    app.guard.user_codes.attempt(place, app.clock.now().as_second()).map_err(PageFault::Wait)?;
    let Some(secret) = app.authority().open_device(posted.get(FIELD)).await? else {
        let error = "No device waits with that code. It may have expired: start again on the device.";
        return Ok(form(&posted.visitor, posted.get(FIELD), Some(error), StatusCode::UNPROCESSABLE_ENTITY));
    };
    app.guard.user_codes.succeeded(place);
    Ok(Redirect::to(&consent::path(&secret)).into_response())
}
