//! Signing in and out.

use std::sync::Arc;

use axum::extract::{OriginalUri, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use http::header::SET_COOKIE;
use maud::html;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::oauth::password as passwords;

use super::fault::PageFault;
use super::form::Posted;
use super::layout::{Page, token_field};
use super::visitor::Visitor;
use crate::app::App;

/// Where one signs in.
pub(crate) const PATH: &str = "/signin";

/// Where one signs in, to come back there.
pub(super) fn path(back: &str) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).append_pair("next", back).finish();
    format!("{PATH}?{query}")
}

pub(crate) async fn page<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    visitor: Visitor,
    OriginalUri(uri): OriginalUri,
) -> Response {
    let query = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
    let next = query.into_iter().find(|(name, _)| name == "next").map(|(_, value)| value.into_owned());
    let next = next.unwrap_or_else(|| "/".to_owned());
    if visitor.is_owner() {
        return Redirect::to(local(&next)).into_response();
    }
    show(&app, &visitor, &next)
}

/// The sign-in form, which leads on to `next`.
pub(crate) fn show<S: Keeper>(_: &App<S>, visitor: &Visitor, next: &str) -> Response {
    form(visitor, next, None, StatusCode::OK)
}

fn form(visitor: &Visitor, next: &str, error: Option<&str>, status: StatusCode) -> Response {
    let body = html! {
        section .card.narrow {
            h1 { "Sign in" }
            @if local(next).starts_with("/oauth/") || local(next).starts_with("/consent/") {
                p { "A client asks to read your records. Sign in to see who it is and what it asks for." }
            }
            @if let Some(error) = error { p .error role="alert" { (error) } }
            form method="post" action=(PATH) {
                (token_field(visitor))
                input type="hidden" name="next" value=(local(next));
                label for="password" { "Password" }
                input #password type="password" name="password" autocomplete="current-password" required autofocus;
                button .primary type="submit" { "Sign in" }
            }
        }
    };
    Page::new("Sign in", PATH, body).show(visitor, status)
}

pub(crate) async fn sign_in<S: Keeper>(State(app): State<Arc<App<S>>>, posted: Posted) -> Result<Response, PageFault> {
    let visitor = &posted.visitor;
    let next = local(posted.get("next"));
    let place = visitor.place();
    app.guard.passwords.attempt(place, app.clock.now().as_second()).map_err(PageFault::Wait)?;
    if !is_password(&app, posted.get("password")).await? {
        return Ok(form(visitor, next, Some("That is not the password."), StatusCode::UNAUTHORIZED));
    }
    app.guard.passwords.succeeded(place);
    let authority = app.authority();
    authority.sign_out(visitor.secret()).await?;
    let secret = authority.sign_in().await?;
    let mut response = Redirect::to(next).into_response();
    if let Some(cookie) = visitor.cookie(&secret) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    Ok(response)
}

pub(crate) async fn sign_out<S: Keeper>(State(app): State<Arc<App<S>>>, posted: Posted) -> Result<Response, PageFault> {
    let authority = app.authority();
    authority.sign_out(posted.visitor.secret()).await?;
    let mut response = Redirect::to(PATH).into_response();
    if let Some(cookie) = posted.visitor.cookie(&authority.fresh_visit()) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Whether it is the password that is set.
pub(super) async fn is_password<S: Keeper>(app: &App<S>, presented: &str) -> Result<bool, PageFault> {
    let Some(hash) = passwords::kept(&*app.store).await? else { return Ok(false) };
    let _slot = app.guard.hashing.acquire().await.map_err(|_| PageFault::Failed)?;
    let presented = presented.to_owned();
    tokio::task::spawn_blocking(move || passwords::verifies(&presented, &hash)).await.map_err(|_| PageFault::Failed)
}

/// A path of this server's, whatever was asked for.
fn local(next: &str) -> &str {
    let plain = next.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
    let here = next.starts_with('/') && !next.starts_with("//");
    if plain && here { next } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_sent_on_within_this_server_only() {
        assert_eq!(local("/oauth/authorize?a=b"), "/oauth/authorize?a=b");
        for wrong in [
            "",
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil",
            "javascript:alert(1)",
            "/a\r\nb",
            "/ b",
        ] {
            assert_eq!(local(wrong), "/", "{wrong}");
        }
    }
}
