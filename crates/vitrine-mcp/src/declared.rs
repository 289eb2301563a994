//! What the live schema says about a stream, asked only when a call depends on it.

use std::collections::HashMap;

use vitrine_contract::request::SchemaRequest;
use vitrine_contract::schema::{self, Connector, Encodings, FieldWindow, StreamRow};
use vitrine_contract::search::{Hit, MatchWindow};
use vitrine_contract::{ApiError, ErrorCode, ReadApi, Record};

use crate::ids::told;
use crate::render::binary;

/// Streams whose declaration is asked for because of one list of hits.
const MAX_PLACES: usize = 8;

/// Refuses expansion on a stream that advertises none. When the schema cannot be had, the resource
/// server decides.
pub(crate) async fn expandable<R: ReadApi>(
    reader: &R,
    stream: &str,
    connection_id: Option<&str>,
) -> Result<(), ApiError> {
    let rows = rows(reader, stream, connection_id, true).await;
    if rows.is_empty() || rows.iter().any(|row| !row.expand_capabilities.is_empty()) {
        return Ok(());
    }
    Err(ApiError::new(
        ErrorCode::InvalidExpand,
        format!(
            "The stream `{stream}` has nothing to expand: GET /v1/schema lists no expand_capabilities for it. Leave \
             `expand` and `expand_limit` out."
        ),
    )
    .param("expand"))
}

/// The fields that are encoded bytes by declaration. Long ones are recognized by themselves, so where the answer is not at
/// hand it is asked for only when a short one might be.
pub(crate) async fn encoded<R: ReadApi>(
    reader: &R,
    stream: &str,
    connection_id: Option<&str>,
    records: &[Record],
) -> Encodings {
    if let Some(known) = reader.encodings(stream, connection_id) {
        return known;
    }
    if !records.iter().any(might_be_encoded) {
        return Encodings::new();
    }
    encodings(reader, stream, connection_id).await
}

/// Takes the evidence out of hits that stands in fields declared as encoded bytes.
pub(crate) async fn drop_encoded<R: ReadApi>(reader: &R, hits: &mut [Hit]) {
    let might_be = |window: &MatchWindow| binary::might_be_part(&window.text);
    let mut known: HashMap<(String, String), Encodings> = HashMap::new();
    for hit in hits.iter_mut().filter(|hit| hit.match_windows.iter().any(might_be)) {
        let place = (hit.connection_id.clone(), hit.stream.clone());
        if !known.contains_key(&place) && known.len() < MAX_PLACES {
            known.insert(place.clone(), encodings(reader, &hit.stream, told(&hit.connection_id)).await);
        }
        match known.get(&place) {
            Some(encoded) => hit.match_windows.retain(|window| !encoded.contains_key(&window.field_path)),
            None => hit.match_windows.retain(|window| !might_be(window)),
        }
    }
}

/// Whether a field is encoded bytes by declaration.
pub(crate) async fn is_encoded<R: ReadApi>(reader: &R, window: &FieldWindow) -> bool {
    encodings(reader, &window.stream, told(&window.connection_id)).await.contains_key(&window.field.path)
}

async fn encodings<R: ReadApi>(reader: &R, stream: &str, connection_id: Option<&str>) -> Encodings {
    if let Some(known) = reader.encodings(stream, connection_id) {
        return known;
    }
    let rows = rows(reader, stream, connection_id, false).await;
    let fields = rows.iter().flat_map(|row| &row.field_capabilities);
    schema::encodings(fields.map(|(field, capability)| (field, &capability.schema)))
}

fn might_be_encoded(record: &Record) -> bool {
    // Encoded bytes hold neither quotes nor escapes: they stand whole between two quotes.
    record.data.iter().flat_map(|data| data.json().split('"')).any(binary::might_be_short)
}

async fn rows<R: ReadApi>(reader: &R, stream: &str, connection_id: Option<&str>, compact: bool) -> Vec<StreamRow> {
    let request =
        SchemaRequest { compact, stream: Some(stream.to_owned()), connection_id: connection_id.map(str::to_owned) };
    let document = reader.schema(&request).await.ok();
    let connectors = document.into_iter().flat_map(|document| document.connectors);
    connectors.flat_map(|connector| rows_of(connector, connection_id)).filter(|row| row.name == stream).collect()
}

/// The rows that speak of the connection, whatever else a provider sent along.
fn rows_of(connector: Connector, connection_id: Option<&str>) -> impl Iterator<Item = StreamRow> {
    let granted = connector.granted_connections.iter().map(|connection| connection.connection_id.as_str());
    let is_its =
        connection_id.is_none_or(|id| granted.clone().next().is_none() || granted.clone().any(|known| known == id));
    connector.streams.into_iter().filter(move |row| {
        let of_it = |id: &str| row.connection_ids.iter().any(|known| known == id);
        if row.connection_ids.is_empty() { is_its } else { connection_id.is_none_or(of_it) }
    })
}
