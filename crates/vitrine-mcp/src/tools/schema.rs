//! `schema`: what is granted, and what can be done with it.

use rmcp::model::{JsonObject, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use vitrine_contract::error::Candidates;
use vitrine_contract::request::SchemaRequest;
use vitrine_contract::schema::SchemaDocument;
use vitrine_contract::{ApiError, CandidateConnection, ErrorCode, ReadApi};

use super::definition;
use crate::answer::Answer;
use crate::arguments;
use crate::ids::is_field;
use crate::render::text::cut;
use crate::render::{Frame, schema};

pub(crate) const NAME: &str = "schema";
pub(super) const USAGE: &str = r#"Call it like schema({}), schema({"stream":"messages"}) or schema({"stream":"messages","connection_id":"…","detail":"full"})."#;

/// Of what a provider says of itself and of sources.
const MAX_SAID_CHARS: usize = 300;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// full: JSON Schemas of one stream; needs stream.
    #[schemars(extend("enum" = ["compact", "full"]))]
    detail: Option<String>,
    /// Only this stream, with its fields.
    stream: Option<String>,
    /// Only this account.
    connection_id: Option<String>,
}

/// What to show of the schema.
pub(crate) struct Ask {
    full: bool,
    stream: Option<String>,
    connection_id: Option<String>,
}

impl Ask {
    /// The compact rows of one stream.
    pub(crate) fn stream(stream: String) -> Self {
        Self { full: false, stream: Some(stream), connection_id: None }
    }
}

pub(crate) fn definition() -> Tool {
    definition::read_only::<Input>(
        NAME,
        "Discover schema",
        "Discover which sources, connections (accounts), streams and fields are granted, and which filters, sorts, \
         searches, aggregations and expansions each supports. Call it first. Read-only; GET /v1/schema. Without \
         stream: a compact index; narrow with stream and connection_id to page through details. Structured output: \
         data is the schema document.",
        definition::framed(json!({
            "data": { "type": "object" },
        })),
    )
}

pub(crate) fn parse(arguments: JsonObject) -> Result<Ask, ApiError> {
    let input: Input = arguments::parse(arguments, USAGE)?;
    let detail = arguments::word("detail", input.detail.as_deref(), &["compact", "full"], |word| word)?;
    let ask = Ask {
        full: detail == Some("full"),
        stream: arguments::optional_name("stream", input.stream)?,
        connection_id: arguments::optional_name("connection_id", input.connection_id)?,
    };
    if ask.full && ask.stream.is_none() {
        return Err(ApiError::invalid(
            "stream",
            "The full schema is shown one stream at a time. Call schema() for the compact index, then \
             schema(stream, connection_id, detail: \"full\").",
        ));
    }
    Ok(ask)
}

pub(crate) async fn answer<R: ReadApi>(reader: &R, ask: &Ask, frame: Frame<'_>) -> Result<Answer, ApiError> {
    let request =
        SchemaRequest { compact: !ask.full, stream: ask.stream.clone(), connection_id: ask.connection_id.clone() };
    let document = scoped(reader.schema(&request).await?, ask);
    if ask.full {
        return single_connection(&document).map(|()| schema::full(&document, frame));
    }
    Ok(match ask.stream {
        Some(_) => schema::stream(&document, ask.connection_id.is_some(), frame),
        None => schema::index(&document, ask.connection_id.is_some(), frame),
    })
}

/// Only what was asked for, whatever else a provider sent along.
fn scoped(mut document: SchemaDocument, ask: &Ask) -> SchemaDocument {
    bounded(&mut document);
    for connector in &mut document.connectors {
        if let Some(stream) = &ask.stream {
            connector.streams.retain(|row| row.name == *stream);
        }
        if let Some(connection_id) = &ask.connection_id {
            connector.granted_connections.retain(|connection| connection.connection_id == *connection_id);
            connector.streams.retain_mut(|row| {
                let everywhere = row.connection_ids.is_empty();
                row.connection_ids.retain(|id| id == connection_id);
                everywhere || !row.connection_ids.is_empty()
            });
        }
        if ask.stream.is_some() && connector.streams.iter().all(|row| !row.connection_ids.is_empty()) {
            let streams = &connector.streams;
            connector
                .granted_connections
                .retain(|connection| streams.iter().any(|row| row.connection_ids.contains(&connection.connection_id)));
            let all = connector.granted_connections.len();
            if !ask.full && connector.streams.iter().all(|row| row.connection_ids.len() == all) {
                connector.streams.iter_mut().for_each(|row| row.connection_ids.clear());
            }
        }
    }
    if ask.stream.is_some() || ask.connection_id.is_some() {
        document
            .connectors
            .retain(|connector| !connector.streams.is_empty() && !connector.granted_connections.is_empty());
    }
    document.connector_count = document.connectors.len();
    document.stream_count = document.connectors.iter().map(|connector| connector.streams.len()).sum();
    document
}

/// Nothing of a length that no call takes and no result holds. Another provider may send it; ours never does.
fn bounded(document: &mut SchemaDocument) {
    let bearer = &mut document.bearer;
    let said = [&mut bearer.grant_id, &mut bearer.grant_package_id, &mut bearer.client_id].into_iter().flatten();
    for text in said.chain([&mut bearer.token_kind]) {
        shorten(text);
    }
    for connector in &mut document.connectors {
        shorten(&mut connector.source.kind);
        shorten(&mut connector.source.id);
        connector.granted_connections.retain(|connection| is_field(&connection.connection_id));
        connector.streams.retain(|row| is_field(&row.name));
        for row in &mut connector.streams {
            row.connection_ids.retain(|id| is_field(id));
        }
    }
}

fn shorten(text: &mut String) {
    text.truncate(cut(text, MAX_SAID_CHARS).len());
}

/// A full schema is of one connection; a shared name is asked back.
fn single_connection(document: &SchemaDocument) -> Result<(), ApiError> {
    let all: Vec<CandidateConnection> = document
        .connectors
        .iter()
        .flat_map(|connector| connector.granted_connections.iter().map(move |connection| (connector, connection)))
        .map(|(connector, connection)| CandidateConnection {
            connection_id: connection.connection_id.clone(),
            connector_key: connector.connector_key.clone(),
            display_name: connection.display_name.clone(),
            grant_id: connection.grant_id.clone(),
            has_stream: Some(true),
        })
        .collect();
    if all.len() < 2 {
        return Ok(());
    }
    let total = all.len();
    Err(ApiError::new(
        ErrorCode::AmbiguousSchemaDetail,
        "Several connections have this stream. Say which one's full schema to show.",
    )
    .param("connection_id")
    .retry_with("connection_id")
    .candidates(Candidates { listed: all, total }))
}
