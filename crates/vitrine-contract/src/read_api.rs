//! The one interface every reader offers, in process or over HTTP.

use std::future::Future;

use crate::ApiError;
use crate::record::{Blob, List, Record, SearchList};
use crate::request::{
    AggregateRequest, BlobRequest, FieldWindowRequest, RecordRequest, RecordsRequest, SchemaRequest, SearchRequest,
    StreamRequest, StreamsRequest,
};
use crate::schema::{Aggregation, Encodings, FieldWindow, SchemaDocument, StreamRow};

/// What a read answers.
pub type Answer<T> = Result<T, ApiError>;

/// Reads under one caller's grant. Every implementation answers alike.
pub trait ReadApi: Send + Sync {
    /// What may be seen and done.
    fn schema(&self, request: &SchemaRequest) -> impl Future<Output = Answer<SchemaDocument>> + Send;
    /// The granted streams.
    fn streams(&self, request: &StreamsRequest) -> impl Future<Output = Answer<List<StreamRow>>> + Send;
    /// One granted stream.
    fn stream(&self, request: &StreamRequest) -> impl Future<Output = Answer<StreamRow>> + Send;
    /// A page of records, or of changes.
    fn records(&self, request: &RecordsRequest) -> impl Future<Output = Answer<List<Record>>> + Send;
    /// One record.
    fn record(&self, request: &RecordRequest) -> impl Future<Output = Answer<Record>> + Send;
    /// A bounded part of one field.
    fn field_window(&self, request: &FieldWindowRequest) -> impl Future<Output = Answer<FieldWindow>> + Send;
    /// A number, or numbers by group.
    fn aggregate(&self, request: &AggregateRequest) -> impl Future<Output = Answer<Aggregation>> + Send;
    /// Records that match words or meaning.
    fn search(&self, request: &SearchRequest) -> impl Future<Output = Answer<SearchList>> + Send;
    /// A blob, whole or in part.
    fn blob(&self, request: &BlobRequest) -> impl Future<Output = Answer<Blob>> + Send;
    /// The fields of a stream that hold encoded bytes by declaration, where that is known without asking; elsewhere
    /// the schema says so.
    fn encodings(&self, _stream: &str, _connection_id: Option<&str>) -> Option<Encodings> {
        None
    }
    /// Where the provider is reached, for links shown to people and models.
    fn provider_url(&self) -> &str;
}
