//! What changed of what may be seen, since a bookmark.

use std::collections::BTreeMap;

use vitrine_contract::read_api::Answer;
use vitrine_contract::record::{List, ListMeta, Record, Resume, Tag};
use vitrine_contract::request::{CountMode, ReadRequest, RecordsRequest};
use vitrine_contract::{ApiError, Count, ErrorCode};

use super::{LocalRead, ReadFault, freshness, list, records};
use crate::cursor::Binding;
use crate::gate::ReadPlan;
use crate::port::{Change, ChangeKind, ChangesAsk, Dated, RowAsk, Store};

/// The bookmark before the first change.
const BEGINNING: &str = "beginning";
/// Stands for "since the beginning" inside a cursor.
const NEVER: i64 = -1;

pub(super) async fn list<S: Store>(reader: &LocalRead<S>, request: &RecordsRequest) -> Answer<List<Record>> {
    refuse_page_arguments(request)?;
    let asked = ReadRequest::Records(request.clone());
    reader.planned(&asked, |_, plan| page(reader, (&asked, request), plan)).await
}

async fn page<S: Store>(
    reader: &LocalRead<S>,
    (asked, request): (&ReadRequest, &RecordsRequest),
    plan: ReadPlan,
) -> Result<List<Record>, ReadFault> {
    let (limit, warnings) = list::limit(request.limit);
    let sealer = reader.sealer();
    let now = reader.clock.now();
    let bind = |walk: &str| {
        let connection = request.connection_id.as_deref();
        Binding::new(&reader.caller.identity(), walk, &[&request.stream], connection, &request.filter, "changes")
    };
    let since = request.changes_since.as_deref().unwrap_or(BEGINNING);
    let since = if since == BEGINNING {
        None
    } else {
        let [_, horizon] =
            sealer.open_numbers::<2>(&bind("bookmark"), since, now).map_err(|e| e.param("changes_since"))?;
        Some(horizon)
    };
    let session =
        request.cursor.as_deref().map(|text| sealer.open_numbers::<4>(&bind("changes"), text, now)).transpose()?;
    if session.is_some_and(|[_, began_after, ..]| began_after != since.unwrap_or(NEVER)) {
        let message = "This cursor continues another `changes_since`. Repeat the call that returned it.";
        return Err(ApiError::new(ErrorCode::InvalidCursor, message).param("cursor").into());
    }
    let ask = ChangesAsk {
        since,
        horizon: session.map(|[_, _, horizon, _]| horizon),
        after: session.map(|[.., after]| after),
        rows: limit,
        row: RowAsk { preview_chars: request.preview_chars },
    };
    let Dated { answer: changes, newest } = reader.store.changes(&plan, &ask).await?;
    let started = session.map_or_else(|| now.as_second(), |[started, ..]| started);
    let bookmark = sealer.seal_numbers(&bind("bookmark"), [now.as_second(), changes.horizon]);
    let (binding, since, horizon) = (bind("changes"), since.unwrap_or(NEVER), changes.horizon);
    let seal = move |sequence| sealer.seal_numbers(&binding, [started, since, horizon, sequence]);
    let next_cursor = changes.rows.last().filter(|_| changes.more).map(|change| seal(change.sequence));
    let resume = request.preview_chars.map(|_| {
        let sequences: Vec<i64> = changes.rows.iter().map(|change| change.sequence).collect();
        Resume::new(move |row| sequences.get(row).map(|sequence| seal(*sequence)))
    });
    let data = changes.rows.into_iter().map(|change| to_record(&plan, change)).collect();
    let meta = ListMeta { count: Count::None, warnings, freshness: freshness::of(&plan, &newest) };
    let next_changes_since = Some(bookmark);
    Ok(List { next_changes_since, resume, ..list::around(asked, data, next_cursor, meta) })
}

fn to_record(plan: &ReadPlan, change: Change) -> Record {
    match change.what {
        ChangeKind::Record(row) => records::plain(plan, row),
        ChangeKind::Gone { scope, id, at } => {
            let scope = &plan.scopes()[scope];
            Record {
                object: Tag::default(),
                id,
                stream: scope.stream_name().clone(),
                connection_id: scope.connection().connection_id.clone(),
                connector_key: None,
                display_name: None,
                data: None,
                deleted: true,
                deleted_at: Some(at.clone()),
                emitted_at: at,
                expanded: BTreeMap::new(),
                cut: Vec::new(),
            }
        }
    }
}

/// A feed has its own order and shows every change: what would reorder or thin it out is refused.
fn refuse_page_arguments(request: &RecordsRequest) -> Result<(), ApiError> {
    let given = [
        ("filter", !request.filter.is_empty()),
        ("sort", request.sort.is_some()),
        ("order", request.order.is_some()),
        ("count", request.count != CountMode::None),
        ("expand", !request.expand.is_empty()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((name, _)) => {
            Err(ApiError::invalid(name, format!("`{name}` does not go with `changes_since`. Leave one of them out.")))
        }
    }
}
