//! What is registered, read once per version.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use rusqlite::Connection;
use vitrine_engine::catalog::{self, Catalog, CellId, Source};
use vitrine_engine::declaration::Declaration;

use crate::fault::{Result, corrupt};

/// The last catalog that was read.
#[derive(Default)]
pub(crate) struct CatalogCache(Mutex<Arc<Catalog>>);

impl CatalogCache {
    /// The last catalog that was read, which may have changed since.
    pub(crate) fn last(&self) -> Arc<Catalog> {
        Arc::clone(&self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    /// The catalog as the transaction sees it.
    pub(crate) fn current(&self, tx: &Connection) -> Result<Arc<Catalog>> {
        let version = version(tx)?;
        let mut known = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if known.version != version {
            *known = Arc::new(load(tx, version)?);
        }
        Ok(Arc::clone(&known))
    }
}

/// The catalog's version.
pub(crate) fn version(tx: &Connection) -> Result<i64> {
    Ok(tx.prepare_cached("SELECT catalog FROM counter")?.query_row([], |row| row.get(0))?)
}

/// Tells every process that the catalog has changed.
pub(crate) fn touch(tx: &Connection) -> Result<()> {
    tx.execute("UPDATE counter SET catalog = catalog + 1", [])?;
    Ok(())
}

/// Reads the whole catalog.
pub(crate) fn load(tx: &Connection, version: i64) -> Result<Catalog> {
    let mut sources: BTreeMap<i64, Arc<Source>> = BTreeMap::new();
    let mut statement = tx.prepare(
        "SELECT s.number, d.body FROM source s JOIN declaration d ON d.number = (SELECT max(number) FROM declaration WHERE source = s.number)",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (number, body): (i64, String) = (row.get(0)?, row.get(1)?);
        let declaration = Declaration::parse(&body).map_err(|error| corrupt(&error.to_string()))?;
        sources.insert(
            number,
            Arc::new(Source { declaration: Arc::new(declaration), field_numbers: field_numbers(tx, number)? }),
        );
    }
    let connections = connections(tx, &sources)?;
    let mut sources: Vec<Arc<Source>> = sources.into_values().collect();
    sources.sort_by(|a, b| a.declaration.connector_key.cmp(&b.declaration.connector_key));
    Ok(Catalog { version, sources, connections })
}

fn field_numbers(tx: &Connection, source: i64) -> Result<BTreeMap<String, BTreeMap<String, i64>>> {
    let mut numbers: BTreeMap<String, BTreeMap<String, i64>> = BTreeMap::new();
    let mut statement = tx.prepare_cached("SELECT stream, name, number FROM field WHERE source = ?1")?;
    let mut rows = statement.query([source])?;
    while let Some(row) = rows.next()? {
        numbers.entry(row.get(0)?).or_default().insert(row.get(1)?, row.get(2)?);
    }
    Ok(numbers)
}

fn connections(tx: &Connection, sources: &BTreeMap<i64, Arc<Source>>) -> Result<Vec<Arc<catalog::Connection>>> {
    let mut cells: BTreeMap<i64, BTreeMap<String, CellId>> = BTreeMap::new();
    let mut statement = tx.prepare("SELECT connection, stream, number FROM cell")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        cells.entry(row.get(0)?).or_default().insert(row.get(1)?, row.get(2)?);
    }
    let mut statement =
        tx.prepare("SELECT number, connection_id, source, display_name FROM connection ORDER BY connection_id")?;
    let mut rows = statement.query([])?;
    let mut connections = Vec::new();
    while let Some(row) = rows.next()? {
        let source = sources.get(&row.get(2)?).ok_or_else(|| corrupt("a connection without a source"))?;
        let (id, name): (String, String) = (row.get(1)?, row.get(3)?);
        connections.push(Arc::new(catalog::Connection {
            connection_id: id.into(),
            display_name: name.into(),
            connector_key: source.declaration.connector_key.as_str().into(),
            source: Arc::clone(source),
            cells: cells.remove(&row.get(0)?).unwrap_or_default(),
        }));
    }
    Ok(connections)
}
