//! The signs of every vector, in memory: an eighth of the vectors, enough to tell what is far.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use vitrine_embed::{BYTES, Bits, Vector};

use crate::fault::{Result, corrupt};

/// The signs of each cell's vectors, brought up to date when a search looks at them.
#[derive(Default)]
pub(crate) struct VectorCache(Mutex<HashMap<i64, Known>>);

/// A cell as it was when last looked at.
#[derive(Clone)]
struct Known {
    dropped: i64,
    newest: i64,
    vectors: Arc<CellVectors>,
}

/// The vectors of a cell, in the order of their records.
#[derive(Default, Clone)]
pub(crate) struct CellVectors {
    pub(crate) bits: Vec<Bits>,
    pub(crate) owners: Vec<Owner>,
}

/// What a vector belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Owner {
    pub(crate) record: i64,
    pub(crate) field: u32,
    /// Where the vector itself is.
    pub(crate) number: u32,
}

impl VectorCache {
    /// The vectors of a cell as this state of the store has them.
    pub(crate) fn of_cell(&self, tx: &Connection, cell: i64) -> Result<Arc<CellVectors>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&cell).cloned();
        let dropped: i64 = tx
            .prepare_cached("SELECT vectors_dropped FROM cell WHERE number = ?1")?
            .query_row([cell], |row| row.get(0))?;
        let newest = newest(tx)?;
        let known = known.filter(|known| known.dropped == dropped && known.newest <= newest);
        let vectors = match known {
            Some(known) if known.newest == newest => return Ok(known.vectors),
            Some(known) => {
                let sql = "SELECT number, record, field, data FROM vector NOT INDEXED WHERE number > ?2 AND cell = ?1";
                known.vectors.with(load(tx, sql, cell, known.newest)?)
            }
            None => {
                let sql = "SELECT number, record, field, data FROM vector WHERE cell = ?1 AND number > ?2";
                Arc::new(CellVectors::default()).with(load(tx, sql, cell, 0)?)
            }
        };
        lock().insert(cell, Known { dropped, newest, vectors: Arc::clone(&vectors) });
        Ok(vectors)
    }
}

/// The vector that was kept last.
pub(crate) fn newest(tx: &Connection) -> Result<i64> {
    let mut statement = tx.prepare_cached("SELECT coalesce(max(number), 0) FROM vector")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

fn load(tx: &Connection, sql: &str, cell: i64, after: i64) -> Result<Vec<(Owner, Bits)>> {
    let mut statement = tx.prepare_cached(sql)?;
    let mut rows = statement.query((cell, after))?;
    let mut loaded = Vec::new();
    while let Some(row) = rows.next()? {
        let owner = Owner { record: row.get(1)?, field: row.get(2)?, number: row.get(0)? };
        loaded.push((owner, vector(row.get_ref(3)?)?.bits()));
    }
    Ok(loaded)
}

/// A vector as it is stored.
pub(crate) fn vector(value: rusqlite::types::ValueRef<'_>) -> Result<Vector> {
    let data = value.as_blob().map_err(|_| corrupt("a vector of the wrong type"))?;
    let bytes: [u8; BYTES] = data.try_into().map_err(|_| corrupt("a vector of the wrong size"))?;
    Ok(Vector::from_bytes(bytes))
}

impl CellVectors {
    fn with(self: Arc<Self>, added: Vec<(Owner, Bits)>) -> Arc<Self> {
        if added.is_empty() {
            return self;
        }
        let mut all: Vec<(Owner, Bits)> = self.owners.iter().copied().zip(self.bits.iter().copied()).collect();
        all.extend(added);
        all.sort_by_key(|(owner, _)| *owner);
        let (owners, bits) = all.into_iter().unzip();
        Arc::new(Self { bits, owners })
    }
}
