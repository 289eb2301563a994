//! The fake's reads.

use serde_json::Value;
use vitrine_contract::Fields;
use vitrine_contract::read_api::Answer;
use vitrine_contract::record::{
    Blob, ConnectionFreshness, CutField, Links, List, ListMeta, Record, Resume, SearchList, Tag,
};
use vitrine_contract::request::{
    AggregateRequest, BlobRequest, Condition, CountMode, FieldWindowRequest, Filter, Order, RangeOp, RecordRequest,
    RecordsRequest, SchemaRequest, SearchRequest, StreamRequest, StreamsRequest,
};
use vitrine_contract::schema::{
    Aggregation, AggregationMeta, FieldWindow, Group, SchemaDocument, StreamRow, Window, WindowField,
};
use vitrine_contract::search::{Hit, MatchWindow, Recall, SearchMeta};
use vitrine_contract::{ApiError, Count, ErrorCode, Expanded, ReadApi};

use super::{Connection, Fake, Outage, Row};

fn not_found() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "There is no such record. Search for it again.")
}

fn start_of(cursor: Option<&str>) -> Result<usize, ApiError> {
    let Some(cursor) = cursor else { return Ok(0) };
    let wrong = || ApiError::new(ErrorCode::InvalidCursor, "Not a cursor of this list.").param("cursor");
    cursor.strip_prefix("at:").and_then(|n| n.parse().ok()).ok_or_else(wrong)
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}

impl Fake {
    fn matching(&self, stream: &str, connection_id: Option<&str>, filter: &Filter) -> Vec<&Row> {
        let rows = self.rows.iter().filter(|row| row.stream == stream);
        rows.filter(|row| connection_id.is_none_or(|id| row.connection == id))
            .filter(|row| passes(row, filter))
            .collect()
    }

    /// Cuts long text as our own store does, and only it.
    fn cut(&self, mut record: Record, preview_chars: Option<u32>) -> Record {
        let (Some(most), Some(data), false) = (preview_chars, &record.data, self.foreign) else { return record };
        let mut fields = data.to_map();
        for (name, value) in &mut fields {
            let (text, json) = match &*value {
                Value::String(text) => (text.clone(), false),
                Value::Object(object) if object.contains_key("blob_id") => continue,
                Value::Object(_) | Value::Array(_) => (value.to_string(), true),
                _ => continue,
            };
            let total_chars = chars(&text);
            if total_chars > u64::from(most) {
                *value = text.chars().take(most as usize).collect::<String>().into();
                record.cut.push(CutField { field: name.clone(), total_chars, json });
            }
        }
        record.data = Some(Fields::from_json(Value::Object(fields).to_string()).unwrap());
        record
    }

    fn one(&self, stream: &str, id: &str, connection_id: Option<&str>) -> Answer<&Row> {
        self.scope(stream, connection_id)?;
        let found = self
            .rows
            .iter()
            .find(|row| row.stream == stream && row.id == id && connection_id.is_none_or(|c| row.connection == c));
        found.ok_or_else(not_found)
    }
}

fn text_of(row: &Row, field: &str) -> Option<String> {
    match row.data.get(field)? {
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn passes(row: &Row, filter: &Filter) -> bool {
    filter.iter().all(|(field, condition)| {
        let Some(value) = text_of(row, field) else { return false };
        match condition {
            Condition::Equals(wanted) => value == *wanted,
            Condition::Range(bounds) => bounds.iter().all(|(op, bound)| match op {
                RangeOp::Gte => value >= *bound,
                RangeOp::Gt => value > *bound,
                RangeOp::Lte => value <= *bound,
                RangeOp::Lt => value < *bound,
            }),
        }
    })
}

impl ReadApi for Fake {
    async fn schema(&self, request: &SchemaRequest) -> Answer<SchemaDocument> {
        self.calls.note("schema", request.stream.as_deref().unwrap_or("*"), request.connection_id.as_deref());
        self.refusal()?;
        if self.outage == Some(Outage::Schema) {
            return Err(ApiError::internal());
        }
        Ok(self.document(request.compact))
    }

    async fn streams(&self, _: &StreamsRequest) -> Answer<List<StreamRow>> {
        Err(not_found())
    }

    async fn stream(&self, _: &StreamRequest) -> Answer<StreamRow> {
        Err(not_found())
    }

    async fn records(&self, request: &RecordsRequest) -> Answer<List<Record>> {
        self.calls.note("records", &request.stream, request.connection_id.as_deref());
        self.calls.note_limit(request.limit);
        self.scope(&request.stream, request.connection_id.as_deref())?;
        let mut rows = self.matching(&request.stream, request.connection_id.as_deref(), &request.filter);
        if request.order == Some(Order::Desc) {
            rows.reverse();
        }
        let since = match request.changes_since.as_deref() {
            Some(bookmark) if bookmark != "beginning" => start_of(Some(bookmark))?,
            _ => 0,
        };
        let start = start_of(request.cursor.as_deref())?.max(since);
        let end = (start + self.page_rows(request.limit)).min(rows.len());
        let data: Vec<Record> = (start..end)
            .map(|at| {
                let mut record = self.cut(self.record_of(rows[at], request.fields.as_deref()), request.preview_chars);
                self.expand(&mut record, &request.expand);
                record
            })
            .collect();
        let has_more = end < rows.len();
        let count =
            if request.count == CountMode::Exact { Count::Exact { value: rows.len() as u64 } } else { Count::None };
        Ok(List {
            object: Tag::default(),
            url: format!("/v1/streams/{}/records", request.stream),
            has_more,
            next_cursor: has_more.then(|| format!("at:{end}")),
            next_changes_since: (request.changes_since.is_some() && !has_more).then(|| format!("at:{}", rows.len())),
            data,
            links: Links::default(),
            meta: ListMeta { count, freshness: self.freshness(), warnings: self.warnings.clone() },
            resume: self.resume(start),
        })
    }

    async fn record(&self, request: &RecordRequest) -> Answer<Record> {
        self.calls.note("record", &request.stream, request.connection_id.as_deref());
        let row = self.one(&request.stream, &request.id, request.connection_id.as_deref())?;
        let mut record = self.cut(self.record_of(row, request.fields.as_deref()), request.preview_chars);
        self.expand(&mut record, &request.expand);
        Ok(record)
    }

    async fn field_window(&self, request: &FieldWindowRequest) -> Answer<FieldWindow> {
        self.calls.note("field_window", &request.stream, request.connection_id.as_deref());
        if self.outage == Some(Outage::FieldWindows) {
            return Err(ApiError::new(ErrorCode::FieldWindowUnsupported, "This provider serves no field windows."));
        }
        let row = self.one(&request.stream, &request.id, request.connection_id.as_deref())?;
        let field = request.field.clone().unwrap_or_default();
        let known = self
            .streams
            .lock()
            .unwrap()
            .iter()
            .any(|s| s.name == row.stream && s.fields.iter().any(|(name, ..)| *name == field));
        let value = match (row.data.get(&field), known) {
            (Some(value), _) => value,
            (None, true) => return Err(ApiError::new(ErrorCode::FieldNotFound, "The record has no such field.")),
            (None, false) => {
                return Err(ApiError::new(ErrorCode::UnknownField, "There is no such field.").param("field"));
            }
        };
        let (text, kind) = match value {
            Value::String(text) => (text.clone(), "string"),
            Value::Object(_) | Value::Array(_) => (value.to_string(), "json"),
            _ => return Err(ApiError::new(ErrorCode::FieldNotText, "The field is not text.")),
        };
        let total = chars(&text);
        let mut limit = request.limit_chars.unwrap_or(4_096);
        let mut found = None;
        let mut start = request.offset_chars.unwrap_or(0).min(total);
        if let Some(q) = &request.q {
            let at = text.to_lowercase().find(&q.to_lowercase());
            let at = at.ok_or_else(|| ApiError::new(ErrorCode::MatchNotFound, "The text does not occur."))?;
            let from = chars(&text[..at]);
            let to = from + chars(q);
            start = from.saturating_sub(request.before_chars.unwrap_or(512));
            limit = limit.min(to + request.after_chars.unwrap_or(512) - start);
            found = Some((from, to));
        }
        let shown: String =
            text.chars().skip(usize::try_from(start).unwrap()).take(usize::try_from(limit).unwrap()).collect();
        let end = start + chars(&shown);
        let (connector_key, _) = self.label(&row.connection);
        Ok(FieldWindow {
            object: Tag::default(),
            record_id: row.id.clone(),
            stream: row.stream.clone(),
            connection_id: row.connection.clone(),
            connector_key,
            field: WindowField { path: field, kind: kind.into() },
            window: Window {
                text: shown,
                start_chars: start,
                end_chars: end,
                limit_chars: limit,
                total_chars: total,
                complete: start == 0 && end == total,
                has_more: end < total,
                next_offset_chars: (end < total).then_some(end),
                previous_offset_chars: (start > 0).then(|| start.saturating_sub(limit)),
                match_start_chars: found.map(|(from, _)| from),
                match_end_chars: found.map(|(_, to)| to),
            },
        })
    }

    async fn aggregate(&self, request: &AggregateRequest) -> Answer<Aggregation> {
        self.calls.note("aggregate", &request.stream, request.connection_id.as_deref());
        self.scope(&request.stream, request.connection_id.as_deref())?;
        let rows = self.matching(&request.stream, request.connection_id.as_deref(), &request.filter);
        let groups = request.group_by.as_ref().map(|field| {
            let mut groups: Vec<Group> = Vec::new();
            for key in rows.iter().map(|row| row.data.get(field).cloned().unwrap_or(Value::Null)) {
                match groups.iter_mut().find(|group| group.key == key) {
                    Some(group) => group.count += 1,
                    None => groups.push(Group { key, count: 1, value: None }),
                }
            }
            groups
        });
        Ok(Aggregation {
            object: Tag::default(),
            stream: request.stream.clone(),
            metric: request.metric.as_str().into(),
            field: request.field.clone(),
            group_by: request.group_by.clone(),
            group_by_time: None,
            granularity: None,
            time_zone: None,
            value: groups.is_none().then(|| rows.len().into()),
            groups,
            limit: Some(100),
            other_count: 0,
            filtered_record_count: Some(rows.len() as u64),
            approximate: false,
            meta: AggregationMeta { warnings: self.warnings.clone(), freshness: self.freshness() },
        })
    }

    async fn search(&self, request: &SearchRequest) -> Answer<SearchList> {
        self.calls.note("search", "*", request.connection_id.as_deref());
        self.calls.note_limit(request.limit);
        self.refusal()?;
        let scoped = |row: &&Row| request.connection_id.as_ref().is_none_or(|id| row.connection == *id);
        let mut all: Vec<Hit> = self.rows.iter().filter(scoped).filter_map(|row| self.hit(row, &request.q)).collect();
        let start = start_of(request.cursor.as_deref())?.min(all.len());
        let count = all.len() as u64;
        let end = (start + self.page_rows(request.limit)).min(all.len());
        let has_more = end < all.len();
        let recall = Recall { complete: true, ranking_scope: "all_matches".into(), truncated: false };
        let meta = SearchMeta {
            count: Some(count),
            count_accuracy: "exact".into(),
            recall,
            freshness: self.freshness(),
            warnings: self.warnings.clone(),
            ..SearchMeta::default()
        };
        Ok(List {
            object: Tag::default(),
            url: "/v1/search".into(),
            has_more,
            next_cursor: has_more.then(|| format!("at:{end}")),
            next_changes_since: None,
            data: all.drain(start..end).collect(),
            links: Links::default(),
            meta,
            resume: self.resume(start),
        })
    }

    async fn blob(&self, _: &BlobRequest) -> Answer<Blob> {
        Err(ApiError::new(ErrorCode::BlobNotFound, "There is no such blob."))
    }

    fn provider_url(&self) -> &'static str {
        "http://127.0.0.1:7663"
    }
}

impl Fake {
    /// Every record of the stream that a relationship is called after.
    fn expand(&self, record: &mut Record, relationships: &[String]) {
        for relationship in relationships {
            let related = self.rows.iter().filter(|row| row.stream == *relationship);
            let data = related.map(|row| self.record_of(row, None)).collect();
            let many = Expanded::Many { object: Tag::default(), has_more: false, data };
            record.expanded.insert(relationship.clone(), many);
        }
    }

    /// Only our own store can continue from anywhere.
    fn resume(&self, start: usize) -> Option<Resume> {
        (!self.foreign).then(|| Resume::new(move |row| Some(format!("at:{}", start + row + 1))))
    }

    /// Every connection reaches equally far.
    fn freshness(&self) -> Vec<ConnectionFreshness> {
        let of = |connection: &Connection| ConnectionFreshness {
            connection_id: connection.id.as_str().into(),
            captured_at: Some("2026-03-12T09:41:00Z".into()),
        };
        self.connections.iter().map(of).collect()
    }

    /// A hit on a field with the word, or on the record as a whole for `semantic:`.
    fn hit(&self, row: &Row, q: &str) -> Option<Hit> {
        let (word, proven) = q.strip_prefix("semantic:").map_or((q, true), |word| (word, false));
        let fields = row.data.as_object()?;
        let (field, text, at) = fields.iter().find_map(|(field, value)| {
            let text = value.as_str()?;
            Some((field, text, text.to_lowercase().find(&word.to_lowercase())?))
        })?;
        let (from, to) = (chars(&text[..at]), chars(&text[..at]) + chars(word));
        let total = chars(text);
        let (start, end) = (from.saturating_sub(150), (to + 150).min(total));
        let window = MatchWindow {
            field_path: field.clone(),
            text: text
                .chars()
                .skip(usize::try_from(start).unwrap())
                .take(usize::try_from(end - start).unwrap())
                .collect(),
            start_chars: start,
            end_chars: end,
            match_start_chars: from,
            match_end_chars: to,
            total_chars: total,
            complete: start == 0 && end == total,
        };
        let (connector_key, display_name) = self.label(&row.connection);
        let authored_at =
            fields.get("received_at").or_else(|| fields.get("sent_at")).and_then(Value::as_str).map(str::to_owned);
        let title = fields.get("subject").and_then(Value::as_str).map_or_else(
            || format!("{display_name} · {} · {}", row.stream, authored_at.as_deref().unwrap_or_default()),
            str::to_owned,
        );
        Some(Hit {
            object: Tag::default(),
            connection_id: row.connection.clone(),
            connector_key,
            display_name,
            stream: row.stream.clone(),
            record_key: row.id.clone(),
            record_url: format!("/v1/streams/{}/records/{}", row.stream, row.id),
            emitted_at: "2026-05-01T00:00:00Z".into(),
            authored_at,
            title,
            matched_fields: if proven { vec![field.clone()] } else { Vec::new() },
            match_windows: if proven { vec![window] } else { Vec::new() },
            score: None,
            retrieval_sources: None,
        })
    }
}
