//! Search hits: evidence first, then what stands around it.

mod shown;

use serde_json::{Value, json};
use vitrine_contract::Warning;
use vitrine_contract::record::SearchList;
use vitrine_contract::search::SearchMeta;

use super::json::Object;
use super::ladder;
use super::record::label;
use super::text::{Lines, literal, name, plural};
use super::{Fit, Frame, freshness, most_rows, said, shortened, warning_lines};
use crate::answer::Answer;
use crate::budget::Budget;
use crate::ids::told;
use shown::{Level, Shown};

/// From generous to scarce. What a model needs for its next step stands at every one of them: first excerpts get
/// shorter, then titles, then what is said twice is said once. Only past the last are there fewer hits.
const LEVELS: [Level; 7] = [
    Level { chars: Some(160), title: 160, repeats: true, places: true },
    Level { chars: Some(120), title: 160, repeats: true, places: true },
    Level { chars: Some(80), title: 160, repeats: true, places: true },
    Level { chars: Some(56), title: 160, repeats: true, places: true },
    Level { chars: Some(40), title: 160, repeats: true, places: true },
    Level { chars: Some(40), title: 64, repeats: true, places: true },
    LEAST,
];
const LEAST: Level = Level { chars: Some(40), title: 64, repeats: false, places: true };
/// For a hit that has no room for its evidence: a field's name or an id may be very long.
const UNPROVEN: Level = Level { chars: None, ..LEAST };
/// For a list that should be short: the ladder tells the place and the call again.
const SHORTEST: Level = Level { places: false, ..LEAST };
/// What a list of up to three hits should take at most, so that looking around stays cheap.
const SHORT_LIST: (usize, Budget) = (3, Budget::of_chars(3_000));
/// Where ids alone take that much in JSON, excerpts need not suffer for it: prose says each id only twice.
const LONG_IDS: [Level; 3] = [
    Level { chars: Some(160), title: 160, ..SHORTEST },
    Level { chars: Some(120), title: 160, ..SHORTEST },
    Level { chars: Some(80), title: 160, ..SHORTEST },
];

/// Renders as many hits as fit, and of them as much as then fits.
pub(crate) fn answer(list: &SearchList, frame: Frame<'_>) -> Fit {
    let all = list.data.len();
    let at = |level: Level, kept: usize| {
        let hits: Vec<Shown<'_>> = list.data[..kept].iter().map(|hit| Shown::new(hit, level, frame)).collect();
        render(list, &hits, level, frame)
    };
    let mut room = Budget::CHANNEL.room(0);
    let likely = list.data.iter().take_while(|hit| room.take(Shown::new(hit, LEAST, frame).chars())).count();
    let (kept, least) = most_rows(likely, |kept| at(LEAST, kept));
    // A hit that does not fit even so is refused as too large, rather than passed over.
    let (kept, least) = if kept == 0 && all > 0 { (1, at(UNPROVEN, 1)) } else { (kept, least) };
    if kept < all && list.resume.is_none() {
        return Fit::AskFor(kept);
    }
    let is_short = all <= SHORT_LIST.0;
    let is_cheap = |channel: &str| !is_short || SHORT_LIST.1.holds_text(channel);
    let best_of = |levels: &[Level], fits: &dyn Fn(&Answer) -> bool| {
        levels.iter().map(|level| at(*level, kept)).find(|answer| answer.fits() && fits(answer))
    };
    let both = |answer: &Answer| is_cheap(&answer.text) && is_cheap(&answer.structured);
    let prose = |answer: &Answer| is_cheap(&answer.text);
    let best = best_of(&LEVELS, &both);
    let short = || best_of(&[SHORTEST], &both).or_else(|| best_of(&LONG_IDS, &prose));
    let best = if is_short { best.or_else(short) } else { best };
    Fit::Whole(best.unwrap_or(least).into())
}

fn render(list: &SearchList, hits: &[Shown<'_>], level: Level, frame: Frame<'_>) -> Answer {
    let cut = hits.len() < list.data.len();
    let next_cursor = if cut { list.resume_after(hits.len()) } else { list.next_cursor.clone() };
    let has_more = cut || list.has_more;
    let mut meta = SearchMeta { warnings: said::warnings(&list.meta.warnings), ..list.meta.clone() };
    let sources = hits.iter().map(|shown| shown.hit.connection_id.as_str());
    // Where nothing was found, it matters how far each connection was searched.
    let told = if hits.is_empty() { freshness::told } else { freshness::told_of };
    let told = told(&list.meta.freshness, sources);
    meta.freshness = told.iter().copied().filter(|_| level.repeats).cloned().collect();
    if !level.repeats {
        meta.warnings.iter_mut().for_each(|warning| warning.detail = Value::Null);
    }
    if cut {
        meta.warnings.push(shortened(hits.len(), list.data.len()));
    }
    let records = hits.iter().filter(|hit| hit.is_record()).count();
    if records < hits.len() {
        meta.warnings.push(not_records(hits.len() - records));
    }

    let mut structured = Object::with_capacity(hits.iter().map(|hit| 2 * hit.json.len()).sum());
    structured.insert_list("results", hits.iter().map(|hit| hit.json.as_str()));
    let envelope = json!({
        "object": "list", "has_more": has_more, "next_cursor": next_cursor, "result_count": hits.len(), "meta": meta,
    });
    structured.insert("data", &envelope);
    if let Some(ladder) = ladder::of("search_results", hits.iter().filter_map(|hit| hit.rung.as_ref())) {
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
    if records > 0 {
        text += "Pass an id as it is to fetch; add connection_id only where it is shown.\n";
    }
    Answer::new(text, frame.finish(structured))
}

/// Says that some hits can be looked at, but not read.
fn not_records(count: usize) -> Warning {
    Warning {
        code: "hits_not_records".into(),
        message: Some(format!("{} without a record_id cannot be fetched.", plural(count, "hit"))),
        detail: json!({ "hits": count }),
    }
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
