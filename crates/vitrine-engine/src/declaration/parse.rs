//! Reads a declaration, in its current form or as an older manifest, and refuses it whole if
//! anything in it is wrong.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::error::{DeclarationError, quoted};
use super::shape::Shape;
use super::{Declaration, Stream, relationships, stream};

const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_STREAMS: usize = 500;
const MAX_URI_CHARS: usize = 2_048;
const MAX_DISPLAY_NAME_CHARS: usize = 200;
const MAX_VERSION_CHARS: usize = 128;

impl Declaration {
    /// Reads and checks a declaration.
    pub fn parse(text: &str) -> Result<Self, DeclarationError> {
        if text.len() > MAX_BYTES {
            let message = format!("keep the document to {MAX_BYTES} bytes");
            return Err(DeclarationError::new(None, None, "too_large", message));
        }
        let document: Value = serde_json::from_str(text).map_err(|error| {
            DeclarationError::new(None, None, "not_json", format!("this is not JSON: {}", quoted(&error.to_string())))
        })?;
        let shape = Shape::of(&document, None, "")?;
        let header = Header::read(&shape)?;
        let streams = streams(&shape)?;
        Ok(Self {
            source_id: header.source_id.to_owned(),
            source_kind: header.source_kind.to_owned(),
            connector_key: header.connector_key.to_owned(),
            display_name: header.display_name.to_owned(),
            version: header.version.to_owned(),
            streams,
            document,
        })
    }
}

/// What a declaration says about its source.
struct Header<'a> {
    source_id: &'a str,
    source_kind: &'a str,
    connector_key: &'a str,
    display_name: &'a str,
    version: &'a str,
}

impl<'a> Header<'a> {
    fn read(document: &Shape<'a>) -> Result<Self, DeclarationError> {
        document.text("protocol_version", MAX_VERSION_CHARS)?;
        match document.object("source")? {
            Some(source) => Self::current(document, &source),
            None if document.value("connector_id").is_some() => Self::manifest(document),
            None => Err(document.refuse("source", "missing", "name the source with `source.id`, an absolute URI")),
        }
    }

    fn current(document: &Shape<'a>, source: &Shape<'a>) -> Result<Self, DeclarationError> {
        if let Some(publisher) = document.object("publisher")? {
            publisher.text("id", MAX_URI_CHARS)?;
        }
        let connector_key = document.required("connector_key", document.name("connector_key")?)?;
        let display = document.object("display")?;
        let display_name = display.map_or(Ok(None), |display| display_name(&display, "name"))?;
        let version = document.text("declaration_version", MAX_VERSION_CHARS)?;
        Ok(Self {
            source_id: absolute_uri(source, "id")?,
            source_kind: source.name("kind")?.unwrap_or("connector"),
            connector_key,
            display_name: display_name.unwrap_or(connector_key),
            version: document.required("declaration_version", version)?,
        })
    }

    fn manifest(document: &Shape<'a>) -> Result<Self, DeclarationError> {
        let connector_key = document.required("connector_key", document.name("connector_key")?)?;
        Ok(Self {
            source_id: absolute_uri(document, "connector_id")?,
            source_kind: "connector",
            connector_key,
            display_name: display_name(document, "display_name")?.unwrap_or(connector_key),
            version: document.required("version", document.text("version", MAX_VERSION_CHARS)?)?,
        })
    }
}

/// A name people decide by, on one line.
fn display_name<'a>(shape: &Shape<'a>, key: &str) -> Result<Option<&'a str>, DeclarationError> {
    let name = shape.text(key, MAX_DISPLAY_NAME_CHARS)?;
    if name.is_some_and(|name| name.chars().any(char::is_control)) {
        return Err(shape.refuse(key, "control_character", "write the name on one line"));
    }
    Ok(name)
}

fn absolute_uri<'a>(shape: &Shape<'a>, key: &str) -> Result<&'a str, DeclarationError> {
    let uri = shape.required(key, shape.text(key, MAX_URI_CHARS)?)?;
    if is_absolute_uri(uri) {
        return Ok(uri);
    }
    let message = "use an absolute URI such as https://registry.example/connectors/mail";
    Err(shape.refuse(key, "source_id_not_absolute_uri", message))
}

fn is_absolute_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let scheme_holds = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let has_host = || {
        let authority = rest.strip_prefix("//").unwrap_or_default();
        !authority.is_empty() && !authority.starts_with(['/', '?', '#', ':'])
    };
    let is_web = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    scheme_holds
        && !rest.is_empty()
        && rest.chars().all(|c| c.is_ascii_graphic() && !r#"<>"{}|\^`"#.contains(c))
        && (!is_web || has_host())
}

fn streams(document: &Shape<'_>) -> Result<BTreeMap<String, Arc<Stream>>, DeclarationError> {
    document.required("streams", document.value("streams"))?;
    let entries = document.objects("streams")?;
    if entries.is_empty() {
        return Err(document.refuse("streams", "no_streams", "declare at least one stream"));
    }
    if entries.len() > MAX_STREAMS {
        return Err(document.refuse("streams", "too_many", format!("declare at most {MAX_STREAMS} streams")));
    }
    let mut shapes = BTreeMap::new();
    let mut streams = BTreeMap::new();
    for entry in entries {
        let name = entry.required("name", entry.name("name")?)?;
        let shape = entry.named(name);
        if shapes.insert(name, shape.clone()).is_some() {
            return Err(shape.refuse("name", "stream_duplicate", "two streams have this name; rename one"));
        }
        streams.insert(name.to_owned(), stream::read(name, &shape)?);
    }
    relate(&shapes, &mut streams)?;
    Ok(streams.into_iter().map(|(name, stream)| (name, Arc::new(stream))).collect())
}

/// Reads the relationships, once every stream they may name is known.
fn relate(shapes: &BTreeMap<&str, Shape<'_>>, streams: &mut BTreeMap<String, Stream>) -> Result<(), DeclarationError> {
    let mut found = BTreeMap::new();
    for (name, own) in streams.iter() {
        if let Some(shape) = shapes.get(name.as_str()) {
            found.insert(name.clone(), relationships::read(shape, own, streams)?);
        }
    }
    for (name, stream) in streams {
        stream.relationships = found.remove(name).unwrap_or_default();
    }
    Ok(())
}
