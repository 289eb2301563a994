//! Streams from the top of a schema document, each put under the connector it belongs to.
//!
//! Indexed, because a document may hold as many streams as fit into the largest answer.

use std::collections::{HashMap, HashSet};

use vitrine_contract::schema::{Connector, GrantedConnection, SourceRef, StreamRow};

use super::connectors::nested;

/// Connectors, and where to find what in them.
#[derive(Default)]
pub(super) struct Places {
    connectors: Vec<Connector>,
    by_key: HashMap<String, usize>,
    by_connection: HashMap<String, usize>,
    /// The connections each connector lists a stream for; none named is all.
    listed: HashMap<(usize, String), HashSet<String>>,
}

impl Places {
    pub(super) fn of(connectors: Vec<Connector>) -> Self {
        let mut places = Self::default();
        for (at, connector) in connectors.iter().enumerate() {
            places.by_key.entry(connector.connector_key.clone()).or_insert(at);
            for connection in &connector.granted_connections {
                places.by_connection.entry(connection.connection_id.clone()).or_insert(at);
            }
            for row in &connector.streams {
                places.note(at, row);
            }
        }
        Self { connectors, ..places }
    }

    pub(super) fn into_connectors(self) -> Vec<Connector> {
        self.connectors
    }

    /// Puts a stream, and the connection it names, under its connector, unless they are there.
    pub(super) fn put(&mut self, row: StreamRow, named: Option<GrantedConnection>) {
        let at = self.home(&row).unwrap_or_else(|| self.open(row.connector_key.clone().unwrap_or_default()));
        if let Some(named) = named.filter(|named| !self.by_connection.contains_key(&named.connection_id)) {
            self.by_connection.insert(named.connection_id.clone(), at);
            self.connectors[at].granted_connections.push(named);
        }
        let known = self.listed.get(&(at, row.name.clone()));
        if known.is_some_and(|ids| ids.is_empty() || row.connection_ids.iter().all(|id| ids.contains(id))) {
            return;
        }
        self.note(at, &row);
        self.connectors[at].streams.push(nested(row));
    }

    /// The connector a stream says it belongs to, the one that has its connection, or the only one.
    fn home(&self, row: &StreamRow) -> Option<usize> {
        if let Some(key) = &row.connector_key {
            return self.by_key.get(key).copied();
        }
        let by_connection = row.connection_ids.iter().find_map(|id| self.by_connection.get(id));
        match by_connection {
            Some(at) => Some(*at),
            None if self.connectors.len() == 1 => Some(0),
            None => self.by_key.get("").copied(),
        }
    }

    fn open(&mut self, connector_key: String) -> usize {
        let at = self.connectors.len();
        self.by_key.insert(connector_key.clone(), at);
        self.connectors.push(Connector {
            display_name: connector_key.clone(),
            source: SourceRef::default(),
            granted_connections: Vec::new(),
            streams: Vec::new(),
            connector_key,
        });
        at
    }

    fn note(&mut self, at: usize, row: &StreamRow) {
        self.listed.entry((at, row.name.clone())).or_default().extend(row.connection_ids.iter().cloned());
    }
}
