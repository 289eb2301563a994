//! The schema document.

use vitrine_contract::record::Tag;
use vitrine_contract::request::SchemaRequest;
use vitrine_contract::schema::{Bearer, SchemaDocument};

use super::members::Members;
use super::{Read, connectors, unreadable};

const BEARER: &[&str] = &["bearer"];
const TOKEN_KIND: &[&str] = &["token_kind", "pdpp_token_kind"];

/// What may be seen and done.
pub(in super::super) fn schema(body: &str, request: &SchemaRequest) -> Read<SchemaDocument> {
    let members = Members::of_answer(body)?.unwrapped(connectors::are_in);
    let Some(connectors) = connectors::read(&members)? else {
        return unreadable("a schema with neither `connectors` nor `streams`");
    };
    let asked = if request.compact { "compact" } else { "full" };
    Ok(SchemaDocument {
        object: Tag::default(),
        detail: members.text(&["detail"]).unwrap_or_else(|| asked.to_owned()),
        bearer: members.object(BEARER).as_ref().map(bearer).unwrap_or_default(),
        connector_count: members.read(&["connector_count"]).unwrap_or(connectors.len()),
        stream_count: members
            .read(&["stream_count"])
            .unwrap_or_else(|| connectors.iter().map(|connector| connector.streams.len()).sum()),
        connectors,
        legend: members.read(&["legend"]).unwrap_or_default(),
    })
}

/// Who is asking, as far as an answer to a request for the schema says, whatever else it is.
pub(in super::super) fn bearer_of(body: &str) -> Read<Bearer> {
    let members = Members::of_answer(body)?.unwrapped(|members| members.object(BEARER).is_some());
    Ok(members.object(BEARER).as_ref().map(bearer).unwrap_or_default())
}

fn bearer(members: &Members<'_>) -> Bearer {
    Bearer {
        token_kind: members.text(TOKEN_KIND).unwrap_or_default(),
        grant_id: members.text(&["grant_id"]),
        grant_package_id: members.text(&["grant_package_id"]),
        client_id: members.text(&["client_id"]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(body: &Value) -> SchemaDocument {
        schema(&body.to_string(), &SchemaRequest::default()).unwrap()
    }

    /// Each connector with its connections and streams, in one line.
    fn outline(document: &SchemaDocument) -> Vec<String> {
        let line = |connector: &vitrine_contract::schema::Connector| {
            let connections: Vec<_> = connector
                .granted_connections
                .iter()
                .map(|c| format!("{}={}", c.connection_id, c.display_name))
                .collect();
            let streams: Vec<_> =
                connector.streams.iter().map(|s| format!("{}@{}", s.name, s.connection_ids.join("+"))).collect();
            format!("{}: {} | {}", connector.connector_key, connections.join(" "), streams.join(" "))
        };
        document.connectors.iter().map(line).collect()
    }

    #[test]
    fn streams_at_the_top_move_under_their_connectors() {
        let document = read(&json!({
            "connectors": [
                { "connector_key": "gmail", "granted_connections": [{ "connector_instance_id": "w", "display_name": "Work" }],
                  "streams": [{ "name": "messages", "connection_ids": ["w"] }] },
                { "connector_key": "slack", "connections": [{ "connection_id": "s" }] },
            ],
            "streams": [
                { "name": "messages", "connector_key": "gmail", "connection_id": "w" },
                { "name": "labels", "connector_key": "gmail" },
                { "name": "messages", "connection_id": "s" },
                { "name": "events", "connector_key": "calendar", "connection_id": "k", "display_name": "Mine" },
                { "name": "loose" },
            ],
        }));
        assert_eq!(
            outline(&document),
            [
                "gmail: w=Work | messages@w labels@",
                "slack: s=s | messages@s",
                "calendar: k=Mine | events@k",
                ":  | loose@",
            ]
        );
        assert_eq!((document.connector_count, document.stream_count), (4, 5));
        assert!(document.connectors.iter().flat_map(|c| &c.streams).all(|row| row.connector_key.is_none()));
    }

    #[test]
    fn a_schema_in_an_envelope_is_a_schema() {
        let inside = json!({ "connectors": [{ "connector_key": "a" }], "bearer": { "token_kind": "owner" } });
        for body in [
            json!({ "data": inside }),
            json!({ "data": { "connectors": inside["connectors"] }, "bearer": inside["bearer"] }),
        ] {
            let document = read(&body);
            assert_eq!((outline(&document), document.bearer.token_kind.as_str()), (vec!["a:  | ".to_owned()], "owner"));
        }
    }

    #[test]
    fn the_bearer_is_told_by_whatever_is_an_object() {
        for (body, kind) in [
            (json!({ "bearer": { "token_kind": "owner" } }), "owner"),
            (json!({ "data": { "bearer": { "pdpp_token_kind": "owner" } } }), "owner"),
            (json!({ "connectors": {}, "bearer": null }), ""),
            (json!({}), ""),
        ] {
            assert_eq!(bearer_of(&body.to_string()).unwrap().token_kind, kind, "{body}");
        }
        assert!(bearer_of("<html>").is_err());
    }

    #[test]
    fn streams_alone_belong_to_the_only_connector() {
        let document = read(&json!({ "connectors": [{ "connector_key": "a" }], "streams": [{ "name": "m" }] }));
        assert_eq!(outline(&document), ["a:  | m@"]);
    }

    #[test]
    fn streams_alone_are_a_schema_and_nothing_is_none() {
        let document = read(&json!({ "streams": [{ "name": "m" }], "bearer": { "pdpp_token_kind": "owner" } }));
        assert_eq!((outline(&document), document.bearer.token_kind.as_str()), (vec![":  | m@".to_owned()], "owner"));
        assert!(read(&json!({ "connectors": [] })).connectors.is_empty());
        assert!(schema(r#"{"data":{}}"#, &SchemaRequest::default()).is_err());
        assert!(schema("{}", &SchemaRequest::default()).is_err());
    }
}
