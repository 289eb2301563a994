//! Every read equals a naive model of the contract.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use vitrine_contract::ReadApi;
use vitrine_contract::request::{
    AggregateRequest, Condition, CountMode, Filter, Granularity, Metric, Order, RangeOp, RecordRequest, RecordsRequest,
    SchemaRequest,
};
use vitrine_contract::{Count, ErrorCode};

use super::model::{Comparable, Model, Seen, comparable, sort};
use super::world::{Happening, Scope, World, happening, run, scope};
use super::{requests, world};

const IDS: &[&str] = &["a", "b", "c", "d", "e", "f", "g"];

/// Whether a row satisfies a filter; the gate has already refused ungranted fields.
fn satisfies(row: &Seen, filter: &Filter) -> bool {
    filter.iter().all(|(field, condition)| {
        let Some(value) = comparable(field, row.data.get(field)) else { return false };
        let parse = |text: &str| match value {
            Comparable::Bool(_) => Comparable::Bool(text == "true"),
            Comparable::Number(_) => Comparable::Number(text.parse().unwrap()),
            Comparable::Time(_) => Comparable::Time(vitrine_contract::time::parse(text).unwrap()),
            Comparable::Text(_) => Comparable::Text(text.to_owned()),
        };
        match condition {
            Condition::Equals(text) => value == parse(text),
            Condition::Range(bounds) => bounds.iter().all(|(op, text)| match op {
                RangeOp::Gte => value >= parse(text),
                RangeOp::Gt => value > parse(text),
                RangeOp::Lte => value <= parse(text),
                RangeOp::Lt => value < parse(text),
            }),
        }
    })
}

/// What the model answers to a page request: the rows in order, or the code of the refusal.
fn expected(model: &Model, scope: &Scope, request: &RecordsRequest) -> Result<Vec<Seen>, ErrorCode> {
    let granted = |field: &str| field == "id" || scope.fields.contains(&field);
    if let Some(connection) = &request.connection_id
        && !scope.accounts.iter().any(|a| world::ACCOUNTS[*a] == connection)
    {
        return Err(ErrorCode::ConnectionNotGranted);
    }
    if request.sort.as_ref().is_some_and(|sort| !granted(&sort.field))
        || request.filter.iter().any(|(field, _)| !granted(field))
    {
        return Err(ErrorCode::FieldNotGranted);
    }
    let mut rows = model.visible(scope, &request.stream);
    rows.retain(|row| request.connection_id.as_ref().is_none_or(|id| *id == row.connection_id));
    rows.retain(|row| satisfies(row, &request.filter));
    let cursor = if request.stream == "items" { "at" } else { "touched" };
    match &request.sort {
        Some(field) => sort(&mut rows, Some(&field.field), request.order == Some(Order::Desc)),
        None => sort(&mut rows, Some(cursor).filter(|f| granted(f)), request.order != Some(Order::Asc)),
    }
    Ok(rows)
}

/// Every walk and every count is the model's.
pub(super) async fn check_pages(reader: &impl ReadApi, model: &Model, scope: &Scope, asked: &[RecordsRequest]) {
    for request in asked {
        let expected = expected(model, scope, request);
        let walked = walk(reader, request).await;
        assert_eq!(walked, expected, "{request:?}");
        let counted = RecordsRequest { count: CountMode::Exact, ..request.clone() };
        if let Ok(rows) = &expected {
            let page = reader.records(&counted).await.unwrap();
            assert_eq!(page.meta.count, Count::Exact { value: rows.len() as u64 }, "{request:?}");
        }
    }
}

pub(super) async fn build(happenings: &[Happening]) -> (World, Model) {
    let (world, mut model) = (World::new(1).await, Model::default());
    for happening in happenings {
        world.happen(happening).await;
        model.happen(happening);
    }
    (world, model)
}

/// Follows cursors to the end.
pub(super) async fn walk(reader: &impl ReadApi, request: &RecordsRequest) -> Result<Vec<Seen>, ErrorCode> {
    let mut request = request.clone();
    let mut rows = Vec::new();
    loop {
        let page = reader.records(&request).await.map_err(|error| error.code)?;
        assert!(page.data.len() as u64 <= request.limit.unwrap_or(25));
        rows.extend(page.data.iter().map(|record| Seen {
            connection_id: record.connection_id.to_string(),
            id: record.id.clone(),
            data: record.data.as_ref().map(vitrine_contract::Fields::to_map).unwrap_or_default(),
        }));
        assert_eq!(page.has_more, page.next_cursor.is_some());
        match page.next_cursor {
            None => return Ok(rows),
            cursor => request.cursor = cursor,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_page_equals_the_model(
        happenings in proptest::collection::vec(happening(IDS), 0..60),
        scope in scope(IDS),
        asked in proptest::collection::vec(requests::page(), 12),
    ) {
        run(async {
            let (world, model) = build(&happenings).await;
            let reader = world.reader(world.caller(&scope).await);
            check_pages(&reader, &model, &scope, &asked).await;
            world.check();
        });
    }

    #[test]
    fn single_records_and_schemas_equal_the_model(
        happenings in proptest::collection::vec(happening(IDS), 0..50),
        scope in scope(IDS),
    ) {
        run(async {
            let (world, model) = build(&happenings).await;
            let reader = world.reader(world.caller(&scope).await);
            for stream in ["items", "notes"] {
                let visible = model.visible(&scope, stream);
                for id in IDS {
                    let holders: Vec<&Seen> = visible.iter().filter(|row| row.id == *id).collect();
                    let request = RecordRequest { stream: stream.into(), id: (*id).into(), ..RecordRequest::default() };
                    match (reader.record(&request).await, holders.as_slice()) {
                        (Ok(record), [row]) => assert_eq!(record.data.unwrap().to_map(), row.data),
                        (Err(error), []) => assert_eq!(error.code, ErrorCode::NotFound),
                        (Err(error), [_, _]) => assert_eq!(error.code, ErrorCode::AmbiguousConnection),
                        (other, holders) => panic!("{other:?} for {holders:?}"),
                    }
                }
                let schema = reader.schema(&SchemaRequest { stream: Some(stream.into()), ..SchemaRequest::default() }).await.unwrap();
                let counted: u64 = schema.connectors.iter().flat_map(|c| &c.streams).filter_map(|row| row.record_count).sum();
                assert_eq!(counted, visible.len() as u64);
            }
        });
    }

    #[test]
    fn every_aggregate_equals_the_model(
        happenings in proptest::collection::vec(happening(IDS), 0..60),
        scope in scope(IDS),
        filter in requests::filter(),
        group in proptest::sample::select(&[None, Some("kind"), Some("done")][..]),
        metric in proptest::sample::select(Metric::ALL),
        limit in 1u64..5,
    ) {
        run(async {
            let (world, model) = build(&happenings).await;
            let reader = world.reader(world.caller(&scope).await);
            let field = match metric {
                Metric::Count => None,
                Metric::CountDistinct => Some("kind"),
                _ => Some("amount"),
            };
            let request = AggregateRequest {
                stream: "items".into(),
                metric,
                field: field.map(str::to_owned),
                group_by: group.map(str::to_owned),
                limit: group.map(|_| limit),
                filter: filter.clone(),
                ..AggregateRequest::default()
            };
            let pages = RecordsRequest { stream: "items".into(), filter, ..RecordsRequest::default() };
            let granted = |name: Option<&str>| name.is_none_or(|name| scope.fields.contains(&name));
            let answer = reader.aggregate(&request).await;
            let rows = match expected(&model, &scope, &pages) {
                Err(code) => return assert_eq!(answer.unwrap_err().code, code),
                Ok(_) if !granted(group) || !granted(field) => {
                    return assert_eq!(answer.unwrap_err().code, ErrorCode::FieldNotGranted);
                }
                Ok(rows) => rows,
            };
            let answer = answer.unwrap();
            assert_eq!(answer.filtered_record_count, Some(rows.len() as u64));
            match group {
                None => assert_eq!(answer.value, Some(measure(&rows, metric, field))),
                Some(group) => {
                    let groups = grouped(&rows, group, metric, field);
                    let shown: Vec<Value> = answer.groups.unwrap().into_iter().map(|g| json!([g.key, g.count, g.value])).collect();
                    let cut = groups.len().min(usize::try_from(limit).unwrap());
                    assert_eq!(shown, groups[..cut].iter().map(|(k, n, v)| json!([k, n, v])).collect::<Vec<_>>());
                    assert_eq!(answer.other_count, groups[cut..].iter().map(|(_, n, _)| n).sum::<u64>());
                }
            }
        });
    }

    #[test]
    fn calendar_groups_equal_the_model(
        happenings in proptest::collection::vec(happening(IDS), 0..60),
        unit in proptest::sample::select(Granularity::ALL),
        zone in proptest::sample::select(&["Europe/Berlin", "UTC", "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu"][..]),
    ) {
        run(async {
            let (world, model) = build(&happenings).await;
            let scope = Scope { accounts: vec![0, 1], fields: vec!["at"], since: None, until: None, resources: None };
            let reader = world.reader(world.caller(&scope).await);
            let request = AggregateRequest {
                stream: "items".into(),
                group_by_time: Some("at".into()),
                granularity: Some(unit),
                time_zone: Some(zone.into()),
                ..AggregateRequest::default()
            };
            let mut buckets: BTreeMap<Option<jiff::Timestamp>, u64> = BTreeMap::new();
            for row in model.visible(&scope, "items") {
                let at = row.data.get("at").and_then(Value::as_str).and_then(vitrine_contract::time::parse);
                *buckets.entry(at.map(|at| unit_start(at, unit, zone))).or_default() += 1;
            }
            let undated = buckets.remove(&None);
            let mut expected: Vec<Value> = buckets.into_iter().map(|(start, n)| json!([start.unwrap().to_string(), n])).collect();
            expected.extend(undated.map(|n| json!([null, n])));
            let answer = reader.aggregate(&request).await.unwrap();
            assert_eq!(answer.groups.unwrap().into_iter().map(|g| json!([g.key, g.count])).collect::<Vec<_>>(), expected);
        });
    }
}

/// The start of the unit an instant lies in, by rounding down on the wall clock.
fn unit_start(at: jiff::Timestamp, unit: Granularity, zone: &str) -> jiff::Timestamp {
    let zoned = at.in_tz(zone).unwrap();
    let start = match unit {
        Granularity::Minute => {
            zoned.round(jiff::ZonedRound::new().smallest(jiff::Unit::Minute).mode(jiff::RoundMode::Floor)).unwrap()
        }
        Granularity::Hour => {
            zoned.round(jiff::ZonedRound::new().smallest(jiff::Unit::Hour).mode(jiff::RoundMode::Floor)).unwrap()
        }
        Granularity::Day => zoned.start_of_day().unwrap(),
        Granularity::Week => {
            let back = jiff::Span::new().days(zoned.weekday().to_monday_zero_offset());
            zoned.checked_sub(back).unwrap().start_of_day().unwrap()
        }
        Granularity::Month => zoned.first_of_month().unwrap().start_of_day().unwrap(),
        Granularity::Quarter => {
            let month = (zoned.month() - 1) / 3 * 3 + 1;
            zoned.with().day(1).month(month).build().unwrap().start_of_day().unwrap()
        }
        Granularity::Year => zoned.first_of_year().unwrap().start_of_day().unwrap(),
    };
    start.timestamp()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "generated numbers are small")]
fn measure(rows: &[Seen], metric: Metric, field: Option<&str>) -> Value {
    let values: Vec<&Value> = field
        .map(|f| rows.iter().filter_map(|row| row.data.get(f)).filter(|v| !v.is_null()).collect())
        .unwrap_or_default();
    let number = |v: &Value| v.as_f64().unwrap();
    match metric {
        Metric::Count => json!(rows.len()),
        Metric::CountDistinct => {
            json!(values.iter().map(ToString::to_string).collect::<std::collections::BTreeSet<_>>().len())
        }
        Metric::Sum => {
            // Tenths, so that the sum is exact.
            let tenths: i64 = values.iter().map(|v| (number(v) * 10.0).round() as i64).sum();
            if tenths % 10 == 0 { json!(tenths / 10) } else { json!(tenths as f64 / 10.0) }
        }
        Metric::Min | Metric::Max => {
            let best =
                values.into_iter().map(number).reduce(|a, b| if (metric == Metric::Min) == (b < a) { b } else { a });
            best.map_or(Value::Null, |n| if n.fract() == 0.0 { json!(n as i64) } else { json!(n) })
        }
    }
}

fn grouped(rows: &[Seen], group: &str, metric: Metric, field: Option<&str>) -> Vec<(Value, u64, Option<Value>)> {
    let mut groups: BTreeMap<String, (Value, Vec<Seen>)> = BTreeMap::new();
    for row in rows {
        let key = row.data.get(group).cloned().unwrap_or(Value::Null);
        groups.entry(key.to_string()).or_insert_with(|| (key, Vec::new())).1.push(row.clone());
    }
    let mut groups: Vec<_> = groups
        .into_values()
        .map(|(key, rows)| {
            let value = field.map(|_| measure(&rows, metric, field));
            (key, rows.len() as u64, value)
        })
        .collect();
    groups.sort_by(|(a, n, _), (b, m, _)| {
        let key = |v: &Value| (v.is_null(), v.as_bool(), v.as_str().map(str::to_owned));
        m.cmp(n).then_with(|| key(a).cmp(&key(b)))
    });
    groups
}
