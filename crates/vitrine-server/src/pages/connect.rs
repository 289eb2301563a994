//! How to connect an agent: for each client the one recommended way, ready to copy.

use std::sync::Arc;

use axum::extract::{OriginalUri, State};
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use vitrine_engine::keeping::Keeper;

use super::fault::PageFault;
use super::layout::Page;
use super::visitor::Visitor;
use crate::app::App;
use crate::clients::{Client, Platform, Reach, Recommendation, recommend};

pub(crate) const PATH: &str = "/connect";

pub(crate) async fn show<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    visitor: Visitor,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, PageFault> {
    let visitor = visitor.owner(&uri)?;
    let url = format!("{}/mcp", app.public_url);
    let reach = Reach::Url(url.clone());
    let body = html! {
        h1 { "Connect an agent" }
        p { "Point it at " code { (url) } ". It will send you here to choose what it may read." }
        div .cards { @for client in Client::ALL { (card(&recommend(client, &reach, Platform::Linux))) } }
    };
    Ok(Page::new("Connect", PATH, body).show(&visitor, StatusCode::OK))
}

fn card(way: &Recommendation) -> Markup {
    html! {
        section .card {
            h2 { (way.name) }
            @if let Some(command) = &way.command {
                p .hint { "In a terminal:" }
                pre { code { (command) } }
            } @else if let Some(entry) = &way.entry {
                p .hint { "In " code { (places(way.client)) } ":" }
                pre { code { (entry.snippet()) } }
            } @else {
                ol { @for step in &way.steps { li { (step) } } }
            }
        }
    }
}

/// The client's file, once for all platforms where it is at the same place.
fn places(client: Client) -> String {
    let mut places: Vec<(String, Vec<&str>)> = Vec::new();
    for platform in Platform::ALL {
        let Some(place) = client.config_file(platform).map(|location| location.shown(platform)) else { continue };
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, platforms)) => platforms.push(platform.name()),
            None => places.push((place, vec![platform.name()])),
        }
    }
    let named = |(place, platforms): (String, Vec<&str>)| format!("{place} ({})", platforms.join(", "));
    places.into_iter().map(named).collect::<Vec<_>>().join(" or ")
}
