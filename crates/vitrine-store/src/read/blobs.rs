//! Blobs, read only through a visible field of a visible record.

use rusqlite::{Connection, OptionalExtension};
use vitrine_contract::BlobRef;
use vitrine_contract::request::ByteRange;
use vitrine_engine::gate::{ReadPlan, Scope};
use vitrine_engine::port::FoundBlob;

use super::check_fresh;
use crate::fault::{Result, corrupt};

pub(crate) fn blob(
    tx: &Connection,
    plan: &ReadPlan,
    blob_id: &str,
    range: Option<ByteRange>,
) -> Result<Option<FoundBlob>> {
    check_fresh(tx, plan)?;
    let mut found: Option<FoundBlob> = None;
    for (at, scope) in plan.scopes().iter().enumerate() {
        let Some((record_id, field)) = referrer(tx, scope, blob_id)? else { continue };
        let Some(Kept { number, info }) = kept(tx, scope, blob_id)? else { continue };
        match &mut found {
            Some(first) if first.info.sha256 == info.sha256 => {}
            Some(first) => first.others.push(at),
            None => {
                let (start, end) = span(range, info.size_bytes.unwrap_or_default());
                let bytes = bytes(tx, number, start, end)?;
                found = Some(FoundBlob { scope: at, record_id, field, info, start, bytes, others: Vec::new() });
            }
        }
    }
    Ok(found)
}

/// A visible record of the scope with a visible field that refers to the blob.
fn referrer(tx: &Connection, scope: &Scope, blob_id: &str) -> Result<Option<(String, String)>> {
    let mut statement = tx.prepare_cached(
        "SELECT u.field, r.id, r.time FROM blob_use u JOIN record r ON r.number = u.record WHERE u.cell = ?1 AND u.blob_id = ?2",
    )?;
    let mut rows = statement.query((scope.cell(), blob_id))?;
    while let Some(row) = rows.next()? {
        let (field, id): (String, String) = (row.get(0)?, row.get(1)?);
        let time = row.get_ref(2)?.as_blob_or_null().map_err(|_| corrupt("a time of the wrong type"))?;
        if scope.visible().contains(&field)
            && scope.window().is_none_or(|window| window.contains(time))
            && scope.resources().is_none_or(|ids| ids.contains(&id))
        {
            return Ok(Some((id, field)));
        }
    }
    Ok(None)
}

/// A blob of the scope's connection.
struct Kept {
    number: i64,
    info: BlobRef,
}

fn kept(tx: &Connection, scope: &Scope, blob_id: &str) -> Result<Option<Kept>> {
    let kept = tx
        .prepare_cached(
            "SELECT b.number, b.mime_type, b.size, b.sha256 FROM blob b JOIN cell c ON c.connection = b.connection
             WHERE c.number = ?1 AND b.blob_id = ?2",
        )?
        .query_row((scope.cell(), blob_id), |row| {
            let size_bytes = Some(row.get::<_, i64>(2)?.cast_unsigned());
            let info = BlobRef { blob_id: blob_id.to_owned(), mime_type: row.get(1)?, size_bytes, sha256: row.get(3)? };
            Ok(Kept { number: row.get(0)?, info })
        })
        .optional()?;
    Ok(kept)
}

/// The bytes a range names: first, and one past the last.
fn span(range: Option<ByteRange>, size: u64) -> (u64, u64) {
    match range {
        None => (0, size),
        Some(ByteRange::Nothing) => (0, 0),
        Some(ByteRange::Last(count)) => (size.saturating_sub(count), size),
        Some(ByteRange::From(first, last)) => {
            (first.min(size), last.map_or(size, |last| last.saturating_add(1)).clamp(first.min(size), size))
        }
    }
}

fn bytes(tx: &Connection, blob: i64, start: u64, end: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if start >= end {
        return Ok(bytes);
    }
    let part = crate::write::PART_BYTES as u64;
    let mut statement =
        tx.prepare_cached("SELECT bytes FROM blob_part WHERE blob = ?1 AND part BETWEEN ?2 AND ?3 ORDER BY part")?;
    let mut rows = statement.query((blob, (start / part).cast_signed(), ((end - 1) / part).cast_signed()))?;
    while let Some(row) = rows.next()? {
        bytes.extend_from_slice(row.get_ref(0)?.as_blob().map_err(|_| corrupt("a part of a blob of the wrong type"))?);
    }
    let skip = usize::try_from(start % part).unwrap_or_default();
    bytes.drain(..skip.min(bytes.len()));
    bytes.truncate(usize::try_from(end - start).unwrap_or(usize::MAX));
    Ok(bytes)
}
