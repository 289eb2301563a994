//! What is registered: sources, connections, and the cells that hold their records.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::declaration::{Declaration, Stream};

/// One state of the registry. A change makes a new one with a higher version.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// Rises with every change.
    pub version: i64,
    /// Sources, by short name.
    pub sources: Vec<Arc<Source>>,
    /// Connections, by id.
    pub connections: Vec<Arc<Connection>>,
}

/// A registered source.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its present declaration.
    pub declaration: Arc<Declaration>,
    /// The numbers its fields are indexed under, by stream and field. They never change meaning.
    pub field_numbers: BTreeMap<String, BTreeMap<String, FieldNumber>>,
}

/// The number a field of a stream is indexed under.
pub type FieldNumber = i64;

/// A configured account of a source.
#[derive(Debug, Clone)]
pub struct Connection {
    /// Its identity.
    pub connection_id: Arc<str>,
    /// The owner's label.
    pub display_name: Arc<str>,
    /// The source's short name, ready to stand in rows.
    pub connector_key: Arc<str>,
    /// The source it is an account of.
    pub source: Arc<Source>,
    /// Where each stream's records are.
    pub cells: BTreeMap<String, CellId>,
}

/// One stream of one connection.
pub type CellId = i64;

impl Catalog {
    /// The connection of that id.
    pub fn connection(&self, id: &str) -> Option<&Arc<Connection>> {
        let at = self.connections.binary_search_by(|c| c.connection_id.as_ref().cmp(id)).ok()?;
        self.connections.get(at)
    }

    /// The source of that short name.
    pub fn source(&self, connector_key: &str) -> Option<&Arc<Source>> {
        self.sources.iter().find(|s| s.declaration.connector_key == connector_key)
    }

    /// What the field of a number is called in a cell.
    pub fn field_name(&self, cell: CellId, field: FieldNumber) -> Option<&str> {
        self.connections.iter().find_map(|connection| {
            let (stream, _) = connection.cells.iter().find(|(_, number)| **number == cell)?;
            let numbers = connection.source.field_numbers.get(stream)?;
            numbers.iter().find(|(_, number)| **number == field).map(|(name, _)| name.as_str())
        })
    }

    /// The accounts of a source.
    pub fn connections_of(&self, connector_key: &str) -> impl Iterator<Item = &Arc<Connection>> {
        self.connections.iter().filter(move |c| c.connector_key.as_ref() == connector_key)
    }
}

impl Source {
    /// The number a field is indexed under.
    pub fn field_number(&self, stream: &str, field: &str) -> Option<FieldNumber> {
        self.field_numbers.get(stream)?.get(field).copied()
    }
}

impl Connection {
    /// The stream of that name, as its source declares it now.
    pub fn stream(&self, name: &str) -> Option<&Stream> {
        self.source.declaration.stream(name)
    }
}
