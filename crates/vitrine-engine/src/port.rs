//! What the engine needs of a store. Every read of records takes a [`ReadPlan`].

mod search;

use std::future::Future;
use std::sync::Arc;

use jiff::Timestamp;
use vitrine_contract::record::CutField;
use vitrine_contract::request::ByteRange;
use vitrine_contract::{BlobRef, Fields};

use crate::catalog::Catalog;
use crate::gate::ReadPlan;
use crate::grant::Grant;
use crate::token::{TokenDigest, TokenKind};

pub use search::{Evidence, Found, FoundHit, Ranked, SearchAsk, Weights};

/// Why a store could not answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The plan was made from an older catalog: make it again.
    #[error("the catalog has changed since the plan was made")]
    Stale,
    /// The read ran past its deadline.
    #[error("the read took too long")]
    TooSlow,
    /// The request cannot be carried out as the store stands.
    #[error("{0}")]
    Refused(String),
    /// The store itself failed.
    #[error("{0}")]
    Failed(String),
}

/// What a store answers.
pub type StoreResult<T> = Result<T, StoreError>;

/// A store that carries out read plans.
pub trait Store: Send + Sync + 'static {
    /// What was registered when last looked: a plan made from it is refused as stale if that has
    /// changed.
    fn last_catalog(&self) -> Arc<Catalog>;
    /// What is registered now.
    fn catalog(&self) -> impl Future<Output = StoreResult<Arc<Catalog>>> + Send;
    /// The token with this digest, and what it reads under.
    fn bearer(&self, digest: &TokenDigest) -> impl Future<Output = StoreResult<Option<BearerRow>>> + Send;
    /// The token with this digest.
    fn token(&self, digest: &TokenDigest) -> impl Future<Output = StoreResult<Option<TokenRow>>> + Send;
    /// The grant of this id.
    fn grant(&self, id: &str) -> impl Future<Output = StoreResult<Option<GrantRow>>> + Send;
    /// The package of this id, with its members in the order they were issued.
    fn package(&self, id: &str) -> impl Future<Output = StoreResult<Option<PackageRow>>> + Send;
    /// The key that seals cursors.
    fn cursor_key(&self) -> &[u8; 32];

    /// Rows in the plan's order.
    fn page(&self, plan: &ReadPlan, ask: &PageAsk<'_>) -> impl Future<Output = StoreResult<Dated<Page>>> + Send;
    /// How many records the plan matches.
    fn count(&self, plan: &ReadPlan) -> impl Future<Output = StoreResult<u64>> + Send;
    /// The record of that id in each scope that has it.
    fn find(&self, plan: &ReadPlan, id: &str, ask: &RowAsk) -> impl Future<Output = StoreResult<Vec<Row>>> + Send;
    /// A part of one field of one record, for each scope that has the record.
    fn window(&self, plan: &ReadPlan, ask: &WindowAsk<'_>)
    -> impl Future<Output = StoreResult<Vec<FoundField>>> + Send;
    /// The plan's measure.
    fn measure(&self, plan: &ReadPlan) -> impl Future<Output = StoreResult<Dated<Measured>>> + Send;
    /// Changes of what the plan may see.
    fn changes(&self, plan: &ReadPlan, ask: &ChangesAsk) -> impl Future<Output = StoreResult<Dated<Changes>>> + Send;
    /// Records that match a search, best first.
    fn search(&self, plan: &ReadPlan, ask: &SearchAsk<'_>) -> impl Future<Output = StoreResult<Dated<Found>>> + Send;
    /// Count and newest `emitted_at` of each scope, in order, whatever else the plan asks for.
    fn stats(&self, plan: &ReadPlan) -> impl Future<Output = StoreResult<Vec<ScopeStats>>> + Send;
    /// A blob that a visible field of a visible record refers to.
    fn blob(
        &self,
        plan: &ReadPlan,
        blob_id: &str,
        range: Option<ByteRange>,
    ) -> impl Future<Output = StoreResult<Option<FoundBlob>>> + Send;
}

/// A stored token.
#[derive(Debug, Clone)]
pub struct TokenRow {
    /// Its digest.
    pub digest: TokenDigest,
    /// What it may be used for.
    pub kind: TokenKind,
    /// The grant or package it reads under; the owner's id for an owner token.
    pub subject: String,
    /// When it ends.
    pub expires_at: Option<String>,
    /// Whether it was revoked.
    pub revoked: bool,
}

/// A stored token with what it reads under, both as of the same moment.
#[derive(Debug, Clone)]
pub struct BearerRow {
    /// The token.
    pub token: TokenRow,
    /// What its subject names, if that is still there.
    pub subject: Option<SubjectRow>,
}

/// What a client's token reads under.
#[derive(Debug, Clone)]
pub enum SubjectRow {
    /// One grant.
    Grant(GrantRow),
    /// A package of them.
    Package(PackageRow),
}

/// A stored grant.
#[derive(Debug, Clone)]
pub struct GrantRow {
    /// The grant.
    pub grant: Arc<Grant>,
    /// The package it belongs to.
    pub package_id: Option<String>,
    /// Whether it was revoked.
    pub revoked: bool,
}

/// A stored package.
#[derive(Debug, Clone)]
pub struct PackageRow {
    /// Its identity.
    pub package_id: String,
    /// The client it was issued to.
    pub client_id: String,
    /// Whether it was revoked as a whole.
    pub revoked: bool,
    /// Its grants.
    pub members: Vec<GrantRow>,
}

/// An answer, and how far the data behind it reached when it was found.
#[derive(Debug, Clone)]
pub struct Dated<T> {
    /// The answer.
    pub answer: T,
    /// Newest `emitted_at` of each scope, in order, whatever else the plan asks for.
    pub newest: Vec<Option<Timestamp>>,
}

/// How rows are to be read.
#[derive(Debug, Clone, Copy, Default)]
pub struct RowAsk {
    /// Cut longer fields to this many characters.
    pub preview_chars: Option<u32>,
}

/// Which rows of a plan.
#[derive(Debug, Clone, Copy)]
pub struct PageAsk<'a> {
    /// Rows after this place.
    pub after: Option<&'a Position>,
    /// As of which state the walk began; none for a first page.
    pub horizon: Option<i64>,
    /// Rows at most.
    pub rows: usize,
    /// How to read them.
    pub row: RowAsk,
}

/// A place in a plan's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The ordering value; [`crate::sort_key::ABSENT`] when the record has none.
    pub key: Vec<u8>,
    /// The record.
    pub id: String,
    /// Its connection.
    pub connection_id: String,
}

/// Rows, and how the walk goes on.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// The rows, in order.
    pub rows: Vec<Row>,
    /// Whether more follow.
    pub more: bool,
    /// As of which state they were read.
    pub horizon: i64,
}

/// One record as far as the plan shows it.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// Which of the plan's scopes it is in.
    pub scope: usize,
    /// Its id.
    pub id: String,
    /// Its ordering value.
    pub key: Vec<u8>,
    /// The projected fields.
    pub data: Fields,
    /// Fields cut to a preview.
    pub cut: Vec<CutField>,
    /// When the source emitted it.
    pub emitted_at: String,
    /// The values of the plan's join fields, as JSON text.
    pub joins: Vec<Option<String>>,
}

/// Which part of a field.
#[derive(Debug, Clone, Copy)]
pub struct WindowAsk<'a> {
    /// The record.
    pub id: &'a str,
    /// The field.
    pub field: &'a str,
    /// Where in it.
    pub part: WindowPart<'a>,
}

/// Where in a field.
#[derive(Debug, Clone, Copy)]
pub enum WindowPart<'a> {
    /// From a character on.
    At {
        /// First character.
        offset: u64,
        /// Characters at most.
        limit: u64,
    },
    /// Around the first match.
    Around {
        /// What to find.
        needle: &'a str,
        /// Characters before it.
        before: u64,
        /// Characters after it.
        after: u64,
        /// Characters at most.
        limit: u64,
    },
}

/// A record that was found, and what its field is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundField {
    /// Which of the plan's scopes it is in.
    pub scope: usize,
    /// What the field is.
    pub value: FieldPart,
}

/// A field, as far as a window shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldPart {
    /// The record has no such field.
    Missing,
    /// A number, boolean or null.
    NotText,
    /// Text without a match.
    NoMatch,
    /// Text, or JSON as text.
    Text {
        /// Whether it is an object's or array's JSON.
        json: bool,
        /// The characters.
        text: String,
        /// First character.
        start: u64,
        /// Characters in all.
        total: u64,
        /// Where the match stands.
        found: Option<(u64, u64)>,
    },
}

/// The result of a measure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measured {
    /// Records that matched.
    pub matched: u64,
    /// The value over all of them, when there are no groups.
    pub value: Option<serde_json::Value>,
    /// Groups, already in order and bounded.
    pub groups: Vec<MeasuredGroup>,
    /// Records in groups beyond the bound.
    pub other: u64,
}

/// One group of a measure.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredGroup {
    /// Its key; null for records without one.
    pub key: serde_json::Value,
    /// Records in it.
    pub count: u64,
    /// The metric over them, unless it is their count.
    pub value: Option<serde_json::Value>,
}

/// Which changes.
#[derive(Debug, Clone, Copy)]
pub struct ChangesAsk {
    /// After this state; none is since the beginning.
    pub since: Option<i64>,
    /// Up to this state; none is the present.
    pub horizon: Option<i64>,
    /// Continue after this change of the session.
    pub after: Option<i64>,
    /// Rows at most.
    pub rows: usize,
    /// How to read them.
    pub row: RowAsk,
}

/// Changes, in the order they happened.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// The changed records, and those that are gone.
    pub rows: Vec<Change>,
    /// Whether more follow.
    pub more: bool,
    /// Up to which state.
    pub horizon: i64,
}

/// One change.
#[derive(Debug, Clone)]
pub struct Change {
    /// Its place in the order of changes.
    pub sequence: i64,
    /// What happened.
    pub what: ChangeKind,
}

/// What happened to a record.
#[derive(Debug, Clone)]
pub enum ChangeKind {
    /// It is new, or its visible part changed.
    Record(Row),
    /// It is gone, or left what may be seen.
    Gone {
        /// Which of the plan's scopes it was in.
        scope: usize,
        /// Its id.
        id: String,
        /// When.
        at: String,
    },
}

/// How much of a scope there is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScopeStats {
    /// Records that may be seen.
    pub count: u64,
    /// Their newest `emitted_at`.
    pub newest: Option<String>,
}

/// A blob that may be read.
#[derive(Debug, Clone)]
pub struct FoundBlob {
    /// Which of the plan's scopes the record is in that refers to it.
    pub scope: usize,
    /// That record.
    pub record_id: String,
    /// Its field.
    pub field: String,
    /// What it is.
    pub info: BlobRef,
    /// The first byte that `bytes` holds.
    pub start: u64,
    /// The bytes asked for.
    pub bytes: Vec<u8>,
    /// Scopes of other connections that keep other bytes under the same id.
    pub others: Vec<usize>,
}

impl Row {
    /// Where the row stands in the plan's order.
    pub fn position(&self, plan: &ReadPlan) -> Position {
        Position {
            key: self.key.clone(),
            id: self.id.clone(),
            connection_id: plan.scopes()[self.scope].connection().connection_id.to_string(),
        }
    }
}
