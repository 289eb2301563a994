use std::future::ready;

use serde_json::{Value, json};
use vitrine_contract::request::{AggregateRequest, FieldWindowRequest, RecordRequest, RecordsRequest, SchemaRequest};
use vitrine_contract::{ApiError, ErrorCode, ReadApi};

use super::fake::{Fake, call, response};

/// A provider of many accounts that answers every read without asking which account is meant.
async fn guessing(token_kind: &'static str, accounts: usize) -> Fake {
    let connection = |n| json!({ "connection_id": format!("cin_{n:02}"), "display_name": format!("Mail {n}"), "grant_id": format!("grt_{n}") });
    let mail: Vec<Value> = (1..accounts).map(connection).collect();
    let schema = json!({ "bearer": { "token_kind": token_kind }, "connectors": [
        { "connector_key": "gmail", "granted_connections": mail,
          "streams": [{ "name": "messages" }, { "name": "labels", "connection_ids": ["cin_02"] }] },
        { "connector_key": "notebook", "granted_connections": [connection(99)], "streams": [{ "name": "notes" }] },
    ] });
    Fake::answering(move |path| {
        let body = match path.as_str() {
            path if path.starts_with("/v1/schema") => schema.clone(),
            path if path.contains("/field-window") => {
                json!({ "window": { "text": "all", "start_chars": 0, "total_chars": 3 } })
            }
            path if path.contains("/records/") => json!({ "id": "n1", "data": { "text": "all" } }),
            _ => json!({ "data": [], "value": 3 }),
        };
        ready(response(200, "application/json", body.to_string()))
    })
    .await
}

#[tokio::test]
async fn a_package_over_a_provider_is_asked_back_for_its_connection() {
    let provider = guessing("mcp_package", 31).await;
    for (tool, arguments) in [
        ("query_records", json!({ "stream": "notes" })),
        ("aggregate", json!({ "stream": "notes", "metric": "count" })),
        ("fetch", json!({ "id": "notes:n1" })),
        ("read_record_field", json!({ "id": "notes:n1", "field_path": "text" })),
    ] {
        let before = provider.seen().len();
        let result = call(&provider, tool, arguments).await;
        assert_eq!(provider.seen().len(), before + 1, "only the schema, at the start");
        let error = &result["structuredContent"]["error"];
        assert_eq!((&error["code"], &error["retry_with"]), (&json!("ambiguous_connection"), &json!("connection_id")));
        assert_eq!((&error["available_connection_count"], &error["truncated"]), (&json!(31), &json!(true)));
        let listed = error["available_connections"].as_array().unwrap();
        let first = json!({ "connection_id": "cin_99", "connector_key": "notebook", "display_name": "Mail 99",
            "grant_id": "grt_99", "has_stream": true });
        assert_eq!((listed.len(), &listed[0]), (12, &first));
        assert!(listed[1..].iter().all(|one| one["has_stream"] == false), "{listed:?}");
        assert!(result["content"][0]["text"].as_str().unwrap().contains("call schema"));
    }
}

async fn unscoped(reader: &impl ReadApi, stream: &str) -> Vec<Option<ApiError>> {
    let (stream, id) = (stream.to_owned(), "n1".to_owned());
    let records = RecordsRequest { stream: stream.clone(), ..Default::default() };
    let aggregate = AggregateRequest { stream: stream.clone(), ..Default::default() };
    let record = RecordRequest { stream: stream.clone(), id: id.clone(), ..Default::default() };
    let window = FieldWindowRequest { stream, id, field: Some("text".into()), ..Default::default() };
    vec![
        reader.records(&records).await.err(),
        reader.aggregate(&aggregate).await.err(),
        reader.record(&record).await.err(),
        reader.field_window(&window).await.err(),
    ]
}

#[tokio::test]
async fn only_a_package_of_several_connections_must_say_which() {
    for (token_kind, accounts, is_asked_back) in
        [("mcp_package", 3, true), ("mcp_package", 1, false), ("client", 3, false), ("", 3, false)]
    {
        let reader = guessing(token_kind, accounts).await.reader().for_agent();
        assert!(unscoped(&reader, "labels").await.iter().all(Option::is_none), "nothing is known yet");
        reader.schema(&SchemaRequest { compact: true, ..Default::default() }).await.unwrap();
        for refused in unscoped(&reader, "labels").await {
            assert_eq!(refused.is_some(), is_asked_back, "{token_kind} {accounts}");
            let Some(error) = refused else { continue };
            assert_eq!(error.code, ErrorCode::AmbiguousConnection);
            assert_eq!(error.available_connections.unwrap().listed[0].connection_id, "cin_02");
        }
        let scoped =
            RecordsRequest { stream: "labels".into(), connection_id: Some("cin_01".into()), ..Default::default() };
        assert!(reader.records(&scoped).await.is_ok());
    }
}
