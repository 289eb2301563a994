//! Searches: references with evidence.

use vitrine_contract::naming::{self, AUTHORED_FIELDS, TITLE_FIELDS};
use vitrine_contract::read_api::Answer;
use vitrine_contract::record::{ConnectionFreshness, List, Resume, SearchList, Tag};
use vitrine_contract::request::{ReadRequest, RecordRequest, SearchMode, SearchRequest};
use vitrine_contract::search::{Hit, MatchWindow, Recall, Score, SearchMeta};
use vitrine_contract::{ApiError, Warning, limits, route};

use super::{LocalRead, ReadFault, freshness, list};
use crate::cursor::{Binding, RankCursor};
use crate::gate::ReadPlan;
use crate::port::{Dated, Evidence, Found, FoundHit, Ranked, SearchAsk, Store};
use crate::words::Query;

pub(super) async fn list<S: Store>(reader: &LocalRead<S>, request: &SearchRequest) -> Answer<SearchList> {
    if request.q.contains('\0') || request.q.chars().count() > limits::MAX_QUERY_CHARS {
        let message = format!("`q` must have at most {} characters and no NUL.", limits::MAX_QUERY_CHARS);
        return Err(ApiError::invalid("q", message));
    }
    let asked = ReadRequest::Search(request.clone());
    reader.planned(&asked, |_, plan| page(reader, (&asked, request), plan)).await
}

async fn page<S: Store>(
    reader: &LocalRead<S>,
    (asked, request): (&ReadRequest, &SearchRequest),
    plan: ReadPlan,
) -> Result<SearchList, ReadFault> {
    let (rows, mut warnings) = list::limit(request.limit);
    let query = Query::parse(&request.q);
    let binding = binding(reader, request);
    let sealer = reader.sealer();
    let now = reader.clock.now();
    let resumed = request.cursor.as_deref().map(|text| sealer.open_rank(&binding, text, now)).transpose()?;
    let show: Vec<&str> = TITLE_FIELDS.into_iter().chain(AUTHORED_FIELDS).collect();
    let ask = SearchAsk {
        mode: request.mode,
        query: &query,
        after: resumed.as_ref().map(|cursor| &cursor.ranked),
        rows,
        show: &show,
    };
    let Dated { answer: found, newest } = reader.store.search(&plan, &ask).await?;
    if query.reading(found.weights.relaxed).shortened {
        warnings.push(Warning::query_shortened(crate::words::MAX_UNITS));
    }
    let started = resumed.as_ref().map_or_else(|| now.as_second(), |cursor| cursor.started);
    let seal = move |ranked| sealer.seal_rank(&binding, &RankCursor { started, ranked });
    let places: Vec<Ranked> = found.hits.iter().map(|hit| ranked(&plan, &found, hit)).collect();
    let next_cursor = places.last().filter(|_| found.more).map(|last| seal(last.clone()));
    let meta = meta(&found, warnings, freshness::of(&plan, &newest));
    let hits = found.hits.into_iter().map(|hit| to_hit(&plan, request.mode, hit)).collect();
    let resume = Some(Resume::new(move |row| Some(seal(places.get(row)?.clone()))));
    Ok(List { resume, ..list::around(asked, hits, next_cursor, meta) })
}

fn binding<S: Store>(reader: &LocalRead<S>, request: &SearchRequest) -> Binding {
    let streams: Vec<&str> = request.streams.iter().map(String::as_str).collect();
    let connection = request.connection_id.as_deref();
    let order = format!("{} {}", request.mode.as_str(), request.q);
    Binding::new(&reader.caller.identity(), "search", &streams, connection, &request.filter, &order)
}

fn ranked(plan: &ReadPlan, found: &Found, hit: &FoundHit) -> Ranked {
    let scope = &plan.scopes()[hit.row.scope];
    Ranked {
        weights: found.weights.clone(),
        score: hit.score,
        connection_id: scope.connection().connection_id.to_string(),
        stream: scope.stream_name().to_string(),
        id: hit.row.id.clone(),
    }
}

fn meta(found: &Found, warnings: Vec<Warning>, freshness: Vec<ConnectionFreshness>) -> SearchMeta {
    SearchMeta {
        count: found.total,
        count_accuracy: if found.total.is_some() { "exact" } else { "not_counted" }.into(),
        recall: Recall {
            complete: found.complete,
            ranking_scope: if found.complete { "all_matches" } else { "candidate_window" }.into(),
            truncated: !found.complete,
        },
        relaxed: found.weights.relaxed,
        index: found.coverage,
        warnings,
        freshness,
    }
}

fn to_hit(plan: &ReadPlan, mode: SearchMode, hit: FoundHit) -> Hit {
    let scope = &plan.scopes()[hit.row.scope];
    let connection = scope.connection();
    let shown = hit.row.data.entries();
    let record = RecordRequest {
        stream: scope.stream_name().to_string(),
        id: hit.row.id.clone(),
        connection_id: Some(connection.connection_id.to_string()),
        ..RecordRequest::default()
    };
    let (kind, sources) = match mode {
        SearchMode::Lexical => ("bm25", None),
        SearchMode::Semantic => ("cosine", None),
        SearchMode::Hybrid => ("fusion", Some(sources(&hit))),
    };
    Hit {
        object: Tag::default(),
        connection_id: connection.connection_id.to_string(),
        connector_key: connection.connector_key.to_string(),
        display_name: connection.display_name.to_string(),
        stream: record.stream.clone(),
        record_url: route::path_and_query(&ReadRequest::Record(record)),
        authored_at: naming::authored_at(&shown),
        title: naming::title(&connection.display_name, scope.stream_name(), &hit.row.emitted_at, &shown),
        record_key: hit.row.id,
        emitted_at: hit.row.emitted_at,
        matched_fields: hit.matched_fields,
        match_windows: hit.evidence.into_iter().map(window).collect(),
        score: Some(Score { kind: kind.into(), order: "descending".into(), value: hit.score }),
        retrieval_sources: sources,
    }
}

fn sources(hit: &FoundHit) -> Vec<String> {
    let found_by = [(hit.lexical, "lexical"), (hit.semantic, "semantic")];
    found_by.into_iter().filter(|(found, _)| *found).map(|(_, by)| by.to_owned()).collect()
}

fn window(evidence: Evidence) -> MatchWindow {
    let end = evidence.start + evidence.text.chars().count() as u64;
    MatchWindow {
        field_path: evidence.field,
        start_chars: evidence.start,
        end_chars: end,
        match_start_chars: evidence.found.0,
        match_end_chars: evidence.found.1,
        total_chars: evidence.total,
        complete: evidence.start == 0 && end == evidence.total,
        text: evidence.text,
    }
}
