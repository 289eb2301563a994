//! Numbers over records.

use serde_json::Value;
use vitrine_contract::read_api::Answer;
use vitrine_contract::record::Tag;
use vitrine_contract::request::{AggregateRequest, Granularity, ReadRequest};
use vitrine_contract::schema::{Aggregation, AggregationMeta, Group};
use vitrine_contract::{Warning, limits};

use super::{LocalRead, ReadFault, freshness};
use crate::gate::{Grouping, ReadPlan};
use crate::port::{Dated, MeasuredGroup, Store};

pub(super) async fn compute<S: Store>(reader: &LocalRead<S>, request: &AggregateRequest) -> Answer<Aggregation> {
    let asked = ReadRequest::Aggregate(request.clone());
    reader.planned(&asked, |_, plan| measure(reader, request, plan)).await
}

async fn measure<S: Store>(
    reader: &LocalRead<S>,
    request: &AggregateRequest,
    plan: ReadPlan,
) -> Result<Aggregation, ReadFault> {
    let Dated { answer: measured, newest } = reader.store.measure(&plan).await?;
    let grouped = plan.measure().is_some_and(|measure| !matches!(measure.group, Grouping::None));
    let limit = plan.measure().map(|measure| u32::try_from(measure.limit).unwrap_or(u32::MAX));
    let clamped = request.limit.filter(|asked| *asked > u64::from(limits::MAX_LIMIT));
    let group = |g: MeasuredGroup| Group { key: g.key, count: g.count, value: g.value };
    Ok(Aggregation {
        object: Tag::default(),
        stream: request.stream.clone(),
        metric: request.metric.as_str().to_owned(),
        field: request.field.clone(),
        group_by: request.group_by.clone(),
        group_by_time: request.group_by_time.clone(),
        granularity: request.granularity.map(Granularity::as_str).map(str::to_owned),
        time_zone: request
            .group_by_time
            .as_ref()
            .map(|_| request.time_zone.clone().unwrap_or_else(|| "UTC".to_owned())),
        value: (!grouped).then(|| measured.value.unwrap_or(Value::Null)),
        groups: grouped.then(|| measured.groups.into_iter().map(group).collect()),
        limit: limit.filter(|_| grouped),
        other_count: measured.other,
        filtered_record_count: Some(measured.matched),
        approximate: false,
        meta: AggregationMeta {
            warnings: clamped
                .map(|asked| Warning::limit_clamped("limit", asked, limits::MAX_LIMIT))
                .into_iter()
                .collect(),
            freshness: freshness::of(&plan, &newest),
        },
    })
}
