//! One record.

use vitrine_contract::read_api::Answer;
use vitrine_contract::record::Record;
use vitrine_contract::request::{ReadRequest, RecordRequest};
use vitrine_contract::{ApiError, ErrorCode};

use super::{LocalRead, ReadFault, records};
use crate::gate::{ReadPlan, scopes};
use crate::port::{RowAsk, Store};

pub(super) async fn read<S: Store>(reader: &LocalRead<S>, request: &RecordRequest) -> Answer<Record> {
    let asked = ReadRequest::Record(request.clone());
    reader.planned(&asked, |_, plan| find(reader, request, plan)).await
}

async fn find<S: Store>(reader: &LocalRead<S>, request: &RecordRequest, plan: ReadPlan) -> Result<Record, ReadFault> {
    let ask = RowAsk { preview_chars: request.preview_chars };
    let mut rows = reader.store.find(&plan, &request.id, &ask).await?;
    if rows.len() > 1 {
        let holders: Vec<usize> = rows.iter().map(|row| row.scope).collect();
        return Err(two_holders(&plan, &holders).into());
    }
    let row = rows.pop().ok_or_else(not_found)?;
    records::to_record(reader, &plan, row).await
}

/// The answer for a record that is not there, or not for this caller.
pub(super) fn not_found() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "There is no such record. Use an id that a list or a search returned.")
}

/// The answer for a record that several granted connections hold.
pub(super) fn two_holders(plan: &ReadPlan, holders: &[usize]) -> ApiError {
    let scopes: Vec<_> = holders.iter().map(|at| plan.scopes()[*at].clone()).collect();
    let stream = scopes.first().map(|scope| scope.stream_name().to_string()).unwrap_or_default();
    scopes::ambiguous(&scopes, &stream)
}
