//! Pages of records.

use std::collections::BTreeMap;

use vitrine_contract::read_api::Answer;
use vitrine_contract::record::{Expanded, List, ListMeta, Record, Resume, Tag};
use vitrine_contract::request::{CountMode, ReadRequest, RecordsRequest};
use vitrine_contract::{Count, Warning};

use super::{LocalRead, ReadFault, freshness, list};
use crate::cursor::{Binding, PageCursor};
use crate::gate::{PageOrder, ReadPlan, Related};
use crate::port::{Dated, PageAsk, Position, Row, RowAsk, Store};

pub(super) async fn list<S: Store>(reader: &LocalRead<S>, request: &RecordsRequest) -> Answer<List<Record>> {
    let asked = ReadRequest::Records(request.clone());
    reader.planned(&asked, |_, plan| page(reader, (&asked, request), plan)).await
}

async fn page<S: Store>(
    reader: &LocalRead<S>,
    (asked, request): (&ReadRequest, &RecordsRequest),
    plan: ReadPlan,
) -> Result<List<Record>, ReadFault> {
    let (limit, mut warnings) = list::limit(request.limit);
    warnings.extend(expand_warnings(request, &plan));
    let binding = binding(reader, request, plan.order());
    let sealer = reader.sealer();
    let now = reader.clock.now();
    let resumed = request.cursor.as_deref().map(|text| sealer.open_page(&binding, text, now)).transpose()?;
    let ask = PageAsk {
        after: resumed.as_ref().map(|cursor| &cursor.position),
        horizon: resumed.as_ref().map(|cursor| cursor.horizon),
        rows: limit,
        row: RowAsk { preview_chars: request.preview_chars },
    };
    let Dated { answer: found, newest } = reader.store.page(&plan, &ask).await?;
    let started = resumed.as_ref().map_or_else(|| now.as_second(), |cursor| cursor.started);
    let horizon = found.horizon;
    let seal = move |position| sealer.seal_page(&binding, &PageCursor { started, horizon, position });
    let next_cursor = found.rows.last().filter(|_| found.more).map(|row| seal(row.position(&plan)));
    let resume = request.preview_chars.map(|_| {
        let positions: Vec<Position> = found.rows.iter().map(|row| row.position(&plan)).collect();
        Resume::new(move |row| Some(seal(positions.get(row)?.clone())))
    });
    let mut data = Vec::with_capacity(found.rows.len());
    for row in found.rows {
        data.push(to_record(reader, &plan, row).await?);
    }
    let count = match request.count {
        CountMode::None => Count::None,
        CountMode::Exact => Count::Exact { value: reader.store.count(&plan).await? },
        CountMode::Estimated => Count::Estimated { value: reader.store.count(&plan).await? },
    };
    let meta = ListMeta { count, warnings, freshness: freshness::of(&plan, &newest) };
    Ok(List { resume, ..list::around(asked, data, next_cursor, meta) })
}

fn expand_warnings(request: &RecordsRequest, plan: &ReadPlan) -> Vec<Warning> {
    let lowered = |name: &str, limit: usize| {
        let asked = *request.expand_limit.get(name)?;
        let most = u32::try_from(limit).unwrap_or(u32::MAX);
        (asked > u64::from(most)).then(|| Warning::limit_clamped(&format!("expand_limit[{name}]"), asked, most))
    };
    plan.expansions().iter().filter(|e| !e.has_one()).filter_map(|e| lowered(e.name(), e.limit())).collect()
}

fn binding<S: Store>(reader: &LocalRead<S>, request: &RecordsRequest, order: PageOrder) -> Binding {
    let order = match order {
        PageOrder::Id(direction) => format!("id {}", direction.as_str()),
        PageOrder::Field(number, direction) => format!("{number} {}", direction.as_str()),
    };
    let connection = request.connection_id.as_deref();
    Binding::new(&reader.caller.identity(), "page", &[&request.stream], connection, &request.filter, &order)
}

/// A row in the contract's words, with what was to be brought along.
pub(super) async fn to_record<S: Store>(reader: &LocalRead<S>, plan: &ReadPlan, row: Row) -> Result<Record, ReadFault> {
    let mut expanded = BTreeMap::new();
    for expansion in plan.expansions() {
        let related = match row.joins.get(expansion.join()).and_then(Option::as_deref) {
            Some(key) => expansion.plan(plan, row.scope, key),
            None => None,
        };
        let related = match related {
            Some(related) => find_related(reader, related, expansion.limit()).await?,
            None => (Vec::new(), false),
        };
        let (mut data, has_more) = related;
        let value = if expansion.has_one() {
            Expanded::One(data.pop().map(Box::new))
        } else {
            Expanded::Many { object: Tag::default(), has_more, data }
        };
        expanded.insert(expansion.name().to_owned(), value);
    }
    let mut record = plain(plan, row);
    record.expanded = expanded;
    Ok(record)
}

async fn find_related<S: Store>(
    reader: &LocalRead<S>,
    related: Related,
    limit: usize,
) -> Result<(Vec<Record>, bool), ReadFault> {
    let (plan, rows, more) = match related {
        Related::ByKey(plan) => {
            let ask = PageAsk { after: None, horizon: None, rows: limit, row: RowAsk::default() };
            let page = reader.store.page(&plan, &ask).await?.answer;
            (plan, page.rows, page.more)
        }
        Related::ById(plan, key) => {
            let id = crate::declaration::identity::handle_safe(&key);
            let rows = reader.store.find(&plan, &id, &RowAsk::default()).await?;
            (plan, rows, false)
        }
    };
    let records = rows.into_iter().map(|row| plain(&plan, row)).collect();
    Ok((records, more))
}

/// A row in the contract's words.
pub(super) fn plain(plan: &ReadPlan, row: Row) -> Record {
    let scope = &plan.scopes()[row.scope];
    let connection = scope.connection();
    Record {
        object: Tag::default(),
        id: row.id,
        stream: scope.stream_name().clone(),
        connection_id: connection.connection_id.clone(),
        connector_key: Some(connection.connector_key.clone()),
        display_name: Some(connection.display_name.clone()),
        data: Some(row.data),
        deleted: false,
        deleted_at: None,
        emitted_at: row.emitted_at,
        expanded: BTreeMap::new(),
        cut: row.cut,
    }
}
