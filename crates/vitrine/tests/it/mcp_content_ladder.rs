//! Reading step by step, over a provider that cannot do it and over our own store.

use std::future::ready;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::app::TestApp;
use crate::fixtures::{gmail, mail};
use crate::provider::fake::{Fake, call, response};

#[tokio::test]
async fn resource_server_field_window_path_is_missing() {
    for (status, body) in [
        (404, "Not Found"),
        (404, r#"{"error":{"code":"route_not_found","message":"No such route."}}"#),
        (405, ""),
        (501, r#"{"error":{"code":"not_implemented","message":"Not yet."}}"#),
    ] {
        let provider = Fake::answering(move |path| {
            let record = r#"{"id":"m1","stream":"messages","data":{"body":"the whole body"}}"#;
            let (status, body) = if path.contains("/field-window") { (status, body) } else { (200, record) };
            ready(response(status, "application/json", body))
        })
        .await;
        let arguments = json!({ "id": "cin_work/messages:m1", "field_path": "body" });
        let result = call(&provider, "read_record_field", arguments).await;
        assert_eq!(result["structuredContent"]["error"]["code"], "field_window_unsupported", "{status} {body}");
        assert!(!result.to_string().contains("the whole body"));
        let seen = provider.seen();
        let read: Vec<&str> = seen.iter().map(|seen| seen.path_and_query.split('?').next().unwrap()).collect();
        assert_eq!(read, ["/v1/schema", "/v1/streams/messages/records/m1/field-window"], "no whole field instead");
    }
}

#[tokio::test]
async fn encoded_bytes_stay_out_however_little_of_them_is_shown() {
    let app = TestApp::start().await;
    let mut source = gmail();
    let declared = json!({ "type": "string", "contentEncoding": "base64", "contentMediaType": "image/gif" });
    source["streams"][0]["schema"]["properties"]["thumb"] = declared;
    app.source(&source).await;
    app.connection("gmail", "cin_work").await;
    let encoded = STANDARD.encode((0..=255_u8).cycle().take(5_120).collect::<Vec<u8>>());
    let (mut short, mut long) = (mail("short", 1), mail("long", 2));
    (short["data"]["thumb"], long["data"]["body"]) = ("dGlueQ==".into(), encoded.as_str().into());
    app.ingest("cin_work", "messages", &[short, long]).await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    let tool = async |name: &str, arguments: Value| {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": name, "arguments": arguments } });
        app.mcp(&token, &call).await.json()["result"].clone()
    };

    let document = tool("fetch", json!({ "id": "cin_work/messages:short" })).await;
    assert!(!document.to_string().contains("dGlueQ"), "{document}");
    let entered = app.ledger("").await;
    assert_eq!((entered.len(), &entered[0]["endpoint"]), (1, &json!("GET /v1/streams/{stream}/records/{id}")));
    for (name, arguments, ladder) in [
        ("fetch", json!({ "id": "cin_work/messages:long" }), "/metadata/content_ladder"),
        ("query_records", json!({ "stream": "messages" }), "/content_ladder"),
    ] {
        let shown = tool(name, arguments).await;
        assert!(!shown.to_string().contains(&encoded[..30]) && !shown.to_string().contains("dGlueQ"), "{shown}");
        let rungs = shown["structuredContent"].pointer(ladder).unwrap()["records"].as_array().unwrap();
        let mut sizes = rungs.iter().flat_map(|rung| rung["binary_fields"].as_array().unwrap());
        let body = sizes.find(|field| field["field_path"] == "body").unwrap();
        assert_eq!(body["size_bytes"], 5_120);
    }
    for (record, field, part) in [("long", "body", 59), ("long", "body", 1), ("short", "thumb", 2)] {
        let id = format!("cin_work/messages:{record}");
        let arguments = json!({ "id": id, "field_path": field, "limit_chars": part });
        let refused = tool("read_record_field", arguments).await;
        assert_eq!(refused["structuredContent"]["error"]["code"], "field_not_text", "{refused}");
    }
}
