//! Who may read what, since when, and the button that ends it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{OriginalUri, Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::StatusCode;
use maud::{Markup, html};
use vitrine_engine::catalog::Catalog;
use vitrine_engine::grant::{AccessMode, Grant, Selection};
use vitrine_engine::keeping::Keeper;

use super::fault::PageFault;
use super::form::OwnerPosted;
use super::layout::{Page, token_field};
use super::ledger;
use super::visitor::Visitor;
use super::words;
use crate::app::App;
use crate::owner::shown::{self, GrantShown, Status};

/// Where it is.
pub(crate) const PATH: &str = "/grants";

pub(crate) async fn list<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    visitor: Visitor,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, PageFault> {
    let visitor = visitor.owner(&uri)?;
    let catalog = app.store.catalog().await?;
    let grants = shown::grants(&app.owner(), &app.clock).await?;
    let (mut active, ended): (Vec<_>, Vec<_>) = given(&grants).into_iter().partition(Given::is_active);
    let uses = app.store.last_uses(&active.iter().map(|given| given.id).collect::<Vec<_>>()).await?;
    for given in &mut active {
        given.last_used = uses.get(given.id).cloned();
    }
    let body = html! {
        h1 { "Grants" }
        @if active.is_empty() { p .note { "No client may read anything now." } }
        @for given in &active { (given.card(&visitor, &catalog)) }
        @if !ended.is_empty() {
            details .past {
                summary { (words::count(ended.len() as u64, "ended grant", "ended grants")) }
                @for given in &ended { (given.card(&visitor, &catalog)) }
            }
        }
    };
    Ok(Page::new("Grants", PATH, body).show(&visitor, StatusCode::OK))
}

pub(crate) async fn revoke<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    Path(id): Path<String>,
    _: OwnerPosted,
) -> Result<Response, PageFault> {
    app.owner().revoke(&id).await?;
    Ok(Redirect::to(PATH).into_response())
}

/// What was given in one go: a grant, or a package of them.
struct Given<'a> {
    id: &'a str,
    members: Vec<&'a GrantShown>,
    /// As the ledger says.
    last_used: Option<String>,
}

/// In the order they were given, newest first.
fn given(grants: &[GrantShown]) -> Vec<Given<'_>> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut given: Vec<Given<'_>> = Vec::new();
    for grant in grants {
        let id = grant.grant_package_id.as_deref().unwrap_or(&grant.grant.grant_id);
        let place = *places.entry(id).or_insert_with(|| {
            given.push(Given { id, members: Vec::new(), last_used: None });
            given.len() - 1
        });
        given[place].members.push(grant);
    }
    given
}

impl Given<'_> {
    fn is_active(&self) -> bool {
        self.members.iter().any(|member| member.status == Status::Active)
    }

    fn use_line(&self) -> Markup {
        html! {
            p .hint {
                @match &self.last_used {
                    Some(at) => { "Last used " a href=(format!("{}?grant_id={}", ledger::PATH, self.id)) { (words::moment(at)) } },
                    None => "Never used",
                }
            }
        }
    }

    fn card(&self, visitor: &Visitor, catalog: &Catalog) -> Markup {
        let Some(first) = self.members.first() else { return Markup::default() };
        let grant = &first.grant;
        let several = self.members.len() > 1;
        html! {
            section .card {
                div .split {
                    div {
                        h2 { (grant.client.client_display.name) }
                        p .hint { "Since " (words::day(&grant.issued_at)) " · " code { (self.id) } }
                        @if self.is_active() { (self.use_line()) }
                    }
                    @if self.is_active() {
                        (end_button(visitor, self.id, if several { "End all of it" } else { "End it" }))
                    }
                }
                @for member in &self.members { (member_row(member, visitor, catalog, several)) }
            }
        }
    }
}

fn member_row(shown: &GrantShown, visitor: &Visitor, catalog: &Catalog, several: bool) -> Markup {
    let grant = &shown.grant;
    let names: Vec<&str> = grant
        .connections()
        .into_iter()
        .map(|id| catalog.connection(id).map_or(id, |connection| connection.display_name.as_ref()))
        .collect();
    html! {
        div .member {
            div .split {
                h3 { (names.join(", ")) }
                @match shown.status {
                    Status::Active if several => (end_button(visitor, &grant.grant_id, "End this")),
                    Status::Active => span .badge.good { "active" },
                    Status::Expired => span .badge { "expired" },
                    Status::Revoked => span .badge { "ended" },
                }
            }
            p .hint { (terms(grant)) }
            details {
                summary { (words::count(grant.streams.len() as u64, "stream", "streams")) }
                ul .plain { @for selection in &grant.streams { li { (selected(selection)) } } }
            }
        }
    }
}

fn terms(grant: &Grant) -> String {
    let purpose = words::purpose(&grant.purpose_code).unwrap_or(&grant.purpose_code);
    let until = match (&grant.expires_at, grant.access_mode) {
        (_, AccessMode::SingleUse) => "once".to_owned(),
        (Some(end), _) => format!("until {}", words::day(end)),
        (None, _) => "until you end it".to_owned(),
    };
    format!("{purpose}; {until}")
}

fn selected(selection: &Selection) -> Markup {
    let fields: Vec<&str> = selection.fields.iter().map(String::as_str).collect();
    html! {
        strong { (selection.name) } ": " (fields.join(", "))
        @if let Some(span) = &selection.time_constraint {
            " (" (span.field)
            @if let Some(since) = &span.since { " from " (words::day(since)) }
            @if let Some(until) = &span.until { " before " (words::day(until)) }
            ")"
        }
        @if let Some(resources) = &selection.resources {
            " (" (words::count(resources.len() as u64, "chosen record", "chosen records")) " only)"
        }
    }
}

fn end_button(visitor: &Visitor, id: &str, words: &str) -> Markup {
    html! {
        form method="post" action=(format!("{PATH}/{id}/revoke")) {
            (token_field(visitor))
            button .danger type="submit" { (words) }
        }
    }
}
