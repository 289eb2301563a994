//! What every page has around it.

use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS};
use http::{HeaderValue, StatusCode};
use maud::{DOCTYPE, Markup, html};

use super::form::TOKEN;
use super::style;
use super::visitor::Visitor;

/// Pages one can always go to, in order.
const NAVIGATION: [(&str, &str); 4] =
    [("/", "Connections"), ("/grants", "Grants"), ("/ledger", "Ledger"), ("/connect", "Connect")];

/// A page of the owner's.
pub(crate) struct Page<'a> {
    /// What it is about.
    pub(crate) title: &'a str,
    /// Which entry of the navigation it is.
    pub(crate) path: &'a str,
    /// What it says.
    pub(crate) body: Markup,
    /// Where its forms may lead, besides this server.
    pub(crate) form_target: Option<String>,
}

impl<'a> Page<'a> {
    pub(crate) fn new(title: &'a str, path: &'a str, body: Markup) -> Self {
        Self { title, path, body, form_target: None }
    }

    /// The page as this visitor sees it.
    pub(crate) fn show(self, visitor: &Visitor, status: StatusCode) -> Response {
        let header = html! {
            a .skip href="#main" { "Skip to the page" }
            header .top {
                a .brand href="/" { "Vitrine" }
                @if visitor.is_owner() {
                    nav aria-label="Pages" {
                        @for (path, name) in NAVIGATION {
                            a href=(path) aria-current=[(path == self.path).then_some("page")] { (name) }
                        }
                    }
                    @if visitor.is_unlocked() {
                        a .quiet href="/password" { "Set a password" }
                    } @else {
                        form method="post" action="/signout" {
                            (token_field(visitor))
                            button .quiet type="submit" { "Sign out" }
                        }
                    }
                }
            }
        };
        let mut response = document(status, self.title, &header, &self.body, self.form_target.as_deref());
        if let Some(cookie) = visitor.new_cookie() {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
        response
    }
}

/// A page without a visitor.
pub(crate) fn bare(status: StatusCode, title: &str, body: &Markup) -> Response {
    let header = html! { header .top { a .brand href="/" { "Vitrine" } } };
    document(status, title, &header, body, None)
}

/// The hidden field that proves a form is ours.
pub(crate) fn token_field(visitor: &Visitor) -> Markup {
    html! { input type="hidden" name=(TOKEN) value=(visitor.form_token()); }
}

fn document(status: StatusCode, title: &str, header: &Markup, body: &Markup, form_target: Option<&str>) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Vitrine" }
                link rel="stylesheet" href=(style::PATH);
                link rel="icon" href="data:,";
            }
            body { (header) main #main { (body) } }
        }
    };
    let mut response = (status, page).into_response();
    let headers = response.headers_mut();
    let also = form_target.unwrap_or_default();
    let policy = format!(
        "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self' {also}; frame-ancestors 'none'; base-uri 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}
