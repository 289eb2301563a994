//! One record as a document: `{id, title, text, url, metadata}`, the same in both channels.

use vitrine_contract::request::{ReadRequest, RecordRequest};
use vitrine_contract::{Record, naming, route, values};

use super::json::Object;
use super::ladder;
use super::omitted::most_fields;
use super::record::{Detail, Eye, label};
use super::text;
use super::window::URI_META;
use crate::answer::Answer;
use crate::handles;
use crate::ids::told;

/// Characters of a document's text.
const PREVIEW_CHARS: u32 = 4_000;
/// Characters of a field that is asked for alone.
const ALONE_CHARS: u32 = 8_000;

/// What stands around the fields of most documents.
const METADATA_BYTES: usize = 512;

/// The fields that are a record's text, best first.
const TEXT_FIELDS: [&str; 4] = ["text", "content", "body", "summary"];
/// Characters of the text and of every other field, from generous to scarce.
const LEVELS: [(usize, usize); 5] = [(PREVIEW_CHARS as usize, 400), (2_600, 200), (1_600, 100), (800, 50), (200, 24)];

/// The same for few fields that were asked for by name.
const FEW_LEVELS: [(usize, usize); 1] = [(PREVIEW_CHARS as usize, PREVIEW_CHARS as usize)];
const ALONE_LEVELS: [(usize, usize); 3] = [(ALONE_CHARS as usize, ALONE_CHARS as usize), (6_000, 6_000), FEW_LEVELS[0]];
const FEW: usize = 8;

/// Characters that the reader is asked for of any field, when `only` some are wanted.
pub(crate) fn preview_chars(only: Option<&[String]>) -> u32 {
    if only.is_some_and(|only| only.len() == 1) { ALONE_CHARS } else { PREVIEW_CHARS }
}

fn generous(only: Option<&[String]>) -> &'static [(usize, usize)] {
    match only.map_or(usize::MAX, <[String]>::len) {
        1 => &ALONE_LEVELS,
        2..=FEW => &FEW_LEVELS,
        _ => &[],
    }
}

/// Renders a record as generously as fits.
pub(crate) fn answer(record: &Record, eye: Eye<'_>) -> Answer {
    let body = TEXT_FIELDS.into_iter().find(|field| has_text(record, field, eye));
    let detail = |(text_chars, preview_chars), related| Detail {
        preview_chars,
        body: body.map(|field| (field, text_chars)),
        fields: usize::MAX,
        names_all: true,
        related,
    };
    for &level in generous(eye.only) {
        let answer = document(record, eye, detail(level, usize::MAX));
        if answer.fits() {
            return answer;
        }
    }
    for (step, level) in LEVELS.into_iter().enumerate() {
        let answer = document(record, eye, detail(level, [usize::MAX, 10, 3, 1, 0][step]));
        if answer.fits() {
            return answer;
        }
    }
    most_fields(record, detail(LEVELS[4], 0), |detail| document(record, eye, detail))
}

fn has_text(record: &Record, field: &str, eye: Eye<'_>) -> bool {
    let wanted = eye.only.is_none_or(|only| only.iter().any(|name| name == field));
    wanted
        && !eye.encoded.contains_key(field)
        && record
            .data
            .iter()
            .flat_map(vitrine_contract::Fields::entries)
            .any(|(name, json)| name == field && is_text(json) && json.len() > 2)
}

fn is_text(json: &str) -> bool {
    json.starts_with('"')
}

fn document(record: &Record, eye: Eye<'_>, detail: Detail) -> Answer {
    let view = eye.view(record, detail);
    let account = record.display_name.as_deref().unwrap_or(&record.connection_id);
    let fields = values::fields(&view.data);
    let text = detail.body.and_then(|(body, _)| fields.iter().find(|(name, json)| name == body && is_text(json)));

    let mut metadata = Object::with_capacity(view.data.len() + METADATA_BYTES);
    metadata.text("stream", &record.stream);
    if let Some(connection_id) = told(&record.connection_id) {
        metadata.text("connection_id", connection_id);
    }
    metadata.text_or_null("connector_key", record.connector_key.as_deref().map(label));
    metadata.text_or_null("display_name", record.display_name.as_deref().map(label));
    metadata.text("record_id", &record.id);
    metadata.text("emitted_at", &record.emitted_at);
    if let Some(authored_at) = naming::authored_at(&fields) {
        metadata.text("authored_at", &authored_at);
    }
    if let Some((body, _)) = text {
        let mut others = Object::with_capacity(view.data.len());
        for (name, json) in fields.iter().filter(|(name, _)| name != body) {
            others.insert_json(name, json);
        }
        metadata.insert_json("fields", &others.finish());
    }
    if let Some(expanded) = &view.expanded {
        metadata.insert_json("expanded", expanded);
    }
    if !view.warnings.is_empty() {
        metadata.insert("warnings", &view.warnings);
    }
    let rungs: Vec<String> = view.rungs.iter().map(text::json).collect();
    if let Some(ladder) = ladder::of("record", &rungs) {
        metadata.insert_json("content_ladder", &ladder);
    }

    let read = ReadRequest::Record(RecordRequest {
        stream: record.stream.to_string(),
        id: record.id.clone(),
        connection_id: view.record.connection_id.clone(),
        ..RecordRequest::default()
    });
    let mut document = Object::with_capacity(view.data.len() + 2 * METADATA_BYTES);
    document.text("id", &view.record.result_id());
    document.text("title", &naming::title(account, &record.stream, &record.emitted_at, &fields));
    match text {
        Some((_, json)) => document.insert_json("text", json),
        None => document.text("text", &view.data),
    }
    document.text("url", &eye.frame.url(&route::path_and_query(&read)));
    document.insert_json("metadata", &metadata.finish());
    let mut answer = Answer::document(document.finish());
    answer.meta.insert(URI_META.into(), handles::record_uri(&view.record).into());
    answer
}
