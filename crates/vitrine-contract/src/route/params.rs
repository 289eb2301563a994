//! Query parameters, each taken at most once, none ignored.

use std::collections::BTreeMap;

use percent_encoding::percent_decode;

use crate::error::{ApiError, ErrorCode};
use crate::limits;
use crate::request::{Filter, RangeOp};

/// Exact in every language's numbers.
const MAX_NUMBER: u64 = 999_999_999_999_999;

/// The parameters not taken yet, in order.
pub(super) struct Params(Vec<(String, String)>);

impl Params {
    pub(super) fn parse(query: &str) -> Result<Self, ApiError> {
        let mut params = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            params.push((decode(name)?, decode(value)?));
            if params.len() > limits::MAX_PARAMETERS {
                let message = format!("More than {} query parameters. Ask for less at once.", limits::MAX_PARAMETERS);
                return Err(ApiError::new(ErrorCode::InvalidRequest, message));
            }
        }
        Ok(Self(params))
    }

    /// Refuses whatever no one asked for.
    pub(super) fn finish(self) -> Result<(), ApiError> {
        match self.0.into_iter().next() {
            None => Ok(()),
            Some((name, _)) => {
                let shown: String = name.chars().take(80).collect();
                Err(ApiError::invalid(&shown, format!("`{shown}` is not a parameter of this endpoint. Leave it out.")))
            }
        }
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, ApiError> {
        let mut values = self.take(|n| n == name);
        match values.len() {
            0 => Ok(None),
            1 => Ok(values.pop().map(|(_, value)| value)),
            _ => Err(ApiError::invalid(name, format!("`{name}` is given more than once. Pass it once."))),
        }
    }

    /// The connection, by its name or its old alias.
    pub(super) fn connection_id(&mut self) -> Result<Option<String>, ApiError> {
        match (self.text("connection_id")?, self.text("connector_instance_id")?) {
            (Some(one), Some(other)) if one != other => Err(ApiError::new(
                ErrorCode::ConflictingConnectionId,
                "Pass `connection_id` alone: `connector_instance_id` is its old name.",
            )
            .param("connection_id")),
            (one, other) => Ok(one.or(other)),
        }
    }

    /// A value out of a closed set.
    pub(super) fn parsed<T>(
        &mut self,
        name: &str,
        parse: impl Fn(&str) -> Option<T>,
        allowed: impl Fn() -> String,
    ) -> Result<Option<T>, ApiError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let value =
            parse(&text).ok_or_else(|| ApiError::invalid(name, format!("`{name}` must be one of: {}.", allowed())))?;
        Ok(Some(value))
    }

    /// One of a few literal words.
    pub(super) fn word(&mut self, name: &str, allowed: &[&'static str]) -> Result<Option<&'static str>, ApiError> {
        self.parsed(name, |text| allowed.iter().find(|word| **word == text).copied(), || allowed.join(", "))
    }

    /// A number of rows, at least 1.
    pub(super) fn limit(&mut self, name: &str) -> Result<Option<u64>, ApiError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        positive(&text)
            .map(Some)
            .ok_or_else(|| ApiError::invalid(name, format!("`{name}` must be a whole number of at least 1.")))
    }

    /// A number of characters.
    pub(super) fn chars(&mut self, name: &str) -> Result<Option<u64>, ApiError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        digits(&text).map(Some).ok_or_else(|| {
            ApiError::new(
                ErrorCode::InvalidWindow,
                format!("`{name}` must be a whole number of characters, 0 or more."),
            )
            .param(name)
        })
    }

    /// A list of names: comma-separated, repeated, or repeated with `[]`.
    pub(super) fn names(&mut self, name: &str) -> Result<Option<Vec<String>>, ApiError> {
        let bracketed = format!("{name}[]");
        let values = self.take(|n| n == name || n == bracketed);
        if values.is_empty() {
            return Ok(None);
        }
        let mut names: Vec<String> = Vec::new();
        for part in values.iter().flat_map(|(_, value)| value.split(',')) {
            let part = part.trim();
            if part.is_empty() {
                return Err(ApiError::invalid(
                    name,
                    format!("`{name}` has an empty name in it. Pass names, separated by commas."),
                ));
            }
            if !names.iter().any(|known| known == part) {
                names.push(part.to_owned());
            }
        }
        Ok(Some(names))
    }

    /// `expand_limit[relationship]=n`.
    pub(super) fn expand_limits(&mut self) -> Result<BTreeMap<String, u64>, ApiError> {
        let mut limits = BTreeMap::new();
        for (name, value) in self.take(|n| n.starts_with("expand_limit")) {
            let wrong = |message: &str| ApiError::new(ErrorCode::InvalidExpand, message).param("expand_limit");
            let Some([relationship]) =
                brackets(&name, "expand_limit").as_deref().and_then(|b| <[&str; 1]>::try_from(b).ok())
            else {
                return Err(wrong("Pass `expand_limit[relationship]=n`."));
            };
            let limit =
                positive(&value).ok_or_else(|| wrong("`expand_limit` must be a whole number of at least 1."))?;
            if limits.insert(relationship.to_owned(), limit).is_some() {
                return Err(wrong("Each relationship takes one `expand_limit`."));
            }
        }
        Ok(limits)
    }

    /// `filter[field]=value` and `filter[field][op]=value`.
    pub(super) fn filter(&mut self) -> Result<Filter, ApiError> {
        let mut filter = Filter::default();
        for (name, value) in self.take(|n| n == "filter" || n.starts_with("filter[")) {
            let parts = brackets(&name, "filter").unwrap_or_default();
            let (field, added) = match parts.as_slice() {
                [field] => (*field, filter.equals(field, &value)),
                [field, op] => {
                    let op =
                        RangeOp::parse(op).ok_or_else(|| bad_filter(field, "Comparisons are gte, gt, lte and lt."))?;
                    (*field, filter.bound(field, op, &value))
                }
                _ => {
                    let message = "Pass `filter[field]=value` or `filter[field][gte]=value`.";
                    return Err(ApiError::new(ErrorCode::InvalidFilter, message).param("filter"));
                }
            };
            if !added {
                return Err(bad_filter(field, "Each field takes one value, or one of each comparison."));
            }
        }
        Ok(filter)
    }

    fn take(&mut self, wanted: impl Fn(&str) -> bool) -> Vec<(String, String)> {
        self.0.extract_if(.., |(name, _)| wanted(name)).collect()
    }
}

fn bad_filter(field: &str, message: &str) -> ApiError {
    ApiError::new(ErrorCode::InvalidFilter, message).param(format!("filter[{field}]"))
}

/// The parts of `name[a][b]`, none of them empty.
fn brackets<'a>(name: &'a str, prefix: &str) -> Option<Vec<&'a str>> {
    let inner = name.strip_prefix(prefix)?.strip_prefix('[')?.strip_suffix(']')?;
    let parts: Vec<&str> = inner.split("][").collect();
    (parts.iter().all(|part| !part.is_empty())).then_some(parts)
}

/// A whole number; one larger than any that is asked for in earnest counts as the largest of them.
fn digits(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(MAX_NUMBER).min(MAX_NUMBER))
}

fn positive(text: &str) -> Option<u64> {
    digits(text).filter(|n| *n > 0)
}

fn decode(text: &str) -> Result<String, ApiError> {
    let spaced: Vec<u8> = text.bytes().map(|b| if b == b'+' { b' ' } else { b }).collect();
    percent_decode(&spaced).decode_utf8().map(std::borrow::Cow::into_owned).map_err(|_| {
        ApiError::new(ErrorCode::InvalidRequest, "A query parameter is not valid UTF-8 once percent-decoded.")
    })
}
