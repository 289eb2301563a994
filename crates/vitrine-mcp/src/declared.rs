//! What the live schema says about a stream, asked only when a call depends on it.

use vitrine_contract::request::SchemaRequest;
use vitrine_contract::schema::StreamRow;
use vitrine_contract::{ApiError, ErrorCode, ReadApi, Record};

use crate::render::record::Encoded;

/// Shorter text is not worth asking whether it is declared as encoded bytes.
const LEAST_ENCODED_CHARS: usize = 24;

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

/// The fields that are encoded bytes by declaration. Long ones are recognized by themselves, so the
/// schema is asked only when a short one might be.
pub(crate) async fn encoded<R: ReadApi>(
    reader: &R,
    stream: &str,
    connection_id: Option<&str>,
    records: &[Record],
) -> Encoded {
    if !records.iter().any(might_be_encoded) {
        return Encoded::new();
    }
    let rows = rows(reader, stream, connection_id, false).await;
    rows.iter()
        .flat_map(|row| &row.field_capabilities)
        .filter(|(_, capability)| capability.schema.get("contentEncoding").is_some())
        .map(|(field, capability)| {
            let media_type = capability.schema.get("contentMediaType").and_then(|kind| kind.as_str());
            (field.clone(), media_type.map(str::to_owned))
        })
        .collect()
}

fn might_be_encoded(record: &Record) -> bool {
    record.data.iter().flat_map(vitrine_contract::Fields::entries).any(|(_, raw)| {
        let text = raw.get().trim_matches('"');
        raw.get().starts_with('"')
            && text.len() >= LEAST_ENCODED_CHARS
            && text.len().is_multiple_of(4)
            && text.bytes().any(|byte| byte.is_ascii_uppercase())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
    })
}

async fn rows<R: ReadApi>(reader: &R, stream: &str, connection_id: Option<&str>, compact: bool) -> Vec<StreamRow> {
    let request =
        SchemaRequest { compact, stream: Some(stream.to_owned()), connection_id: connection_id.map(str::to_owned) };
    let document = reader.schema(&request).await.ok();
    let connectors = document.into_iter().flat_map(|document| document.connectors);
    connectors.flat_map(|connector| connector.streams).filter(|row| row.name == stream).collect()
}
