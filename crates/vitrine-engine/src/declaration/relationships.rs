//! How streams of one source belong together.

use std::collections::{BTreeMap, HashSet};

use super::error::{DeclarationError, quoted};
use super::shape::Shape;
use super::{ExpandLimits, KeySide, Relationship, Stream};

const DEFAULT_LIMIT: u32 = 10;
const DEFAULT_MAX_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 100;
const MAX_FIELD_CHARS: usize = 200;

/// Reads the relationships of `own`, with what can be expanded.
pub(super) fn read(
    shape: &Shape<'_>,
    own: &Stream,
    streams: &BTreeMap<String, Stream>,
) -> Result<Vec<Relationship>, DeclarationError> {
    let mut relationships: Vec<Relationship> = Vec::new();
    for entry in shape.objects("relationships")? {
        let relationship = relationship(&entry, own, streams)?;
        if relationships.iter().any(|earlier| earlier.name == relationship.name) {
            let message = format!("two relationships are called `{}`; rename one", relationship.name);
            return Err(entry.refuse("name", "relationship_duplicate", message));
        }
        relationships.push(relationship);
    }
    if let Some(query) = shape.object("query")? {
        offer_expansion(&query, &mut relationships)?;
    }
    Ok(relationships)
}

fn relationship(
    entry: &Shape<'_>,
    own: &Stream,
    streams: &BTreeMap<String, Stream>,
) -> Result<Relationship, DeclarationError> {
    let name = entry.required("name", entry.name("name")?)?;
    let target = entry.required("stream", entry.text("stream", MAX_FIELD_CHARS)?)?;
    let related = streams.get(target).ok_or_else(|| {
        let message = format!("there is no stream `{}`; declare it or correct the name", quoted(target));
        entry.refuse("stream", "relationship_stream_unknown", message)
    })?;
    let foreign_key = entry.required("foreign_key", entry.text("foreign_key", MAX_FIELD_CHARS)?)?;
    Ok(Relationship {
        name: name.to_owned(),
        stream: target.to_owned(),
        foreign_key: foreign_key.to_owned(),
        key_side: key_side(entry, foreign_key, own, related)?,
        has_one: has_one(entry)?,
        expand: None,
    })
}

fn key_side(entry: &Shape<'_>, key: &str, own: &Stream, related: &Stream) -> Result<KeySide, DeclarationError> {
    let (side, field) = match (related.field(key), own.field(key)) {
        (Some(field), _) => (KeySide::Related, field),
        (None, Some(field)) => (KeySide::Own, field),
        (None, None) => {
            let message =
                format!("neither `{}` nor this stream declares `{}`; declare it on one", related.name, quoted(key));
            return Err(entry.refuse("foreign_key", "foreign_key_not_declared", message));
        }
    };
    if field.kind.is_scalar() {
        return Ok(side);
    }
    Err(entry.refuse("foreign_key", "foreign_key_not_scalar", "a key is a single value, not an object, list or blob"))
}

fn has_one(entry: &Shape<'_>) -> Result<bool, DeclarationError> {
    match entry.required("cardinality", entry.text("cardinality", MAX_FIELD_CHARS)?)? {
        "has_one" => Ok(true),
        "has_many" => Ok(false),
        _ => Err(entry.refuse("cardinality", "cardinality_unknown", "use `has_many` or `has_one`")),
    }
}

fn offer_expansion(query: &Shape<'_>, relationships: &mut [Relationship]) -> Result<(), DeclarationError> {
    let mut seen = HashSet::new();
    for entry in query.objects("expand")? {
        let name = entry.required("name", entry.text("name", MAX_FIELD_CHARS)?)?;
        let Some(relationship) = relationships.iter_mut().find(|r| r.name == name) else {
            let message = format!("`{}` is not under `relationships`; declare it there", quoted(name));
            return Err(entry.refuse("name", "expand_not_declared", message));
        };
        if !seen.insert(name) {
            return Err(entry.refuse("name", "expand_duplicate", format!("offer `{name}` once")));
        }
        relationship.expand = Some(limits(&entry)?);
    }
    Ok(())
}

/// A limit that is left out follows the one that is given.
fn limits(entry: &Shape<'_>) -> Result<ExpandLimits, DeclarationError> {
    let default = limit(entry, "default_limit")?;
    let max = limit(entry, "max_limit")?.unwrap_or(DEFAULT_MAX_LIMIT.max(default.unwrap_or(0)));
    let default = default.unwrap_or(DEFAULT_LIMIT.min(max));
    if default > max {
        let message = "default_limit must not be larger than max_limit";
        return Err(entry.refuse("default_limit", "expand_limit_out_of_range", message));
    }
    Ok(ExpandLimits { default, max })
}

fn limit(entry: &Shape<'_>, key: &str) -> Result<Option<u32>, DeclarationError> {
    let Some(number) = entry.whole_number(key)? else { return Ok(None) };
    u32::try_from(number)
        .ok()
        .filter(|limit| (1..=MAX_LIMIT).contains(limit))
        .map(Some)
        .ok_or_else(|| entry.refuse(key, "expand_limit_out_of_range", format!("use a number from 1 to {MAX_LIMIT}")))
}
