//! The owner's connections: what is kept, and how fresh it is.

use std::sync::Arc;

use axum::extract::{OriginalUri, State};
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use vitrine_contract::ReadApi;
use vitrine_contract::request::StreamsRequest;
use vitrine_contract::schema::StreamRow;
use vitrine_engine::Caller;
use vitrine_engine::keeping::Keeper;
use vitrine_engine::ledger::Via;

use super::fault::PageFault;
use super::layout::Page;
use super::visitor::Visitor;
use super::words;
use crate::app::App;
use crate::clients::Here;

pub(crate) async fn show<S: Keeper>(
    State(app): State<Arc<App<S>>>,
    visitor: Visitor,
    OriginalUri(uri): OriginalUri,
) -> Result<Response, PageFault> {
    let visitor = visitor.owner(&uri)?;
    let catalog = app.store.catalog().await?;
    let reader = app.reader(Caller::owner(), Via::Rest);
    let mut cards = Vec::with_capacity(catalog.connections.len());
    for connection in &catalog.connections {
        let request = StreamsRequest { connection_id: Some(connection.connection_id.to_string()) };
        let streams = reader.streams(&request).await?.data;
        let source = &connection.source.declaration.display_name;
        cards.push(card(&connection.display_name, source, &connection.connection_id, &streams));
    }
    let body = html! {
        h1 { "Connections" }
        @if visitor.is_unlocked() {
            p .note { "No password is set, so these pages open only on this machine. " a href="/password" { "Set one" } "." }
        }
        @if cards.is_empty() {
            section .card {
                h2 { "Nothing here yet" }
                p { "Declare a source, add a connection and load records:" }
                pre { code { (first_steps(&app.here)) } }
            }
        }
        div .cards { @for card in &cards { (card) } }
    };
    Ok(Page::new("Connections", "/", body).show(&visitor, StatusCode::OK))
}

fn first_steps(here: &Here) -> String {
    let steps: [&[&str]; 3] = [
        &["source", "add", "gmail.json"],
        &["connection", "add", "--source", "gmail", "--name", "Work mail", "--id", "cin_work"],
        &["ingest", "--connection", "cin_work", "--stream", "messages", "messages.ndjson"],
    ];
    steps.map(|words| here.command(words)).join("\n")
}

fn card(name: &str, source: &str, id: &str, streams: &[StreamRow]) -> Markup {
    let records: u64 = streams.iter().filter_map(|row| row.record_count).sum();
    let newest = streams.iter().filter_map(|row| row.last_updated.as_deref()).max();
    html! {
        section .card {
            h2 { (name) }
            p .hint { (source) " · " code { (id) } }
            p .figure { strong { (words::number(records)) } " records" }
            @if let Some(newest) = newest { p .hint { "Newest from " (words::day(newest)) } }
            table {
                thead .visually-hidden { tr { th { "Stream" } th { "Records" } } }
                tbody {
                    @for row in streams {
                        tr {
                            th scope="row" { (row.name) }
                            td .number { (words::number(row.record_count.unwrap_or_default())) }
                        }
                    }
                }
            }
        }
    }
}
