//! Bytes kept beside records.

use vitrine_contract::read_api::Answer;
use vitrine_contract::record::BlobOrigin;
use vitrine_contract::request::{BlobRequest, ReadRequest};
use vitrine_contract::{ApiError, Blob, ErrorCode};

use super::record::two_holders;
use super::{LocalRead, ReadFault};
use crate::gate::ReadPlan;
use crate::port::Store;

pub(super) async fn read<S: Store>(reader: &LocalRead<S>, request: &BlobRequest) -> Answer<Blob> {
    let asked = ReadRequest::Blob(request.clone());
    reader.planned(&asked, |_, plan| find(reader, request, plan)).await
}

async fn find<S: Store>(reader: &LocalRead<S>, request: &BlobRequest, plan: ReadPlan) -> Result<Blob, ReadFault> {
    let found = reader.store.blob(&plan, &request.blob_id, request.range).await?.ok_or_else(|| {
        ApiError::new(
            ErrorCode::BlobNotFound,
            "There is no such blob. Use a `blob_id` that stands in a record you can read.",
        )
    })?;
    if !found.others.is_empty() {
        return Err(two_holders(&plan, &[&[found.scope], found.others.as_slice()].concat()).into());
    }
    let scope = &plan.scopes()[found.scope];
    let origin = BlobOrigin {
        connection_id: scope.connection().connection_id.clone(),
        stream: scope.stream_name().clone(),
        record_id: found.record_id,
        field: found.field,
    };
    Ok(Blob { info: found.info, start: found.start, bytes: found.bytes, origin: Some(origin) })
}
