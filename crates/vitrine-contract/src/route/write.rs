//! A request as a path and query.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::request::{Condition, CountMode, Filter, Order, ReadRequest, SearchMode};

/// What a path segment cannot hold as it is.
const SEGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'/')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A value as one path segment.
pub fn encode_segment(segment: &str) -> String {
    utf8_percent_encode(segment, SEGMENT).to_string()
}

/// The path alone.
pub fn path(request: &ReadRequest) -> String {
    let seg = encode_segment;
    match request {
        ReadRequest::Schema(_) => "/v1/schema".to_owned(),
        ReadRequest::Streams(_) => "/v1/streams".to_owned(),
        ReadRequest::Stream(r) => format!("/v1/streams/{}", seg(&r.stream)),
        ReadRequest::Records(r) => format!("/v1/streams/{}/records", seg(&r.stream)),
        ReadRequest::Record(r) => format!("/v1/streams/{}/records/{}", seg(&r.stream), seg(&r.id)),
        ReadRequest::FieldWindow(r) => format!("/v1/streams/{}/records/{}/field-window", seg(&r.stream), seg(&r.id)),
        ReadRequest::Aggregate(r) => format!("/v1/streams/{}/aggregate", seg(&r.stream)),
        ReadRequest::Search(r) => match r.mode {
            SearchMode::Lexical => "/v1/search".to_owned(),
            SearchMode::Semantic => "/v1/search/semantic".to_owned(),
            SearchMode::Hybrid => "/v1/search/hybrid".to_owned(),
        },
        ReadRequest::Blob(r) => format!("/v1/blobs/{}", seg(&r.blob_id)),
    }
}

/// The path with the query that makes the same request again.
pub fn path_and_query(request: &ReadRequest) -> String {
    let mut query = Query(form_urlencoded::Serializer::new(String::new()));
    match request {
        ReadRequest::Schema(r) => {
            query.text("view", r.compact.then_some("compact"));
            query.text("stream", r.stream.as_deref());
            query.text("connection_id", r.connection_id.as_deref());
        }
        ReadRequest::Streams(r) => query.text("connection_id", r.connection_id.as_deref()),
        ReadRequest::Stream(r) => query.text("connection_id", r.connection_id.as_deref()),
        ReadRequest::Records(r) => {
            query.number("limit", r.limit);
            query.text("cursor", r.cursor.as_deref());
            query.text("order", r.order.map(Order::as_str));
            if let Some(sort) = &r.sort {
                let sign = match sort.direction {
                    Some(Order::Desc) => "-",
                    Some(Order::Asc) => "+",
                    None => "",
                };
                query.text("sort", Some(&format!("{sign}{}", sort.field)));
            }
            query.text("count", (r.count != CountMode::None).then(|| r.count.as_str()));
            query.filter(&r.filter);
            query.names("fields", r.fields.as_deref().unwrap_or_default());
            query.text("view", r.view.as_deref());
            query.names("expand", &r.expand);
            query.expand_limits(&r.expand_limit);
            query.text("changes_since", r.changes_since.as_deref());
            query.text("connection_id", r.connection_id.as_deref());
        }
        ReadRequest::Record(r) => {
            query.names("fields", r.fields.as_deref().unwrap_or_default());
            query.names("expand", &r.expand);
            query.expand_limits(&r.expand_limit);
            query.text("connection_id", r.connection_id.as_deref());
        }
        ReadRequest::FieldWindow(r) => {
            query.text("field", r.field.as_deref());
            query.number("offset_chars", r.offset_chars);
            query.number("limit_chars", r.limit_chars);
            query.text("q", r.q.as_deref());
            query.number("before_chars", r.before_chars);
            query.number("after_chars", r.after_chars);
            query.text("connection_id", r.connection_id.as_deref());
        }
        ReadRequest::Aggregate(r) => {
            query.text("metric", Some(r.metric.as_str()));
            query.text("field", r.field.as_deref());
            query.text("group_by", r.group_by.as_deref());
            query.text("group_by_time", r.group_by_time.as_deref());
            query.text("granularity", r.granularity.map(crate::request::Granularity::as_str));
            query.text("time_zone", r.time_zone.as_deref());
            query.number("limit", r.limit);
            query.filter(&r.filter);
            query.text("connection_id", r.connection_id.as_deref());
        }
        ReadRequest::Search(r) => {
            query.text("q", Some(&r.q));
            query.names("streams", &r.streams);
            query.number("limit", r.limit);
            query.text("cursor", r.cursor.as_deref());
            query.filter(&r.filter);
            query.text("connection_id", r.connection_id.as_deref());
        }
        ReadRequest::Blob(r) => query.text("connection_id", r.connection_id.as_deref()),
    }
    let query = query.0.finish();
    if query.is_empty() { path(request) } else { format!("{}?{query}", path(request)) }
}

struct Query(form_urlencoded::Serializer<'static, String>);

impl Query {
    fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.0.append_pair(name, value);
        }
    }

    fn number(&mut self, name: &str, value: Option<u64>) {
        if let Some(value) = value {
            self.0.append_pair(name, &value.to_string());
        }
    }

    /// Repeated, so that a provider which knows no commas understands it too.
    fn names(&mut self, name: &str, names: &[String]) {
        for value in names {
            self.0.append_pair(name, value);
        }
    }

    fn expand_limits(&mut self, limits: &std::collections::BTreeMap<String, u64>) {
        for (relationship, limit) in limits {
            self.0.append_pair(&format!("expand_limit[{relationship}]"), &limit.to_string());
        }
    }

    fn filter(&mut self, filter: &Filter) {
        for (field, condition) in filter.iter() {
            match condition {
                Condition::Equals(value) => {
                    self.0.append_pair(&format!("filter[{field}]"), value);
                }
                Condition::Range(bounds) => {
                    for (op, value) in bounds {
                        self.0.append_pair(&format!("filter[{field}][{}]", op.as_str()), value);
                    }
                }
            }
        }
    }
}
