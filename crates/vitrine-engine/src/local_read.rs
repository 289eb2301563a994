//! Reads in process: the gate decides, the store carries out, and the answer is put into the
//! contract's words. One file per kind of read.

mod aggregate;
mod blob;
mod changes;
mod freshness;
mod list;
mod record;
mod records;
mod schema;
mod search;
mod window;

use std::future::Future;
use std::sync::Arc;

use jiff::Timestamp;
use vitrine_contract::read_api::Answer;
use vitrine_contract::record::{List, Record, SearchList};
use vitrine_contract::request::{
    AggregateRequest, BlobRequest, FieldWindowRequest, ReadRequest, RecordRequest, RecordsRequest, SchemaRequest,
    SearchMode, SearchRequest, StreamRequest, StreamsRequest,
};
use vitrine_contract::schema::{Aggregation, Encodings, FieldWindow, SchemaDocument, StreamRow};
use vitrine_contract::{ApiError, Blob, ReadApi};

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::clock::{Clock, Random};
use crate::cursor::Sealer;
use crate::gate::{self, ReadPlan};
use crate::port::{Store, StoreError};

/// The searches a local store answers; what is not listed is not advertised anywhere.
pub const SEARCH_MODES: &[SearchMode] = &[SearchMode::Lexical, SearchMode::Semantic, SearchMode::Hybrid];
/// How often a read starts over because the catalog changed under it.
const ATTEMPTS: usize = 4;

/// One caller's reads of a store.
#[derive(Clone)]
pub struct LocalRead<S> {
    store: Arc<S>,
    caller: Caller,
    clock: Clock,
    random: Random,
    provider_url: Arc<str>,
}

impl<S: Store> LocalRead<S> {
    /// Reads of `store` on behalf of `caller`.
    pub fn new(store: Arc<S>, caller: Caller, clock: Clock, random: Random, provider_url: Arc<str>) -> Self {
        Self { store, caller, clock, random, provider_url }
    }

    /// Who reads.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    pub(crate) fn store(&self) -> &S {
        &self.store
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn sealer(&self) -> Sealer {
        Sealer::new(self.store.cursor_key(), self.random.clone())
    }

    /// Plans and reads, again from the start when the catalog changed in between.
    async fn planned<'r, T, F>(
        &'r self,
        request: &'r ReadRequest,
        read: impl Fn(Arc<Catalog>, ReadPlan) -> F + Send + Sync,
    ) -> Answer<T>
    where
        F: Future<Output = Result<T, ReadFault>> + Send,
    {
        let mut catalog = self.store.last_catalog();
        for _ in 0..ATTEMPTS {
            match gate::enforce(&self.caller, &catalog, request) {
                Ok(plan) => match read(Arc::clone(&catalog), plan).await {
                    Err(ReadFault::Store(StoreError::Stale)) => catalog = self.store.catalog().await?,
                    Err(ReadFault::Store(fault)) => return Err(fault.into()),
                    Err(ReadFault::Answer(error)) => return Err(error),
                    Ok(answer) => return Ok(answer),
                },
                Err(error) => {
                    let present = self.store.catalog().await?;
                    if present.version == catalog.version {
                        return Err(error);
                    }
                    catalog = present;
                }
            }
        }
        Err(ApiError::internal())
    }
}

/// Why a planned read has no answer.
enum ReadFault {
    Store(StoreError),
    Answer(ApiError),
}

impl From<StoreError> for ReadFault {
    fn from(fault: StoreError) -> Self {
        Self::Store(fault)
    }
}

impl From<ApiError> for ReadFault {
    fn from(error: ApiError) -> Self {
        Self::Answer(error)
    }
}

impl<S: Store> ReadApi for LocalRead<S> {
    async fn schema(&self, request: &SchemaRequest) -> Answer<SchemaDocument> {
        schema::document(self, request).await
    }

    fn encodings(&self, stream: &str, connection_id: Option<&str>) -> Option<Encodings> {
        schema::encodings(self, stream, connection_id)
    }

    async fn streams(&self, request: &StreamsRequest) -> Answer<List<StreamRow>> {
        schema::streams(self, request).await
    }

    async fn stream(&self, request: &StreamRequest) -> Answer<StreamRow> {
        schema::stream(self, request).await
    }

    async fn records(&self, request: &RecordsRequest) -> Answer<List<Record>> {
        if request.changes_since.is_some() {
            return changes::list(self, request).await;
        }
        records::list(self, request).await
    }

    async fn record(&self, request: &RecordRequest) -> Answer<Record> {
        record::read(self, request).await
    }

    async fn field_window(&self, request: &FieldWindowRequest) -> Answer<FieldWindow> {
        window::read(self, request).await
    }

    async fn aggregate(&self, request: &AggregateRequest) -> Answer<Aggregation> {
        aggregate::compute(self, request).await
    }

    async fn search(&self, request: &SearchRequest) -> Answer<SearchList> {
        search::list(self, request).await
    }

    async fn blob(&self, request: &BlobRequest) -> Answer<Blob> {
        blob::read(self, request).await
    }

    fn provider_url(&self) -> &str {
        &self.provider_url
    }
}
