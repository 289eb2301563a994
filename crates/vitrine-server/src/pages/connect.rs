//! How to connect an agent: for each client the one recommended way, ready to copy. A server for this machine alone
//! shows what `vitrine setup` does; one with a public address shows how to reach that.

use std::sync::Arc;

use axum::extract::{OriginalUri, State};
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use vitrine_engine::keeping::Keeper;

use super::fault::PageFault;
use super::layout::Page;
use super::visitor::{Visitor, is_local};
use crate::app::App;
use crate::clients::{Client, Here, Platform, Reach, Recommendation, recommend};

pub(crate) const PATH: &str = "/connect";

pub(crate) async fn show<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    visitor: Visitor,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, PageFault> {
    let visitor = visitor.owner(&uri)?;
    let url = format!("{}/mcp", app.public_url);
    let body = if is_local(&app.public_url) { on_this_machine(&app.here, &url) } else { from_anywhere(&app.here, url) };
    Ok(Page::new("Connect", PATH, body).show(&visitor, StatusCode::OK))
}

fn on_this_machine(here: &Here, url: &str) -> Markup {
    let reach = here.reach(None);
    let ways = Client::ALL.map(|client| recommend(client, &reach, here));
    html! {
        h1 { "Connect an agent" }
        p {
            "An agent on this machine starts Vitrine by itself, and reads under a grant: "
            code { (here.command(&["grant", "create", "--client", "NAME"])) } "."
        }
        div .cards { @for way in &ways { (card(way, here.way(way, &[]).as_deref())) } }
        p { "Anything else can be pointed at " code { (url) } ". It will send you here to choose what it may read." }
    }
}

fn from_anywhere(here: &Here, url: String) -> Markup {
    let lead = html! {
        h1 { "Connect an agent" }
        p { "Point it at " code { (url) } ". It will send you here to choose what it may read." }
    };
    let reach = Reach::Url(url);
    let ways = Client::ALL.map(|client| recommend(client, &reach, &Here::default()));
    html! {
        (lead)
        div .cards { @for way in &ways { (card(way, way.command.as_deref())) } }
        p { "An agent on the machine of this server needs no address: there, follow " code { (here.command(&["setup"])) } "." }
    }
}

fn card(way: &Recommendation, command: Option<&str>) -> Markup {
    html! {
        section .card {
            h2 { (way.name) }
            @if let Some(command) = command {
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
