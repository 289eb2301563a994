//! The declaration of a table, from what its columns turned out to be.

use serde_json::{Map, Value, json};

use super::field::Field;
use super::{STREAM, merge};

/// Names the row where no column does.
pub(super) const ROW_ID: &str = "row_id";
/// Fields that are indexed for each purpose: each costs space and time for every row.
pub(super) const MAX_INDEXED: usize = 8;
pub(super) const MAX_SEARCHED: usize = 12;

/// A column with its place in the declaration.
pub(super) struct Column<'a> {
    pub(super) field: &'a Field,
    /// JSON types its values have.
    pub(super) types: Vec<&'static str>,
    /// `date` or `date-time`.
    pub(super) format: Option<&'static str>,
}

impl Column<'_> {
    fn is_time(&self) -> bool {
        self.format.is_some()
    }

    fn is_number(&self) -> bool {
        matches!(self.types[..], ["integer" | "number"])
    }

    fn is_text(&self) -> bool {
        self.types == ["string"] && self.format.is_none()
    }

    fn schema(&self) -> Value {
        let mut types: Vec<Value> = self.types.iter().copied().map(Value::from).collect();
        types.push("null".into());
        let mut schema = Map::from_iter([("type".to_owned(), types.into())]);
        if let Some(format) = self.format {
            schema.insert("format".to_owned(), format.into());
        }
        schema.into()
    }
}

/// The declaration of a `kind` of table that the owner calls `account`, for what is `registered` for it as well.
pub(super) fn declaration(
    kind: &str,
    account: &str,
    file: &str,
    columns: &[Column<'_>],
    key: Option<&str>,
    registered: Option<&Value>,
) -> String {
    let derived = derived(kind, account, file, columns, key);
    format!("{:#}", registered.map_or_else(|| derived.clone(), |known| merge::merged(known.clone(), &derived)))
}

fn derived(kind: &str, account: &str, file: &str, columns: &[Column<'_>], key: Option<&str>) -> Value {
    let slug = slug(account);
    let names = |keep: &dyn Fn(&Column<'_>) -> bool, most: usize| -> Vec<&str> {
        columns.iter().filter(|column| keep(column)).map(|column| column.field.name.as_str()).take(most).collect()
    };
    let time = columns.iter().find(|c| c.is_time()).map(|c| c.field.name.as_str());
    let few = names(
        &|c| c.field.has_few_values() && !c.is_time() && c.types.iter().all(|t| !matches!(*t, "object" | "array")),
        MAX_INDEXED,
    );
    let numbers = names(&|c| c.is_number() && Some(c.field.name.as_str()) != key, MAX_INDEXED);
    let times = names(&|c| c.is_time(), 3);
    let texts = names(&|c| c.is_text() && Some(c.field.name.as_str()) != key, MAX_SEARCHED);
    let ops = ["gte", "gt", "lte", "lt"];
    let ranges: Map<String, Value> =
        times.iter().chain(&numbers).map(|name| ((*name).to_owned(), json!(ops))).collect();
    let ordered: Vec<&str> = times.iter().chain(&numbers).copied().collect();
    let mut properties = Map::new();
    if key.is_none() {
        let schema = json!({ "type": "string", "description": "Made from what stands in the row" });
        properties.insert(ROW_ID.to_owned(), schema);
    }
    for column in columns {
        let name = column.field.name.clone();
        let schema = if Some(name.as_str()) == key { json!({ "type": column.types }) } else { column.schema() };
        properties.insert(name, schema);
    }
    let key = key.unwrap_or(ROW_ID);
    let mut stream = json!({
        "name": STREAM,
        "description": format!("Rows of {file}, as its owner imported them."),
        "display": { "label": account, "detail": format!("Reads every row and column of {file}.") },
        "semantics": "mutable_state",
        "schema": { "type": "object", "properties": properties, "required": [key] },
        "primary_key": [key],
        "selection": { "fields": true, "resources": true },
        "query": {
            "exact_filters": few,
            "range_filters": ranges,
            "search": { "lexical_fields": texts, "semantic_fields": [] },
            "aggregations": { "count": true, "sum": numbers, "min": ordered, "max": ordered, "count_distinct": few,
                "group_by": few, "group_by_time": times }
        }
    });
    if let Some(time) = time {
        stream["cursor_field"] = time.into();
        stream["consent_time_field"] = time.into();
    }
    json!({
        "protocol_version": "0.1.0",
        "source": { "kind": "connector", "id": format!("urn:vitrine:derived:{kind}-{slug}") },
        "connector_key": connector_key(kind, account),
        "declaration_version": "1",
        "publisher": { "id": "urn:vitrine" },
        "display": { "name": account },
        "streams": [stream]
    })
}

/// What the source of this account's table is called.
pub(crate) fn connector_key(kind: &str, account: &str) -> String {
    format!("{kind}-{}", slug(account))
}

/// A short name in plain letters, the same for the same account.
fn slug(account: &str) -> String {
    let mut slug = String::new();
    for c in account.trim().to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(40);
    let digest = crate::hash::text_key(&[account.trim()]);
    let digest: String = digest.chars().filter(char::is_ascii_alphanumeric).take(6).collect();
    format!("{}-{}", slug.trim_end_matches('-'), digest.to_lowercase()).trim_start_matches('-').to_owned()
}
