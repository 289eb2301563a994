//! Sources with their connections and streams, wherever the streams stand.

use serde_json::value::RawValue;
use vitrine_contract::schema::{Connector, GrantedConnection, SourceRef, StreamRow};

use super::members::Members;
use super::places::Places;
use super::{CONNECTION_ID, Read, list, stream, unreadable};

const CONNECTORS: &[&str] = &["connectors"];
const CONNECTOR_KEY: &[&str] = &["connector_key", "key"];
const CONNECTIONS: &[&str] = &["granted_connections", "connections"];
const STREAMS: &[&str] = &["streams"];

/// Whether a document lists sources or streams at all.
pub(super) fn are_in(document: &Members<'_>) -> bool {
    document.array(CONNECTORS).is_some() || document.array(STREAMS).is_some()
}

/// The connectors of a schema document, with the streams at its top put among them; nothing when
/// it has neither.
pub(super) fn read(document: &Members<'_>) -> Read<Option<Vec<Connector>>> {
    let nested = document.array(CONNECTORS);
    let loose = document.array(STREAMS);
    if !are_in(document) {
        return Ok(None);
    }
    let mut places = Places::of(list::rows(nested.unwrap_or_default(), connector)?);
    for json in loose.unwrap_or_default() {
        places.put(stream::row(json)?, Members::of(json).and_then(|members| connection(&members)));
    }
    Ok(Some(places.into_connectors()))
}

fn connector(json: &RawValue) -> Read<Connector> {
    let Some(members) = Members::of(json) else { return unreadable("a connector that is not an object") };
    let streams = list::rows(members.array(STREAMS).unwrap_or_default(), stream::row)?;
    let source = members.object(&["source"]);
    let in_source = |name| source.as_ref().and_then(|source| source.text(&[name]));
    let connector_key = members.text(CONNECTOR_KEY).unwrap_or_default();
    Ok(Connector {
        display_name: members.text(&["display_name"]).unwrap_or_else(|| connector_key.clone()),
        source: SourceRef {
            kind: in_source("kind").unwrap_or_default(),
            id: in_source("id").or_else(|| members.text(&["source"])).unwrap_or_default(),
        },
        granted_connections: connections(&members),
        streams: streams.into_iter().map(nested).collect(),
        connector_key,
    })
}

fn connections(connector: &Members<'_>) -> Vec<GrantedConnection> {
    let rows = connector.array(CONNECTIONS).unwrap_or_default();
    rows.into_iter().filter_map(|row| connection(&Members::of(row)?)).collect()
}

fn connection(members: &Members<'_>) -> Option<GrantedConnection> {
    let connection_id = members.text(CONNECTION_ID)?;
    Some(GrantedConnection {
        display_name: members.text(&["display_name"]).unwrap_or_else(|| connection_id.clone()),
        grant_id: members.text(&["grant_id"]),
        freshness: members.read(&["freshness"]).unwrap_or_default(),
        connection_id,
    })
}

/// A row without the name of the connector that stands around it.
pub(super) fn nested(row: StreamRow) -> StreamRow {
    StreamRow { connector_key: None, ..row }
}
