//! Chrome, Chromium, Edge, Brave: the file `History` of a profile.

use super::{DECLARATION, Visit, has_tables, read_visits};
use crate::kind::Importer;

pub(crate) const IMPORTER: Importer = Importer::declared(
    "a Chrome history",
    "the file `History` of a Chrome, Chromium, Edge or Brave profile",
    DECLARATION,
    |export| has_tables(export, ["urls", "visits"]),
    |export, _, sink| read_visits(export, sink, VISITS, visit),
);

const VISITS: &str = "SELECT v.id, u.url, u.title, v.visit_time, v.transition, v.visit_duration
    FROM visits v LEFT JOIN urls u ON u.id = v.url ORDER BY v.id";
/// Microseconds from 1601 to 1970.
const EPOCH_MICROS: i64 = 11_644_473_600_000_000;

fn visit(row: &rusqlite::Row<'_>) -> rusqlite::Result<Visit> {
    let transition: i64 = row.get(4)?;
    let duration: i64 = row.get(5)?;
    Ok(Visit {
        number: row.get(0)?,
        url: row.get(1)?,
        title: row.get(2)?,
        micros: row.get::<_, i64>(3)?.saturating_sub(EPOCH_MICROS),
        how: match transition & 0xff {
            0 => "link",
            1 => "typed",
            2 => "bookmark",
            5 => "search",
            7 => "form",
            8 => "reload",
            _ => "other",
        },
        duration_ms: (duration > 0).then_some(duration / 1_000),
    })
}
