//! One record, as much of it as is asked for: what is shown inline, and the rung for the rest.

use serde::Serialize;
use serde_json::{Value, json};
use vitrine_contract::request::{BlobRequest, ReadRequest, RecordRequest};
use vitrine_contract::schema::Encodings;
use vitrine_contract::{BlobRef, Expanded, Record, Warning, route};

use super::binary;
use super::json::Object;
use super::ladder::{BinaryHint, FieldHint, ReadCall, Rung};
use super::text;
use super::{Frame, omitted};
use crate::ids::{RecordRef, is_field, told};

/// Labels are the owner's own words, but not without end.
const MAX_LABEL_CHARS: usize = 120;

/// What stands around the fields of most rows.
const ROW_BYTES: usize = 256;
/// Numbers with more digits than this are rounded.
const MAX_SCALAR_BYTES: usize = 64;
/// Fields that are shown take no more than this, mostly.
const MAX_DATA_BYTES: usize = 4_096;

/// How much of a record to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Detail {
    /// Longer values are cut to this.
    pub(crate) preview_chars: usize,
    /// One field that may be longer, as the text of a document is.
    pub(crate) body: Option<(&'static str, usize)>,
    /// Fields at most.
    pub(crate) fields: usize,
    /// Whether all the others are named, however many they are.
    pub(crate) names_all: bool,
    /// Related records of each kind at most.
    pub(crate) related: usize,
}

/// What a view is made from besides the record.
#[derive(Clone, Copy)]
pub(crate) struct Eye<'a> {
    pub(crate) frame: Frame<'a>,
    pub(crate) encoded: &'a Encodings,
    /// Only these fields, whatever else a provider sent along.
    pub(crate) only: Option<&'a [String]>,
}

/// A record as it is shown.
pub(crate) struct View {
    pub(crate) record: RecordRef,
    /// The fields shown inline, as a JSON object.
    pub(crate) data: String,
    /// Related records, as a JSON object of rows, if there are any.
    pub(crate) expanded: Option<String>,
    /// What is not shown, of this record and of those related to it.
    pub(crate) rungs: Vec<Rung>,
    /// Which related records there was no room for.
    pub(crate) warnings: Vec<Warning>,
}

pub(crate) fn record_ref(record: &Record) -> RecordRef {
    RecordRef::shown(&record.connection_id, &record.stream, &record.id)
}

/// A record's id as a literal, and beside it the connection that the id could not embed.
pub(crate) fn quoted(record: &RecordRef) -> String {
    let mut quoted = text::literal(&record.result_id());
    if let Some(connection_id) = record.connection_apart() {
        quoted += " connection_id ";
        quoted += &text::literal(connection_id);
    }
    quoted
}

pub(crate) fn label(name: &str) -> &str {
    text::cut(name, MAX_LABEL_CHARS)
}

impl Eye<'_> {
    /// Shows a record at a level of detail.
    pub(crate) fn view(&self, record: &Record, detail: Detail) -> View {
        let reference = record_ref(record);
        let entries = record.data.as_ref().map(vitrine_contract::Fields::entries).unwrap_or_default();
        let data = Object::with_capacity(record.data.as_ref().map_or(0, |data| data.json().len()).min(MAX_DATA_BYTES));
        let mut shown = Shown { eye: self, record: &reference, detail, data, count: 0, rung: None };
        let mut left_out = Vec::new();
        let wanted = |name: &str| self.only.is_none_or(|only| only.iter().any(|wanted| wanted == name));
        for (name, raw) in entries.iter().filter(|(name, _)| wanted(name)) {
            if is_field(name) && shown.count + shown.bytes_left_out() < detail.fields {
                let cut = record.cut.iter().find(|cut| cut.field == **name);
                shown.field(name, raw, cut.map(|cut| (cut.total_chars, cut.json)));
            } else {
                left_out.push(name.as_ref());
            }
        }
        if let Some(omitted) = omitted::of(&reference, &left_out, detail.names_all) {
            shown.rung().omitted_fields = Some(omitted);
        }
        let Shown { data, rung, .. } = shown;
        let mut rungs: Vec<Rung> = rung.into_iter().collect();
        let expanded = self.related(record, detail, &mut rungs);
        let warnings =
            record.expanded.iter().filter_map(|(name, related)| related_left_out(name, related, detail)).collect();
        View { record: reference, data: data.finish(), expanded, rungs, warnings }
    }

    fn related(&self, record: &Record, detail: Detail, rungs: &mut Vec<Rung>) -> Option<String> {
        if record.expanded.is_empty() {
            return None;
        }
        let nested = Detail { preview_chars: detail.preview_chars.min(160), body: None, related: 0, ..detail };
        let eye = Eye { only: None, ..*self };
        let mut row = |related: &Record| {
            let view = eye.view(related, nested);
            let (row, cut) = view.into_row(related);
            rungs.extend(cut);
            row
        };
        let mut shown = Object::with_capacity(MAX_DATA_BYTES);
        for (relationship, expanded) in &record.expanded {
            match expanded {
                Expanded::Many { has_more, data, .. } => {
                    let rows: Vec<String> = data.iter().take(detail.related).map(&mut row).collect();
                    let mut list = Object::with_capacity(MAX_DATA_BYTES);
                    list.text("object", "list");
                    list.insert("has_more", &(*has_more || data.len() > detail.related));
                    list.insert_list("data", rows.iter().map(String::as_str));
                    shown.insert_json(relationship, &list.finish());
                }
                Expanded::One(Some(related)) if detail.related > 0 => shown.insert_json(relationship, &row(related)),
                Expanded::One(Some(related)) => {
                    let bare = json!({
                        "object": "record",
                        "id": related.id,
                        "stream": related.stream,
                        "connection_id": told(&related.connection_id),
                    });
                    shown.insert(relationship, &bare);
                }
                Expanded::One(None) => shown.insert(relationship, &Value::Null),
            }
        }
        Some(shown.finish())
    }
}

/// Where the bytes of a field can be exported from.
pub(crate) fn export_url(frame: Frame<'_>, record: &RecordRef, field: &str, blob: Option<&BlobRef>) -> String {
    let connection_id = record.connection_id.clone();
    let request = match blob {
        Some(blob) => ReadRequest::Blob(BlobRequest { blob_id: blob.blob_id.clone(), range: None, connection_id }),
        None => ReadRequest::Record(RecordRequest {
            stream: record.stream.clone(),
            id: record.record_id.clone(),
            fields: Some(vec![field.to_owned()]),
            connection_id,
            ..RecordRequest::default()
        }),
    };
    frame.url(&route::path_and_query(&request))
}

/// Says which related records are left out for lack of room, and how to read them: their own stream has them all.
fn related_left_out(relationship: &str, expanded: &Expanded, detail: Detail) -> Option<Warning> {
    let (first, shown, of) = match expanded {
        Expanded::Many { data, .. } if data.len() > detail.related => (data.first()?, detail.related, data.len()),
        Expanded::One(Some(related)) if detail.related == 0 => (&**related, 0, 1),
        _ => return None,
    };
    let first = record_ref(first);
    let (read, how) = match expanded {
        Expanded::Many { .. } => (ReadCall::stream(&first), ", with a filter on the field that refers to this record"),
        Expanded::One(_) => (ReadCall::record(&first), ""),
    };
    let relationship = text::literal(text::cut(relationship, MAX_LABEL_CHARS));
    let message =
        format!("{shown} of {of} related records under {relationship} fit this result. Read the others: {read}{how}.");
    let detail = json!({ "returned": shown, "available": of, "read": read });
    Some(Warning { code: "related_shortened".into(), message: Some(message), detail })
}

/// A record being shown, field by field.
struct Shown<'a> {
    eye: &'a Eye<'a>,
    record: &'a RecordRef,
    detail: Detail,
    data: Object,
    /// Fields in `data`.
    count: usize,
    /// What is left out, once anything is.
    rung: Option<Rung>,
}

impl Shown<'_> {
    fn rung(&mut self) -> &mut Rung {
        self.rung.get_or_insert_with(|| Rung::new(self.record))
    }

    fn bytes_left_out(&self) -> usize {
        self.rung.as_ref().map_or(0, |rung| rung.binary_fields.len())
    }

    /// `cut` tells the length of the whole when `raw` holds only its start, and whether that is JSON.
    fn field(&mut self, name: &str, raw: &str, cut: Option<(u64, bool)>) {
        if cut.is_none() && self.is_plain(name, raw) {
            self.count += 1;
            return self.data.insert_json(name, raw);
        }
        let is_container = raw.starts_with(['{', '[']);
        if !is_container && !raw.starts_with('"') && raw.len() <= MAX_SCALAR_BYTES {
            self.count += 1;
            return self.data.insert_json(name, raw);
        }
        let Ok(mut value) = serde_json::from_str::<Value>(raw) else {
            // Nested deeper than any parser of ours goes: still text that can be read in windows.
            return self.text(name, raw, text::count(raw), is_container);
        };
        if let Some(blob) = binary::blob_ref(&value) {
            return self.blob(name, &blob);
        }
        if let Value::String(whole) = value {
            let (total, json) = cut.unwrap_or_else(|| (text::count(&whole), false));
            let declared = self.eye.encoded.get(name);
            if !json && (declared.is_some() || binary::is_base64(&whole, total)) {
                return self.bytes(name, binary::decoded_bytes(&whole, total), declared.cloned().flatten());
            }
            return self.text(name, &whole, total, json);
        }
        if is_container {
            let holds_bytes = binary::strip(&mut value);
            if holds_bytes {
                self.nested_bytes(name);
            }
            let mut json = value.to_string();
            if text::count(&json) > self.limit(name) as u64 {
                if holds_bytes {
                    // Windows are read of the field as it is, so that is what positions count in.
                    json = serde_json::from_str::<Value>(raw).map_or(json, |whole| whole.to_string());
                }
                return self.text(name, &json, text::count(&json), true);
            }
        }
        self.insert(name, &value);
    }

    /// Says, once, that there are bytes inside a field of JSON, of which the export has all.
    fn nested_bytes(&mut self, name: &str) {
        let last = self.rung.as_ref().and_then(|rung| rung.binary_fields.last());
        if last.is_none_or(|hint| hint.field_path != name) {
            let url = export_url(self.eye.frame, self.record, name, None);
            self.rung().binary_fields.push(BinaryHint::new(name, url));
        }
    }

    /// Whether a value is text that can stand as it is: short, without escapes, and not bytes by declaration.
    fn is_plain(&self, name: &str, raw: &str) -> bool {
        raw.starts_with('"')
            && raw.len() < binary::LEAST_CHARS.min(self.limit(name))
            && !raw.contains('\\')
            && !self.eye.encoded.contains_key(name)
    }

    fn insert(&mut self, name: &str, value: &impl Serialize) {
        self.count += 1;
        self.data.insert(name, value);
    }

    fn limit(&self, name: &str) -> usize {
        self.detail.body.filter(|(body, _)| *body == name).map_or(self.detail.preview_chars, |(_, chars)| chars)
    }

    fn text(&mut self, name: &str, text: &str, total_chars: u64, json: bool) {
        let mut preview = text::cut(text, self.limit(name));
        if json && let Some(start) = binary::encoded_from(preview) {
            preview = &preview[..start];
            self.nested_bytes(name);
        }
        let shown = text::count(preview);
        if shown < total_chars {
            let read = ReadCall::field(self.record, name, shown);
            self.rung().field_windows.push(FieldHint {
                field_path: name.to_owned(),
                preview_status: "truncated",
                size_chars: total_chars,
                read,
            });
            if json {
                self.rung().json_fields.push(name.to_owned());
            }
        }
        self.count += 1;
        self.data.text(name, preview);
    }

    fn blob(&mut self, name: &str, blob: &BlobRef) {
        let mut hint = BinaryHint::new(name, export_url(self.eye.frame, self.record, name, Some(blob)));
        if let Some(mime_type) = &blob.mime_type {
            text::cut(mime_type, MAX_LABEL_CHARS).clone_into(&mut hint.mime_type);
        }
        hint.size_bytes = blob.size_bytes;
        hint.sha256 = blob.sha256.as_deref().map(|digest| text::cut(digest, 64).to_owned());
        self.rung().binary_fields.push(hint);
    }

    fn bytes(&mut self, name: &str, size_bytes: u64, media_type: Option<String>) {
        let mut hint = BinaryHint::new(name, export_url(self.eye.frame, self.record, name, None));
        hint.mime_type = media_type.unwrap_or(hint.mime_type);
        hint.size_bytes = Some(size_bytes);
        self.rung().binary_fields.push(hint);
    }
}

impl View {
    /// The row of a list, in the resource server's own shape, and what it leaves out.
    pub(crate) fn into_row(self, record: &Record) -> (String, Vec<Rung>) {
        let mut row = Object::with_capacity(self.data.len() + ROW_BYTES);
        row.text("object", "record");
        row.text("id", &record.id);
        row.text("stream", &record.stream);
        if let Some(connection_id) = told(&record.connection_id) {
            row.text("connection_id", connection_id);
        }
        for (name, value) in [("connector_key", &record.connector_key), ("display_name", &record.display_name)] {
            if let Some(value) = value {
                row.text(name, label(value));
            }
        }
        if record.deleted {
            row.insert("deleted", &true);
            row.insert("deleted_at", &record.deleted_at);
        } else {
            row.insert_json("data", &self.data);
        }
        row.text("emitted_at", &record.emitted_at);
        if let Some(expanded) = &self.expanded {
            row.insert_json("expanded", expanded);
        }
        (row.finish(), self.rungs)
    }

    /// The row in prose: the whole id, then the fields as JSON, then how to read the rest.
    pub(crate) fn lines(&self, record: &Record) -> String {
        let id = quoted(&self.record);
        if record.deleted {
            let when = record.deleted_at.as_deref().unwrap_or(&record.emitted_at);
            return format!("- {id} deleted {}\n", text::literal(when));
        }
        let (emitted, fields) = (text::literal(&record.emitted_at), text::one_line(&self.data));
        let mut lines = String::with_capacity(fields.len() + ROW_BYTES);
        for part in ["- ", &id, " ", &emitted, " ", &fields] {
            lines += part;
        }
        if let Some(expanded) = &self.expanded {
            lines += " expanded ";
            lines += &text::one_line(expanded);
        }
        lines.push('\n');
        for rung in &self.rungs {
            lines += &rung.lines();
        }
        lines
    }
}
