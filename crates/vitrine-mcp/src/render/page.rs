//! A page of records or changes.

use serde_json::{Map, Value, json};
use vitrine_contract::request::{ReadRequest, RecordsRequest};
use vitrine_contract::{Count, List, Record, route};

use super::ladder::{Ladder, Rung};
use super::record::{Detail, Eye, View, label};
use super::text::{self, Lines, literal, plural};
use super::{Fit, freshness, most_rows, shortened, warning_lines};
use crate::answer::Answer;
use crate::budget::Budget;

/// Characters of a field shown in a page. The reader is asked for no more.
pub(crate) const PREVIEW_CHARS: u32 = 400;

/// How much what stands around rows may grow with their number.
const VARYING_CHARS: usize = 96;

const USUAL: Detail =
    Detail { preview_chars: PREVIEW_CHARS as usize, body: None, fields: usize::MAX, related: usize::MAX };
/// What is tried, in order, on a record too large to be shown alone.
const NARROWER: [Detail; 4] = [
    Detail { preview_chars: 160, body: None, fields: usize::MAX, related: 10 },
    Detail { preview_chars: 64, body: None, fields: usize::MAX, related: 3 },
    Detail { preview_chars: 24, body: None, fields: usize::MAX, related: 1 },
    Detail { preview_chars: 24, body: None, fields: usize::MAX, related: 0 },
];

/// Renders as many rows as fit, and at least one.
pub(crate) fn answer(list: &List<Record>, request: &RecordsRequest, eye: Eye<'_>) -> Fit {
    let page = Page { list, request, eye };
    let likely = page.likely();
    // All of these are tried first; fewer are rendered anew, which is seldom needed.
    let (most, mut likely) = (likely.len(), Some(likely));
    let (kept, answer) = most_rows(most, |kept| page.answer(likely.take().unwrap_or_else(|| page.rows(kept))));
    if kept == list.data.len() {
        return Fit::Whole(answer.into());
    }
    // A record too large to stand with others, or alone, is shown in less detail.
    let (kept, answer) = if kept == 0 { (1, page.first_alone(&list.data[0])) } else { (kept, answer) };
    match list.resume {
        None if kept < list.data.len() => Fit::AskFor(kept as u64),
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
    json: Value,
    lines: String,
    rungs: Vec<Rung>,
    /// The account it comes from: its id, and its name.
    source: Option<(&'a str, &'a str)>,
}

impl Row<'_> {
    /// Characters it adds to the JSON, its comma and its rungs included.
    fn chars(&self) -> usize {
        text::json_chars(&self.json) + 1 + self.rungs.iter().map(|rung| text::json_chars(rung) + 1).sum::<usize>()
    }
}

impl<'a> Page<'a> {
    fn row(&self, record: &'a Record, detail: Detail) -> Row<'a> {
        let view: View = self.eye.view(record, detail);
        let source = record.display_name.as_deref().map(|name| (&*record.connection_id, label(name)));
        let lines = view.lines(record);
        let (json, rungs) = view.into_row(record);
        Row { json, lines, rungs, source }
    }

    /// The first so many rows.
    fn rows(&self, count: usize) -> Vec<Row<'a>> {
        self.list.data.iter().take(count).map(|record| self.row(record, USUAL)).collect()
    }

    /// The rows that should fit, so that how many do need not be tried out.
    fn likely(&self) -> Vec<Row<'a>> {
        let Answer { text, structured, .. } = self.answer(self.rows(1));
        let mut json_room = Budget::CHANNEL.room(text::json_chars(&structured) + VARYING_CHARS);
        let mut text_room = Budget::CHANNEL.room(text.chars().count() + VARYING_CHARS);
        let mut rows = self.rows(1);
        let rest = self.list.data.iter().skip(1).map(|record| self.row(record, USUAL));
        rows.extend(rest.take_while(|row| json_room.take(row.chars()) && text_room.take(row.lines.chars().count())));
        rows
    }

    fn first_alone(&self, record: &'a Record) -> Answer {
        let at = |detail| self.answer(vec![self.row(record, detail)]);
        for detail in NARROWER {
            let answer = at(detail);
            if answer.fits() {
                return answer;
            }
        }
        let fields = record.data.as_ref().map_or(0, |data| data.entries().len());
        most_rows(fields, |fields| at(Detail { fields, ..NARROWER[3] })).1
    }

    fn answer(&self, rows: Vec<Row<'_>>) -> Answer {
        let list = self.list;
        let count = rows.len();
        let cut = count < list.data.len();
        let next_cursor = if cut { list.resume_after(count) } else { list.next_cursor.clone() };
        let has_more = cut || list.has_more;
        let mut warnings = list.meta.warnings.clone();
        if cut {
            warnings.push(shortened(count, list.data.len()));
        }
        // A bookmark covers the whole session, so it counts only once the session is at its end.
        let bookmark = list.next_changes_since.as_ref().filter(|_| !cut);

        let mut text = self.heading(count, has_more);
        if let Some(cursor) = &next_cursor {
            text.line(format_args!("next_cursor: {} (same arguments, with this cursor)", literal(cursor)));
        }
        if let Some(bookmark) = bookmark {
            text.line(format_args!("next_changes_since: {} (pass as changes_since next time)", literal(bookmark)));
        }
        text += &warning_lines(&warnings);
        text += &sources(&rows);
        let connections = rows.iter().filter_map(|row| Some(row.source?.0));
        let reaches = freshness::told(&list.meta.freshness, connections);
        text += &freshness::line(&reaches);

        let (mut data, mut rungs) = (Vec::with_capacity(count), Vec::new());
        for row in rows {
            data.push(row.json);
            rungs.extend(row.rungs);
            text += &row.lines;
        }
        let mut envelope = Map::new();
        envelope.insert("object".into(), "list".into());
        envelope.insert("url".into(), list.url.as_str().into());
        envelope.insert("has_more".into(), has_more.into());
        envelope.insert("next_cursor".into(), next_cursor.as_deref().into());
        if let Some(bookmark) = bookmark {
            envelope.insert("next_changes_since".into(), bookmark.as_str().into());
        }
        envelope.insert("data".into(), data.into());
        envelope
            .insert("links".into(), json!({ "self": list.links.this, "next": self.next_link(next_cursor.as_deref()) }));
        let mut meta = json!({ "count": list.meta.count, "warnings": warnings });
        if !reaches.is_empty() {
            meta["freshness"] = json!(reaches);
        }
        envelope.insert("meta".into(), meta);

        let mut structured = Map::new();
        structured.insert("data".into(), Value::Object(envelope));
        if let Some(ladder) = Ladder::of("record_set", rungs) {
            structured.insert("content_ladder".into(), ladder);
        }
        Answer::new(text, self.eye.frame.close(structured))
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
    let named: Vec<String> = known.iter().map(|(id, name)| format!("{id} = {}", literal(name))).collect();
    if named.is_empty() { String::new() } else { format!("connections: {}\n", named.join(", ")) }
}
