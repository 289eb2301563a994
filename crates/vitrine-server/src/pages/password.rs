//! The password of these pages: set first at the machine itself, changed by who knows it.

use std::sync::Arc;

use axum::extract::{OriginalUri, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use http::header::SET_COOKIE;
use maud::html;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::oauth::password::{self as passwords, PasswordError};

use super::fault::PageFault;
use super::form::OwnerPosted;
use super::layout::{Page, token_field};
use super::signin::is_password;
use super::visitor::Visitor;
use crate::app::App;

/// Where it is set.
pub(crate) const PATH: &str = "/password";

pub(crate) async fn page<S: Keeper>(
    State(_): State<Arc<App<S>>>,
    visitor: Visitor,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, PageFault> {
    Ok(form(&visitor.owner(&uri)?, None, StatusCode::OK))
}

fn form(visitor: &Visitor, error: Option<&str>, status: StatusCode) -> Response {
    let first = visitor.is_unlocked();
    let body = html! {
        section .card.narrow {
            h1 { @if first { "Set a password" } @else { "Change the password" } }
            @if first {
                p { "With a password, these pages also open from elsewhere. Without one, only on this machine." }
            }
            @if let Some(error) = error { p .error role="alert" { (error) } }
            form method="post" action=(PATH) {
                (token_field(visitor))
                @if !first {
                    label for="current" { "Present password" }
                    input #current type="password" name="current" autocomplete="current-password" required;
                }
                label for="new" { "New password" }
                input #new type="password" name="new" autocomplete="new-password" minlength="8" required aria-describedby="rule";
                p #rule .hint { "At least 8 characters. A few random words make a good one." }
                label for="again" { "The same again" }
                input #again type="password" name="again" autocomplete="new-password" minlength="8" required;
                button .primary type="submit" { "Save" }
            }
        }
    };
    Page::new("Password", PATH, body).show(visitor, status)
}

pub(crate) async fn set<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    OwnerPosted(posted): OwnerPosted,
) -> Result<Response, PageFault> {
    let visitor = &posted.visitor;
    if !visitor.is_unlocked() {
        app.guard.passwords.attempt(visitor.place(), app.clock.now().as_second()).map_err(PageFault::Wait)?;
        if !is_password(&app, posted.get("current")).await? {
            return Ok(form(visitor, Some("That is not the present password."), StatusCode::UNAUTHORIZED));
        }
        app.guard.passwords.succeeded(visitor.place());
    }
    let new = posted.get("new").to_owned();
    if new != posted.get("again") {
        return Ok(form(visitor, Some("The two are not the same."), StatusCode::UNPROCESSABLE_ENTITY));
    }
    let random = app.random.clone();
    let hashed = {
        let _slot = app.guard.hashing.acquire().await.map_err(|_| PageFault::Failed)?;
        tokio::task::spawn_blocking(move || passwords::hash(&new, &random)).await.map_err(|_| PageFault::Failed)?
    };
    let hash = match hashed {
        Ok(hash) => hash,
        Err(error @ PasswordError::Length) => {
            return Ok(form(visitor, Some(&error.to_string()), StatusCode::UNPROCESSABLE_ENTITY));
        }
        Err(PasswordError::Store(error)) => return Err(error.into()),
    };
    passwords::keep(&*app.store, &hash).await?;
    let secret = app.authority().sign_in().await?;
    let mut response = Redirect::to("/").into_response();
    if let Some(cookie) = visitor.cookie(&secret) {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    Ok(response)
}
