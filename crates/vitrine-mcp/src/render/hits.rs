//! Search hits: evidence first, then what stands around it.

use serde_json::{Value, json};
use vitrine_contract::record::SearchList;
use vitrine_contract::request::{ReadRequest, RecordRequest};
use vitrine_contract::route;
use vitrine_contract::search::{Hit, MatchWindow, SearchMeta};

use super::binary;
use super::json::Object;
use super::ladder::{self, FieldHint, ReadCall, Rung};
use super::record::label;
use super::text::{self, Lines, instant, literal, name, plural};
use super::{Fit, Frame, freshness, most_rows, said, shortened, warning_lines};
use crate::answer::Answer;
use crate::budget::Budget;
use crate::ids::{RecordRef, is_field, told};

/// From generous to scarce: as much as there is room for.
const LEVELS: [Level; 6] =
    [Level::full(160), Level::full(120), Level::bare(120), Level::bare(80), Level::bare(56), Level::bare(32)];
/// What a short list comes down to before it is too long: in the end the ladder alone says where to read on.
const SHORT_LEVELS: [Level; 8] = [
    Level::full(160),
    Level::full(120),
    Level::bare(120),
    Level::laddered(120),
    Level::laddered(80),
    Level::laddered(32),
    Level::unplaced(80),
    Level::unplaced(32),
];
/// From this many hits on, not all fit anyway, and more of them are worth more than longer excerpts.
const CROWD: usize = 14;
const CROWDED: Level = Level::bare(80);
/// What a list of up to three hits takes at most, so that looking around stays cheap.
const SHORT_LIST: (usize, usize) = (3, 3_000);
const MAX_TITLE_CHARS: usize = 160;

/// Renders as many hits as fit.
pub(crate) fn answer(list: &SearchList, frame: Frame<'_>) -> Fit {
    let shown = |level| -> Vec<Shown<'_>> { list.data.iter().map(|hit| Shown::new(hit, level, frame)).collect() };
    let is_short = list.data.len() <= SHORT_LIST.0;
    let generous: &[Level] = if is_short { &SHORT_LEVELS } else { &LEVELS };
    for hits in generous.iter().copied().filter(|_| list.data.len() <= CROWD).map(shown) {
        // Evidence is worth more than how far the data reaches, which the text says anyway.
        for dated in [true, false] {
            let answer = render(list, &hits, dated, frame);
            if answer.fits() && (!is_short || answer.structured.len() <= SHORT_LIST.1) {
                return Fit::Whole(answer.into());
            }
        }
    }
    let hits = shown(CROWDED);
    let mut room = Budget::CHANNEL.room(0);
    let likely = hits.iter().take_while(|hit| room.take(hit.json.chars().count())).count();
    let (kept, answer) = most_rows(likely, |kept| render(list, &hits[..kept], true, frame));
    if kept == 0 && !hits.is_empty() {
        // A hit that does not fit even alone is refused as too large, rather than passed over.
        return Fit::Whole(render(list, &hits[..1], true, frame).into());
    }
    match list.resume {
        None if kept < hits.len() => Fit::AskFor(kept),
        _ => Fit::Whole(answer.into()),
    }
}

/// How much of a hit to show.
#[derive(Clone, Copy)]
struct Level {
    /// Characters of evidence.
    chars: usize,
    /// Whether the ladder shows it again, and the call that reads the field is named even where it is the whole of it.
    repeats: bool,
    /// Whether the hit itself names that call, beside the ladder.
    reads: bool,
    /// Whether it says where in its field the evidence stands.
    places: bool,
}

impl Level {
    const fn full(chars: usize) -> Self {
        Self { chars, repeats: true, reads: true, places: true }
    }

    const fn bare(chars: usize) -> Self {
        Self { chars, repeats: false, reads: true, places: true }
    }

    const fn laddered(chars: usize) -> Self {
        Self { chars, repeats: false, reads: false, places: true }
    }

    const fn unplaced(chars: usize) -> Self {
        Self { chars, repeats: false, reads: false, places: false }
    }
}

/// One hit, ready for both channels.
struct Shown<'a> {
    hit: &'a Hit,
    record: RecordRef,
    id: String,
    evidence: Option<Evidence>,
    level: Level,
    /// Its entry in the results.
    json: String,
}

/// A proven window, cut to a few words around the match.
struct Evidence {
    window: MatchWindow,
    read: ReadCall,
}

impl Evidence {
    fn add_to(&self, result: &mut Value, level: Level) {
        let Self { window, read } = self;
        result["evidence_preview"] = window.text.as_str().into();
        if level.places {
            result["match"] = json!({
                "field_path": window.field_path,
                "start_chars": window.start_chars,
                "end_chars": window.end_chars,
                "match_start_chars": window.match_start_chars,
                "match_end_chars": window.match_end_chars,
                "total_chars": window.total_chars,
                "complete": window.complete,
            });
        }
        if level.repeats || (level.reads && !window.complete) {
            result["read"] = json!(read);
        }
    }
}

impl<'a> Shown<'a> {
    fn new(hit: &'a Hit, level: Level, frame: Frame<'_>) -> Self {
        let record = RecordRef::shown(&hit.connection_id, &hit.stream, &hit.record_key);
        let evidence = hit
            .match_windows
            .iter()
            .find(|window| is_field(&window.field_path) && !binary::is_base64_run(&window.text, window.total_chars))
            .map(|window| around_match(window, level.chars))
            .map(|window| Evidence { read: ReadCall::field(&record, &window.field_path, window.start_chars), window });
        let id = record.result_id();
        let mut json = result(hit, &id, frame);
        if let Some(evidence) = &evidence {
            evidence.add_to(&mut json, level);
        }
        Self { hit, record, id, evidence, level, json: text::json(&json) }
    }

    /// The proof, in prose, with the call that reads on.
    fn evidence_line(&self, rank: usize) -> Option<String> {
        let Evidence { window, read } = self.evidence.as_ref()?;
        let status = if window.complete { "complete" } else { "truncated" };
        Some(format!(
            "{rank}. {}: {} ({status}, chars {}-{} of {}) id {} read on: {read}\n",
            literal(&window.field_path),
            literal(&window.text),
            window.start_chars,
            window.end_chars,
            window.total_chars,
            literal(&self.id),
        ))
    }

    /// Who and what the hit is.
    fn identity_line(&self, rank: usize) -> String {
        let hit = self.hit;
        let id = if self.evidence.is_some() { String::new() } else { format!(" id {}", literal(&self.id)) };
        let when = told(hit.authored_at.as_deref().unwrap_or(&hit.emitted_at));
        let when = when.map_or_else(String::new, |when| format!(" {}", instant(text::cut(when, 40))));
        let title = literal(text::cut(&hit.title, MAX_TITLE_CHARS));
        format!("{rank}. {title}{} {}{when}{id}\n", origin(hit), name(&hit.stream))
    }

    fn rung(&self) -> Option<Rung> {
        let Evidence { window, read } = self.evidence.as_ref()?;
        let mut rung = Rung::new(&self.record);
        rung.evidence_preview = self.level.repeats.then(|| window.text.clone());
        rung.field_windows.push(FieldHint {
            field_path: window.field_path.clone(),
            preview_status: if window.complete { "complete" } else { "truncated" },
            size_chars: window.total_chars,
            read: read.clone(),
        });
        Some(rung)
    }
}

/// The account and the kind of source, as far as they are known.
fn origin(hit: &Hit) -> String {
    let from = |account: &str| format!(" from {}", literal(label(account)));
    let of = |key: &str| format!(" ({})", name(label(key)));
    told(&hit.display_name).map(from).unwrap_or_default() + &told(&hit.connector_key).map(of).unwrap_or_default()
}

fn result(hit: &Hit, id: &str, frame: Frame<'_>) -> Value {
    let record = ReadRequest::Record(RecordRequest {
        stream: hit.stream.clone(),
        id: hit.record_key.clone(),
        connection_id: told(&hit.connection_id).map(str::to_owned),
        ..RecordRequest::default()
    });
    let mut result = json!({
        "id": id,
        "title": text::cut(&hit.title, MAX_TITLE_CHARS),
        "url": frame.url(&route::path_and_query(&record)),
    });
    for (name, value) in [
        ("connection_id", hit.connection_id.as_str()),
        ("connector_key", label(&hit.connector_key)),
        ("display_name", label(&hit.display_name)),
        ("stream", &hit.stream),
        ("record_id", &hit.record_key),
    ] {
        if let Some(value) = told(value) {
            result[name] = value.into();
        }
    }
    if let Some(authored_at) = &hit.authored_at {
        result["authored_at"] = text::cut(authored_at, 40).into();
    }
    result
}

/// The part of a window around its match, still exactly the field's characters.
fn around_match(window: &MatchWindow, chars: usize) -> MatchWindow {
    let held = usize::try_from(window.end_chars.saturating_sub(window.start_chars)).unwrap_or(usize::MAX);
    if held <= chars {
        return window.clone();
    }
    let at = |position: u64| usize::try_from(position.saturating_sub(window.start_chars)).unwrap_or(0).min(held);
    let (from, to) = (at(window.match_start_chars), at(window.match_end_chars));
    let before = chars.saturating_sub(to - from.min(to)) / 2;
    let start = from.saturating_sub(before).min(held - chars);
    MatchWindow {
        text: text::slice(&window.text, start, start + chars).to_owned(),
        start_chars: window.start_chars + start as u64,
        end_chars: window.start_chars + (start + chars) as u64,
        complete: false,
        ..window.clone()
    }
}

fn render(list: &SearchList, hits: &[Shown<'_>], dated: bool, frame: Frame<'_>) -> Answer {
    let cut = hits.len() < list.data.len();
    let next_cursor = if cut { list.resume_after(hits.len()) } else { list.next_cursor.clone() };
    let has_more = cut || list.has_more;
    let mut meta = SearchMeta { warnings: said::warnings(&list.meta.warnings), ..list.meta.clone() };
    let sources = hits.iter().map(|shown| shown.hit.connection_id.as_str());
    // Where nothing was found, it matters how far each connection was searched.
    let told = if hits.is_empty() { freshness::told } else { freshness::told_of };
    let told = told(&list.meta.freshness, sources);
    meta.freshness = told.iter().copied().filter(|_| dated).cloned().collect();
    if cut {
        meta.warnings.push(shortened(hits.len(), list.data.len()));
    }

    let mut structured = Object::with_capacity(hits.iter().map(|hit| 2 * hit.json.len()).sum());
    structured.insert_list("results", hits.iter().map(|hit| hit.json.as_str()));
    let envelope = json!({
        "object": "list", "has_more": has_more, "next_cursor": next_cursor, "result_count": hits.len(), "meta": meta,
    });
    structured.insert("data", &envelope);
    let rungs: Vec<String> = hits.iter().filter_map(Shown::rung).map(|rung| text::json(&rung)).collect();
    if let Some(ladder) = ladder::of("search_results", &rungs) {
        structured.insert_json("content_ladder", &ladder);
    }

    let mut text: String = hits.iter().enumerate().filter_map(|(index, hit)| hit.evidence_line(index + 1)).collect();
    text.line(format_args!("{}{}, has_more: {has_more}", plural(hits.len(), "hit"), counted(&meta)));
    if let Some(cursor) = &next_cursor {
        text.line(format_args!("next_cursor: {} (same arguments, with this cursor)", literal(cursor)));
    }
    text += &notes(&meta);
    text += &source_mix(hits);
    text += &freshness::line(&told);
    text.extend(hits.iter().enumerate().map(|(index, hit)| hit.identity_line(index + 1)));
    if !hits.is_empty() {
        text += "Pass an id as it is to fetch; add connection_id only where it is shown.\n";
    }
    Answer::new(text, frame.finish(structured))
}

fn counted(meta: &SearchMeta) -> String {
    match (meta.count, meta.count_accuracy.as_str()) {
        (Some(count), "exact") => format!(" of {count}"),
        (Some(count), "lower_bound") => format!(" of at least {count}"),
        (Some(count), _) => format!(" of about {count}"),
        (None, _) => String::new(),
    }
}

fn notes(meta: &SearchMeta) -> String {
    let mut notes = String::new();
    if meta.relaxed {
        notes += "No record has all the words: records with any of them are listed.\n";
    }
    if meta.recall.truncated {
        notes += "Only a part of the matches was ranked; narrow the query to see the others.\n";
    }
    if let Some(index) = meta.index.filter(|index| index.covered < index.total) {
        notes.line(format_args!("Indexed so far: {} of {} texts.", index.covered, index.total));
    }
    notes + &warning_lines(&meta.warnings)
}

/// How many hits each account gave, when there is more than one.
fn source_mix(hits: &[Shown<'_>]) -> String {
    let mut mix: Vec<(&str, &str, usize)> = Vec::new();
    for hit in hits.iter().map(|shown| shown.hit) {
        match mix.iter_mut().find(|(id, name, _)| (*id, *name) == (&hit.connection_id, &hit.display_name)) {
            Some((.., hits)) => *hits += 1,
            None => mix.push((&hit.connection_id, &hit.display_name, 1)),
        }
    }
    if mix.len() < 2 {
        return String::new();
    }
    let share = |(id, account, hits): &(&str, &str, usize)| {
        let is_shared = mix.iter().filter(|(_, other, _)| other == account).count() > 1;
        let id = told(id).filter(|_| is_shared).map_or_else(String::new, |id| format!(" {}", name(id)));
        format!("{}{id} {hits}", literal(label(account)))
    };
    let shares: Vec<String> = mix.iter().map(share).collect();
    format!("source mix: {}\n", shares.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_stays_exactly_where_it_stands_in_the_field() {
        let field = "日本 the quick brown fox jumps over the lazy dog, again and again and again.";
        let chars = field.chars().count();
        for (from, to) in [(0, 2), (17, 20), (chars - 6, chars)] {
            let window = MatchWindow {
                field_path: "body".into(),
                text: field.to_owned(),
                start_chars: 100,
                end_chars: 100 + chars as u64,
                match_start_chars: 100 + from as u64,
                match_end_chars: 100 + to as u64,
                total_chars: 5_000,
                complete: false,
            };
            let cut = around_match(&window, 30);
            let start = usize::try_from(cut.start_chars - 100).unwrap();
            assert_eq!(cut.text, text::slice(field, start, start + 30));
            assert_eq!(cut.end_chars - cut.start_chars, 30);
            assert!(cut.start_chars <= cut.match_start_chars && cut.match_end_chars <= cut.end_chars);
        }
    }
}
