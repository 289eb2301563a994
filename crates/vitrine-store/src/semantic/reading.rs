//! Reads unread texts: takes some out, and puts what they mean back.

use std::borrow::Cow;

use rusqlite::Connection;
use vitrine_contract::chars;
use vitrine_embed::{EncodeError, Encoder, Vector, passages};
use vitrine_engine::catalog::Catalog;
use vitrine_engine::port::{StoreError, StoreResult};

use crate::fault::Result;
use crate::lexical::{self, LexicalField};
use crate::row::Payload;

/// Passages of one field at most; what follows is found by its words alone.
const MAX_PASSAGES: usize = 32;
/// Characters of a field that its passages can lie in.
const MAX_TEXT_CHARS: usize = 64 * 1024;

/// A text to read.
pub(crate) struct Passages {
    cell: i64,
    record: i64,
    field: i64,
    stamp: i64,
    texts: Vec<String>,
}

/// The newest unread texts.
pub(crate) fn take(tx: &Connection, catalog: &Catalog, count: usize) -> Result<Vec<Passages>> {
    let mut statement = tx.prepare_cached(
        "SELECT u.cell, u.record, u.field, u.stamp, r.data, r.long FROM unread u JOIN record r ON r.number = u.record
         ORDER BY u.record DESC, u.field LIMIT ?1",
    )?;
    let mut rows = statement.query([i64::try_from(count).unwrap_or(i64::MAX)])?;
    let mut taken = Vec::new();
    while let Some(row) = rows.next()? {
        let (cell, record, field, stamp): (i64, i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        let (data, long): (String, Option<String>) = (row.get(4)?, row.get(5)?);
        let payload = Payload { record, data: Cow::Owned(data), long: long.map(Cow::Owned), extra: false };
        let field_of_cell = catalog.field_name(cell, field).map(|name| LexicalField::new(name, field));
        let text = lexical::texts(tx, &payload, field_of_cell.as_slice())?.pop().map(|found| found.text);
        let text = text.unwrap_or_default();
        let texts = passages(chars::first(&text, MAX_TEXT_CHARS), MAX_PASSAGES)
            .into_iter()
            .map(|range| text[range].to_owned())
            .collect();
        taken.push(Passages { cell, record, field, stamp, texts });
    }
    Ok(taken)
}

/// Reads texts: what each passage means.
pub(crate) fn read(texts: Vec<Passages>) -> StoreResult<Vec<(Passages, Vec<Vector>)>> {
    let failed = |error: EncodeError| StoreError::Failed(error.to_string());
    let encoder = Encoder::bundled().map_err(failed)?;
    let read = |passages: Passages| {
        let texts: Vec<&str> = passages.texts.iter().map(String::as_str).collect();
        let vectors = encoder.encode(&texts).map_err(failed)?;
        Ok((passages, vectors))
    };
    texts.into_iter().map(read).collect()
}

/// Keeps what was read, unless the text has changed or gone meanwhile.
pub(crate) fn keep(tx: &Connection, read: &[(Passages, Vec<Vector>)]) -> Result<()> {
    for (passages, vectors) in read {
        let still = tx
            .prepare_cached("DELETE FROM unread WHERE record = ?1 AND field = ?2 AND stamp = ?3")?
            .execute((passages.record, passages.field, passages.stamp))?;
        if still == 0 {
            continue;
        }
        for vector in vectors {
            tx.prepare_cached("INSERT INTO vector (cell, record, field, data) VALUES (?1, ?2, ?3, ?4)")?.execute((
                passages.cell,
                passages.record,
                passages.field,
                vector.as_bytes(),
            ))?;
        }
    }
    Ok(())
}
