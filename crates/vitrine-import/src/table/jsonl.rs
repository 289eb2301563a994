//! Any JSON objects: one a line, or one array of them.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use vitrine_contract::time;

use super::declare::{Column, ROW_ID, declaration};
use super::field::Field;
use super::merge::{self, Held, Known};
use super::{MAX_COLUMNS, STREAM, digits, only};
use crate::elements;
use crate::export::{Export, Member};
use crate::json;
use crate::kind::{Importer, Prepared};
use crate::lines::{LineRead, MAX_LINE_BYTES, read_line};
use crate::repeats::Repeats;
use crate::settings::Settings;
use crate::sink::{ImportError, Outlet, Sink, Skip, Stopped};
use crate::text;

/// Starts what such a source is called.
const KEY: &str = "json";

pub(crate) const IMPORTER: Importer = Importer::derived(
    "a file of JSON objects",
    "a file with one JSON object a line, or with one JSON array of objects",
    KEY,
    |export| {
        let Some(member) = only(export) else { return Ok(false) };
        let head = text::head(export, &member, 64 * 1024)?;
        let head = head.trim_ascii_start();
        Ok(head.starts_with('{')
            || head.strip_prefix('[').is_some_and(|inside| inside.trim_ascii_start().starts_with('{')))
    },
    prepare,
);

struct JsonColumn {
    field: Field,
    original: String,
    types: Vec<&'static str>,
    /// Whether every text is a time.
    times: bool,
}

fn prepare(
    export: &mut Export,
    settings: &Settings,
    account: &str,
    registered: Option<&Value>,
) -> Result<Prepared, ImportError> {
    let member = only(export).ok_or_else(|| ImportError::Wrong("There is not one file in it.".to_owned()))?;
    let mut columns: Vec<JsonColumn> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut rows = 0_u64;
    // What is wrong is reported when the file is read for good.
    let mut silence = Silence;
    each(export, &member, &mut Sink::new(&mut silence, settings.now), &mut |object, _| {
        rows += 1;
        for (name, value) in object {
            let place = if let Some(place) = places.get(&name) {
                *place
            } else if columns.len() < MAX_COLUMNS {
                let names: Vec<Field> = columns.iter().map(|c| Field::new(&c.field.name, &[])).collect();
                columns.push(JsonColumn {
                    field: Field::new(&name, &names),
                    original: name.clone(),
                    types: Vec::new(),
                    times: true,
                });
                places.insert(name, columns.len() - 1);
                columns.len() - 1
            } else {
                continue;
            };
            columns[place].see(&value);
        }
        Ok(())
    })?;
    let known = registered.and_then(Known::of);
    let key = match known.and_then(Known::key) {
        Some(ROW_ID) => None,
        Some(key) => Some(columns.iter().find(|c| c.field.name == key).ok_or_else(|| merge::without_key(key))?),
        None => columns.iter().find(|c| matches!(c.types[..], ["string" | "integer"]) && c.field.is_key(rows)),
    };
    let key = key.map(|column| column.field.name.clone());
    // What no object says is as it was declared before.
    let is_told = |c: &&JsonColumn| !c.types.is_empty() || known.and_then(|known| known.held(&c.field.name)).is_none();
    let declared: Vec<Column<'_>> = columns.iter().filter(is_told).map(JsonColumn::declared).collect();
    let declaration = declaration(KEY, account, &member.name, &declared, key.as_deref(), registered);
    let stays_text = |name: &str| known.and_then(|known| known.held(name)) == Some(Held::Text);
    let places = columns.into_iter().map(|column| {
        let is_time = column.is_time() && !stays_text(&column.field.name);
        (column.original, Place { name: column.field.name, is_time })
    });
    let places: HashMap<String, Place> = places.collect();
    let read = move |export: &mut Export, settings: &Settings, sink: &mut Sink<'_>| {
        let mut repeats = Repeats::default();
        each(export, &member, sink, &mut |object, sink| {
            let row_id = key.is_none().then(|| repeats.key(&[&Value::Object(object.clone()).to_string()]));
            let mut data: Map<String, Value> = row_id.into_iter().map(|id| (ROW_ID.to_owned(), id.into())).collect();
            let mut at = None;
            for (name, value) in object {
                let Some(place) = places.get(&name) else { continue };
                let value = if place.is_time { zoned(value, &settings.time_zone) } else { value };
                if place.is_time && at.is_none() {
                    at = value.as_str().and_then(time::parse);
                }
                data.insert(place.name.clone(), value);
            }
            sink.row(STREAM, at, data)
        })
    };
    Ok(Prepared { declaration: declaration.into(), derived: true, read: Box::new(read) })
}

/// Where a member of an object goes.
struct Place {
    name: String,
    is_time: bool,
}

/// A time without an offset, in the owner's zone.
fn zoned(value: Value, zone: &TimeZone) -> Value {
    let Value::String(text) = &value else { return value };
    if text.len() <= 10 || text.parse::<Timestamp>().is_ok() {
        return value;
    }
    let instant = text.parse::<DateTime>().ok().and_then(|local| zone.to_timestamp(local).ok());
    instant.map_or(value, |instant| time::format(instant).into())
}

type TakeObject<'a> = dyn FnMut(Map<String, Value>, &mut Sink<'_>) -> Result<(), ImportError> + 'a;

/// Hands over each object of a file.
fn each(
    export: &mut Export,
    member: &Member,
    sink: &mut Sink<'_>,
    take: &mut TakeObject<'_>,
) -> Result<(), ImportError> {
    let is_array = text::head(export, member, 1_024)?.trim_ascii_start().starts_with('[');
    let mut reader = text::reader(export, member)?;
    let mut one = |text: &[u8], place: String, sink: &mut Sink<'_>| {
        if let Some(Value::Object(object)) = json::parse(&digits::kept(text)) {
            return take(object, sink);
        }
        sink.reject("a line that is no JSON object", place);
        Ok(())
    };
    if is_array {
        return elements::each(&mut *reader, &member.name, sink, &mut |_, number, text, sink| {
            one(text, format!("entry {number}"), sink)
        });
    }
    let (mut buffer, mut number) = (Vec::new(), 0_u64);
    loop {
        buffer.clear();
        number += 1;
        match read_line(&mut *reader, &mut buffer, MAX_LINE_BYTES)? {
            LineRead::End => return Ok(()),
            LineRead::Cut => sink.reject("a line longer than 64 MB", format!("line {number}")),
            LineRead::Whole => {
                let line = buffer.trim_ascii();
                if !line.is_empty() {
                    one(line, format!("line {number}"), sink)?;
                }
            }
        }
    }
}

impl JsonColumn {
    fn see(&mut self, value: &Value) {
        let kind = match value {
            Value::Null => {
                self.field.nullable = true;
                return;
            }
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_i64() || number.is_u64() => "integer",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        match value {
            Value::String(text) => {
                self.times &= time::parse(text).is_some();
                self.field.see(text);
            }
            other => self.field.see(&other.to_string()),
        }
        if !self.types.contains(&kind) {
            self.types.push(kind);
        }
    }

    fn is_time(&self) -> bool {
        self.types == ["string"] && self.times
    }

    fn declared(&self) -> Column<'_> {
        let mut types = self.types.clone();
        if types.contains(&"number") {
            types.retain(|kind| *kind != "integer");
        }
        let format = self.is_time().then_some("date-time");
        if types.is_empty() {
            types.push("string");
        }
        Column { field: &self.field, types, format }
    }
}

struct Silence;

impl Outlet for Silence {
    fn line(&mut self, _: &str, _: &[u8]) -> Result<(), Stopped> {
        Ok(())
    }

    fn blob(&mut self, _: vitrine_engine::keeping::NewBlob) -> Result<(), Stopped> {
        Ok(())
    }

    fn skip(&mut self, _: Skip) {}

    fn note(&mut self, _: String) {}
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Kind;
    use crate::testing::read;

    #[test]
    fn objects_become_rows_whatever_they_hold() {
        let lines = "\u{feff}{\"id\":\"a\",\"at\":\"2024-01-02T03:04:05Z\",\"n\":1,\"tags\":[1],\"x\":null}\n\n{\"id\":\"b\",\"at\":\"2024-01-03\",\"n\":2.5,\"Deep name\":{\"y\":1}}\nnot json\n[1]\n";
        let found = read(Kind::Jsonl, "things.jsonl", lines);
        let [first, second] = found.of("rows")[..] else { panic!("{:?}", found.records) };
        assert_eq!(first, &json!({ "id": "a", "at": "2024-01-02T03:04:05Z", "n": 1, "tags": [1], "x": null }));
        assert_eq!(second["deep_name"], json!({ "y": 1 }));
        assert_eq!(found.reasons(), ["a line that is no JSON object"; 2]);
    }

    #[test]
    fn an_array_tells_the_same_as_lines() {
        let array = read(Kind::Jsonl, "things.json", r#" [{"v":1},{"v":1}] "#);
        let lines = read(Kind::Jsonl, "things.jsonl", "{\"v\":1}\n{\"v\":1}\n");
        assert_eq!(array.records, lines.records);
        assert_ne!(array.of("rows")[0]["row_id"], array.of("rows")[1]["row_id"]);
    }

    #[test]
    fn times_without_a_zone_are_the_owner_s() {
        let lines = "{\"id\":\"a\",\"at\":\"2024-03-12 23:30:00\"}\n{\"id\":\"b\",\"at\":\"2024-03-12T23:30:00\"}\n\
            {\"id\":\"c\",\"at\":\"2024-03-10T00:00:00Z\"}\n{\"id\":\"d\",\"at\":\"2024-03-10\"}\n";
        let found = read(Kind::Jsonl, "t.jsonl", lines);
        let times: Vec<_> = found.of("rows").iter().map(|row| row["at"].clone()).collect();
        let expected = ["2024-03-12T22:30:00Z", "2024-03-12T22:30:00Z", "2024-03-10T00:00:00Z", "2024-03-10"];
        assert_eq!(json!(times), json!(expected));
    }

    #[test]
    fn a_line_in_another_encoding_is_read() {
        for (bytes, city) in [
            (&b"{\"id\":1,\"a\":\"caf\xe9\"}\n{\"id\":2}\n"[..], "café"),
            (b"[{\"id\":1,\"a\":\"caf\xe9\"},{\"id\":2}]", "café"),
            (b"{\"id\":2,\"a\":\"\xc3\xa9\"}\n{\"id\":1,\"a\":\"caf\xe9\"}\n", "café"),
        ] {
            let found = read(Kind::Jsonl, "t.jsonl", bytes);
            let told = found.of("rows").into_iter().find(|row| row["id"] == 1);
            assert_eq!((told.map(|row| &row["a"]), found.reasons().len()), (Some(&json!(city)), 0));
            assert!(found.notes.iter().any(|note| note.contains("Windows-1252")), "{:?}", found.notes);
        }
        let utf_16: Vec<u8> = "\u{feff}{\"a\":\"é\"}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(Kind::Jsonl, "t.jsonl", utf_16).of("rows")[0]["a"], "é");
    }

    #[test]
    fn half_a_character_loses_no_line() {
        let found = read(Kind::Jsonl, "t.jsonl", "{\"a\":\"x \\ud83d y\"}\n");
        assert_eq!((&found.of("rows")[0]["a"], found.reasons().len()), (&json!("x \u{fffd} y"), 0));
    }

    #[test]
    fn large_numbers_keep_their_digits() {
        let line = r#"{"id":"a 123456789012345678901234567890","n":123456789012345678901234567890,"m":[-12345678901234567890],"o":18446744073709551615,"f":1.5e10,"g":0.12345678901234567890123}"#;
        let found = read(Kind::Jsonl, "t.jsonl", line);
        let row = found.of("rows")[0];
        assert_eq!(row["id"], "a 123456789012345678901234567890");
        assert_eq!(
            (&row["n"], &row["m"]),
            (&json!("123456789012345678901234567890"), &json!(["-12345678901234567890"]))
        );
        assert_eq!((&row["o"], &row["f"]), (&json!(u64::MAX), &json!(1.5e10)));
        assert!(row["g"].is_number());
    }
}
