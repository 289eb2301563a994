//! Which texts are still to be read.

use rusqlite::Connection;
use vitrine_contract::search::IndexCoverage;
use vitrine_contract::values;
use vitrine_engine::ingest::TextField;

use crate::fault::Result;
use crate::row;

/// A record of a cell, and the change that brought its texts.
#[derive(Clone, Copy)]
pub(crate) struct Bringing {
    pub(crate) cell: i64,
    pub(crate) record: i64,
    pub(crate) stamp: i64,
}

/// Notes texts as unread.
fn note(tx: &Connection, bringing: Bringing, fields: &[TextField], has_text: impl Fn(&str) -> bool) -> Result<()> {
    let mut insert =
        tx.prepare_cached("INSERT OR REPLACE INTO unread (record, field, cell, stamp) VALUES (?1, ?2, ?3, ?4)")?;
    for field in fields.iter().filter(|field| field.semantic && has_text(&field.name)) {
        insert.execute((bringing.record, field.number, bringing.cell, bringing.stamp))?;
    }
    Ok(())
}

/// Notes the texts that changed as unread; what they meant before no longer counts.
pub(crate) fn renew(
    tx: &Connection,
    bringing: Bringing,
    fields: &[TextField],
    changed: impl Fn(&str) -> bool,
    has_text: impl Fn(&str) -> bool,
) -> Result<()> {
    for field in fields.iter().filter(|field| field.semantic && changed(&field.name)) {
        drop_vectors(tx, bringing.cell, bringing.record, Some(field.number))?;
        tx.prepare_cached("DELETE FROM unread WHERE record = ?1 AND field = ?2")?
            .execute((bringing.record, field.number))?;
    }
    note(tx, bringing, fields, |name| changed(name) && has_text(name))
}

/// Removes what is known of a record's meaning.
pub(crate) fn forget_record(tx: &Connection, cell: i64, record: i64) -> Result<()> {
    tx.prepare_cached("DELETE FROM unread WHERE record = ?1")?.execute([record])?;
    drop_vectors(tx, cell, record, None)
}

/// Removes what is known of a cell's records.
pub(crate) fn drop_cell(tx: &Connection, cell: i64) -> Result<()> {
    tx.execute("DELETE FROM vector WHERE cell = ?1", [cell])?;
    tx.execute("DELETE FROM unread WHERE cell = ?1", [cell])?;
    note_dropped(tx, cell)
}

fn drop_vectors(tx: &Connection, cell: i64, record: i64, field: Option<i64>) -> Result<()> {
    let dropped = tx
        .prepare_cached("DELETE FROM vector WHERE cell = ?1 AND record = ?2 AND field = coalesce(?3, field)")?
        .execute((cell, record, field))?;
    if dropped > 0 { note_dropped(tx, cell) } else { Ok(()) }
}

fn note_dropped(tx: &Connection, cell: i64) -> Result<()> {
    tx.prepare_cached("UPDATE cell SET vectors_dropped = vectors_dropped + 1 WHERE number = ?1")?.execute([cell])?;
    Ok(())
}

/// How many of all texts were read.
pub(crate) fn coverage(tx: &Connection) -> Result<IndexCoverage> {
    let count = |sql: &str| tx.query_row(sql, [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned);
    let covered = count("SELECT count(*) FROM (SELECT DISTINCT record, field FROM vector)")?;
    Ok(IndexCoverage { covered, total: covered + count("SELECT count(*) FROM unread")? })
}

/// Brings a cell in line with the fields that are searched by meaning now.
pub(crate) fn renew_cell(tx: &Connection, cell: i64, fields: &[TextField]) -> Result<()> {
    let semantic: Vec<i64> = fields.iter().filter(|field| field.semantic).map(|field| field.number).collect();
    let numbers = serde_json::to_string(&semantic)?;
    for table in ["vector", "unread"] {
        let sql = format!("DELETE FROM {table} WHERE cell = ?1 AND field NOT IN (SELECT value FROM json_each(?2))");
        if tx.execute(&sql, (cell, &numbers))? > 0 {
            note_dropped(tx, cell)?;
        }
    }
    if semantic.is_empty() {
        return Ok(());
    }
    let mut known = tx.prepare(
        "SELECT EXISTS (SELECT 1 FROM vector WHERE cell = ?1 AND record = ?2 AND field = ?3)
             OR EXISTS (SELECT 1 FROM unread WHERE record = ?2 AND field = ?3)",
    )?;
    let mut select = tx.prepare("SELECT number, data, long, born FROM record WHERE cell = ?1")?;
    let mut rows = select.query([cell])?;
    while let Some(row) = rows.next()? {
        let (record, data, long): (i64, String, Option<String>) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let texts = text_fields(&data, long.as_deref())?;
        let bringing = Bringing { cell, record, stamp: row.get(3)? };
        for field in fields.iter().filter(|field| field.semantic) {
            if !known.query_row((cell, record, field.number), |row| row.get::<_, bool>(0))? {
                note(tx, bringing, std::slice::from_ref(field), |name| texts.iter().any(|text| text == name))?;
            }
        }
    }
    Ok(())
}

/// The fields of a stored payload that hold text.
fn text_fields(data: &str, long: Option<&str>) -> Result<Vec<String>> {
    let short = values::fields(data).into_iter().filter(|(_, json)| is_text(json));
    let mut names: Vec<String> = short.map(|(name, _)| name.into_owned()).collect();
    names.extend(row::long_fields(long)?.into_iter().filter(|field| !field.json).map(|field| field.name));
    Ok(names)
}

/// Whether a field of a payload holds text.
pub(crate) fn has_text(fields: &[(String, String)]) -> impl Fn(&str) -> bool {
    move |name| fields.iter().any(|(field, json)| field == name && is_text(json))
}

/// Whether a value is a string with something in it.
fn is_text(json: &str) -> bool {
    json.len() > 2 && json.starts_with('"')
}
