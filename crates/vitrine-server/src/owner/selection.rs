//! What a new grant is to cover: in the engine's own words, or as `authorization_details`
//! (RFC 9396).

use serde_json::{Map, Value};
use vitrine_contract::ApiError;
use vitrine_engine::grant::GrantRequest;
use vitrine_engine::oauth::details::Detail;

use crate::failure::Failure;

/// What is to be issued.
#[derive(Debug, PartialEq)]
pub(super) enum Selection {
    /// One grant of one source.
    Grant(GrantRequest),
    /// One grant a connection, grouped.
    Package(GrantRequest),
}

impl Selection {
    pub(super) fn read(mut body: Map<String, Value>) -> Result<Self, Failure> {
        let package = match body.remove("package") {
            None => false,
            Some(Value::Bool(package)) => package,
            Some(_) => return Err(ApiError::invalid("package", "`package` must be true or false.").into()),
        };
        let details = body.remove("authorization_details");
        let mut request: GrantRequest = parse(Value::Object(body), "grant")?;
        if let Some(details) = details {
            add_details(&mut request, details)?;
        }
        if !package {
            return Ok(Self::Grant(request));
        }
        // A package is made of connections: anything else that narrows it would go unheard.
        if request.source.is_some() || request.streams.iter().any(|stream| stream.instance_ids.is_some()) {
            let message = "A package has one grant a connection. Name them in `connections`, not by source or stream.";
            return Err(ApiError::invalid("package", message).into());
        }
        Ok(Self::Package(request))
    }
}

fn add_details(request: &mut GrantRequest, details: Value) -> Result<(), Failure> {
    const PARAM: &str = "authorization_details";
    let mut details: Vec<Detail> = parse(details, PARAM)?;
    let (Some(detail), true) = (details.pop(), details.is_empty()) else {
        return Err(ApiError::invalid(PARAM, "Pass exactly one entry: a grant is about one source.").into());
    };
    detail.check_type().map_err(|message| ApiError::invalid(PARAM, message))?;
    if request.source.is_some() || !request.streams.is_empty() {
        return Err(ApiError::invalid(PARAM, "Name source and streams in `authorization_details` alone.").into());
    }
    let detail = detail.into_request();
    request.source = detail.source;
    request.streams = detail.streams;
    request.purpose_code = detail.purpose_code.or(request.purpose_code.take());
    request.access_mode = detail.access_mode;
    Ok(())
}

fn parse<T: serde::de::DeserializeOwned>(value: Value, param: &str) -> Result<T, Failure> {
    serde_json::from_value(value)
        .map_err(|error| ApiError::invalid(param, format!("`{param}` cannot be read: {error}.")).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use vitrine_engine::oauth::details::DATA_ACCESS;

    fn read(body: &Value) -> Result<Selection, Failure> {
        Selection::read(body.as_object().unwrap().clone())
    }

    #[test]
    fn details_say_the_same_as_plain_words() {
        let plain =
            json!({"client_name": "Desk", "source": "gmail", "streams": [{"name": "messages", "view": "basic"}]});
        let details = json!({"client_name": "Desk", "authorization_details": [{
            "type": DATA_ACCESS, "source": {"kind": "connector", "id": "gmail"},
            "streams": [{"name": "messages", "view": "basic"}]}]});
        assert_eq!(read(&plain).unwrap(), read(&details).unwrap());
    }

    #[test]
    fn a_package_is_asked_for_by_name() {
        assert!(matches!(read(&json!({"client_name": "Desk", "package": true})), Ok(Selection::Package(_))));
        assert!(matches!(read(&json!({"client_name": "Desk", "package": false})), Ok(Selection::Grant(_))));
        assert!(read(&json!({"package": "yes"})).is_err());
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let detail = json!({"type": DATA_ACCESS});
        for body in [
            json!({"surprise": 1}),
            json!({"authorization_details": []}),
            json!({"authorization_details": [detail, detail]}),
            json!({"authorization_details": [{"type": "other"}]}),
            json!({"authorization_details": [{"type": DATA_ACCESS, "surprise": 1}]}),
            json!({"source": "gmail", "authorization_details": [detail]}),
            json!({"package": true, "source": "gmail"}),
            json!({"package": true, "streams": [{"name": "messages", "instance_ids": ["cin_work"]}]}),
        ] {
            assert!(read(&body).is_err(), "{body}");
        }
    }
}
