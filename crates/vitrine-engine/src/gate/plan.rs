//! A read that was allowed. Only [`super::enforce`] makes one, and no store reads without one.

use std::collections::BTreeSet;
use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use jiff::tz::TimeZone;
use vitrine_contract::request::{Granularity, Metric, Order};

use crate::catalog::{CellId, Connection, FieldNumber};
use crate::declaration::{Field, FieldKind, KeySide, Stream};
use crate::grant::Grant;
use crate::sort_key::SortKey;

/// What may be read, of where, in which order.
#[derive(Debug, Clone)]
pub struct ReadPlan {
    pub(super) catalog_version: i64,
    pub(super) scopes: Vec<Scope>,
    pub(super) conditions: Vec<Condition>,
    pub(super) order: PageOrder,
    pub(super) measure: Option<Measure>,
    pub(super) expansions: Vec<Expansion>,
    pub(super) joins: Vec<String>,
}

/// One stream of one connection, as far as the caller may see it.
#[derive(Debug, Clone)]
pub struct Scope {
    pub(super) connection: Arc<Connection>,
    pub(super) stream: Arc<str>,
    pub(super) declared: Arc<Stream>,
    pub(super) cell: CellId,
    pub(super) grant: Option<Arc<Grant>>,
    pub(super) visible: Fields,
    pub(super) projection: Fields,
    pub(super) window: Option<TimeWindow>,
    pub(super) resources: Option<Arc<BTreeSet<String>>>,
}

/// A set of fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fields {
    /// Every field the records have.
    All,
    /// These.
    Only(Arc<BTreeSet<String>>),
}

impl Fields {
    /// Whether the field is among them.
    pub fn contains(&self, field: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(field),
        }
    }
}

/// A span of the consent time: from the first on, up to but not including the second.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TimeWindow {
    /// First instant.
    pub since: Option<SortKey>,
    /// First instant after it.
    pub until: Option<SortKey>,
}

impl TimeWindow {
    /// Whether a record of that time lies in it; one without a time never does.
    pub fn contains(&self, time: Option<&[u8]>) -> bool {
        time.is_some_and(|time| {
            self.since.as_ref().is_none_or(|since| since.as_bytes() <= time)
                && self.until.as_ref().is_none_or(|until| time < until.as_bytes())
        })
    }
}

/// What a field of every returned record satisfies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The field, as it is indexed.
    pub field: FieldNumber,
    /// What it satisfies.
    pub test: Test,
}

/// What a value satisfies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// It is one of these.
    OneOf(Vec<SortKey>),
    /// It lies between these.
    Between(Bound<SortKey>, Bound<SortKey>),
}

impl Test {
    /// Whether a value is what is asked for.
    pub fn is_met_by(&self, key: &SortKey) -> bool {
        match self {
            Self::OneOf(keys) => keys.contains(key),
            Self::Between(low, high) => (low.as_ref(), high.as_ref()).contains(key),
        }
    }
}

/// The order of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageOrder {
    /// By record id.
    Id(Order),
    /// By a field, then by record id.
    Field(FieldNumber, Order),
}

impl PageOrder {
    /// Its direction.
    pub fn direction(self) -> Order {
        match self {
            Self::Id(order) | Self::Field(_, order) => order,
        }
    }
}

/// What to compute over the matching records.
#[derive(Debug, Clone)]
pub struct Measure {
    /// The metric.
    pub metric: Metric,
    /// Over which field.
    pub field: Option<MeasureField>,
    /// By what.
    pub group: Grouping,
    /// Groups at most.
    pub limit: usize,
}

/// A field to compute with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasureField {
    /// As it is indexed.
    pub number: FieldNumber,
    /// As it is called.
    pub name: String,
    /// How its values compare.
    pub kind: FieldKind,
    /// Whether its instants are whole days.
    pub dates: bool,
}

/// What records are grouped by.
#[derive(Debug, Clone)]
pub enum Grouping {
    /// Nothing: one value for all.
    None,
    /// A field's values.
    Value(MeasureField),
    /// A field's calendar unit in a zone.
    Calendar(MeasureField, Granularity, TimeZone),
}

/// Related records to bring along.
#[derive(Debug, Clone)]
pub struct Expansion {
    pub(super) name: String,
    pub(super) has_one: bool,
    pub(super) key_side: KeySide,
    pub(super) key_kind: FieldKind,
    pub(super) key_number: Option<FieldNumber>,
    pub(super) limit: usize,
    /// One per scope of the plan; a scope whose caller may not see the related stream has none.
    pub(super) related: Vec<Option<Scope>>,
    pub(super) order: PageOrder,
    pub(super) join: usize,
}

impl ReadPlan {
    /// The catalog it was made from.
    pub fn catalog_version(&self) -> i64 {
        self.catalog_version
    }

    /// Where records may be read.
    pub fn scopes(&self) -> &[Scope] {
        &self.scopes
    }

    /// What they satisfy.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// How they are ordered.
    pub fn order(&self) -> PageOrder {
        self.order
    }

    /// What is computed over them.
    pub fn measure(&self) -> Option<&Measure> {
        self.measure.as_ref()
    }

    /// What is brought along.
    pub fn expansions(&self) -> &[Expansion] {
        &self.expansions
    }

    /// Fields whose values the engine needs to bring related records along.
    pub fn joins(&self) -> &[String] {
        &self.joins
    }
}

impl Scope {
    /// The account.
    pub fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// The stream's name.
    pub fn stream_name(&self) -> &Arc<str> {
        &self.stream
    }

    /// The stream as it is declared now.
    pub fn stream(&self) -> &Stream {
        &self.declared
    }

    /// Where its records are.
    pub fn cell(&self) -> CellId {
        self.cell
    }

    /// The grant it comes from; none for the owner.
    pub fn grant_id(&self) -> Option<&str> {
        self.grant.as_deref().map(|g| g.grant_id.as_str())
    }

    /// The fields that may be seen.
    pub fn visible(&self) -> &Fields {
        &self.visible
    }

    /// The fields to return.
    pub fn projection(&self) -> &Fields {
        &self.projection
    }

    /// The span of consent time, if limited.
    pub fn window(&self) -> Option<&TimeWindow> {
        self.window.as_ref()
    }

    /// The records, if limited.
    pub fn resources(&self) -> Option<&Arc<BTreeSet<String>>> {
        self.resources.as_ref()
    }

    /// The number a field is indexed under.
    pub fn field_number(&self, field: &str) -> Option<FieldNumber> {
        self.connection.source.field_number(&self.stream, field)
    }

    /// The field that orders the stream, as it is indexed.
    pub fn cursor_number(&self) -> Option<FieldNumber> {
        self.stream().cursor_field.as_deref().and_then(|field| self.field_number(field))
    }

    /// The field that consent time is measured on, as it is indexed.
    pub fn consent_number(&self) -> Option<FieldNumber> {
        self.stream().consent_time_field.as_deref().and_then(|field| self.field_number(field))
    }

    /// Whether the caller sees every record of the cell.
    pub fn sees_all_records(&self) -> bool {
        self.window.is_none() && self.resources.is_none()
    }

    /// The declared fields the caller may see, in declared order.
    pub fn visible_fields(&self) -> impl Iterator<Item = &Field> {
        self.stream().fields.iter().filter(|field| self.visible.contains(&field.name))
    }
}

impl Expansion {
    /// The relationship's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether at most one record is related.
    pub fn has_one(&self) -> bool {
        self.has_one
    }

    /// Related records at most.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Which of the plan's joins holds the key.
    pub fn join(&self) -> usize {
        self.join
    }

    /// The read of what is related to a record of `scope` whose key is `key` (JSON text); none
    /// when nothing can be.
    pub fn plan(&self, parent: &ReadPlan, scope: usize, key: &str) -> Option<Related> {
        let related = self.related.get(scope)?.clone()?;
        let text = match serde_json::from_str(key).ok()? {
            serde_json::Value::String(text) => text,
            serde_json::Value::Number(number) => number.to_string(),
            _ => return None,
        };
        let mut plan = ReadPlan {
            catalog_version: parent.catalog_version,
            scopes: vec![related],
            conditions: Vec::new(),
            order: self.order,
            measure: None,
            expansions: Vec::new(),
            joins: Vec::new(),
        };
        if self.key_side == KeySide::Own {
            return Some(Related::ById(plan, text));
        }
        let keys = SortKey::of_filter(self.key_kind, &text);
        plan.conditions.push(Condition { field: self.key_number?, test: Test::OneOf(keys) });
        Some(Related::ByKey(plan))
    }
}

/// How related records are found.
#[derive(Debug, Clone)]
pub enum Related {
    /// They name the record they belong to.
    ByKey(ReadPlan),
    /// The record names its only one, by that key.
    ById(ReadPlan, String),
}
