//! Records, lists of them, and what stands around them.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::fields::Fields;
use crate::search::SearchMeta;

/// A record, or in a changes feed the news that one is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// `"record"`.
    pub object: Tag<RecordTag>,
    /// The canonical, handle-safe key.
    pub id: String,
    /// The stream it belongs to.
    pub stream: Arc<str>,
    /// The account it came from.
    pub connection_id: Arc<str>,
    /// The kind of source; absent from a deletion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connector_key: Option<Arc<str>>,
    /// The owner's label for the account; absent from a deletion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<Arc<str>>,
    /// The granted, requested fields; absent from a deletion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Fields>,
    /// True when the record is gone from what the grant may see.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deleted: bool,
    /// When it went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<String>,
    /// When the source emitted it.
    pub emitted_at: String,
    /// Related records, by relationship.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expanded: BTreeMap<String, Expanded>,
    /// Fields cut to a preview because the caller asked for one. Never on the wire.
    #[serde(skip)]
    pub cut: Vec<CutField>,
}

/// A field of which `data` holds only the beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutField {
    /// Its name.
    pub field: String,
    /// Characters in the whole of it.
    pub total_chars: u64,
    /// Whether the text is an object's or array's JSON rather than a string's own.
    pub json: bool,
}

/// A constant that names the type of an object on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tag<T>(pub T);

/// What a [`Tag`] writes.
pub trait TagName: Default {
    /// The constant.
    const NAME: &'static str;
}

macro_rules! tags {
    ($($tag:ident = $name:literal;)*) => {$(
        #[doc = concat!("Tags `\"", $name, "\"`.")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $tag;
        impl TagName for $tag { const NAME: &'static str = $name; }
    )*};
}

tags! {
    RecordTag = "record";
    ListTag = "list";
    StreamTag = "stream";
    FieldWindowTag = "field_window";
    AggregationTag = "aggregation";
    SearchResultTag = "search_result";
    SchemaTag = "schema";
}

impl<T: TagName> Serialize for Tag<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(T::NAME)
    }
}

impl<'de, T: TagName> Deserialize<'de> for Tag<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| Tag(T::default()))
    }
}

/// Related records: a bounded list, or for `has_one` a record or nothing.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Expanded {
    /// `has_many`.
    Many {
        /// `"list"`.
        object: Tag<ListTag>,
        /// Whether more are related than listed.
        has_more: bool,
        /// The first of them.
        data: Vec<Record>,
    },
    /// `has_one`.
    One(Option<Box<Record>>),
}

impl<'de> Deserialize<'de> for Expanded {
    /// Told apart by looking, since an untagged derive would re-buffer the raw payloads.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Many {
            #[serde(default)]
            has_more: bool,
            data: Vec<Record>,
        }
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if let Ok(many) = serde_json::from_str::<Many>(raw.get()) {
            return Ok(Expanded::Many { object: Tag::default(), has_more: many.has_more, data: many.data });
        }
        serde_json::from_str(raw.get()).map(Expanded::One).map_err(serde::de::Error::custom)
    }
}

/// A page of anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct List<T, M = ListMeta> {
    /// `"list"`.
    pub object: Tag<ListTag>,
    /// The path that was asked.
    #[serde(default)]
    pub url: String,
    /// Whether another page follows.
    pub has_more: bool,
    /// Pass it as `cursor` to read on; null at the end.
    #[serde(default)]
    pub next_cursor: Option<String>,
    /// Keep it, and pass it as `changes_since` next time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_changes_since: Option<String>,
    /// The rows.
    pub data: Vec<T>,
    /// The same request, and the one that reads on.
    #[serde(default)]
    pub links: Links,
    /// Counts and warnings.
    #[serde(default)]
    pub meta: M,
    /// How to read on from a row before the last. Never on the wire.
    #[serde(skip)]
    pub resume: Option<Resume>,
}

impl<T, M> List<T, M> {
    /// The cursor that continues after the first so many rows, where whoever made the page can tell.
    pub fn resume_after(&self, rows: usize) -> Option<String> {
        self.resume.as_ref()?.after(rows.checked_sub(1)?)
    }
}

/// Makes the cursor that continues after a row of a page, for one who shows fewer rows than were
/// read: most pages are shown whole, and sealing a cursor for every row costs more than reading it.
#[derive(Clone)]
pub struct Resume(Arc<dyn Fn(usize) -> Option<String> + Send + Sync>);

impl Resume {
    /// One that makes its cursors with `make`.
    pub fn new(make: impl Fn(usize) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    /// The cursor that continues after this row of the page.
    pub fn after(&self, row: usize) -> Option<String> {
        (self.0)(row)
    }
}

impl std::fmt::Debug for Resume {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Resume")
    }
}

/// Pages that say the same are the same, however they are continued.
impl PartialEq for Resume {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A page of search hits.
pub type SearchList = List<crate::search::Hit, SearchMeta>;

/// Where a list stands and continues.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Links {
    /// This page.
    #[serde(rename = "self", default)]
    pub this: String,
    /// The next one.
    #[serde(default)]
    pub next: Option<String>,
}

/// What a list says about itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ListMeta {
    /// How many records match in all.
    #[serde(default)]
    pub count: Count,
    /// What was adjusted.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// How far the data of each connection reaches, whatever the page shows of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub freshness: Vec<ConnectionFreshness>,
}

/// How far a connection's data reaches, as far as the grant may see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionFreshness {
    /// Which connection.
    pub connection_id: Arc<str>,
    /// The newest `emitted_at`; none where there is nothing.
    pub captured_at: Option<String>,
}

/// How many records match, if the caller asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Count {
    /// Not asked for.
    #[default]
    None,
    /// Counted.
    Exact {
        /// How many.
        value: u64,
    },
    /// Estimated.
    Estimated {
        /// About how many.
        value: u64,
    },
}

/// Something the server adjusted rather than refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// What was adjusted.
    pub code: String,
    /// In words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// In numbers.
    #[serde(default)]
    pub detail: Value,
}

impl Warning {
    /// The limit was lowered to the largest allowed.
    pub fn limit_clamped(param: &str, requested: u64, max: u32) -> Self {
        Self {
            code: "limit_clamped".into(),
            message: Some(format!("`{param}` was lowered from {requested} to {max}, the most one call returns.")),
            detail: serde_json::json!({ "requested_limit": requested, "max_limit": max }),
        }
    }

    /// Only the first words and phrases of a query, and the first words of a phrase, are looked for.
    pub fn query_shortened(max: usize) -> Self {
        Self {
            code: "query_shortened".into(),
            message: Some(format!(
                "Only the first {max} different words and phrases, and the first {max} words of a phrase, were looked for."
            )),
            detail: serde_json::json!({ "max_words": max }),
        }
    }
}

/// A reference to bytes kept beside the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlobRef {
    /// Read it at `/v1/blobs/{blob_id}`.
    pub blob_id: String,
    /// Its media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Its digest, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl BlobRef {
    /// The reference that a value is, given as JSON text.
    pub fn of_json(json: &str) -> Option<Self> {
        let might_be = json.starts_with('{') && json.contains("\"blob_id\"");
        might_be.then(|| serde_json::from_str(json).ok()).flatten()
    }
}

/// A blob, or the part of it that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Blob {
    /// What it is, in full.
    pub info: BlobRef,
    /// The first byte that `bytes` holds.
    pub start: u64,
    /// The bytes asked for; empty when only the description was.
    pub bytes: Vec<u8>,
    /// Through which record it was read, where the reader knows. Never on the wire.
    pub origin: Option<BlobOrigin>,
}

/// The place a blob was found to be referred to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobOrigin {
    /// The record's account.
    pub connection_id: Arc<str>,
    /// The record's stream.
    pub stream: Arc<str>,
    /// The record.
    pub record_id: String,
    /// Its field.
    pub field: String,
}
