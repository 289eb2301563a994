//! Sources with their connections and streams, wherever the streams stand.

use serde_json::value::RawValue;
use vitrine_contract::schema::{Connector, GrantedConnection, SourceRef, StreamRow};

use super::members::Members;
use super::{CONNECTION_ID, Read, list, stream, unreadable};

const CONNECTORS: &[&str] = &["connectors"];
const CONNECTOR_KEY: &[&str] = &["connector_key", "key"];
const CONNECTIONS: &[&str] = &["granted_connections", "connections"];
const STREAMS: &[&str] = &["streams"];

/// The connectors of a schema document, with the streams at its top put among them; nothing when
/// it has neither.
pub(super) fn read(document: &Members<'_>) -> Read<Option<Vec<Connector>>> {
    let nested = document.array(CONNECTORS);
    let loose = document.array(STREAMS);
    if nested.is_none() && loose.is_none() {
        return Ok(None);
    }
    let mut connectors = list::rows(nested.unwrap_or_default(), connector)?;
    for row in loose.unwrap_or_default() {
        place(&mut connectors, row)?;
    }
    Ok(Some(connectors))
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

/// Puts a stream from the top of the document under its connector, with the connection it names.
fn place(connectors: &mut Vec<Connector>, json: &RawValue) -> Read<()> {
    let row = stream::row(json)?;
    let named = Members::of(json).and_then(|members| connection(&members));
    let at = home(connectors, &row).unwrap_or_else(|| {
        let connector_key = row.connector_key.clone().unwrap_or_default();
        connectors.push(Connector {
            display_name: connector_key.clone(),
            source: SourceRef::default(),
            granted_connections: Vec::new(),
            streams: Vec::new(),
            connector_key,
        });
        connectors.len() - 1
    });
    let connector = &mut connectors[at];
    if let Some(named) = named.filter(|named| !has_connection(connector, &named.connection_id)) {
        connector.granted_connections.push(named);
    }
    if !lists(connector, &row) {
        connector.streams.push(nested(row));
    }
    Ok(())
}

/// The connector a stream says it belongs to, the one that has its connection, or the only one.
fn home(connectors: &[Connector], row: &StreamRow) -> Option<usize> {
    let key = row.connector_key.as_deref();
    let by_key = || connectors.iter().position(|connector| connector.connector_key == key.unwrap_or_default());
    if key.is_some() {
        return by_key();
    }
    let holds = |connector: &Connector| row.connection_ids.iter().any(|id| has_connection(connector, id));
    connectors.iter().position(holds).or_else(|| if connectors.len() == 1 { Some(0) } else { by_key() })
}

fn has_connection(connector: &Connector, connection_id: &str) -> bool {
    connector.granted_connections.iter().any(|known| known.connection_id == connection_id)
}

/// A row without the name of the connector that stands around it.
fn nested(row: StreamRow) -> StreamRow {
    StreamRow { connector_key: None, ..row }
}

/// Whether the connector already lists the stream for the same connections; none named is all.
fn lists(connector: &Connector, row: &StreamRow) -> bool {
    connector.streams.iter().filter(|known| known.name == row.name).any(|known| {
        known.connection_ids.is_empty() || row.connection_ids.iter().all(|id| known.connection_ids.contains(id))
    })
}
