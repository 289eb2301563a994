//! When a page cannot be shown: what happened and what to do, for the person who reads it.

use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use maud::html;
use vitrine_contract::ApiError;
use vitrine_engine::oauth::{OAuthCode, OAuthError};
use vitrine_engine::owner::OwnerError;
use vitrine_engine::port::StoreError;

use super::{layout, signin};

/// Why a page cannot be shown.
#[derive(Debug)]
pub(crate) enum PageFault {
    /// No password is set, and the visitor is not at the machine itself.
    Shut,
    /// The request was for another host.
    WrongHost,
    /// A form was not sent from our page, or from one that is too old.
    Forged,
    /// Only the owner may see this: sign in, then come back there.
    SignIn(String),
    /// A request of a client's that cannot be put to the owner.
    Asked(OAuthError),
    /// What was named is not there.
    NotFound(String),
    /// Too many wrong tries.
    Wait(i64),
    /// The server failed.
    Failed,
}

impl From<OAuthError> for PageFault {
    fn from(error: OAuthError) -> Self {
        if error.code == OAuthCode::ServerError { Self::Failed } else { Self::Asked(error) }
    }
}

impl From<StoreError> for PageFault {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, "the store failed");
        Self::Failed
    }
}

impl From<ApiError> for PageFault {
    fn from(_: ApiError) -> Self {
        Self::Failed
    }
}

impl From<OwnerError> for PageFault {
    fn from(error: OwnerError) -> Self {
        match error {
            OwnerError::NotFound(message) => Self::NotFound(message),
            _ => Self::Failed,
        }
    }
}

impl IntoResponse for PageFault {
    fn into_response(self) -> Response {
        let (status, title, text) = match self {
            Self::SignIn(back) => return Redirect::to(&signin::path(&back)).into_response(),
            Self::Shut => (
                StatusCode::FORBIDDEN,
                "Not open yet",
                "No password is set, so these pages open only on the machine that runs Vitrine. \
                 Set one there, with `vitrine owner password` or in a browser."
                    .to_owned(),
            ),
            Self::WrongHost => (
                StatusCode::MISDIRECTED_REQUEST,
                "Wrong address",
                "These pages are not served under this name. Use the server's public URL.".to_owned(),
            ),
            Self::Forged => (
                StatusCode::FORBIDDEN,
                "Please try again",
                "This form was not sent from a page of ours, or the page was too old. Go back, reload it, and send it again."
                    .to_owned(),
            ),
            Self::Asked(error) => (StatusCode::BAD_REQUEST, "This request cannot be answered", error.description),
            Self::NotFound(message) => (StatusCode::NOT_FOUND, "Not here", message),
            Self::Wait(seconds) => {
                let text = format!("There were too many wrong tries. Wait {seconds} seconds, then try again.");
                return (
                    [(http::header::RETRY_AFTER, seconds.to_string())],
                    plain(StatusCode::TOO_MANY_REQUESTS, "Too many tries", &text),
                )
                    .into_response();
            }
            Self::Failed => {
                (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong", "Try again in a moment.".to_owned())
            }
        };
        plain(status, title, &text)
    }
}

fn plain(status: StatusCode, title: &str, text: &str) -> Response {
    layout::bare(status, title, &html! { section .card.narrow { h1 { (title) } p { (text) } } })
}
