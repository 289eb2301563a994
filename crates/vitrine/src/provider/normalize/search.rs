//! Search hits and their evidence.

use std::collections::HashSet;

use serde_json::json;
use serde_json::value::RawValue;
use vitrine_contract::ident::{is_name, is_record_id};
use vitrine_contract::naming::AUTHORED_FIELDS;
use vitrine_contract::record::{SearchList, Tag};
use vitrine_contract::request::{ReadRequest, RecordRequest, SearchRequest};
use vitrine_contract::search::{Hit, MatchWindow, Recall, SearchMeta};
use vitrine_contract::{Warning, route, time};

use super::members::Members;
use super::record_uri::{self, RecordName};
use super::{CONNECTION_ID, Read, list, unreadable};

const HITS: &[&str] = &["data", "results", "hits"];
const RECORD_KEY: &[&str] = &["record_key", "record_id", "id"];
const RECORD_URI: &[&str] = &["record_uri", "uri"];
const RECORD_URL: &[&str] = &["record_url", "url"];
/// The longest id of what is no record: a link, mostly.
const MAX_REFERENCE_CHARS: usize = 2_048;
const WINDOWS: &[&str] = &["match_windows", "evidence_excerpts"];
const WINDOW_FIELD: &[&str] = &["field_path", "field"];
const WINDOW_TEXT: &[&str] = &["text", "excerpt"];

/// A page of hits.
pub(in super::super) fn hits(body: &str, asked: &ReadRequest, request: &SearchRequest) -> Read<SearchList> {
    let members = Members::of_answer(body)?.unwrapped(|members| members.array(HITS).is_some());
    let Some(rows) = members.array(HITS) else { return unreadable("a search without `data`") };
    let total = rows.len();
    let mut found: Vec<Hit> = rows.into_iter().filter_map(|row| hit(row, request)).collect();
    let mut meta = meta(&members);
    if found.len() < total {
        meta.warnings.push(nameless(total - found.len()));
    }
    let named = found.len();
    found.retain(|hit| is_in_scope(hit, request));
    if found.len() < named {
        meta.warnings.push(elsewhere(named - found.len()));
    }
    Ok(list::page(&members, asked, found, meta))
}

/// A hit with as much as it says of itself; nothing when not even an id.
fn hit(json: &RawValue, request: &SearchRequest) -> Option<Hit> {
    let members = Members::of(json)?;
    let (connection_id, stream, record_key) = match record(&members, request) {
        Some(record) => record,
        None => reference(&members, request)?,
    };
    let is_record = is_record(&stream, &record_key);
    let connection_id = connection_id.or_else(|| request.connection_id.clone()).unwrap_or_default();
    let display_name = members.text(&["display_name"]).unwrap_or_default();
    let emitted_at = members.text(&["emitted_at"]).unwrap_or_default();
    let authored_at = members.text(&["authored_at"]).or_else(|| authored_at(&members));
    // Of what is no record, no call could read on.
    let match_windows = if is_record { windows(&members) } else { Vec::new() };
    let titled = || {
        let title = title(&display_name, &stream, authored_at.as_deref().unwrap_or(&emitted_at));
        if title.is_empty() { record_key.clone() } else { title }
    };
    let link = || if is_record { path(&connection_id, &stream, &record_key) } else { String::new() };
    Some(Hit {
        object: Tag::default(),
        connector_key: members.text(&["connector_key"]).unwrap_or_default(),
        record_url: members.text(RECORD_URL).filter(|url| is_record || is_shown(url)).unwrap_or_else(link),
        title: members.text(&["title"]).filter(|title| record_uri::parse(title).is_none()).unwrap_or_else(titled),
        matched_fields: members.read(&["matched_fields"]).unwrap_or_else(|| fields_of(&match_windows)),
        score: members.read(&["score"]),
        retrieval_sources: members.read(&["retrieval_sources"]),
        connection_id,
        display_name,
        stream,
        record_key,
        emitted_at,
        authored_at,
        match_windows,
    })
}

/// The connection, stream and id of the record that a hit names.
fn record(members: &Members<'_>, request: &SearchRequest) -> Option<(Option<String>, String, String)> {
    let (connection_id, stream) = (members.text(CONNECTION_ID), members.text(&["stream"]));
    let agrees = |name: &RecordName| {
        let same_connection =
            connection_id.is_none() || name.connection_id.is_none() || name.connection_id == connection_id;
        same_connection && stream.as_ref().is_none_or(|stream| *stream == name.stream)
    };
    let uri = members.text(RECORD_URI).and_then(|uri| record_uri::parse(&uri));
    let key = members.id(RECORD_KEY);
    // A key that holds a `/` is no record's id, so it may be the whole name, unless the hit says otherwise.
    let whole = key.as_deref().and_then(record_uri::parse).filter(agrees);
    let (connection_id, stream, record_key) = match (key.filter(|key| !key.contains('/')), whole.or(uri)) {
        (Some(key), name) => {
            let named = name.unwrap_or_default();
            (
                connection_id.or(named.connection_id),
                stream.or_else(|| Some(named.stream).filter(|s| !s.is_empty())),
                key,
            )
        }
        (None, Some(name)) => (name.connection_id.or(connection_id), Some(name.stream), name.record_id),
        (None, None) => return None,
    };
    let stream = stream.or_else(|| only_stream(request))?;
    is_record(&stream, &record_key).then_some((connection_id, stream, record_key))
}

/// The same of a hit that is no record of a stream, such as a page on the web: its id or link as it stands.
fn reference(members: &Members<'_>, request: &SearchRequest) -> Option<(Option<String>, String, String)> {
    let id = members.id(RECORD_KEY).or_else(|| members.text(RECORD_URL)).filter(|id| is_shown(id))?;
    let stream = members.text(&["stream"]).or_else(|| only_stream(request)).filter(|stream| is_name(stream));
    Some((members.text(CONNECTION_ID), stream.unwrap_or_default(), id))
}

fn is_record(stream: &str, record_key: &str) -> bool {
    is_name(stream) && is_record_id(record_key)
}

/// Whether an id or link that names no record can be shown: URIs of ours stay hidden.
fn is_shown(reference: &str) -> bool {
    reference.chars().count() <= MAX_REFERENCE_CHARS && !reference.to_ascii_lowercase().contains("pdpp://")
}

/// When a person wrote, sent or received it, by any of its names.
fn authored_at(hit: &Members<'_>) -> Option<String> {
    AUTHORED_FIELDS.iter().find_map(|name| hit.text(&[name]).filter(|at| time::parse(at).is_some()))
}

/// Whether a hit is from where was searched, which not every provider keeps to.
fn is_in_scope(hit: &Hit, request: &SearchRequest) -> bool {
    request.connection_id.as_ref().is_none_or(|id| hit.connection_id == *id)
        && (request.streams.is_empty() || request.streams.contains(&hit.stream))
}

fn only_stream(request: &SearchRequest) -> Option<String> {
    (request.streams.len() == 1).then(|| request.streams[0].clone())
}

fn path(connection_id: &str, stream: &str, record_key: &str) -> String {
    route::path_and_query(&ReadRequest::Record(RecordRequest {
        stream: stream.to_owned(),
        id: record_key.to_owned(),
        connection_id: (!connection_id.is_empty()).then(|| connection_id.to_owned()),
        ..RecordRequest::default()
    }))
}

/// "Work Gmail · messages · 2026-03-12 09:41", as far as it is known.
fn title(display_name: &str, stream: &str, at: &str) -> String {
    let minute = time::parse(at).map(time::format).and_then(|at| at.get(..16).map(|at| at.replace('T', " ")));
    let parts = [display_name, stream, minute.as_deref().unwrap_or_default()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn fields_of(windows: &[MatchWindow]) -> Vec<String> {
    let mut seen = HashSet::new();
    windows.iter().map(|window| &window.field_path).filter(|field| seen.insert(*field)).cloned().collect()
}

fn windows(hit: &Members<'_>) -> Vec<MatchWindow> {
    let windows = hit.array(WINDOWS).unwrap_or_default();
    windows.into_iter().filter_map(|window| proven(&Members::of(window)?)).collect()
}

/// A window whose positions hold together. Any other would be a claim about a field that nothing
/// shows to be true.
fn proven(window: &Members<'_>) -> Option<MatchWindow> {
    let chars = |name| window.read::<u64>(&[name]);
    let text: String = window.text(WINDOW_TEXT)?;
    let (start, end) = (chars("start_chars")?, chars("end_chars")?);
    let (match_start, match_end) = (chars("match_start_chars")?, chars("match_end_chars")?);
    let is_consistent = end.checked_sub(start) == Some(text.chars().count() as u64)
        && start <= match_start
        && match_start < match_end
        && match_end <= end;
    // Without a total this much of the field is known to exist.
    let total = chars("total_chars").unwrap_or(end);
    let complete = window.read(&["complete"]).unwrap_or(false);
    let is_possible = end <= total && (!complete || (start == 0 && end == total));
    (is_consistent && is_possible).then_some(MatchWindow {
        field_path: window.text(WINDOW_FIELD)?,
        text,
        start_chars: start,
        end_chars: end,
        match_start_chars: match_start,
        match_end_chars: match_end,
        total_chars: total,
        complete,
    })
}

/// What the provider says about the whole of the matches; nothing is claimed on its behalf.
fn meta(members: &Members<'_>) -> SearchMeta {
    let Some(meta) = members.object(&["meta"]) else { return about(None, None, None) };
    let recall = meta.read::<Recall>(&["recall"]);
    SearchMeta {
        relaxed: meta.read(&["relaxed"]).unwrap_or_default(),
        index: meta.read(&["index"]),
        warnings: list::warnings(&meta),
        freshness: list::freshness(&meta),
        ..about(meta.read(&["count"]), meta.text(&["count_accuracy"]), recall)
    }
}

fn about(count: Option<u64>, accuracy: Option<String>, recall: Option<Recall>) -> SearchMeta {
    let unsaid = if count.is_some() { "estimated" } else { "not_counted" };
    let partial = || Recall { complete: false, ranking_scope: "candidate_window".to_owned(), truncated: false };
    SearchMeta {
        count,
        count_accuracy: accuracy.unwrap_or_else(|| unsaid.to_owned()),
        recall: recall.unwrap_or_else(partial),
        ..SearchMeta::default()
    }
}

fn nameless(count: usize) -> Warning {
    left_out("hits_without_record", count, "named no record that could be read")
}

fn elsewhere(count: usize) -> Warning {
    left_out("hits_out_of_scope", count, "were not from the connection or streams asked for")
}

fn left_out(code: &str, count: usize, why: &str) -> Warning {
    Warning {
        code: code.to_owned(),
        message: Some(format!("{count} of the provider's hits {why}, and were left out.")),
        detail: json!({ "left_out": count }),
    }
}

#[cfg(test)]
mod tests;
