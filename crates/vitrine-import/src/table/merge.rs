//! The declaration of a table that was imported before: what is known stays, what is new is added, so that rows of
//! both files are what it says.

use serde_json::{Map, Value, json};

use super::declare::{MAX_INDEXED, MAX_SEARCHED};
use crate::sink::ImportError;

/// The one stream of a table as it was declared before.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    stream: &'a Value,
}

/// What a column was declared to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held {
    Text,
    Instant,
    Other,
}

impl<'a> Known<'a> {
    pub(super) fn of(registered: &'a Value) -> Option<Self> {
        registered.pointer("/streams/0").map(|stream| Self { stream })
    }

    /// The column that names a row.
    pub(super) fn key(self) -> Option<&'a str> {
        self.stream.pointer("/primary_key/0").and_then(Value::as_str)
    }

    pub(super) fn held(self, column: &str) -> Option<Held> {
        let schema = self.stream.pointer("/schema/properties")?.get(column)?;
        let kinds: Vec<&str> = types(schema).into_iter().filter(|kind| *kind != "null").collect();
        Some(match (&kinds[..], schema.get("format").and_then(Value::as_str)) {
            (["string"], None) => Held::Text,
            (["string"], Some("date-time")) => Held::Instant,
            _ => Held::Other,
        })
    }
}

/// Refuses a table that lacks the column its account's rows are known by.
pub(super) fn without_key(key: &str) -> ImportError {
    ImportError::Wrong(format!(
        "The rows of this account are known by `{key}`, and this file has no such column. Import it under another name."
    ))
}

/// A declaration for the rows of both; as `registered` where nothing asks for more.
pub(super) fn merged(mut registered: Value, derived: &Value) -> Value {
    let (Some(stream), Some(new)) = (registered.pointer_mut("/streams/0"), derived.pointer("/streams/0")) else {
        return derived.clone();
    };
    let none = Map::new();
    let added = new.pointer("/schema/properties").and_then(Value::as_object).unwrap_or(&none);
    if let Some(properties) = stream.pointer_mut("/schema/properties").and_then(Value::as_object_mut) {
        for (name, schema) in added {
            let wider = properties.get(name).map_or_else(|| schema.clone(), |known| widened(known, schema));
            properties.insert(name.clone(), wider);
        }
    }
    let fields = Fields::of(stream);
    let list = |path: &str, most: usize, keep: &dyn Fn(&str) -> bool| -> Value {
        let names = |stream: &Value| stream.pointer(path).and_then(Value::as_array).cloned().unwrap_or_default();
        let mut names_kept: Vec<Value> = names(stream);
        for name in names(new) {
            if names_kept.len() < most && !names_kept.contains(&name) {
                names_kept.push(name);
            }
        }
        names_kept.retain(|name| name.as_str().is_some_and(keep));
        names_kept.into()
    };
    let scalar = |name: &str| fields.is_scalar(name);
    let ordered = |name: &str| fields.is_ordered(name);
    let lists = [
        ("/query/exact_filters", list("/query/exact_filters", MAX_INDEXED, &scalar)),
        ("/query/search/lexical_fields", list("/query/search/lexical_fields", MAX_SEARCHED, &|n| fields.is_text(n))),
        ("/query/aggregations/sum", list("/query/aggregations/sum", MAX_INDEXED, &|n| fields.is_number(n))),
        ("/query/aggregations/min", list("/query/aggregations/min", 2 * MAX_INDEXED, &ordered)),
        ("/query/aggregations/max", list("/query/aggregations/max", 2 * MAX_INDEXED, &ordered)),
        ("/query/aggregations/count_distinct", list("/query/aggregations/count_distinct", MAX_INDEXED, &scalar)),
        ("/query/aggregations/group_by", list("/query/aggregations/group_by", MAX_INDEXED, &scalar)),
        ("/query/aggregations/group_by_time", list("/query/aggregations/group_by_time", 3, &|n| fields.is_time(n))),
    ];
    let mut ranges = ranges(stream);
    ranges.extend(self::ranges(new).into_iter().filter(|(name, _)| fields.is_ordered(name)));
    ranges.retain(|name, _| fields.is_scalar(name));
    for (path, names) in lists {
        if let Some(place) = stream.pointer_mut(path) {
            *place = names;
        }
    }
    if let Some(place) = stream.pointer_mut("/query/range_filters") {
        *place = ranges.into();
    }
    registered
}

fn ranges(stream: &Value) -> Map<String, Value> {
    stream.pointer("/query/range_filters").and_then(Value::as_object).cloned().unwrap_or_default()
}

fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// What holds the values of both.
fn widened(known: &Value, new: &Value) -> Value {
    let mut kinds = types(known);
    for kind in types(new) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.contains(&"number") {
        kinds.retain(|kind| *kind != "integer");
    }
    let format = |schema: &Value| schema.get("format").and_then(Value::as_str).map(str::to_owned);
    let has_text = |schema: &Value| types(schema).contains(&"string");
    let format = match (format(known), format(new)) {
        (Some(one), Some(other)) if one == other => Some(one),
        (Some(_), Some(_)) => Some("date-time".to_owned()),
        (Some(one), None) if !has_text(new) => Some(one),
        (None, Some(one)) if !has_text(known) => Some(one),
        _ => None,
    };
    let mut wider = known.as_object().cloned().unwrap_or_default();
    wider.insert("type".to_owned(), json!(kinds));
    wider.remove("format");
    wider.extend(format.map(|format| ("format".to_owned(), format.into())));
    wider.into()
}

/// What can be asked of the fields of a stream.
struct Fields {
    properties: Map<String, Value>,
    /// What time limits are measured on stays that, whatever came later.
    time: Option<String>,
}

impl Fields {
    fn of(stream: &Value) -> Self {
        let properties = stream.pointer("/schema/properties").and_then(Value::as_object).cloned().unwrap_or_default();
        Self { properties, time: stream["consent_time_field"].as_str().map(str::to_owned) }
    }

    fn kinds(&self, name: &str) -> Vec<&str> {
        let kinds = self.properties.get(name).map(types).unwrap_or_default();
        kinds.into_iter().filter(|kind| *kind != "null").collect()
    }

    fn is_scalar(&self, name: &str) -> bool {
        let kinds = self.kinds(name);
        !kinds.is_empty() && !kinds.iter().any(|kind| matches!(*kind, "object" | "array"))
    }

    fn is_number(&self, name: &str) -> bool {
        matches!(self.kinds(name)[..], ["integer" | "number"])
    }

    fn is_time(&self, name: &str) -> bool {
        let has_format = self.properties.get(name).is_some_and(|schema| schema.get("format").is_some());
        self.time.as_deref() == Some(name) || (self.kinds(name) == ["string"] && has_format)
    }

    fn is_text(&self, name: &str) -> bool {
        self.kinds(name).contains(&"string") && self.is_scalar(name) && !self.is_time(name)
    }

    fn is_ordered(&self, name: &str) -> bool {
        self.is_number(name) || self.is_time(name) || self.kinds(name) == ["string"]
    }
}

#[cfg(test)]
mod tests {
    use vitrine_engine::declaration::Declaration;

    use super::*;
    use crate::testing::{Found, settings};
    use crate::{Export, Kind, Sink};

    /// Imports files one after the other under one name; what each gave, and the last declaration.
    fn imported(kind: Kind, files: &[&str]) -> (Vec<Found>, Value) {
        let (mut registered, mut all) = (None, Vec::new());
        for text in files {
            let mut export = Export::of_bytes("t", text.as_bytes()).unwrap();
            let prepared = kind.prepare_onto(&mut export, &settings(), "T", registered.as_ref()).unwrap();
            registered = Some(serde_json::from_str(&prepared.declaration).unwrap());
            let mut found = Found::default();
            prepared.read(&mut export, &settings(), &mut Sink::new(&mut found, settings().now)).unwrap();
            all.push(found);
        }
        let registered: Value = registered.unwrap();
        let declaration = Declaration::parse(&registered.to_string()).expect("a good declaration");
        let validator = declaration.streams["rows"].validator().unwrap();
        for found in &all {
            for row in found.of("rows") {
                let line = json!({ "data": row, "emitted_at": "2026-01-01T00:00:00Z" }).to_string();
                let checked = vitrine_engine::ingest::prepare(
                    line.as_bytes(),
                    &declaration.streams["rows"],
                    &validator,
                    vitrine_engine::ingest::KeyFrom::Data,
                );
                assert!(checked.is_ok(), "{checked:?} {row}");
            }
        }
        (all, registered)
    }

    #[test]
    fn rows_imported_before_stay_what_the_declaration_says() {
        let first = "id,name,extra,n,day\n1,a,x,5,2024-01-02\n2,b,y,6,2024-01-03\n";
        for second in [
            "id,name\n3,c\n",
            "id,name,n,more\n3,c,six,new\n",
            "id,name,n,day\n3,c,7.5,2024-01-02T03:04:05Z\n",
            "id,name,n,day\nx,7,true,some day\n",
            "id,name,n,day\n3,c,,\n",
        ] {
            let (_, declared) = imported(Kind::Csv, &[first, second]);
            let stream = &declared["streams"][0];
            let properties = stream["schema"]["properties"].as_object().unwrap();
            for column in ["id", "name", "extra", "n", "day"] {
                assert!(properties.contains_key(column), "{second}: {column}");
            }
            assert_eq!(stream["consent_time_field"], "day");
            assert_eq!(stream["query"]["search"]["lexical_fields"].as_array().unwrap()[..2], ["name", "extra"]);
        }
        let (_, declared) = imported(Kind::Csv, &[first, "id,name,n,more\n3,c,six,new\n"]);
        let properties = &declared["streams"][0]["schema"]["properties"];
        assert_eq!(properties["n"]["type"], json!(["integer", "null", "string"]));
        assert!(
            declared["streams"][0]["query"]["search"]["lexical_fields"].as_array().unwrap().contains(&json!("more"))
        );
        let (_, declared) = imported(Kind::Csv, &[first, "id,name,n,day\n3,c,,\n"]);
        assert_eq!(declared["streams"][0]["schema"]["properties"]["n"]["type"], json!(["integer", "null"]));
    }

    #[test]
    fn a_column_of_text_stays_one_when_a_file_has_only_figures() {
        let (found, declared) = imported(Kind::Csv, &["id,zip\n1,01067\n2,20459\n", "id,zip\n3,20459\n"]);
        assert_eq!(found[1].of("rows")[0]["zip"], "20459");
        assert_eq!(declared["streams"][0]["schema"]["properties"]["zip"]["type"], json!(["string", "null"]));
    }

    #[test]
    fn rows_stay_known_by_what_they_were_known_by() {
        let (found, _) = imported(Kind::Csv, &["name,n\na,1\na,1\n", "id,name\n1,b\n"]);
        assert!(found[1].of("rows")[0]["row_id"].is_string());
        let mut export = Export::of_bytes("t", b"name,n\nq,1\n".as_slice()).unwrap();
        let registered = imported(Kind::Csv, &["id,name\n1,a\n2,b\n"]).1;
        let refused = Kind::Csv.prepare_onto(&mut export, &settings(), "T", Some(&registered));
        assert!(matches!(refused.err(), Some(ImportError::Wrong(why)) if why.contains("known by `id`")));
    }

    #[test]
    fn objects_imported_before_stay_what_the_declaration_says() {
        let (_, declared) =
            imported(Kind::Jsonl, &["{\"a\":1,\"b\":\"x\"}\n", "{\"a\":\"two\",\"c\":[1]}\n", "{\"a\":{\"d\":1}}\n"]);
        let properties = &declared["streams"][0]["schema"]["properties"];
        assert_eq!(properties["a"]["type"], json!(["integer", "null", "string", "object"]));
        assert!(properties["b"].is_object() && properties["c"].is_object());
    }
}
