//! New rows of one table, many to a statement: running one costs as much as several rows do.

use rusqlite::{CachedStatement, Connection, ToSql};

use crate::fault::Result;

/// Rows of one statement.
const TOGETHER: usize = 32;

/// The values of the next rows, bound in order.
pub(super) struct Values<'a, 'tx> {
    statement: &'a mut CachedStatement<'tx>,
    bound: usize,
}

impl Values<'_, '_> {
    pub(super) fn push(&mut self, value: impl ToSql) -> Result<()> {
        self.bound += 1;
        Ok(self.statement.raw_bind_parameter(self.bound, value)?)
    }
}

/// Inserts `rows` into a table, given with its columns; `bind` gives the values of each, in their order. After a
/// fault some may stand: the transaction around it must not go on.
pub(super) fn insert<T>(
    tx: &Connection,
    table: &str,
    rows: &[T],
    mut bind: impl FnMut(&T, &mut Values<'_, '_>) -> Result<()>,
) -> Result<()> {
    let (many, few) = rows.split_at(rows.len() - rows.len() % TOGETHER);
    for (rows, together) in [(many, TOGETHER), (few, 1)] {
        if rows.is_empty() {
            continue;
        }
        let mut statement = tx.prepare_cached(&sql(table, together))?;
        for rows in rows.chunks(together) {
            let mut values = Values { statement: &mut statement, bound: 0 };
            rows.iter().try_for_each(|row| bind(row, &mut values))?;
            statement.raw_execute()?;
        }
    }
    Ok(())
}

fn sql(table: &str, rows: usize) -> String {
    let width = table.matches(',').count() + 1;
    let row = format!("({})", vec!["?"; width].join(", "));
    // Otherwise the pages that a statement changes are copied first, in case it fails half way.
    format!("INSERT OR FAIL INTO {table} VALUES {}", vec![row; rows].join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_arrives_however_many_there_are() {
        let database = Connection::open_in_memory().unwrap();
        database.execute_batch("CREATE TABLE pair (a INTEGER, b TEXT)").unwrap();
        for count in [0, 1, TOGETHER - 1, TOGETHER, 3 * TOGETHER + 2] {
            database.execute("DELETE FROM pair", []).unwrap();
            let rows: Vec<i64> = (0..i64::try_from(count).unwrap()).collect();
            insert(&database, "pair (a, b)", &rows, |row, values| {
                values.push(row)?;
                values.push(row.to_string())
            })
            .unwrap();
            let kept: Vec<i64> = database
                .prepare("SELECT a FROM pair WHERE b = CAST(a AS TEXT) ORDER BY rowid")
                .unwrap()
                .query_map([], |row| row.get(0))
                .unwrap()
                .collect::<rusqlite::Result<_>>()
                .unwrap();
            assert_eq!(kept, rows);
        }
    }
}
