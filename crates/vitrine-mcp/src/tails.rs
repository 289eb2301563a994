//! The ends of encoded fields of which only the start was read: they alone tell how many bytes there are.

use vitrine_contract::request::FieldWindowRequest;
use vitrine_contract::{ReadApi, Record};

use crate::ids::told;
use crate::render::binary;

/// Fields whose end is read for one answer; the others are a byte or two off.
const MAX_TAILS: usize = 8;
/// Padding, and a line break after it.
const TAIL_CHARS: u64 = 8;

/// Takes padding and the last line break off the length of cut fields that are encoded bytes.
pub(crate) async fn trim<R: ReadApi>(reader: &R, records: &mut [Record]) {
    let encoded: Vec<(usize, usize)> = records
        .iter()
        .enumerate()
        .flat_map(|(at, record)| encoded_cuts(record).into_iter().map(move |cut| (at, cut)))
        .take(MAX_TAILS)
        .collect();
    for (at, cut) in encoded {
        let record = &mut records[at];
        let total_chars = record.cut[cut].total_chars;
        let request = FieldWindowRequest {
            stream: record.stream.to_string(),
            id: record.id.clone(),
            field: Some(record.cut[cut].field.clone()),
            offset_chars: Some(total_chars.saturating_sub(TAIL_CHARS)),
            limit_chars: Some(TAIL_CHARS),
            connection_id: told(&record.connection_id).map(str::to_owned),
            ..FieldWindowRequest::default()
        };
        if let Ok(tail) = reader.field_window(&request).await {
            record.cut[cut].total_chars = total_chars.saturating_sub(binary::idle_end(&tail.window.text));
        }
    }
}

/// Which of a record's cut fields are encoded bytes.
fn encoded_cuts(record: &Record) -> Vec<usize> {
    let Some(data) = record.data.as_ref().filter(|_| record.cut.iter().any(|cut| !cut.json)) else {
        return Vec::new();
    };
    if !data.json().split('"').any(binary::begins_encoded) {
        return Vec::new();
    }
    let entries = data.entries();
    let is_encoded = |field: &str, total_chars: u64| {
        let raw = entries.iter().find(|(name, _)| name == field).map(|(_, raw)| *raw);
        let start: Option<String> = raw.and_then(|raw| serde_json::from_str(raw).ok());
        start.is_some_and(|start| binary::is_base64(&start, total_chars))
    };
    let cuts = record.cut.iter().enumerate().filter(|(_, cut)| !cut.json && is_encoded(&cut.field, cut.total_chars));
    cuts.map(|(at, _)| at).collect()
}
