//! The six tools: their definitions, and the way from a call to its answer.

pub(crate) mod aggregate;
mod definition;
pub(crate) mod fetch;
mod paging;
pub(crate) mod query_records;
pub(crate) mod read_record_field;
pub(crate) mod schema;
pub(crate) mod search;

use std::sync::LazyLock;

use rmcp::model::{JsonObject, Tool};
use vitrine_contract::{ApiError, ReadApi};

use crate::answer::Answer;
use crate::render::{Frame, text};

static DEFINITIONS: LazyLock<[Tool; 6]> = LazyLock::new(|| {
    [
        schema::definition(),
        query_records::definition(),
        aggregate::definition(),
        search::definition(),
        fetch::definition(),
        read_record_field::definition(),
    ]
});

/// Every tool, in the order an agent meets them.
pub fn definitions() -> &'static [Tool] {
    &*DEFINITIONS
}

/// What to say to a call of something else.
pub(crate) fn unknown(name: &str) -> String {
    let known: Vec<&str> = definitions().iter().map(|tool| tool.name.as_ref()).collect();
    format!("There is no tool {}. The tools are {}.", text::literal(text::cut(name, 80)), known.join(", "))
}

/// How to call a tool; none when there is no such tool.
pub(crate) fn usage(name: &str) -> Option<&'static str> {
    Some(match name {
        schema::NAME => schema::USAGE,
        query_records::NAME => query_records::USAGE,
        aggregate::NAME => aggregate::USAGE,
        search::NAME => search::USAGE,
        fetch::NAME => fetch::USAGE,
        read_record_field::NAME => read_record_field::USAGE,
        _ => return None,
    })
}

/// A call whose arguments are all in order.
pub(crate) enum Call {
    Schema(schema::Ask),
    QueryRecords(vitrine_contract::request::RecordsRequest),
    Aggregate(vitrine_contract::request::AggregateRequest),
    Search(vitrine_contract::request::SearchRequest),
    Fetch(fetch::Ask),
    ReadRecordField(read_record_field::Ask),
}

impl Call {
    /// Reads a call; none when there is no such tool.
    pub(crate) fn parse(name: &str, arguments: JsonObject) -> Option<Result<Self, ApiError>> {
        Some(match name {
            schema::NAME => schema::parse(arguments).map(Self::Schema),
            query_records::NAME => query_records::parse(arguments).map(Self::QueryRecords),
            aggregate::NAME => aggregate::parse(arguments).map(Self::Aggregate),
            search::NAME => search::parse(arguments).map(Self::Search),
            fetch::NAME => fetch::parse(arguments).map(Self::Fetch),
            read_record_field::NAME => read_record_field::parse(arguments).map(Self::ReadRecordField),
            _ => return None,
        })
    }

    /// The tool that is called.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Schema(_) => schema::NAME,
            Self::QueryRecords(_) => query_records::NAME,
            Self::Aggregate(_) => aggregate::NAME,
            Self::Search(_) => search::NAME,
            Self::Fetch(_) => fetch::NAME,
            Self::ReadRecordField(_) => read_record_field::NAME,
        }
    }

    /// Reads, and renders what was read.
    pub(crate) async fn answer<R: ReadApi>(self, reader: &R, request_id: &str) -> Result<Answer, ApiError> {
        let frame = Frame { provider_url: reader.provider_url(), request_id };
        match self {
            Self::Schema(ask) => schema::answer(reader, &ask, frame).await,
            Self::QueryRecords(request) => query_records::answer(reader, request, frame).await,
            Self::Aggregate(request) => aggregate::answer(reader, &request, frame).await,
            Self::Search(request) => search::answer(reader, request, frame).await,
            Self::Fetch(ask) => fetch::answer(reader, ask, frame).await,
            Self::ReadRecordField(ask) => read_record_field::answer(reader, ask, frame).await,
        }
    }
}
