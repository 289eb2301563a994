//! Which model the vectors are of.

use rusqlite::{Connection, OptionalExtension};
use vitrine_embed::MODEL_ID;

use crate::fault::Result;

const MODEL: &str = "meaning_model";

/// Whether the vectors are of the model that this program has.
pub(crate) fn is_current(tx: &Connection) -> Result<bool> {
    Ok(noted(tx)?.as_deref() == Some(MODEL_ID))
}

/// Notes the present model, and drops the vectors of another; whether there was one.
pub(crate) fn drop_of_other_models(tx: &Connection) -> Result<bool> {
    let another = noted(tx)?.is_some_and(|model| model != MODEL_ID);
    if another {
        tx.execute("DELETE FROM vector", [])?;
        tx.execute("UPDATE cell SET vectors_dropped = vectors_dropped + 1", [])?;
    }
    tx.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)", (MODEL, MODEL_ID))?;
    Ok(another)
}

fn noted(tx: &Connection) -> Result<Option<String>> {
    let mut statement = tx.prepare("SELECT CAST(value AS TEXT) FROM meta WHERE name = ?1")?;
    Ok(statement.query_row([MODEL], |row| row.get(0)).optional()?)
}
