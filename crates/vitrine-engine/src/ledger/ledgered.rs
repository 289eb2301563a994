//! Reads that are entered before they are answered.

use vitrine_contract::read_api::Answer;
use vitrine_contract::record::{List, Record, SearchList};
use vitrine_contract::request::{
    AggregateRequest, BlobRequest, FieldWindowRequest, RecordRequest, RecordsRequest, SchemaRequest, SearchMode,
    SearchRequest, StreamRequest, StreamsRequest,
};
use vitrine_contract::schema::{Aggregation, Encodings, FieldWindow, SchemaDocument, StreamRow};
use vitrine_contract::{Blob, ErrorCode, ReadApi};

use super::disclosed::Disclosed;
use super::{Ledger, Via};
use crate::caller::Caller;
use crate::local_read::LocalRead;
use crate::port::Store;

/// One caller's reads of a store, each entered in its ledger before the answer leaves. An answer
/// that cannot be entered is not given.
pub struct Ledgered<S> {
    pub(super) read: LocalRead<S>,
    pub(super) via: Via,
}

impl<S: Store + Ledger> Ledgered<S> {
    /// Enters the reads that `read` answers, as coming in by `via`.
    pub fn new(read: LocalRead<S>, via: Via) -> Self {
        Self { read, via }
    }

    fn caller(&self) -> &Caller {
        self.read.caller()
    }
}

impl<S: Store + Ledger> ReadApi for Ledgered<S> {
    async fn schema(&self, request: &SchemaRequest) -> Answer<SchemaDocument> {
        let answer = self.read.schema(request).await?;
        self.enter("GET /v1/schema", Disclosed::of_schema(&answer)).await?;
        Ok(answer)
    }

    /// What is declared tells nothing of any record.
    fn encodings(&self, stream: &str, connection_id: Option<&str>) -> Option<Encodings> {
        self.read.encodings(stream, connection_id)
    }

    async fn streams(&self, request: &StreamsRequest) -> Answer<List<StreamRow>> {
        let answer = self.read.streams(request).await?;
        self.enter("GET /v1/streams", Disclosed::of_streams(&answer.data)).await?;
        Ok(answer)
    }

    async fn stream(&self, request: &StreamRequest) -> Answer<StreamRow> {
        let answer = self.read.stream(request).await?;
        self.enter("GET /v1/streams/{stream}", Disclosed::of_streams(std::slice::from_ref(&answer))).await?;
        Ok(answer)
    }

    async fn records(&self, request: &RecordsRequest) -> Answer<List<Record>> {
        let answer = self.read.records(request).await?;
        let disclosed = match answer.data.as_slice() {
            [] => Disclosed::of_scopes(self.caller(), Some(&request.stream), request.connection_id.as_deref()),
            records => Disclosed::of_records(records),
        };
        self.enter("GET /v1/streams/{stream}/records", disclosed.filtered(&request.filter)).await?;
        Ok(answer)
    }

    async fn record(&self, request: &RecordRequest) -> Answer<Record> {
        let answer = self.read.record(request).await?;
        let disclosed = Disclosed::of_records(std::slice::from_ref(&answer));
        self.enter("GET /v1/streams/{stream}/records/{id}", disclosed).await?;
        Ok(answer)
    }

    /// That a field does not hold a text, or holds none at all, is told of a record too.
    async fn field_window(&self, request: &FieldWindowRequest) -> Answer<FieldWindow> {
        const ENDPOINT: &str = "GET /v1/streams/{stream}/records/{id}/field-window";
        let answer = self.read.field_window(request).await;
        let disclosed = match &answer {
            Ok(window) => Disclosed::of_window(window),
            Err(error) => match error.code {
                ErrorCode::MatchNotFound | ErrorCode::FieldNotFound | ErrorCode::FieldNotText => {
                    let mut told =
                        Disclosed::of_scopes(self.caller(), Some(&request.stream), request.connection_id.as_deref());
                    for item in &mut told.items {
                        item.record_ids.push(&request.id);
                        item.fields.extend(request.field.as_deref().map(Into::into));
                    }
                    Disclosed { outcome: Some(error.code.as_str()), ..told }
                }
                _ => return answer,
            },
        };
        self.enter(ENDPOINT, disclosed).await?;
        answer
    }

    async fn aggregate(&self, request: &AggregateRequest) -> Answer<Aggregation> {
        let answer = self.read.aggregate(request).await?;
        let disclosed = Disclosed::of_aggregation(self.caller(), request, &answer).filtered(&request.filter);
        self.enter("GET /v1/streams/{stream}/aggregate", disclosed).await?;
        Ok(answer)
    }

    async fn search(&self, request: &SearchRequest) -> Answer<SearchList> {
        let endpoint = match request.mode {
            SearchMode::Lexical => "GET /v1/search",
            SearchMode::Semantic => "GET /v1/search/semantic",
            SearchMode::Hybrid => "GET /v1/search/hybrid",
        };
        let answer = self.read.search(request).await?;
        let disclosed = if answer.data.is_empty() {
            let mut told = Disclosed::of_scopes(self.caller(), None, request.connection_id.as_deref());
            let asked = &request.streams;
            told.items.retain(|item| asked.is_empty() || asked.iter().any(|stream| stream == item.stream));
            told
        } else {
            Disclosed::of_hits(&answer)
        };
        self.enter(endpoint, disclosed.filtered(&request.filter)).await?;
        Ok(answer)
    }

    async fn blob(&self, request: &BlobRequest) -> Answer<Blob> {
        let answer = self.read.blob(request).await?;
        self.enter("GET /v1/blobs/{blob_id}", Disclosed::of_blob(&answer)).await?;
        Ok(answer)
    }

    fn provider_url(&self) -> &str {
        self.read.provider_url()
    }
}
