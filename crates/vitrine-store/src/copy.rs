//! Copies of the whole: the database as it is at one moment, and every blob.

use std::io;
use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OptionalExtension};
use vitrine_contract::BlobRef;
use vitrine_engine::port::{StoreError, StoreResult};

use crate::Store;
use crate::fault::{Result, corrupt};

impl Store {
    /// Copies the database into a new file, as it is at one moment, while others read and write.
    pub fn copy_to(&self, path: &Path) -> StoreResult<()> {
        let copied = || -> Result<()> {
            let source = self.database.open_reader()?;
            let mut copy = Connection::open(path)?;
            crate::open::restrict(path, 0o600);
            // One step for all pages: another process that writes in between would start it over.
            if Backup::new(&source, &mut copy)?.step(-1)? != StepResult::Done {
                return Err(StoreError::Failed("the database could not be copied: it is locked".to_owned()).into());
            }
            copy.execute_batch("PRAGMA journal_mode = DELETE")?;
            Ok(())
        };
        copied().map_err(|fault| fault.0)
    }

    /// Every blob of a connection, whether a record refers to it or not. For the owner's own copies.
    pub fn blobs(&self, connection_id: &str) -> StoreResult<Vec<BlobRef>> {
        self.database.read(|tx| {
            let mut statement = tx.prepare(
                "SELECT b.blob_id, b.mime_type, b.size, b.sha256 FROM blob b JOIN connection c ON c.number = b.connection
                 WHERE c.connection_id = ?1 ORDER BY b.blob_id",
            )?;
            let blobs = statement.query_map([connection_id], |row| {
                let size: i64 = row.get(2)?;
                Ok(BlobRef {
                    blob_id: row.get(0)?,
                    mime_type: row.get(1)?,
                    size_bytes: Some(size.cast_unsigned()),
                    sha256: Some(row.get(3)?),
                })
            })?;
            Ok(blobs.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Writes a blob's bytes out, part by part.
    pub fn write_blob(&self, connection_id: &str, blob_id: &str, mut out: impl io::Write) -> StoreResult<()> {
        self.database.read(|tx| {
            let number: Option<i64> = tx
                .prepare_cached(
                    "SELECT b.number FROM blob b JOIN connection c ON c.number = b.connection
                     WHERE c.connection_id = ?1 AND b.blob_id = ?2",
                )?
                .query_row((connection_id, blob_id), |row| row.get(0))
                .optional()?;
            let mut statement = tx.prepare_cached("SELECT bytes FROM blob_part WHERE blob = ?1 ORDER BY part")?;
            let mut rows = statement.query([number])?;
            while let Some(row) = rows.next()? {
                let part = row.get_ref(0)?.as_blob().map_err(|_| corrupt("a part of a blob of the wrong type"))?;
                out.write_all(part).map_err(|error| StoreError::Failed(error.to_string()))?;
            }
            Ok(())
        })
    }
}
