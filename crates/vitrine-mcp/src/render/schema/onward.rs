//! Where to go from a schema document that leaves something out.

use std::collections::HashMap;

use serde_json::{Value, json};
use vitrine_contract::ident::is_name;
use vitrine_contract::schema::{Connector, SchemaDocument};

use super::shape::names;

/// Characters for connection ids in the answer about one stream, whatever its fields take.
const IDS_CHARS: usize = 5_000;
/// What stands around an id in a list.
const AROUND_ID: usize = 3;
/// A stream of more rows than this may have no room to list ids.
const FEW_ROWS: usize = 8;

/// What to say where no call shows more.
pub(super) const BY_NAME: &str = "What is not listed can be asked for by name all the same.";

/// The call that shows more; never the one that is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Onward {
    /// The streams of one connection.
    Streams,
    /// One stream of one connection.
    Fields,
    /// The same in full.
    Full,
    /// There is none.
    Nowhere,
}

impl Onward {
    /// From all that is granted: to one connection, if that is less.
    pub(super) fn from_index(document: &SchemaDocument) -> Self {
        let mut rows = document.connectors.iter().flat_map(|connector| &connector.streams);
        let narrows = document.connectors.len() > 1 || rows.any(|row| !row.connection_ids.is_empty());
        if narrows { Self::Streams } else { Self::Nowhere }
    }

    /// The arguments of `schema`, for this connector.
    pub(super) fn args(self, connector: &Connector) -> Option<Value> {
        let mut ids = connector.granted_connections.iter().map(|connection| &connection.connection_id);
        let connection_id = ids.find(|id| is_name(id))?;
        let stream = connector.streams.first().map(|row| &row.name).filter(|name| is_name(name));
        match self {
            Self::Streams => Some(json!({ "connection_id": connection_id })),
            Self::Fields => Some(json!({ "stream": stream?, "connection_id": connection_id })),
            Self::Full => Some(json!({ "stream": stream?, "connection_id": connection_id, "detail": "full" })),
            Self::Nowhere => None,
        }
    }
}

/// The arguments of `query_records` for one record, which has fields that the schema may have no room for.
pub(super) fn a_record(connector: &Connector) -> Option<Value> {
    let mut args = Onward::Fields.args(connector)?;
    args["limit"] = 1.into();
    Some(args)
}

/// Which calls list connections that are left out.
#[derive(Debug, Clone, Copy)]
pub(super) enum Listers<'a> {
    Nowhere,
    /// The index, which has more room.
    Index,
    /// For each connector one of its streams, and how many ids are sure to be listed there.
    Streams(&'a [Option<(&'a str, usize)>]),
}

impl Listers<'_> {
    /// The arguments of `schema` that list more than `listed` connections of the connector at this place.
    pub(super) fn args(self, at: usize, listed: usize) -> Option<Value> {
        match self {
            Self::Nowhere => None,
            Self::Index => Some(json!({})),
            Self::Streams(streams) => {
                let (stream, reach) = (*streams.get(at)?)?;
                (reach > listed).then(|| json!({ "stream": stream }))
            }
        }
    }
}

/// For each connector the stream that fewest others have, if its answer is sure to have room for ids.
pub(super) fn listing_streams(document: &SchemaDocument) -> Vec<Option<(&str, usize)>> {
    let mut rows: HashMap<&str, usize> = HashMap::new();
    for row in document.connectors.iter().flat_map(|connector| &connector.streams) {
        *rows.entry(&row.name).or_default() += 1;
    }
    let of_connector = |connector| {
        let all = names(connector).into_iter().filter(|name| is_name(name) && is_everywhere(connector, name));
        let stream = all.min_by_key(|name| rows[name]).filter(|name| rows[name] <= FEW_ROWS)?;
        Some((stream, sure_ids(document, Some(stream))))
    };
    document.connectors.iter().map(of_connector).collect()
}

/// Whether every connection has the stream.
fn is_everywhere(connector: &Connector, stream: &str) -> bool {
    let mut rows = connector.streams.iter().filter(|row| row.name == stream);
    let having: Option<usize> = rows.try_fold(0, |having, row| {
        let some = row.connection_ids.len();
        (some > 0).then_some(having + some)
    });
    having.is_none_or(|having| having >= connector.granted_connections.len())
}

/// How many ids of each list fit their share of the answer about one stream.
pub(super) fn sure_ids(document: &SchemaDocument, stream: Option<&str>) -> usize {
    let mut lists: Vec<Vec<&str>> = Vec::new();
    for connector in &document.connectors {
        let before = lists.len();
        for row in connector.streams.iter().filter(|row| stream.is_none_or(|stream| row.name == stream)) {
            lists.push(row.connection_ids.iter().map(String::as_str).collect());
        }
        if lists.len() > before {
            lists.push(connector.granted_connections.iter().map(|granted| granted.connection_id.as_str()).collect());
        }
    }
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let mut chars = 0;
    for listed in 0..longest {
        chars += lists.iter().filter_map(|list| list.get(listed)).map(|id| id.len() + AROUND_ID).sum::<usize>();
        if chars > IDS_CHARS {
            return listed;
        }
    }
    usize::MAX
}
