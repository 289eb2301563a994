//! Reads of any PDPP provider over HTTP.
//!
//! A read goes out by the contract's own route table, and what comes back is put into the
//! contract's words: `normalize` knows the looser spellings, `refusal` the looser errors.

mod address;
mod blob;
pub(crate) mod connect;
pub mod credential;
mod exchange;
mod fault;
mod normalize;
mod refusal;
pub(crate) mod session;
mod standing;

use std::time::Duration;

use vitrine_contract::read_api::Answer;
use vitrine_contract::record::{List, Record, SearchList};
use vitrine_contract::request::{
    AggregateRequest, BlobRequest, FieldWindowRequest, ReadRequest, RecordRequest, RecordsRequest, SchemaRequest,
    SearchRequest, StreamRequest, StreamsRequest,
};
use vitrine_contract::schema::{Aggregation, Bearer, FieldWindow, SchemaDocument, StreamRow};
use vitrine_contract::{ApiError, Blob, ReadApi};

pub use address::{Address, AddressError};
use exchange::Exchange;
use fault::Fault;
use normalize::Unreadable;
use standing::Standing;

/// How much of a provider to put up with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Until a connection stands.
    pub connect_timeout: Duration,
    /// Until the whole answer is there.
    pub timeout: Duration,
    /// Bytes of one answer. Schema documents of several megabytes are real.
    pub response_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_mins(1),
            response_bytes: 16 * 1024 * 1024,
        }
    }
}

/// Why there can be no reads of a provider.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The URL is not one of a provider.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// The token cannot stand in a header.
    #[error("The access token is not one: it holds characters that no token has. Connect again to get a new one.")]
    Token,
    /// The machine cannot make HTTPS requests.
    #[error("HTTPS cannot be used on this machine: {0}")]
    Client(#[source] reqwest::Error),
}

/// One credential's reads of a provider. Where a provider leaves out what the contract requires,
/// the request fills it in, or it is empty: a `connection_id` of `""` was not told.
#[derive(Clone)]
pub struct HttpRead {
    exchange: Exchange,
    /// An agent's: none where anyone's credential will do.
    standing: Option<Standing>,
}

impl HttpRead {
    /// Reads of the provider at `provider_url`, which may have a path, with a grant's or package's
    /// token.
    pub fn new(provider_url: &str, access_token: &str, options: Options) -> Result<Self, OpenError> {
        let address = Address::parse(provider_url)?;
        if access_token.is_empty() || !access_token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(OpenError::Token);
        }
        Ok(Self { exchange: Exchange::new(address, access_token, options)?, standing: None })
    }

    /// The same reads for an agent: they end as soon as the provider says that the credential is of a kind no agent may
    /// hold.
    #[must_use]
    pub fn for_agent(self) -> Self {
        self.with_standing(Standing::default())
    }

    /// The same for an agent of whom something may be known already.
    pub(crate) fn with_standing(self, standing: Standing) -> Self {
        Self { standing: Some(standing), ..self }
    }

    /// Whether the credential may still be used.
    pub(crate) fn standing(&self) -> Answer<()> {
        self.standing.as_ref().map_or(Ok(()), Standing::check)
    }

    /// Whose credential it is, as far as the provider's schema tells.
    pub async fn bearer(&self) -> Answer<Bearer> {
        let request = SchemaRequest { compact: true, ..SchemaRequest::default() };
        let asked = ReadRequest::Schema(request.clone());
        let read = |body: &str, _: &ReadRequest| Ok((normalize::bearer_of(body)?, normalize::schema(body, &request)));
        let (bearer, schema) = self.read(asked, read).await?;
        if let (Some(standing), Ok(schema)) = (&self.standing, &schema) {
            standing.learn(schema);
        }
        Ok(bearer)
    }

    /// Asks a package back which of its connections is meant, where the provider has told which they are.
    fn one_connection(&self, stream: &str, connection_id: Option<&str>) -> Answer<()> {
        match (&self.standing, connection_id) {
            (Some(standing), None) => standing.one_connection(stream),
            _ => Ok(()),
        }
    }

    /// Asks, and reads the answer with `normalize`.
    async fn read<T>(
        &self,
        asked: ReadRequest,
        normalize: impl FnOnce(&str, &ReadRequest) -> Result<T, Unreadable> + Send,
    ) -> Answer<T> {
        self.standing()?;
        let body = self.exchange.json(&asked).await?;
        normalize(&body, &asked).map_err(|unreadable| self.explain(unreadable))
    }

    fn explain(&self, Unreadable(what): Unreadable) -> ApiError {
        self.exchange.explain(Fault::Invalid(what))
    }
}

impl ReadApi for HttpRead {
    async fn schema(&self, request: &SchemaRequest) -> Answer<SchemaDocument> {
        let asked = ReadRequest::Schema(request.clone());
        // An answer that is no schema may still say whose credential it is.
        let read = |body: &str, _: &ReadRequest| Ok((normalize::bearer_of(body)?, normalize::schema(body, request)));
        let (bearer, schema) = self.read(asked, read).await?;
        if let Some(standing) = &self.standing {
            standing.hear(&bearer)?;
        }
        let schema = schema.map_err(|unreadable| self.explain(unreadable))?;
        if let (Some(standing), None, None) = (&self.standing, &request.stream, &request.connection_id) {
            standing.learn(&schema);
        }
        Ok(schema)
    }

    async fn streams(&self, request: &StreamsRequest) -> Answer<List<StreamRow>> {
        self.read(ReadRequest::Streams(request.clone()), normalize::streams).await
    }

    async fn stream(&self, request: &StreamRequest) -> Answer<StreamRow> {
        self.read(ReadRequest::Stream(request.clone()), |body, _| normalize::stream(body)).await
    }

    async fn records(&self, request: &RecordsRequest) -> Answer<List<Record>> {
        self.one_connection(&request.stream, request.connection_id.as_deref())?;
        let asked = ReadRequest::Records(request.clone());
        self.read(asked, |body, asked| normalize::records(body, asked, request)).await
    }

    async fn record(&self, request: &RecordRequest) -> Answer<Record> {
        self.one_connection(&request.stream, request.connection_id.as_deref())?;
        let asked = ReadRequest::Record(request.clone());
        self.read(asked, |body, _| normalize::record(body, request)).await
    }

    async fn field_window(&self, request: &FieldWindowRequest) -> Answer<FieldWindow> {
        self.one_connection(&request.stream, request.connection_id.as_deref())?;
        let asked = ReadRequest::FieldWindow(request.clone());
        let read = self.read(asked, |body, _| normalize::field_window(body, request)).await?;
        if normalize::is_as_asked(&read.window, request) { Ok(read) } else { Err(refusal::no_field_windows()) }
    }

    async fn aggregate(&self, request: &AggregateRequest) -> Answer<Aggregation> {
        self.one_connection(&request.stream, request.connection_id.as_deref())?;
        let asked = ReadRequest::Aggregate(request.clone());
        self.read(asked, |body, _| normalize::aggregation(body, request)).await
    }

    async fn search(&self, request: &SearchRequest) -> Answer<SearchList> {
        let asked = ReadRequest::Search(request.clone());
        self.read(asked, |body, asked| normalize::hits(body, asked, request)).await
    }

    async fn blob(&self, request: &BlobRequest) -> Answer<Blob> {
        self.standing()?;
        blob::read(&self.exchange, request).await
    }

    fn provider_url(&self) -> &str {
        self.exchange.address().as_str()
    }
}
