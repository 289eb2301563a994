//! What stands in the path and query of an owner's request.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use serde::de::DeserializeOwned;
use vitrine_contract::{ApiError, ErrorCode};

use crate::app::App;
use crate::failure::Failure;

/// The variable segments of the path.
pub(crate) struct Segments<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<Arc<App<S>>> for Segments<T>
where
    Path<T>: FromRequestParts<Arc<App<S>>, Rejection = PathRejection>,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App<S>>) -> Result<Self, Failure> {
        let Path(segments) = Path::from_request_parts(parts, app).await.map_err(|_| {
            ApiError::new(ErrorCode::InvalidRequest, "The path is not valid UTF-8 once percent-decoded.")
        })?;
        Ok(Self(segments))
    }
}

/// A query without any parameter.
pub(crate) struct NoQuery;

impl<S: Send + Sync> FromRequestParts<S> for NoQuery {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        take(parts.uri.query(), &[]).map(|_| Self)
    }
}

/// A query that names a connection, and nothing else.
pub(crate) struct OfConnection(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for OfConnection {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let named = take(parts.uri.query(), &["connection_id", "connector_instance_id"])?;
        named.map(Self).ok_or_else(|| {
            ApiError::invalid("connection_id", "Pass `connection_id`, the account this is about.").into()
        })
    }
}

/// The one parameter of a query, under any of its `names`.
fn take(query: Option<&str>, names: &[&str]) -> Result<Option<String>, Failure> {
    let mut taken = None;
    for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
        if !names.contains(&name.as_ref()) {
            let shown: String = name.chars().take(80).collect();
            let message = format!("`{shown}` is not a parameter of this endpoint. Leave it out.");
            return Err(ApiError::invalid(&shown, message).into());
        }
        if taken.replace(value.into_owned()).is_some() {
            return Err(
                ApiError::invalid(names[0], format!("`{}` is given more than once. Pass it once.", names[0])).into()
            );
        }
    }
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_known_parameter_is_taken_once() {
        let names = ["connection_id", "old"];
        assert_eq!(take(Some("connection_id=a%20b"), &names).unwrap().as_deref(), Some("a b"));
        assert_eq!(take(Some("old=a"), &names).unwrap().as_deref(), Some("a"));
        assert_eq!(take(None, &names).unwrap(), None);
        for wrong in ["connection_id=a&connection_id=a", "connection_id=a&old=a", "x=1", "connection_id=a&x"] {
            assert!(take(Some(wrong), &names).is_err(), "{wrong}");
        }
        assert!(take(Some("x=1"), &[]).is_err());
    }
}
