//! What a caller may see and do.

mod capabilities;
mod compact;

use std::collections::BTreeMap;

use vitrine_contract::read_api::Answer;
use vitrine_contract::record::{List, ListMeta, Tag};
use vitrine_contract::request::{ReadRequest, SchemaRequest, StreamRequest, StreamsRequest};
use vitrine_contract::schema::{
    self as contract, Connector, Encodings, Freshness, GrantedConnection, SchemaDocument, SourceRef, StreamRow,
};

use super::{LocalRead, ReadFault, list};
use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::gate::{self, ReadPlan, Scope, scopes};
use crate::port::{ScopeStats, Store};

pub(super) async fn document<S: Store>(reader: &LocalRead<S>, request: &SchemaRequest) -> Answer<SchemaDocument> {
    let asked = ReadRequest::Schema(request.clone());
    let connectors =
        reader.planned(&asked, |catalog, plan| async move { connectors(reader, &catalog, &plan).await }).await?;
    let mut document = SchemaDocument {
        object: Tag::default(),
        detail: "full".to_owned(),
        bearer: reader.caller.bearer().clone(),
        connector_count: connectors.len(),
        stream_count: connectors.iter().map(|c| c.streams.len()).sum(),
        connectors,
        legend: BTreeMap::new(),
    };
    if request.compact {
        compact::collapse(&mut document);
    }
    Ok(document)
}

/// Which fields of a stream are encoded bytes, by the last declarations: no record is read.
pub(super) fn encodings<S: Store>(
    reader: &LocalRead<S>,
    stream: &str,
    connection_id: Option<&str>,
) -> Option<Encodings> {
    let stream = Some(stream.to_owned());
    let request = SchemaRequest { stream, connection_id: connection_id.map(str::to_owned), ..SchemaRequest::default() };
    let plan = gate::enforce(&reader.caller, &reader.store.last_catalog(), &ReadRequest::Schema(request)).ok()?;
    let fields = plan.scopes().iter().flat_map(|scope| &scope.stream().fields);
    Some(contract::encodings(fields.map(|field| (&field.name, &field.schema))))
}

pub(super) async fn streams<S: Store>(reader: &LocalRead<S>, request: &StreamsRequest) -> Answer<List<StreamRow>> {
    let asked = ReadRequest::Streams(request.clone());
    let connectors =
        reader.planned(&asked, |catalog, plan| async move { connectors(reader, &catalog, &plan).await }).await?;
    Ok(list::around(&asked, flatten(connectors), None, ListMeta::default()))
}

pub(super) async fn stream<S: Store>(reader: &LocalRead<S>, request: &StreamRequest) -> Answer<StreamRow> {
    let asked = ReadRequest::Stream(request.clone());
    reader
        .planned(&asked, |catalog, plan| async move {
            let mut rows = flatten(connectors(reader, &catalog, &plan).await?);
            match rows.len() {
                1 => Ok(rows.remove(0)),
                _ => Err(ReadFault::Answer(scopes::ambiguous(plan.scopes(), plan.scopes()[0].stream_name()))),
            }
        })
        .await
}

fn flatten(connectors: Vec<Connector>) -> Vec<StreamRow> {
    let named = |connector: Connector| {
        let key = connector.connector_key;
        connector.streams.into_iter().map(move |row| StreamRow { connector_key: Some(key.clone()), ..row })
    };
    connectors.into_iter().flat_map(named).collect()
}

async fn connectors<S: Store>(
    reader: &LocalRead<S>,
    catalog: &Catalog,
    plan: &ReadPlan,
) -> Result<Vec<Connector>, ReadFault> {
    let stats = reader.store.stats(plan).await?;
    let mut connectors: BTreeMap<&str, Connector> = BTreeMap::new();
    for (scope, stats) in plan.scopes().iter().zip(&stats) {
        let key = scope.connection().connector_key.as_ref();
        let connector = connectors.entry(key).or_insert_with(|| connector(scope));
        note_connection(connector, scope, stats);
        note_stream(connector, scope, stats, &reader.caller, catalog);
    }
    Ok(connectors.into_values().collect())
}

fn connector(scope: &Scope) -> Connector {
    let declaration = &scope.connection().source.declaration;
    Connector {
        connector_key: declaration.connector_key.clone(),
        display_name: declaration.display_name.clone(),
        source: SourceRef { kind: declaration.source_kind.clone(), id: declaration.source_id.clone() },
        granted_connections: Vec::new(),
        streams: Vec::new(),
    }
}

fn note_connection(connector: &mut Connector, scope: &Scope, stats: &ScopeStats) {
    let id = scope.connection().connection_id.as_ref();
    let at = connector.granted_connections.iter().position(|c| c.connection_id == id).unwrap_or_else(|| {
        connector.granted_connections.push(GrantedConnection {
            connection_id: id.to_owned(),
            display_name: scope.connection().display_name.to_string(),
            grant_id: scope.grant_id().map(str::to_owned),
            freshness: Freshness::default(),
        });
        connector.granted_connections.len() - 1
    });
    let newest = &mut connector.granted_connections[at].freshness.captured_at;
    later(newest, stats.newest.as_ref());
}

/// Adds a stream, or a connection to the row that already says the same.
fn note_stream(connector: &mut Connector, scope: &Scope, stats: &ScopeStats, caller: &Caller, catalog: &Catalog) {
    let expandable = capabilities::expandable(scope, caller, catalog);
    let same = |known: &&mut StreamRow| {
        known.name == **scope.stream_name()
            && known.expand_capabilities == expandable
            && known.field_capabilities.iter().all(|(field, can)| can.granted == scope.visible().contains(field))
    };
    if let Some(known) = connector.streams.iter_mut().find(same) {
        known.connection_ids.push(scope.connection().connection_id.to_string());
        known.record_count = known.record_count.map(|known| known + stats.count);
        later(&mut known.last_updated, stats.newest.as_ref());
        return;
    }
    let mut row = capabilities::row(scope, expandable);
    row.record_count = Some(stats.count);
    row.last_updated.clone_from(&stats.newest);
    connector.streams.push(row);
}

/// Keeps the later of two instants, both in the one form the store writes.
fn later(newest: &mut Option<String>, other: Option<&String>) {
    use vitrine_contract::time::parse;
    if let Some(other) = other
        && newest.as_deref().and_then(parse).is_none_or(|known| parse(other).is_some_and(|o| o > known))
    {
        *newest = Some(other.clone());
    }
}
