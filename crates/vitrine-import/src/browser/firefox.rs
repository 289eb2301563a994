//! Firefox: the file `places.sqlite` of a profile.

use super::{DECLARATION, Visit, has_tables, read_visits};
use crate::kind::Importer;

pub(crate) const IMPORTER: Importer = Importer::declared(
    "a Firefox history",
    "the file `places.sqlite` of a Firefox profile",
    DECLARATION,
    |export| has_tables(export, ["moz_places", "moz_historyvisits"]),
    |export, _, sink| read_visits(export, sink, VISITS, visit),
);

const VISITS: &str = "SELECT v.id, p.url, p.title, v.visit_date, v.visit_type
    FROM moz_historyvisits v LEFT JOIN moz_places p ON p.id = v.place_id ORDER BY v.id";

fn visit(row: &rusqlite::Row<'_>) -> rusqlite::Result<Visit> {
    Ok(Visit {
        number: row.get(0)?,
        url: row.get(1)?,
        title: row.get(2)?,
        micros: row.get(3)?,
        how: match row.get::<_, i64>(4)? {
            1 => "link",
            2 => "typed",
            3 => "bookmark",
            9 => "reload",
            _ => "other",
        },
        duration_ms: None,
    })
}
