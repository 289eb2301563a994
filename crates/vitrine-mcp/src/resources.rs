//! The same reads as resources, for hosts that follow URIs. A URI names, it does not authorize.

use rmcp::model::{ErrorData, MetaObject, ReadResourceResult, ResourceContents, ResourceTemplate};
use vitrine_contract::{ApiError, ErrorCode, ReadApi};

use crate::answer::Answer;
use crate::arguments;
use crate::handles::{self, FIELD_WINDOW_PREFIX, RECORD_PREFIX, STREAM_PREFIX};
use crate::ids::{RecordRef, invalid_id};
use crate::render;
use crate::tools::{Call, fetch, read_record_field, schema};

const JSON: &str = "application/json";

/// A longer URI is none of ours, and not repeated.
const MAX_URI_BYTES: usize = 8_192;

/// The URIs that can be read.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |uri: String, name: &str, about: &str| {
        ResourceTemplate::new(uri, name).with_description(about).with_mime_type(JSON)
    };
    vec![
        template(format!("{RECORD_PREFIX}{{handle}}"), "record", "One record, as fetch returns it."),
        template(
            format!("{FIELD_WINDOW_PREFIX}{{handle}}"),
            "field-window",
            "A part of one field, as read_record_field returns it; _meta names the next and previous part.",
        ),
        template(format!("{STREAM_PREFIX}{{name}}"), "stream", "What a stream can do, as schema returns it."),
    ]
}

/// A resource is the tool call it mirrors.
pub(crate) struct Resource(Call);

impl Resource {
    pub(crate) fn parse(uri: &str) -> Result<Self, ApiError> {
        if let Some(handle) = uri.strip_prefix(FIELD_WINDOW_PREFIX) {
            let (record, field_path, selector) = handles::field_window(handle)?;
            return read_record_field::Ask::window(record, field_path, selector).map(Call::ReadRecordField).map(Self);
        }
        if let Some(name) = uri.strip_prefix(STREAM_PREFIX) {
            let stream = arguments::name("uri", name.to_owned())?;
            return Ok(Self(Call::Schema(schema::Ask::stream(stream))));
        }
        if uri.starts_with(RECORD_PREFIX) {
            return Ok(Self(Call::Fetch(fetch::Ask::whole(RecordRef::parse(uri)?))));
        }
        Err(invalid_id().param("uri"))
    }

    /// The tool that the resource mirrors.
    pub(crate) fn tool(&self) -> &'static str {
        self.0.name()
    }

    pub(crate) async fn read<R: ReadApi>(
        self,
        reader: &R,
        uri: &str,
        request_id: &str,
    ) -> Result<ReadResourceResult, ApiError> {
        let Answer { structured, meta, .. } = self.0.answer(reader, request_id).await?.within_bounds()?;
        let mut contents = ResourceContents::text(structured, uri).with_mime_type(JSON);
        if !meta.is_empty() {
            contents = contents.with_meta(MetaObject(meta));
        }
        Ok(ReadResourceResult::new(vec![contents]))
    }
}

/// A failed read as a protocol error that carries the typed one, and the URI it is about.
pub(crate) fn error(error: ApiError, uri: &str, request_id: &str) -> ErrorData {
    let message = error.to_string();
    let not_found = matches!(error.code, ErrorCode::NotFound | ErrorCode::FieldNotFound);
    let mut data = render::error::object(error, request_id);
    if uri.len() <= MAX_URI_BYTES {
        data["uri"] = uri.into();
    }
    let data = Some(data);
    if not_found { ErrorData::resource_not_found(message, data) } else { ErrorData::invalid_params(message, data) }
}
