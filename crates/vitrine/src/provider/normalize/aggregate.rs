//! Numbers over records.

use serde_json::Value;
use serde_json::value::RawValue;
use vitrine_contract::record::Tag;
use vitrine_contract::request::{AggregateRequest, Granularity, Metric};
use vitrine_contract::schema::{Aggregation, AggregationMeta, Group};

use super::members::Members;
use super::{Read, list, unreadable};

/// A number, or numbers by group.
pub(in super::super) fn aggregation(body: &str, request: &AggregateRequest) -> Read<Aggregation> {
    let is_one = |members: &Members<'_>| members.raw(&["value"]).is_some() || members.array(&["groups"]).is_some();
    let members = Members::of_answer(body)?.unwrapped(is_one);
    let groups = members.array(&["groups"]).map(|groups| list::rows(groups, group)).transpose()?;
    let value = present(&members, "value");
    if groups.is_none() && value.is_none() {
        return unreadable("an aggregation with neither `value` nor `groups`");
    }
    let other_count = members.read(&["other_count"]).unwrap_or_default();
    let counted = counted(value.as_ref().filter(|_| request.metric == Metric::Count), groups.as_deref(), other_count);
    let text = |name, asked: Option<&str>| members.text(&[name]).or_else(|| asked.map(str::to_owned));
    let meta = list::meta(&members);
    Ok(Aggregation {
        object: Tag::default(),
        stream: text("stream", Some(&request.stream)).unwrap_or_default(),
        metric: text("metric", Some(request.metric.as_str())).unwrap_or_default(),
        field: text("field", request.field.as_deref()),
        group_by: text("group_by", request.group_by.as_deref()),
        group_by_time: text("group_by_time", request.group_by_time.as_deref()),
        granularity: text("granularity", request.granularity.map(Granularity::as_str)),
        time_zone: text("time_zone", request.time_zone.as_deref()),
        value,
        groups,
        limit: members.read(&["limit"]),
        other_count,
        filtered_record_count: members.read(&["filtered_record_count"]).or(counted),
        approximate: members.read(&["approximate"]).unwrap_or_default(),
        meta: AggregationMeta { warnings: meta.warnings, freshness: meta.freshness },
    })
}

fn group(json: &RawValue) -> Read<Group> {
    let read = |members: Members<'_>| {
        let count = members.read(&["count"])?;
        Some(Group { key: present(&members, "key").unwrap_or_default(), count, value: present(&members, "value") })
    };
    Members::of(json).and_then(read).map_or_else(|| unreadable("a group without `count`"), Ok)
}

/// A value that may well be null: the smallest of nothing, the key of records without one.
fn present(members: &Members<'_>, name: &str) -> Option<Value> {
    members.raw(&[name]).and_then(|value| serde_json::from_str(value.get()).ok())
}

/// The records that must have been counted, when nobody says and it follows from the count.
fn counted(count: Option<&Value>, groups: Option<&[Group]>, other: u64) -> Option<u64> {
    match groups {
        Some(groups) => Some(groups.iter().map(|group| group.count).fold(other, u64::saturating_add)),
        None => count.and_then(Value::as_u64),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: &Value) -> Read<Aggregation> {
        aggregation(&body.to_string(), &AggregateRequest { stream: "m".into(), ..Default::default() })
    }

    #[test]
    fn a_null_is_an_answer_and_nothing_is_none() {
        assert_eq!(read(&json!({ "value": null })).unwrap().value, Some(Value::Null));
        for body in [json!({}), json!({ "groups": [{ "key": 1 }] }), json!({ "groups": [3] })] {
            assert!(read(&body).is_err(), "{body}");
        }
    }

    #[test]
    fn a_sum_is_not_taken_for_a_count() {
        assert_eq!(read(&json!({ "value": 35 })).unwrap().filtered_record_count, Some(35));
        let request = AggregateRequest { stream: "m".into(), metric: Metric::Sum, ..Default::default() };
        let sum = aggregation(&json!({ "value": 35 }).to_string(), &request).unwrap();
        assert_eq!(sum.filtered_record_count, None);
    }

    #[test]
    fn an_aggregation_in_an_envelope_is_one() {
        assert_eq!(read(&json!({ "data": { "value": 3 } })).unwrap().value, Some(json!(3)));
        assert_eq!(
            read(&json!({ "data": { "groups": [{ "key": 1, "count": 2 }] } })).unwrap().groups.unwrap().len(),
            1
        );
    }

    #[test]
    fn what_was_asked_fills_in_what_is_not_repeated() {
        let read =
            read(&json!({ "groups": [{ "key": null, "count": 2 }, { "key": "a", "count": 1 }], "other_count": 4 }));
        let read = read.unwrap();
        assert_eq!((read.stream.as_str(), read.metric.as_str(), read.filtered_record_count), ("m", "count", Some(7)));
        assert_eq!(read.groups.unwrap()[0].key, Value::Null);
    }
}
