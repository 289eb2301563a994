//! Any table as CSV.

use serde_json::{Map, Value};
use vitrine_contract::time;

use super::cell::{self, Kind, KindGuess};
use super::declare::{Column, ROW_ID, declaration};
use super::field::Field;
use super::merge::{self, Held, Known};
use super::{MAX_COLUMNS, STREAM, only};
use crate::delimited::{self, Next};
use crate::export::{Export, Member};
use crate::kind::{Importer, Prepared};
use crate::repeats::Repeats;
use crate::settings::{DateOrder, Settings};
use crate::sink::{ImportError, Sink};
use crate::text;

/// Starts what such a source is called.
const KEY: &str = "csv";

pub(crate) const IMPORTER: Importer = Importer::derived(
    "a CSV table",
    "a text file with the same cells in each line, separated by commas, semicolons, tabs or bars",
    KEY,
    |export| Ok(delimiter(export)?.is_some()),
    prepare,
);

/// The delimiter that gives the first rows the most cells, the same number in each; in most, when none does in each.
fn delimiter(export: &mut Export) -> Result<Option<u8>, ImportError> {
    let Some(member) = only(export) else { return Ok(None) };
    let head = text::head(export, &member, 64 * 1024)?;
    if head.contains('\0') || head.trim_start().starts_with(['{', '[', '<']) {
        return Ok(None);
    }
    if let Some(named) = delimited::named_delimiter(&head) {
        return Ok(Some(named));
    }
    let whole =
        if head.len() < 64 * 1024 { head.as_str() } else { head.rsplit_once('\n').map_or("", |(whole, _)| whole) };
    let mut best = (Evenness::None, 1, None);
    for delimiter in delimited::DELIMITERS {
        let mut rows = delimited::rows(whole.as_bytes(), delimiter);
        let widths: Vec<usize> = rows.records().take(50).filter_map(Result::ok).map(|row| row.len()).collect();
        let (evenness, width) = (Evenness::of(&widths), widths.first().copied().unwrap_or_default());
        if evenness != Evenness::None && width > 1 && (evenness, width) > (best.0, best.1) {
            best = (evenness, width, Some(delimiter));
        }
    }
    Ok(best.2)
}

/// Whether rows are as wide as the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Evenness {
    None,
    Most,
    All,
}

impl Evenness {
    /// Rows that miss a cell are one thing; lines in which nothing is separated are text.
    fn of(widths: &[usize]) -> Self {
        let count = |is: &dyn Fn(usize) -> bool| widths.iter().filter(|width| is(**width)).count();
        let fitting = count(&|width| Some(&width) == widths.first());
        if fitting == widths.len() {
            Self::All
        } else if fitting * 3 >= widths.len() * 2 && count(&|width| width == 1) * 4 <= widths.len() {
            Self::Most
        } else {
            Self::None
        }
    }
}

struct CsvColumn {
    field: Field,
    guess: KindGuess,
    /// What its cells are read as.
    kind: Kind,
}

fn prepare(
    export: &mut Export,
    settings: &Settings,
    account: &str,
    registered: Option<&Value>,
) -> Result<Prepared, ImportError> {
    let (Some(member), Some(delimiter)) = (only(export), delimiter(export)?) else {
        return Err(ImportError::Wrong("There is no table in it.".to_owned()));
    };
    let (mut columns, rows) = survey(export, &member, delimiter, settings.date_order)?;
    let known = registered.and_then(Known::of);
    let key = match known.and_then(Known::key) {
        Some(ROW_ID) => None,
        Some(key) => Some(columns.iter().position(|c| c.field.name == key).ok_or_else(|| merge::without_key(key))?),
        None => {
            columns.iter().position(|c| matches!(c.guess.kind(), Kind::Text | Kind::Integer) && c.field.is_key(rows))
        }
    };
    for column in &mut columns {
        column.kind = column.kind_beside(known.and_then(|known| known.held(&column.field.name)));
    }
    // What no row says is as it was declared before.
    let is_told = |c: &&CsvColumn| c.guess.is_told() || known.and_then(|known| known.held(&c.field.name)).is_none();
    let declared: Vec<Column<'_>> = columns.iter().filter(is_told).map(CsvColumn::declared).collect();
    let key_name = key.map(|at| columns[at].field.name.clone());
    let declaration = declaration(KEY, account, &member.name, &declared, key_name.as_deref(), registered);
    let cells: Vec<Cell> = columns.iter().map(Cell::of).collect();
    let doubts: Vec<String> = columns.iter().filter_map(|c| c.guess.doubt(&c.field.name)).collect();
    let read = move |export: &mut Export, settings: &Settings, sink: &mut Sink<'_>| {
        for doubt in doubts {
            sink.note(doubt);
        }
        let mut reading = Reading { cells, key: key.is_some(), repeats: Repeats::default() };
        reading.read(export, &member, delimiter, settings, sink)
    };
    Ok(Prepared { declaration: declaration.into(), derived: true, read: Box::new(read) })
}

/// Looks at every row once that is going to be taken.
fn survey(
    export: &mut Export,
    member: &Member,
    delimiter: u8,
    order: Option<DateOrder>,
) -> Result<(Vec<CsvColumn>, u64), ImportError> {
    let mut rows = delimited::rows(text::reader(export, member)?, delimiter);
    let mut row = csv::StringRecord::new();
    let mut columns: Vec<CsvColumn> = Vec::new();
    let mut count = 0;
    loop {
        match delimited::next(&mut rows, &mut row)? {
            Next::End | Next::Unclosed(_) => return Ok((columns, count)),
            Next::Bad(_) => {}
            Next::Row if columns.is_empty() && delimited::names_delimiter(&row) => {}
            Next::Row if columns.is_empty() => {
                for heading in row.iter().take(MAX_COLUMNS) {
                    let names: Vec<Field> = columns.iter().map(|c| Field::new(&c.field.name, &[])).collect();
                    columns.push(CsvColumn {
                        field: Field::new(heading, &names),
                        guess: KindGuess::new(order),
                        kind: Kind::Text,
                    });
                }
            }
            Next::Row if row.len() > columns.len() => {}
            Next::Row => {
                count += 1;
                for (column, text) in columns.iter_mut().zip(&row) {
                    let text = text.trim();
                    if !text.is_empty() {
                        column.field.see(text);
                        column.guess.see(text);
                    }
                }
            }
        }
    }
}

impl CsvColumn {
    /// What its cells are: text stays text when one file has only figures in it.
    fn kind_beside(&self, held: Option<Held>) -> Kind {
        match (held, self.guess.kind()) {
            (Some(Held::Text), _) => Kind::Text,
            (Some(Held::Instant), Kind::Day) if self.guess.may_be(Kind::Instant) => Kind::Instant,
            (_, kind) => kind,
        }
    }

    fn declared(&self) -> Column<'_> {
        let (kind, format) = match self.kind {
            Kind::Boolean => ("boolean", None),
            Kind::Integer => ("integer", None),
            Kind::Point | Kind::Comma => ("number", None),
            Kind::Day => ("string", Some("date")),
            Kind::Instant => ("string", Some("date-time")),
            Kind::Text => ("string", None),
        };
        Column { field: &self.field, types: vec![kind], format }
    }
}

/// How a column's cells are read.
struct Cell {
    name: String,
    kind: Kind,
    order: DateOrder,
}

impl Cell {
    fn of(column: &CsvColumn) -> Self {
        Self { name: column.field.name.clone(), kind: column.kind, order: column.guess.order() }
    }
}

struct Reading {
    cells: Vec<Cell>,
    key: bool,
    repeats: Repeats,
}

impl Reading {
    fn read(
        &mut self,
        export: &mut Export,
        member: &Member,
        delimiter: u8,
        settings: &Settings,
        sink: &mut Sink<'_>,
    ) -> Result<(), ImportError> {
        let mut rows = delimited::rows(text::reader(export, member)?, delimiter);
        let mut row = csv::StringRecord::new();
        let mut headings = true;
        loop {
            let read = delimited::next(&mut rows, &mut row)?;
            let place = || format!("line {}", row.position().map_or(0, csv::Position::line));
            match read {
                Next::End => return Ok(()),
                Next::Unclosed(line) => return Err(delimited::unclosed(&member.name, line)),
                Next::Bad(reason) => sink.reject(reason, place()),
                Next::Row if headings => headings = delimited::names_delimiter(&row),
                Next::Row if row.len() > self.cells.len() => {
                    sink.reject("a row with more cells than headings", place());
                }
                Next::Row => self.row(&row, settings, &place, sink)?,
            }
        }
    }

    fn row(
        &mut self,
        row: &csv::StringRecord,
        settings: &Settings,
        place: &dyn Fn() -> String,
        sink: &mut Sink<'_>,
    ) -> Result<(), ImportError> {
        let mut data = Map::with_capacity(row.len() + 1);
        let mut at = None;
        if !self.key {
            let content: Vec<&str> = row.iter().collect();
            data.insert(ROW_ID.to_owned(), self.repeats.key(&content).into());
        }
        for (cell, text) in self.cells.iter().zip(row) {
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            let Some(value) = cell::value(text, cell.kind, cell.order, settings) else {
                sink.reject(format!("a row whose {} cannot be read", cell.name), place());
                return Ok(());
            };
            if at.is_none() && matches!(cell.kind, Kind::Day | Kind::Instant) {
                at = value.as_str().and_then(time::parse);
            }
            data.insert(cell.name.clone(), value);
        }
        sink.row(STREAM, at, data)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{read, read_export, settings};
    use crate::{Export, ImportError, Kind};

    const TABLE: &str = "Date;Item;Price (EUR);Zip;Paid\n31.12.2023;Tea;3,50;01067;true\n01.02.2024;\"Bread; rye\";4;20459;false\n01.02.2024;\"Bread; rye\";4;20459;false\n";

    #[test]
    fn a_table_becomes_rows_of_the_types_it_has() {
        let found = read(Kind::Csv, "shopping.csv", TABLE);
        let mut rows: Vec<_> = found.of("rows").into_iter().cloned().collect();
        let ids: std::collections::HashSet<String> =
            rows.iter_mut().map(|row| row.as_object_mut().unwrap().remove("row_id").unwrap().to_string()).collect();
        assert_eq!(ids.len(), 3, "equal rows are told apart");
        assert_eq!(
            rows[0],
            json!({ "date": "2023-12-31", "item": "Tea", "price_eur": 3.5, "zip": "01067", "paid": true })
        );
        assert_eq!(rows[1]["item"], "Bread; rye");
    }

    #[test]
    fn a_column_of_keys_is_the_key() {
        let mut export = Export::of_bytes("t.csv", b"id,name\n7,a\n8,b\n".as_slice()).unwrap();
        let declaration = Kind::Csv.prepare(&mut export, &settings(), "My table").unwrap().declaration;
        let declaration: serde_json::Value = serde_json::from_str(&declaration).unwrap();
        assert_eq!(declaration["streams"][0]["primary_key"], json!(["id"]));
        assert!(declaration["connector_key"].as_str().unwrap().starts_with("csv-my-table-"));
        assert_eq!(
            read(Kind::Csv, "t.csv", "id,name\n7,a\n7,b\n").of("rows")[0]["id"],
            7,
            "not a key when it comes twice"
        );
    }

    #[test]
    fn rows_that_do_not_fit_are_rejected_alone() {
        let head = "1,x\n".repeat(60);
        let found = read(Kind::Csv, "t.csv", format!("a,b\n{head}1,2,3\n"));
        assert_eq!((found.of("rows").len(), found.reasons()), (60, vec!["a row with more cells than headings"]));
    }

    #[test]
    fn one_short_row_near_the_top_refuses_no_table() {
        for (text, rows, reasons) in [
            ("a,b,c\n1,2,3\n4,5\n7,8,9\n", 3, 0),
            ("a,b,c\n1,2,3\n4,5\n", 2, 0),
            ("a,b\n1,2\n1,2,3\n4,5\n", 2, 1),
            ("a;b\n1;2,5\n2;3,5\n4;4,5;x\n", 2, 1),
        ] {
            let found = read(Kind::Csv, "t.csv", text);
            assert_eq!((found.of("rows").len(), found.reasons().len()), (rows, reasons), "{text}");
        }
        for text in ["Dear Anna,\nhow are you, dear?\nBye\n", "a\nb\n1,2\n", "one, two\nthree\nfour\n", "a,b\n1,2,3\n"]
        {
            let refused = Kind::Csv.check(&mut Export::of_bytes("t.csv", text.as_bytes()).unwrap());
            assert!(matches!(refused, Err(ImportError::Wrong(_))), "{text}");
        }
    }

    #[test]
    fn a_quote_that_is_never_closed_is_told_in_a_small_file_too() {
        for (text, rows, line) in [
            ("a,b\n1,\"cut\n2,x\n", 0, "line 2"),
            ("a,b\n1,x\n2,\"cu", 1, "line 3"),
            ("a,b\n\"1\",\"x\ny\"\n2,\"", 1, "line 4"),
        ] {
            let mut export = Export::of_bytes("t.csv", text.as_bytes()).unwrap();
            Kind::Csv.check(&mut export).unwrap();
            let (found, end) = read_export(Kind::Csv, &mut export, &settings());
            assert_eq!(found.of("rows").len(), rows, "{text}");
            assert!(matches!(&end, Err(ImportError::Damaged(why)) if why.contains(line)), "{text} {end:?}");
        }
    }

    #[test]
    fn a_date_that_is_none_makes_a_column_of_texts() {
        let found = read(Kind::Csv, "t.csv", "id,d\n1,2024-02-30\n2,2024-01-01\n");
        let days: Vec<_> = found.of("rows").iter().map(|row| row["d"].clone()).collect();
        assert_eq!((json!(days), found.reasons().len()), (json!(["2024-02-30", "2024-01-01"]), 0));
    }

    #[test]
    fn a_first_line_that_names_the_separator_is_no_heading() {
        for text in ["sep=;\nid;name\n1;a\n2;b\n", "SEP=|\r\nid|name\r\n1|a;\r\n2|b;\r\n"] {
            let found = read(Kind::Csv, "t.csv", text);
            assert_eq!((found.of("rows").len(), &found.of("rows")[1]["id"]), (2, &json!(2)), "{text}");
        }
    }

    #[test]
    fn a_column_may_be_called_like_a_file() {
        let found = read(Kind::Csv, "t.csv", "id,blob_ref\n1,x\n2,y\n");
        assert_eq!(found.of("rows")[0]["blob_ref_2"], "x");
    }

    #[test]
    fn a_line_too_long_is_rejected_alone() {
        let long = "x".repeat(100_000_000);
        for row in [long.clone(), format!("2,\"{long}\"\"{long}\"")] {
            let found = read(Kind::Csv, "t.csv", format!("id,name\n1,\"a\nb\"\n{row}\n3,c\n4,\"d\"\n"));
            let ids: Vec<_> = found.of("rows").iter().map(|row| row["id"].clone()).collect();
            assert_eq!((json!(ids), found.reasons()), (json!([1, 3, 4]), vec!["a row longer than 64 MB"]));
        }
    }

    #[test]
    fn a_row_counts_as_emitted_at_its_own_time() {
        let found = read(Kind::Csv, "t.csv", "id,name,day\n1,a,2024-03-12\n2,b,\n");
        assert_eq!(json!(found.emitted), json!(["2024-03-12T00:00:00Z", "2026-11-15T12:00:00Z"]));
    }
}
