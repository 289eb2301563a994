//! The one route table: a path and query become a request, and a request becomes them again.

mod params;
mod write;

use percent_encoding::percent_decode_str;

use crate::error::{ApiError, ErrorCode};
use crate::ident;
use crate::limits;
use crate::request::{
    AggregateRequest, BlobRequest, CountMode, FieldWindowRequest, Granularity, Metric, Order, ReadRequest,
    RecordRequest, RecordsRequest, SchemaRequest, SearchMode, SearchRequest, Sort, StreamRequest, StreamsRequest,
};
use params::Params;

pub use write::{encode_segment, path, path_and_query};

/// Reads a `GET` under `/v1`. `path` is still percent-encoded, `query` comes without its `?`.
pub fn parse(path: &str, query: &str) -> Result<ReadRequest, ApiError> {
    if path.len() + query.len() > limits::MAX_URL_BYTES {
        return Err(ApiError::new(
            ErrorCode::InvalidRequest,
            format!("The URL is longer than {} bytes. Ask for less at once.", limits::MAX_URL_BYTES),
        ));
    }
    let segments = segments(path)?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let mut params = Params::parse(query)?;
    let request = match segments.as_slice() {
        ["v1", "schema"] => ReadRequest::Schema(schema(&mut params)?),
        ["v1", "streams"] => ReadRequest::Streams(StreamsRequest { connection_id: params.connection_id()? }),
        ["v1", "streams", stream] => {
            ReadRequest::Stream(StreamRequest { stream: (*stream).to_owned(), connection_id: params.connection_id()? })
        }
        ["v1", "streams", stream, "records"] => ReadRequest::Records(records(stream, &mut params)?),
        ["v1", "streams", stream, "records", id] => ReadRequest::Record(record(stream, id, &mut params)?),
        ["v1", "streams", stream, "records", id, "field-window"] => {
            ReadRequest::FieldWindow(field_window(stream, id, &mut params)?)
        }
        ["v1", "streams", stream, "aggregate"] => ReadRequest::Aggregate(aggregate(stream, &mut params)?),
        ["v1", "search"] => ReadRequest::Search(search(SearchMode::Lexical, &mut params)?),
        ["v1", "search", "semantic"] => ReadRequest::Search(search(SearchMode::Semantic, &mut params)?),
        ["v1", "search", "hybrid"] => ReadRequest::Search(search(SearchMode::Hybrid, &mut params)?),
        ["v1", "blobs", blob_id] => ReadRequest::Blob(BlobRequest {
            blob_id: (*blob_id).to_owned(),
            range: None,
            connection_id: params.connection_id()?,
        }),
        _ => {
            return Err(ApiError::new(
                ErrorCode::NotFound,
                "There is nothing at this path. The reads are listed under GET /v1/schema.",
            ));
        }
    };
    params.finish()?;
    Ok(request)
}

fn segments(path: &str) -> Result<Vec<String>, ApiError> {
    path.strip_prefix('/')
        .unwrap_or(path)
        .split('/')
        .map(|segment| percent_decode_str(segment).decode_utf8().map(std::borrow::Cow::into_owned))
        .collect::<Result<_, _>>()
        .map_err(|_| ApiError::new(ErrorCode::InvalidRequest, "The path is not valid UTF-8 once percent-decoded."))
}

fn schema(params: &mut Params) -> Result<SchemaRequest, ApiError> {
    let view = params.word("view", &["compact"])?;
    let detail = params.word("detail", &["full"])?;
    if view.is_some() && detail.is_some() {
        return Err(ApiError::invalid("view", "Pass `view=compact` or `detail=full`, not both."));
    }
    Ok(SchemaRequest {
        compact: view.is_some(),
        stream: params.text("stream")?,
        connection_id: params.connection_id()?,
    })
}

fn records(stream: &str, params: &mut Params) -> Result<RecordsRequest, ApiError> {
    let request = RecordsRequest {
        stream: stream.to_owned(),
        limit: params.limit("limit")?,
        cursor: params.text("cursor")?,
        order: params.parsed("order", Order::parse, || words(Order::ALL, Order::as_str))?,
        sort: params.text("sort")?.map(|text| sort(&text)).transpose()?,
        count: params
            .parsed("count", CountMode::parse, || words(CountMode::ALL, CountMode::as_str))?
            .unwrap_or_default(),
        filter: params.filter()?,
        fields: params.names("fields")?,
        view: params.text("view")?,
        expand: params.names("expand")?.unwrap_or_default(),
        expand_limit: params.expand_limits()?,
        changes_since: params.text("changes_since")?,
        connection_id: params.connection_id()?,
        preview_chars: None,
    };
    if request.fields.is_some() && request.view.is_some() {
        return Err(ApiError::invalid("view", "Pass `fields` or `view`, not both."));
    }
    Ok(request)
}

fn record(stream: &str, id: &str, params: &mut Params) -> Result<RecordRequest, ApiError> {
    Ok(RecordRequest {
        stream: stream.to_owned(),
        id: record_id(id)?,
        fields: params.names("fields")?,
        expand: params.names("expand")?.unwrap_or_default(),
        expand_limit: params.expand_limits()?,
        connection_id: params.connection_id()?,
        preview_chars: None,
    })
}

fn field_window(stream: &str, id: &str, params: &mut Params) -> Result<FieldWindowRequest, ApiError> {
    Ok(FieldWindowRequest {
        stream: stream.to_owned(),
        id: record_id(id)?,
        field: params.text("field")?,
        offset_chars: params.chars("offset_chars")?,
        limit_chars: params.chars("limit_chars")?,
        q: params.text("q")?,
        before_chars: params.chars("before_chars")?,
        after_chars: params.chars("after_chars")?,
        connection_id: params.connection_id()?,
    })
}

fn aggregate(stream: &str, params: &mut Params) -> Result<AggregateRequest, ApiError> {
    let metric = params.parsed("metric", Metric::parse, || words(Metric::ALL, Metric::as_str))?.ok_or_else(|| {
        ApiError::invalid("metric", format!("Pass `metric`, one of: {}.", words(Metric::ALL, Metric::as_str)))
    })?;
    Ok(AggregateRequest {
        stream: stream.to_owned(),
        metric,
        field: params.text("field")?,
        group_by: params.text("group_by")?,
        group_by_time: params.text("group_by_time")?,
        granularity: params
            .parsed("granularity", Granularity::parse, || words(Granularity::ALL, Granularity::as_str))?,
        time_zone: params.text("time_zone")?,
        limit: params.limit("limit")?,
        filter: params.filter()?,
        connection_id: params.connection_id()?,
    })
}

fn search(mode: SearchMode, params: &mut Params) -> Result<SearchRequest, ApiError> {
    Ok(SearchRequest {
        mode,
        q: params.text("q")?.ok_or_else(|| ApiError::invalid("q", "Pass `q`, the words to search for."))?,
        streams: params.names("streams")?.unwrap_or_default(),
        limit: params.limit("limit")?,
        cursor: params.text("cursor")?,
        filter: params.filter()?,
        connection_id: params.connection_id()?,
    })
}

/// Reads `field`, `+field` (whose plus a query string turns into a blank) or `-field`.
pub fn sort(text: &str) -> Result<Sort, ApiError> {
    let (direction, field) = match text.as_bytes().first() {
        Some(b'-') => (Some(Order::Desc), &text[1..]),
        Some(b'+' | b' ') => (Some(Order::Asc), &text[1..]),
        _ => (None, text),
    };
    if field.is_empty() {
        return Err(ApiError::new(
            ErrorCode::InvalidSort,
            "Pass `sort` as a field name, with `-` before it for descending.",
        )
        .param("sort"));
    }
    Ok(Sort { field: field.to_owned(), direction })
}

fn record_id(id: &str) -> Result<String, ApiError> {
    if ident::is_record_id(id) {
        return Ok(id.to_owned());
    }
    Err(ApiError::new(
        ErrorCode::InvalidId,
        "A record id has 1 to 200 visible characters, without `/`, `\\` or `..`. Use an id that a list or a search returned.",
    )
    .param("id"))
}

fn words<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str) -> String {
    all.iter().map(|word| name(*word)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(path: &str, query: &str) -> String {
        parse(path, query).map_or_else(|e| e.code.as_str().to_owned(), |r| format!("{r:?}"))
    }

    #[test]
    fn unknown_doubled_and_broken_parameters_are_refused() {
        for query in [
            "nope=1",
            "limit=1&limit=2",
            "limit=0",
            "limit=-1",
            "limit=x",
            "limit=1e3",
            "order=up",
            "count=maybe",
            "q=%ff",
            "fields=a&view=b",
        ] {
            assert_eq!(code("/v1/streams/m/records", query), "invalid_request", "{query}");
        }
        assert_eq!(code("/v1/streams/m/records", "filter[a]=1&filter[a]=2"), "invalid_filter");
        assert_eq!(code("/v1/streams/m/records", "filter[a][near]=1"), "invalid_filter");
        assert_eq!(code("/v1/streams/m/records", "filter=x"), "invalid_filter");
        let unclosed = parse("/v1/streams/m/records", "filter[a=x").unwrap_err();
        assert_eq!(unclosed.param.as_deref(), Some("filter"));
        assert_eq!(code("/v1/streams/m/records/a%2Fb", ""), "invalid_id");
        assert_eq!(code("/v1/streams/m/records/%2e%2e", ""), "invalid_id");
        assert_eq!(code("/v1/streams/m/records/x/field-window", "field=a&limit_chars=x"), "invalid_window");
        assert_eq!(code("/v1/nothing", ""), "not_found");
        assert_eq!(code("/v1/search", ""), "invalid_request");
        assert_eq!(code("/v1/schema", "connection_id=a&connector_instance_id=b"), "conflicting_connection_id");
    }

    #[test]
    fn a_plus_before_the_sort_field_survives_the_query_string() {
        let ReadRequest::Records(request) = parse("/v1/streams/m/records", "sort=+amount").unwrap() else { panic!() };
        assert_eq!(request.sort, Some(Sort { field: "amount".into(), direction: Some(Order::Asc) }));
    }

    #[test]
    fn lists_come_comma_separated_or_repeated() {
        for query in ["fields=a,b&expand=x&expand=y", "fields=a&fields=b&expand[]=x&expand[]=y"] {
            let ReadRequest::Records(request) = parse("/v1/streams/m/records", query).unwrap() else { panic!() };
            assert_eq!(request.fields, Some(vec!["a".into(), "b".into()]));
            assert_eq!(request.expand, ["x", "y"]);
        }
    }

    #[test]
    fn the_old_alias_names_a_connection() {
        let ReadRequest::Schema(request) = parse("/v1/schema", "connector_instance_id=b").unwrap() else { panic!() };
        assert_eq!(request.connection_id.as_deref(), Some("b"));
    }

    #[test]
    fn every_request_survives_the_round_trip() {
        for url in [
            "/v1/schema?view=compact&stream=m&connection_id=c",
            "/v1/streams",
            "/v1/streams/a%20b",
            "/v1/streams/m/records?limit=5&cursor=x%2By&order=asc&sort=-at&count=exact&filter[a]=1%262&filter[b][gte]=2&filter[b][lt]=3&fields=a,b&expand=r&expand_limit[r]=3&connection_id=c",
            "/v1/streams/m/records?changes_since=beginning",
            "/v1/streams/m/records/%E6%97%A5%3A1?fields=a",
            "/v1/streams/m/records/1/field-window?field=body&q=%C3%A9&before_chars=1&after_chars=2",
            "/v1/streams/m/aggregate?metric=sum&field=a&group_by_time=t&granularity=month&time_zone=Europe/Berlin&limit=9",
            "/v1/search/hybrid?q=a&streams=x&streams=y&limit=3",
            "/v1/blobs/b?connection_id=c",
        ] {
            let (path, query) = url.split_once('?').unwrap_or((url, ""));
            let request = parse(path, query).unwrap();
            let written = path_and_query(&request);
            let (path, query) = written.split_once('?').unwrap_or((&written, ""));
            assert_eq!(parse(path, query).unwrap(), request, "{url} -> {written}");
        }
    }
}
