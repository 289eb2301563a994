//! What may be asked. Each request knows nothing of who asks: that is the caller's grant.

use std::collections::BTreeMap;

/// Every read, one variant an endpoint.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadRequest {
    /// `GET /v1/schema`
    Schema(SchemaRequest),
    /// `GET /v1/streams`
    Streams(StreamsRequest),
    /// `GET /v1/streams/{stream}`
    Stream(StreamRequest),
    /// `GET /v1/streams/{stream}/records`
    Records(RecordsRequest),
    /// `GET /v1/streams/{stream}/records/{id}`
    Record(RecordRequest),
    /// `GET /v1/streams/{stream}/records/{id}/field-window`
    FieldWindow(FieldWindowRequest),
    /// `GET /v1/streams/{stream}/aggregate`
    Aggregate(AggregateRequest),
    /// `GET /v1/search`, `/v1/search/semantic`, `/v1/search/hybrid`
    Search(SearchRequest),
    /// `GET /v1/blobs/{blob_id}`
    Blob(BlobRequest),
}

/// What streams there are and what can be done with them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SchemaRequest {
    /// Fields collapse to flag strings.
    pub compact: bool,
    /// Only this stream.
    pub stream: Option<String>,
    /// Only this connection.
    pub connection_id: Option<String>,
}

/// The granted streams.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamsRequest {
    /// Only this connection.
    pub connection_id: Option<String>,
}

/// One granted stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamRequest {
    /// Its name.
    pub stream: String,
    /// Only this connection.
    pub connection_id: Option<String>,
}

/// A page of records, or of changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordsRequest {
    /// The stream to read.
    pub stream: String,
    /// Rows at most; unset is the default.
    pub limit: Option<u64>,
    /// Where the last page ended.
    pub cursor: Option<String>,
    /// Direction by the stream's own order.
    pub order: Option<Order>,
    /// Another order.
    pub sort: Option<Sort>,
    /// Whether to count the matches.
    pub count: CountMode,
    /// Conditions, all of which must hold.
    pub filter: Filter,
    /// Only these fields.
    pub fields: Option<Vec<String>>,
    /// The fields of a declared view.
    pub view: Option<String>,
    /// Related records to bring along.
    pub expand: Vec<String>,
    /// How many of each.
    pub expand_limit: BTreeMap<String, u64>,
    /// Changes since a bookmark, or since the beginning, instead of records.
    pub changes_since: Option<String>,
    /// Only this connection.
    pub connection_id: Option<String>,
    /// Fields longer than this many characters come back cut, for a reader who shows only the
    /// start. In process only: no provider is asked for it.
    pub preview_chars: Option<u32>,
}

/// One record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecordRequest {
    /// Its stream.
    pub stream: String,
    /// Its id.
    pub id: String,
    /// Only these fields.
    pub fields: Option<Vec<String>>,
    /// Related records to bring along.
    pub expand: Vec<String>,
    /// How many of each.
    pub expand_limit: BTreeMap<String, u64>,
    /// Only this connection.
    pub connection_id: Option<String>,
    /// As in [`RecordsRequest::preview_chars`].
    pub preview_chars: Option<u32>,
}

/// A bounded part of one field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldWindowRequest {
    /// The record's stream.
    pub stream: String,
    /// The record's id.
    pub id: String,
    /// The field's name.
    pub field: Option<String>,
    /// First character.
    pub offset_chars: Option<u64>,
    /// Characters at most.
    pub limit_chars: Option<u64>,
    /// Text to find, instead of an offset.
    pub q: Option<String>,
    /// Characters to show before the match.
    pub before_chars: Option<u64>,
    /// Characters to show after the match.
    pub after_chars: Option<u64>,
    /// Only this connection.
    pub connection_id: Option<String>,
}

/// A number, or numbers by group, over the matching records.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AggregateRequest {
    /// The stream to read.
    pub stream: String,
    /// What to compute.
    pub metric: Metric,
    /// Over which field; none for a count.
    pub field: Option<String>,
    /// By which field's values.
    pub group_by: Option<String>,
    /// By which field's time.
    pub group_by_time: Option<String>,
    /// Calendar unit of a time group.
    pub granularity: Option<Granularity>,
    /// Zone whose calendar counts; UTC when unset.
    pub time_zone: Option<String>,
    /// Groups at most.
    pub limit: Option<u64>,
    /// Conditions, all of which must hold.
    pub filter: Filter,
    /// Only this connection.
    pub connection_id: Option<String>,
}

/// Records that match words or meaning.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchRequest {
    /// How to match.
    pub mode: SearchMode,
    /// What to find.
    pub q: String,
    /// Only these streams; empty is all.
    pub streams: Vec<String>,
    /// Hits at most.
    pub limit: Option<u64>,
    /// Where the last page ended.
    pub cursor: Option<String>,
    /// Conditions, with exactly one stream.
    pub filter: Filter,
    /// Only this connection.
    pub connection_id: Option<String>,
}

/// A blob, whole or in part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlobRequest {
    /// Its id.
    pub blob_id: String,
    /// Only these bytes.
    pub range: Option<ByteRange>,
    /// Only this connection.
    pub connection_id: Option<String>,
}

/// A part of a blob, as a client may name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteRange {
    /// From a byte on, up to a last one if given.
    From(u64, Option<u64>),
    /// The last so many.
    Last(u64),
    /// None: only the description is wanted.
    Nothing,
}

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* #[doc = concat!("`", $word, "`")] $variant,)* }
        impl $name {
            /// All of them.
            pub const ALL: &[$name] = &[$($name::$variant,)*];
            /// As it stands on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
            /// Reads it from the wire.
            pub fn parse(word: &str) -> Option<Self> {
                match word { $($word => Some($name::$variant),)* _ => None }
            }
        }
    };
}

words! {
    /// Direction of a page.
    Order { Asc = "asc", Desc = "desc", }
}
words! {
    /// Whether to count the matches.
    #[derive(Default)]
    CountMode { #[default] None = "none", Estimated = "estimated", Exact = "exact", }
}
words! {
    /// What an aggregate computes.
    #[derive(Default)]
    Metric { #[default] Count = "count", Sum = "sum", Min = "min", Max = "max", CountDistinct = "count_distinct", }
}
words! {
    /// Calendar unit of a time group.
    Granularity { Minute = "minute", Hour = "hour", Day = "day", Week = "week", Month = "month", Quarter = "quarter", Year = "year", }
}
words! {
    /// How a search matches.
    #[derive(Default)]
    SearchMode { #[default] Lexical = "lexical", Semantic = "semantic", Hybrid = "hybrid", }
}
words! {
    /// A comparison of a range filter.
    RangeOp { Gte = "gte", Gt = "gt", Lte = "lte", Lt = "lt", }
}

/// Another order than the stream's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    /// By which field.
    pub field: String,
    /// `+field` or `-field`; none when the sign was left out.
    pub direction: Option<Order>,
}

/// Conditions on fields, in the order of their names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter(BTreeMap<String, Condition>);

/// What one field must satisfy. Values are text, read by the field's declared type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Is exactly this.
    Equals(String),
    /// Lies between these.
    Range(BTreeMap<RangeOp, String>),
}

impl Filter {
    /// Whether there is no condition.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The conditions by field name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Condition)> {
        self.0.iter().map(|(field, condition)| (field.as_str(), condition))
    }

    /// Requires a value. False when the field already has a condition.
    pub fn equals(&mut self, field: &str, value: &str) -> bool {
        self.0.insert(field.to_owned(), Condition::Equals(value.to_owned())).is_none()
    }

    /// Adds a bound. False when the field already has that bound, or must equal something.
    pub fn bound(&mut self, field: &str, op: RangeOp, value: &str) -> bool {
        match self.0.entry(field.to_owned()).or_insert_with(|| Condition::Range(BTreeMap::new())) {
            Condition::Equals(_) => false,
            Condition::Range(bounds) => bounds.insert(op, value.to_owned()).is_none(),
        }
    }
}
