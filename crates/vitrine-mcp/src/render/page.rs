//! A page of records or changes.

use vitrine_contract::record::Links;
use vitrine_contract::request::{ReadRequest, RecordsRequest};
use vitrine_contract::{Count, List, Record, Warning, route};

use super::json::Object;
use super::ladder;
use super::omitted::most_fields;
use super::record::{Detail, Eye, View, label};
use super::text::{self, Lines, literal, plural};
use super::{Fit, freshness, most_rows, said, shortened, warning_lines};
use crate::answer::Answer;
use crate::budget::Budget;
use crate::ids::told;

/// Characters of a field shown in a page. The reader is asked for no more.
pub(crate) const PREVIEW_CHARS: u32 = 400;

/// A full channel of plain text.
const CHANNEL_BYTES: usize = 12_000;

/// What a list mostly says about itself.
const META_BYTES: usize = 256;

/// How much what stands around rows may grow with their number.
const VARYING_CHARS: usize = 96;

const USUAL: Detail = Detail {
    preview_chars: PREVIEW_CHARS as usize,
    body: None,
    fields: usize::MAX,
    names_all: true,
    related: usize::MAX,
};
/// What is tried, in order, on a record too large to be shown alone.
const NARROWER: [Detail; 4] = [
    Detail { preview_chars: 160, body: None, fields: usize::MAX, names_all: true, related: 10 },
    Detail { preview_chars: 64, body: None, fields: usize::MAX, names_all: true, related: 3 },
    Detail { preview_chars: 24, body: None, fields: usize::MAX, names_all: true, related: 1 },
    Detail { preview_chars: 24, body: None, fields: usize::MAX, names_all: true, related: 0 },
];

/// Renders as many rows as fit, and at least one.
pub(crate) fn answer(list: &List<Record>, request: &RecordsRequest, eye: Eye<'_>) -> Fit {
    let page = Page { list, request, eye };
    let rows = page.likely();
    let (kept, answer) = most_rows(rows.len(), |kept| page.answer(&rows[..kept]));
    if kept == list.data.len() {
        return Fit::Whole(answer.into());
    }
    // A record too large to stand with others, or alone, is shown in less detail.
    let (kept, answer) = if kept == 0 { (1, page.first_alone(&list.data[0])) } else { (kept, answer) };
    match list.resume {
        None if kept < list.data.len() => Fit::AskFor(kept),
        _ => Fit::Whole(answer.into()),
    }
}

struct Page<'a> {
    list: &'a List<Record>,
    request: &'a RecordsRequest,
    eye: Eye<'a>,
}

/// One record, rendered for both channels.
struct Row<'a> {
    json: String,
    lines: String,
    /// What it leaves out, as JSON.
    rungs: Vec<String>,
    /// What it leaves out that no rung is for.
    warnings: Vec<Warning>,
    /// The account it comes from: its id, and its name.
    source: Option<(&'a str, &'a str)>,
}

impl Row<'_> {
    /// Characters it adds to the JSON, its comma and its rungs included.
    fn chars(&self) -> usize {
        std::iter::once(&self.json).chain(&self.rungs).map(|json| json.chars().count() + 1).sum()
    }
}

impl<'a> Page<'a> {
    fn row(&self, record: &'a Record, detail: Detail) -> Row<'a> {
        let mut view: View = self.eye.view(record, detail);
        let warnings = std::mem::take(&mut view.warnings);
        let source = told(&record.connection_id).zip(record.display_name.as_deref().map(label));
        let lines = view.lines(record);
        let (json, rungs) = view.into_row(record);
        Row { json, lines, rungs: rungs.iter().map(text::json).collect(), warnings, source }
    }

    /// The rows that should fit, so that how many do need not be tried out.
    fn likely(&self) -> Vec<Row<'a>> {
        let mut rest = self.list.data.iter().map(|record| self.row(record, USUAL));
        let mut rows: Vec<Row<'_>> = rest.next().into_iter().collect();
        let Answer { text, structured, .. } = self.answer(&rows);
        let mut json_room = Budget::CHANNEL.room(structured.chars().count() + VARYING_CHARS);
        let mut text_room = Budget::CHANNEL.room(text.chars().count() + VARYING_CHARS);
        rows.extend(rest.take_while(|row| json_room.take(row.chars()) && text_room.take(row.lines.chars().count())));
        rows
    }

    fn first_alone(&self, record: &'a Record) -> Answer {
        let at = |detail| self.answer(&[self.row(record, detail)]);
        for detail in NARROWER {
            let answer = at(detail);
            if answer.fits() {
                return answer;
            }
        }
        most_fields(record, NARROWER[3], at)
    }

    fn answer(&self, rows: &[Row<'_>]) -> Answer {
        let list = self.list;
        let count = rows.len();
        let cut = count < list.data.len();
        let next_cursor = if cut { list.resume_after(count) } else { list.next_cursor.clone() };
        let has_more = cut || list.has_more;
        let mut warnings = said::warnings(&list.meta.warnings);
        if cut {
            warnings.push(shortened(count, list.data.len()));
        }
        warnings.extend(rows.iter().flat_map(|row| row.warnings.iter().cloned()));
        let bookmark = list.next_changes_since.as_ref();

        let mut text = String::with_capacity(CHANNEL_BYTES);
        text += &self.heading(count, has_more);
        if let Some(cursor) = &next_cursor {
            text.line(format_args!("next_cursor: {} (same arguments, with this cursor)", literal(cursor)));
        }
        if let Some(bookmark) = bookmark {
            // A bookmark covers the whole session, so it counts only once the session is at its end.
            let when = if has_more { "once has_more is false, " } else { "" };
            text.line(format_args!(
                "next_changes_since: {} ({when}pass as changes_since next time)",
                literal(bookmark)
            ));
        }
        text += &warning_lines(&warnings);
        text += &sources(rows);
        let connections = rows.iter().filter_map(|row| Some(row.source?.0));
        let reaches = freshness::told(&list.meta.freshness, connections);
        text += &freshness::line(&reaches);

        for row in rows {
            text += &row.lines;
        }
        let mut envelope = Object::with_capacity(CHANNEL_BYTES);
        envelope.text("object", "list");
        envelope.text("url", &list.url);
        envelope.insert("has_more", &has_more);
        envelope.text_or_null("next_cursor", next_cursor.as_deref());
        if let Some(bookmark) = bookmark {
            envelope.text("next_changes_since", bookmark);
        }
        envelope.insert_list("data", rows.iter().map(|row| row.json.as_str()));
        let links = Links { this: list.links.this.clone(), next: self.next_link(next_cursor.as_deref()) };
        envelope.insert("links", &links);
        let mut meta = Object::with_capacity(META_BYTES);
        meta.insert("count", &list.meta.count);
        meta.insert("warnings", &warnings);
        if !reaches.is_empty() {
            meta.insert("freshness", &reaches);
        }
        envelope.insert_json("meta", &meta.finish());

        let mut structured = Object::with_capacity(CHANNEL_BYTES);
        structured.insert_json("data", &envelope.finish());
        if let Some(ladder) = ladder::of("record_set", rows.iter().flat_map(|row| &row.rungs)) {
            structured.insert_json("content_ladder", &ladder);
        }
        Answer::new(text, self.eye.frame.finish(structured))
    }

    fn heading(&self, rows: usize, has_more: bool) -> String {
        let what = if self.request.changes_since.is_some() { "change" } else { "record" };
        let counted = match self.list.meta.count {
            Count::None => String::new(),
            Count::Exact { value } => format!(", count: {value} (exact)"),
            Count::Estimated { value } => format!(", count: about {value} (estimated)"),
        };
        format!("{} of {}{counted}, has_more: {has_more}\n", plural(rows, what), self.request.stream)
    }

    fn next_link(&self, cursor: Option<&str>) -> Option<String> {
        let next = RecordsRequest { cursor: Some(cursor?.to_owned()), ..self.request.clone() };
        Some(route::path_and_query(&ReadRequest::Records(next)))
    }
}

/// Which accounts the rows come from, by name.
fn sources(rows: &[Row<'_>]) -> String {
    let mut known: Vec<(&str, &str)> = Vec::new();
    for source in rows.iter().filter_map(|row| row.source) {
        if !known.contains(&source) {
            known.push(source);
        }
    }
    let named: Vec<String> = known.iter().map(|(id, name)| format!("{} = {}", text::name(id), literal(name))).collect();
    if named.is_empty() { String::new() } else { format!("connections: {}\n", named.join(", ")) }
}
