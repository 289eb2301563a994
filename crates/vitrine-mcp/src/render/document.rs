//! One record as a document: `{id, title, text, url, metadata}`, the same in both channels.

use serde_json::{Map, Value, json};
use vitrine_contract::request::{ReadRequest, RecordRequest};
use vitrine_contract::{Record, naming, route};

use super::ladder::Ladder;
use super::most_rows;
use super::record::{Detail, Eye, label};
use super::window::URI_META;
use crate::answer::Answer;
use crate::handles;

/// Characters of a document's text. The reader is asked for no more of any field.
pub(crate) const PREVIEW_CHARS: u32 = 4_000;

/// The fields that are a record's text, best first.
const TEXT_FIELDS: [&str; 4] = ["text", "content", "body", "summary"];
/// Characters of the text and of every other field, from generous to scarce.
const LEVELS: [(usize, usize); 5] = [(PREVIEW_CHARS as usize, 400), (2_600, 200), (1_600, 100), (800, 50), (200, 24)];

/// Renders a record as generously as fits.
pub(crate) fn answer(record: &Record, eye: Eye<'_>) -> Answer {
    let body = TEXT_FIELDS.into_iter().find(|field| has_text(record, field, eye));
    let at = |(text_chars, preview_chars), fields, related| {
        let body = body.map(|field| (field, text_chars));
        document(record, eye, Detail { preview_chars, body, fields, related })
    };
    for (step, level) in LEVELS.into_iter().enumerate() {
        let answer = at(level, usize::MAX, [usize::MAX, 10, 3, 1, 0][step]);
        if answer.fits() {
            return answer;
        }
    }
    let fields = record.data.as_ref().map_or(0, |data| data.entries().len());
    most_rows(fields, |fields| at(LEVELS[4], fields, 0)).1
}

fn has_text(record: &Record, field: &str, eye: Eye<'_>) -> bool {
    let wanted = eye.only.is_none_or(|only| only.iter().any(|name| name == field));
    wanted
        && !eye.encoded.contains_key(field)
        && record
            .data
            .iter()
            .flat_map(vitrine_contract::Fields::entries)
            .any(|(name, raw)| name == field && raw.get().starts_with('"') && raw.get().len() > 2)
}

fn document(record: &Record, eye: Eye<'_>, detail: Detail) -> Answer {
    let view = eye.view(record, detail);
    let account = record.display_name.as_deref().unwrap_or(&record.connection_id);
    let title = naming::title(account, &record.stream, &record.emitted_at, &view.data);
    let authored_at = naming::authored_at(&view.data);
    let mut fields = view.data;
    let text = detail.body.and_then(|(field, _)| match fields.shift_remove(field) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    });

    let mut metadata = Map::new();
    metadata.insert("stream".into(), (&*record.stream).into());
    metadata.insert("connection_id".into(), (&*record.connection_id).into());
    metadata.insert("connector_key".into(), record.connector_key.as_deref().map(label).into());
    metadata.insert("display_name".into(), record.display_name.as_deref().map(label).into());
    metadata.insert("record_id".into(), record.id.as_str().into());
    metadata.insert("emitted_at".into(), record.emitted_at.as_str().into());
    if let Some(authored_at) = authored_at {
        metadata.insert("authored_at".into(), authored_at.into());
    }
    let text = match text {
        Some(text) => {
            metadata.insert("fields".into(), Value::Object(fields));
            text
        }
        None => Value::Object(fields).to_string(),
    };
    if !view.expanded.is_empty() {
        metadata.insert("expanded".into(), Value::Object(view.expanded));
    }
    if let Some(ladder) = Ladder::of("record", view.rungs) {
        metadata.insert("content_ladder".into(), ladder);
    }

    let read = ReadRequest::Record(RecordRequest {
        stream: record.stream.to_string(),
        id: record.id.clone(),
        connection_id: view.record.connection_id.clone(),
        ..RecordRequest::default()
    });
    let document = json!({
        "id": view.record.result_id(),
        "title": title,
        "text": text,
        "url": eye.frame.url(&route::path_and_query(&read)),
        "metadata": metadata,
    });
    let mut answer = Answer::document(document);
    answer.meta.insert(URI_META.into(), handles::record_uri(&view.record).into());
    answer
}
