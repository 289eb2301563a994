//! A plan becomes SQL here, and nowhere else.
//!
//! For each scope one index drives the read, chosen so that rows come out in order and few are
//! looked at in vain. What the driver does not settle is asked of the other indexes or of the
//! record itself. The grant's own limits are always asked of the record as it is now.

use std::cmp::Ordering;
use std::ops::Bound;

use rusqlite::types::Value;
use vitrine_contract::request::Order;
use vitrine_engine::catalog::FieldNumber;
use vitrine_engine::gate::{Condition, PageOrder, ReadPlan, Scope, Test};
use vitrine_engine::port::Position;
use vitrine_engine::sort_key::{ABSENT, SortKey};

/// As of which state entries count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AsOf {
    Now,
    Sequence(i64),
}

/// Which rows of an order: descending pages list those without a value after the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Whole,
    Present,
    Absent,
}

/// The rows of one scope: `SELECT key, id, record FROM … WHERE …`.
pub(super) struct Part {
    pub(super) key: String,
    pub(super) id: &'static str,
    pub(super) record: &'static str,
    from: &'static str,
    of_from: Vec<Value>,
    /// What comes after a position.
    position: Option<(String, Vec<Value>)>,
    /// The driver's column that holds a field's key, and the keys of it that can matter.
    column: &'static str,
    span: [Bound<SortKey>; 2],
    conditions: Vec<String>,
    parameters: Vec<Value>,
    joined: bool,
}

/// What drives a scope's read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Driver {
    /// The granted records, one by one.
    Resources,
    /// Entries with a value of this field, in the stream's own order.
    ByValue(FieldNumber),
    /// Entries of this field, in order.
    ByOrder(FieldNumber),
    /// The records, by id.
    Records,
}

impl Part {
    /// The rows of `scope` that satisfy the plan, ready to be ordered as it says.
    pub(super) fn ordered(plan: &ReadPlan, scope: &Scope, as_of: AsOf) -> Self {
        let by_value = plan.conditions().iter().find(|c| matches!(c.test, Test::OneOf(_))).map(|c| c.field);
        let driver = match (plan.order(), by_value) {
            (order, _) if scope.resources().is_some() && resources_can_drive(order, scope) => Driver::Resources,
            (PageOrder::Field(field, _), Some(value)) if Some(field) == scope.cursor_number() => Driver::ByValue(value),
            (PageOrder::Id(_), Some(value)) => Driver::ByValue(value),
            (PageOrder::Field(field, _), _) => Driver::ByOrder(field),
            (PageOrder::Id(_), None) => Driver::Records,
        };
        let mut part = Self::driven(driver, scope, as_of, matches!(plan.order(), PageOrder::Id(_)));
        part.restrict(plan.conditions(), scope, driver, as_of);
        part
    }

    /// The rows of `scope` that satisfy the plan, in no order, as cheaply as they can be had.
    pub(super) fn unordered(plan: &ReadPlan, scope: &Scope) -> Self {
        let conditions = plan.conditions();
        let by_value = conditions.iter().find(|c| matches!(c.test, Test::OneOf(_))).map(|c| Driver::ByValue(c.field));
        let by_range = || conditions.first().map(|c| Driver::ByOrder(c.field));
        let by_time = || scope.window().and(scope.consent_number()).map(Driver::ByOrder);
        let resources = scope.resources().map(|_| Driver::Resources);
        let driver = resources.or(by_value).or_else(by_range).or_else(by_time).unwrap_or(Driver::Records);
        let mut part = Self::driven(driver, scope, AsOf::Now, true);
        part.restrict(conditions, scope, driver, AsOf::Now);
        part
    }

    /// The rows that `scope` may see, in no order, whatever the plan asks of them.
    pub(super) fn visible(scope: &Scope) -> Self {
        let by_time = || scope.window().and(scope.consent_number()).map(Driver::ByOrder);
        let driver = scope.resources().map(|_| Driver::Resources).or_else(by_time).unwrap_or(Driver::Records);
        let mut part = Self::driven(driver, scope, AsOf::Now, true);
        part.restrict(&[], scope, driver, AsOf::Now);
        part
    }

    /// The entries of one field of the records that satisfy the plan.
    pub(super) fn values(plan: &ReadPlan, scope: &Scope, field: FieldNumber, by_value: bool) -> Self {
        let driver = if by_value { Driver::ByValue(field) } else { Driver::ByOrder(field) };
        let mut part = Self::driven(driver, scope, AsOf::Now, false);
        if by_value {
            part.key = "x.value".into();
        } else {
            part.keep_present();
        }
        part.restrict(plan.conditions(), scope, driver, AsOf::Now);
        part
    }

    /// Narrows to keys of the driver's column.
    pub(super) fn keep_between(&mut self, low: &Bound<SortKey>, high: &Bound<SortKey>) {
        self.span[0] = narrower(&self.span[0], low, Ordering::Greater);
        self.span[1] = narrower(&self.span[1], high, Ordering::Less);
    }

    /// Narrows to what has a key in the driver's column.
    fn keep_present(&mut self) {
        self.keep_between(&Bound::Unbounded, &before_absent());
    }

    fn driven(driver: Driver, scope: &Scope, as_of: AsOf, by_id: bool) -> Self {
        let (key, from) = match driver {
            Driver::Resources => ("x.place", "json_each(?) j CROSS JOIN record x ON x.cell = ? AND x.id = j.value"),
            Driver::ByValue(_) => ("x.place", "by_value x"),
            Driver::ByOrder(_) => ("x.value", "by_order x"),
            Driver::Records => ("x.place", "record x"),
        };
        let key = match (driver, as_of) {
            _ if by_id => "x''".to_owned(),
            (Driver::Resources, AsOf::Sequence(sequence)) => place_as_of(scope, sequence),
            _ => key.to_owned(),
        };
        let own_row = matches!(driver, Driver::Resources | Driver::Records);
        let mut part = Self {
            key,
            id: "x.id",
            record: if own_row { "x.number" } else { "x.record" },
            from,
            of_from: Vec::new(),
            position: None,
            column: if matches!(driver, Driver::ByOrder(_)) { "x.value" } else { "x.place" },
            span: [Bound::Unbounded, Bound::Unbounded],
            conditions: Vec::new(),
            parameters: Vec::new(),
            joined: false,
        };
        match driver {
            Driver::Resources => {
                part.of_from.push(Value::Text(serde_json::to_string(&scope.resources()).unwrap_or_default()));
                part.of_from.push(Value::Integer(scope.cell()));
            }
            Driver::Records => part.require("x.cell = ?".into(), [Value::Integer(scope.cell())]),
            Driver::ByValue(field) | Driver::ByOrder(field) => {
                part.require(
                    "x.cell = ? AND x.field = ?".into(),
                    [Value::Integer(scope.cell()), Value::Integer(field)],
                );
                part.require_alive("x", as_of);
            }
        }
        part
    }

    /// A driver that reads the records themselves knows only how they are now.
    fn restrict(&mut self, conditions: &[Condition], scope: &Scope, driver: Driver, as_of: AsOf) {
        let as_of = if matches!(driver, Driver::Resources | Driver::Records) { AsOf::Now } else { as_of };
        for condition in conditions {
            self.satisfy(condition, scope, driver, as_of);
        }
        self.keep_within_grant(scope, driver);
    }

    /// What the caller may see at all, asked of the record as it is now.
    fn keep_within_grant(&mut self, scope: &Scope, driver: Driver) {
        if let Some(window) = scope.window() {
            let bounds = [
                window.since.clone().map_or(Bound::Unbounded, Bound::Included),
                window.until.clone().map_or(Bound::Unbounded, Bound::Excluded),
            ];
            if is_driven_by(driver, scope, scope.consent_number()) {
                self.keep_between(&bounds[0], &bounds[1]);
            }
            let own = matches!(driver, Driver::Resources | Driver::Records);
            self.joined |= !own;
            let time = if own { "x.time" } else { "r.time" };
            self.require(format!("{time} IS NOT NULL"), []);
            self.require_between(time, &bounds[0], &bounds[1]);
        }
        if let Some(ids) = scope.resources()
            && driver != Driver::Resources
        {
            let ids = serde_json::to_string(ids).unwrap_or_default();
            self.require(format!("{} IN (SELECT value FROM json_each(?))", self.id), [Value::Text(ids)]);
        }
    }

    fn satisfy(&mut self, condition: &Condition, scope: &Scope, driver: Driver, as_of: AsOf) {
        match &condition.test {
            Test::OneOf(keys) if driver == Driver::ByValue(condition.field) => self.require_one_of("x.value", keys),
            Test::OneOf(keys) => {
                let place = is_driven_by(driver, scope, scope.cursor_number()).then_some(self.column);
                let mut inner = Inner::new("by_value", scope, condition.field, as_of);
                inner.one_of(keys);
                if let Some(place) = place {
                    inner.add(&format!("y.place = {place} AND y.id = x.id"), Vec::new());
                }
                self.require_inner(inner, place.is_some());
            }
            Test::Between(low, high) => {
                if is_driven_by(driver, scope, Some(condition.field)) {
                    self.keep_present();
                    self.keep_between(low, high);
                } else {
                    let mut inner = Inner::new("by_order", scope, condition.field, as_of);
                    inner.between(low, high);
                    self.require_inner(inner, false);
                }
            }
        }
    }

    fn require_inner(&mut self, inner: Inner, correlated: bool) {
        let Inner { table, conditions, parameters } = inner;
        let sql = if correlated {
            format!("EXISTS (SELECT 1 FROM {table} y WHERE {conditions})")
        } else {
            format!("{} IN (SELECT y.record FROM {table} y WHERE {conditions})", self.record)
        };
        self.require(sql, parameters);
    }

    fn require(&mut self, condition: String, parameters: impl IntoIterator<Item = Value>) {
        self.conditions.push(condition);
        self.parameters.extend(parameters);
    }

    fn require_alive(&mut self, table: &str, as_of: AsOf) {
        let (condition, parameters) = alive(table, as_of);
        self.require(condition, parameters);
    }

    fn require_one_of(&mut self, column: &str, keys: &[SortKey]) {
        let (condition, parameters) = one_of(column, keys);
        self.require(condition, parameters);
    }

    /// Narrows to what has a value in a range.
    fn require_between(&mut self, column: &str, low: &Bound<SortKey>, high: &Bound<SortKey>) {
        for (condition, parameter) in between(column, low, high) {
            self.require(condition, [parameter]);
        }
    }

    /// Narrows to one phase of the order.
    pub(super) fn in_phase(&mut self, phase: Phase) {
        let absent = || [Value::Blob(ABSENT.to_vec())];
        match phase {
            Phase::Whole => {}
            Phase::Present if self.key == self.column => self.keep_present(),
            Phase::Present => self.require(format!("{} < ?", self.key), absent()),
            Phase::Absent => self.require(format!("{} = ?", self.key), absent()),
        }
    }

    /// Narrows to what comes after a position, in a scope whose connection comes before, at or
    /// after the position's.
    pub(super) fn after(&mut self, position: &Position, connection_id: &str, order: Order, by_id: bool) {
        let passed = match order {
            Order::Asc => connection_id <= position.connection_id.as_str(),
            Order::Desc => connection_id >= position.connection_id.as_str(),
        };
        let comparison = match (order, passed) {
            (Order::Asc, true) => ">",
            (Order::Asc, false) => ">=",
            (Order::Desc, true) => "<",
            (Order::Desc, false) => "<=",
        };
        let id = Value::Text(position.id.clone());
        self.position = Some(if by_id {
            (format!("{} {comparison} ?", self.id), vec![id])
        } else {
            (format!("({}, {}) {comparison} (?, ?)", self.key, self.id), vec![Value::Blob(position.key.clone()), id])
        });
    }

    /// The statement, selecting `columns`; records are joined as `r` when they are needed.
    pub(super) fn select(self, columns: &str, join: bool, tail: &str) -> (String, Vec<Value>) {
        let join = if join || self.joined {
            format!(" CROSS JOIN record r ON r.number = {}", self.record)
        } else {
            String::new()
        };
        // The database seeks to the first bound it meets on either side, and looks at every entry between that and a
        // second one: so there is one bound a side, and the position comes before it.
        let span = between(self.column, &self.span[0], &self.span[1]);
        let bounds = self.position.into_iter().chain(span.into_iter().map(|(condition, key)| (condition, vec![key])));
        let (mut conditions, mut parameters) = (Vec::new(), self.of_from);
        for (condition, values) in bounds {
            conditions.push(condition);
            parameters.extend(values);
        }
        conditions.extend(self.conditions);
        parameters.extend(self.parameters);
        let conditions = if conditions.is_empty() { "1".to_owned() } else { conditions.join(" AND ") };
        (format!("SELECT {columns} FROM {}{join} WHERE {conditions}{tail}", self.from), parameters)
    }
}

/// The granted records can drive when the record itself tells its place as of then.
fn resources_can_drive(order: PageOrder, scope: &Scope) -> bool {
    match order {
        PageOrder::Id(_) => true,
        PageOrder::Field(field, _) => Some(field) == scope.cursor_number(),
    }
}

/// The place a record had after a change: its own if it has not moved since, else its former one.
fn place_as_of(scope: &Scope, sequence: i64) -> String {
    let field = scope.cursor_number().unwrap_or_default();
    format!(
        "iif(x.placed <= {sequence}, x.place, (SELECT o.value FROM by_order o WHERE o.cell = x.cell AND o.id = x.id \
         AND o.died > {sequence} AND o.field = {field} AND o.born <= {sequence}))"
    )
}

/// Whether the driver's column holds a field's key.
fn is_driven_by(driver: Driver, scope: &Scope, field: Option<FieldNumber>) -> bool {
    match driver {
        Driver::ByOrder(driving) => field == Some(driving),
        Driver::ByValue(_) | Driver::Resources | Driver::Records => field.is_some() && field == scope.cursor_number(),
    }
}

/// The end of the keys of records that have a value.
fn before_absent() -> Bound<SortKey> {
    Bound::Excluded(SortKey::from_bytes(ABSENT.to_vec()))
}

/// The one of two bounds that leaves less: the lower ends of two ranges by `Greater`, the upper ones by `Less`.
fn narrower(a: &Bound<SortKey>, b: &Bound<SortKey>, wins: Ordering) -> Bound<SortKey> {
    let a_wins = match (a, b) {
        (_, Bound::Unbounded) => true,
        (Bound::Unbounded, _) => false,
        (Bound::Included(of_a), Bound::Included(of_b) | Bound::Excluded(of_b)) => of_a.cmp(of_b) == wins,
        (Bound::Excluded(of_a), Bound::Included(of_b) | Bound::Excluded(of_b)) => of_a.cmp(of_b) != wins.reverse(),
    };
    if a_wins { a.clone() } else { b.clone() }
}

/// A question to another index.
struct Inner {
    table: &'static str,
    conditions: String,
    parameters: Vec<Value>,
}

impl Inner {
    fn new(table: &'static str, scope: &Scope, field: FieldNumber, as_of: AsOf) -> Self {
        let (alive, mut life) = alive("y", as_of);
        let mut parameters = vec![Value::Integer(scope.cell()), Value::Integer(field)];
        parameters.append(&mut life);
        Self { table, conditions: format!("y.cell = ? AND y.field = ? AND {alive}"), parameters }
    }

    fn one_of(&mut self, keys: &[SortKey]) {
        let (condition, parameters) = one_of("y.value", keys);
        self.add(&condition, parameters);
    }

    fn between(&mut self, low: &Bound<SortKey>, high: &Bound<SortKey>) {
        for (condition, parameter) in between("y.value", low, &narrower(high, &before_absent(), Ordering::Less)) {
            self.add(&condition, vec![parameter]);
        }
    }

    fn add(&mut self, condition: &str, parameters: Vec<Value>) {
        self.conditions.push_str(" AND ");
        self.conditions.push_str(condition);
        self.parameters.extend(parameters);
    }
}

fn alive(table: &str, as_of: AsOf) -> (String, Vec<Value>) {
    match as_of {
        AsOf::Now => (format!("{table}.died IS NULL"), Vec::new()),
        AsOf::Sequence(sequence) => (
            format!("{table}.born <= ? AND ({table}.died IS NULL OR {table}.died > ?)"),
            vec![Value::Integer(sequence), Value::Integer(sequence)],
        ),
    }
}

fn one_of(column: &str, keys: &[SortKey]) -> (String, Vec<Value>) {
    let parameters = keys.iter().map(blob).collect();
    match keys.len() {
        1 => (format!("{column} = ?"), parameters),
        n => (format!("{column} IN ({})", vec!["?"; n].join(", ")), parameters),
    }
}

fn between(column: &str, low: &Bound<SortKey>, high: &Bound<SortKey>) -> Vec<(String, Value)> {
    let low = match low {
        Bound::Included(key) => Some((format!("{column} >= ?"), blob(key))),
        Bound::Excluded(key) => Some((format!("{column} > ?"), blob(key))),
        Bound::Unbounded => None,
    };
    let high = match high {
        Bound::Included(key) => Some((format!("{column} <= ?"), blob(key))),
        Bound::Excluded(key) => Some((format!("{column} < ?"), blob(key))),
        Bound::Unbounded => None,
    };
    low.into_iter().chain(high).collect()
}

fn blob(key: &SortKey) -> Value {
    Value::Blob(key.as_bytes().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_bounds_the_one_that_leaves_less_is_kept() {
        let key = |byte: u8| SortKey::from_bytes(vec![byte]);
        let (with_3, without_3, with_5) = (Bound::Included(key(3)), Bound::Excluded(key(3)), Bound::Included(key(5)));
        for (a, b, low, high) in [
            (&with_3, &with_5, &with_5, &with_3),
            (&without_3, &with_5, &with_5, &without_3),
            (&with_3, &without_3, &without_3, &without_3),
            (&with_3, &Bound::Unbounded, &with_3, &with_3),
        ] {
            for (a, b) in [(a, b), (b, a)] {
                assert_eq!(&narrower(a, b, Ordering::Greater), low, "{a:?} {b:?}");
                assert_eq!(&narrower(a, b, Ordering::Less), high, "{a:?} {b:?}");
            }
        }
    }
}
