//! Blobs, kept in parts beside the records that refer to them.

use rusqlite::Connection;
use vitrine_contract::BlobRef;
use vitrine_engine::ingest::RecordKeys;
use vitrine_engine::keeping::NewBlob;

use crate::fault::{Result, refused};

/// Bytes of one part of a blob.
pub(crate) const PART_BYTES: usize = 64 * 1024;

/// Stores a blob, unless the connection has just that one.
pub(crate) fn put_new_blob(tx: &Connection, connection_id: &str, blob: &NewBlob) -> Result<()> {
    let connection = connection_number(tx, connection_id)?;
    let known: bool = tx
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM blob WHERE connection = ?1 AND blob_id = ?2 AND sha256 = ?3)")?
        .query_row((connection, &blob.reference.blob_id, &blob.reference.sha256), |row| row.get(0))?;
    if known { Ok(()) } else { put_blob(tx, connection_id, &blob.reference, &blob.bytes) }
}

pub(crate) fn put_blob(tx: &Connection, connection_id: &str, info: &BlobRef, bytes: &[u8]) -> Result<()> {
    let connection = connection_number(tx, connection_id)?;
    delete(tx, connection, &info.blob_id)?;
    tx.execute(
        "INSERT INTO blob (connection, blob_id, mime_type, size, sha256) VALUES (?1, ?2, ?3, ?4, ?5)",
        (connection, &info.blob_id, &info.mime_type, i64::try_from(bytes.len()).unwrap_or(i64::MAX), &info.sha256),
    )?;
    let blob = tx.last_insert_rowid();
    let mut statement = tx.prepare_cached("INSERT INTO blob_part (blob, part, bytes) VALUES (?1, ?2, ?3)")?;
    for (part, bytes) in (0_i64..).zip(bytes.chunks(PART_BYTES)) {
        statement.execute((blob, part, bytes))?;
    }
    Ok(())
}

fn connection_number(tx: &Connection, connection_id: &str) -> Result<i64> {
    tx.prepare_cached("SELECT number FROM connection WHERE connection_id = ?1")?
        .query_row([connection_id], |row| row.get(0))
        .map_err(|_| refused(format!("There is no connection `{connection_id}`.")))
}

/// Notes which blobs a record refers to.
pub(super) fn note_uses(tx: &Connection, cell: i64, record: i64, keys: &RecordKeys) -> Result<()> {
    for (field, blob_id) in &keys.blobs {
        tx.prepare_cached("INSERT OR IGNORE INTO blob_use (cell, blob_id, field, record) VALUES (?1, ?2, ?3, ?4)")?
            .execute((cell, blob_id, field, record))?;
    }
    Ok(())
}

pub(super) fn forget_uses(tx: &Connection, record: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM blob_use WHERE record = ?1")?.execute([record])?;
    Ok(())
}

/// Deletes the blobs that only a deleted record referred to.
pub(super) fn drop_unused(tx: &Connection, cell: i64, keys: &RecordKeys) -> Result<()> {
    for (_, blob_id) in &keys.blobs {
        let connection: i64 =
            tx.prepare_cached("SELECT connection FROM cell WHERE number = ?1")?.query_row([cell], |row| row.get(0))?;
        let used: bool = tx
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM blob_use u JOIN cell c ON c.number = u.cell WHERE c.connection = ?1 AND u.blob_id = ?2)",
            )?
            .query_row((connection, blob_id), |row| row.get(0))?;
        if !used {
            delete(tx, connection, blob_id)?;
        }
    }
    Ok(())
}

fn delete(tx: &Connection, connection: i64, blob_id: &str) -> Result<()> {
    tx.prepare_cached(
        "DELETE FROM blob_part WHERE blob IN (SELECT number FROM blob WHERE connection = ?1 AND blob_id = ?2)",
    )?
    .execute((connection, blob_id))?;
    tx.prepare_cached("DELETE FROM blob WHERE connection = ?1 AND blob_id = ?2")?.execute((connection, blob_id))?;
    Ok(())
}
