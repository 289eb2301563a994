//! Which streams of which connections a caller may see.

use std::collections::BTreeSet;
use std::sync::Arc;

use vitrine_contract::error::{CandidateConnection, Candidates};
use vitrine_contract::{ApiError, ErrorCode, time};

use super::plan::{Fields, Scope, TimeWindow};
use crate::caller::Caller;
use crate::catalog::{Catalog, Connection};
use crate::declaration::Stream;
use crate::grant::{Grant, Selection};
use crate::sort_key::SortKey;
use crate::token::TokenKind;

/// Everything the caller may see, narrowed to a stream or a connection.
pub(super) fn survey(
    caller: &Caller,
    catalog: &Catalog,
    stream: Option<&str>,
    connection_id: Option<&str>,
) -> Result<Vec<Scope>, ApiError> {
    let scopes = find(caller, catalog, Sought { stream, connection_id });
    if scopes.is_empty() {
        if connection_id.is_some() && find(caller, catalog, Sought { stream: None, connection_id }).is_empty() {
            return Err(no_connection(caller));
        }
        if stream.is_some() {
            return Err(no_stream(caller, "stream"));
        }
    }
    Ok(scopes)
}

/// One stream of one source. A package of several connections must say which.
pub(super) fn of_one_source(
    caller: &Caller,
    catalog: &Catalog,
    stream: &str,
    connection_id: Option<&str>,
) -> Result<Vec<Scope>, ApiError> {
    let everything = || find(caller, catalog, Sought::default());
    let unnamed_package = connection_id.is_none() && caller.kind() == TokenKind::McpPackage;
    if unnamed_package && distinct_connections(&everything()) > 1 {
        return Err(ambiguous(&everything(), stream));
    }
    let scopes = survey(caller, catalog, Some(stream), connection_id)?;
    if !are_of_one_source(&scopes) {
        return Err(ambiguous(&everything(), stream));
    }
    Ok(scopes)
}

fn are_of_one_source(scopes: &[Scope]) -> bool {
    scopes.iter().all(|scope| scope.connection.connector_key == scopes[0].connection.connector_key)
}

/// The streams a search runs over; all of them when none is named.
pub(super) fn of_search(
    caller: &Caller,
    catalog: &Catalog,
    streams: &[String],
    connection_id: Option<&str>,
) -> Result<Vec<Scope>, ApiError> {
    let mut scopes = survey(caller, catalog, None, connection_id)?;
    if streams.is_empty() {
        return Ok(scopes);
    }
    if streams.iter().any(|name| !scopes.iter().any(|scope| scope.stream.as_ref() == name.as_str())) {
        return Err(no_stream(caller, "streams"));
    }
    scopes.retain(|scope| streams.iter().any(|name| name == scope.stream.as_ref()));
    Ok(scopes)
}

/// Where a filtered search runs. A field says nothing across sources, even where their streams share a name.
pub(super) fn of_filtered_search(
    caller: &Caller,
    catalog: &Catalog,
    streams: &[String],
    connection_id: Option<&str>,
) -> Result<Vec<Scope>, ApiError> {
    let [stream] = streams else {
        let message = "A filter needs exactly one stream: pass `streams` with one name.";
        return Err(ApiError::new(ErrorCode::InvalidFilter, message).param("filter"));
    };
    let scopes = of_search(caller, catalog, streams, connection_id)?;
    if are_of_one_source(&scopes) { Ok(scopes) } else { Err(ambiguous(&scopes, stream)) }
}

/// The error that lists the connections a call could have meant.
pub(crate) fn ambiguous(scopes: &[Scope], stream: &str) -> ApiError {
    let mut candidates: Vec<CandidateConnection> = Vec::new();
    for scope in scopes {
        let has_stream = scope.stream.as_ref() == stream;
        match candidates.iter_mut().find(|c| c.connection_id == scope.connection.connection_id.as_ref()) {
            Some(known) => known.has_stream = Some(has_stream || known.has_stream == Some(true)),
            None => candidates.push(CandidateConnection {
                connection_id: scope.connection.connection_id.to_string(),
                connector_key: scope.connection.connector_key.to_string(),
                display_name: scope.connection.display_name.to_string(),
                grant_id: scope.grant_id().map(str::to_owned),
                has_stream: Some(has_stream),
            }),
        }
    }
    ApiError::ambiguous_connection(Candidates::of(candidates))
}

fn distinct_connections(scopes: &[Scope]) -> usize {
    scopes.iter().map(|scope| scope.connection.connection_id.as_ref()).collect::<BTreeSet<_>>().len()
}

/// What scopes are looked for; what is left out is anything.
#[derive(Clone, Copy, Default)]
struct Sought<'a> {
    stream: Option<&'a str>,
    connection_id: Option<&'a str>,
}

impl Sought<'_> {
    fn wants(&self, connection_id: &str, stream: &str) -> bool {
        self.connection_id.is_none_or(|sought| sought == connection_id)
            && self.stream.is_none_or(|sought| sought == stream)
    }
}

/// Scopes by connection and stream; where two grants of a package cover the same stream of a
/// connection, the first one issued counts.
fn find(caller: &Caller, catalog: &Catalog, sought: Sought<'_>) -> Vec<Scope> {
    if caller.kind() == TokenKind::Owner {
        let declared = catalog.connections.iter().flat_map(|connection| {
            connection.source.declaration.streams.iter().map(move |(name, stream)| (connection, name, stream))
        });
        let sought = declared.filter(|(connection, name, _)| sought.wants(&connection.connection_id, name));
        return sought.filter_map(|(connection, _, stream)| owner_scope(connection, stream)).collect();
    }
    let mut scopes: Vec<Scope> = Vec::new();
    for grant in caller.grants() {
        for selection in &grant.streams {
            for id in selection.instance_ids.iter().filter(|id| sought.wants(id, &selection.name)) {
                let Some(connection) = catalog.connection(id) else { continue };
                scopes.extend(granted_scope(grant, selection, connection));
            }
        }
    }
    scopes.sort_by(|a, b| place(a).cmp(&place(b)));
    scopes.dedup_by(|later, first| place(later) == place(first));
    scopes
}

fn place(scope: &Scope) -> (&str, &str) {
    (&scope.connection.connection_id, &scope.stream)
}

fn owner_scope(connection: &Arc<Connection>, stream: &Arc<Stream>) -> Option<Scope> {
    Some(Scope {
        connection: Arc::clone(connection),
        stream: Arc::clone(&stream.shared_name),
        declared: Arc::clone(stream),
        cell: *connection.cells.get(&stream.name)?,
        grant: None,
        visible: Fields::All,
        projection: Fields::All,
        window: None,
        resources: None,
    })
}

/// A grant reads its own source only, and its time span only on the field consent is measured on.
fn granted_scope(grant: &Arc<Grant>, selection: &Selection, connection: &Arc<Connection>) -> Option<Scope> {
    if connection.source.declaration.source_id != grant.source.id {
        return None;
    }
    let stream = connection.source.declaration.streams.get(&selection.name)?;
    let window = match &selection.time_constraint {
        None => None,
        Some(constraint) => {
            if stream.consent_time_field.as_deref() != Some(&constraint.field) {
                return None;
            }
            Some(TimeWindow { since: bound(constraint.since.as_deref())?, until: bound(constraint.until.as_deref())? })
        }
    };
    let visible = Fields::Only(Arc::clone(&selection.fields));
    Some(Scope {
        connection: Arc::clone(connection),
        stream: Arc::clone(&stream.shared_name),
        declared: Arc::clone(stream),
        cell: *connection.cells.get(&selection.name)?,
        grant: Some(Arc::clone(grant)),
        projection: visible.clone(),
        visible,
        window,
        resources: selection.resources.clone(),
    })
}

/// A bound that was given but cannot be read closes the scope: `None` outside, `Some(None)` is open.
#[expect(clippy::option_option, reason = "unreadable and absent are different answers")]
fn bound(text: Option<&str>) -> Option<Option<SortKey>> {
    match text {
        None => Some(None),
        Some(text) => time::parse(text).map(|instant| Some(SortKey::time(instant))),
    }
}

fn no_connection(caller: &Caller) -> ApiError {
    let message = "The grant covers no such connection. GET /v1/schema lists the connections it covers.";
    refuse(caller, ErrorCode::ConnectionNotGranted, message, "There is no such connection.", "connection_id")
}

fn no_stream(caller: &Caller, param: &str) -> ApiError {
    let message = "The grant covers no such stream here. GET /v1/schema lists the streams it covers.";
    refuse(caller, ErrorCode::GrantStreamNotAllowed, message, "There is no such stream here.", param)
}

/// The owner has no grant to be outside of: for them it is simply not there.
fn refuse(caller: &Caller, code: ErrorCode, granted: &str, owner: &str, param: &str) -> ApiError {
    if caller.kind() == TokenKind::Owner {
        ApiError::new(ErrorCode::NotFound, owner).param(param)
    } else {
        ApiError::new(code, granted).param(param)
    }
}
