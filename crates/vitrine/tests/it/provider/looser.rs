use serde_json::json;
use vitrine_contract::ReadApi;
use vitrine_contract::request::{
    AggregateRequest, FieldWindowRequest, RecordRequest, RecordsRequest, SchemaRequest, SearchRequest, StreamRequest,
    StreamsRequest,
};

use super::fake::{Fake, TOKEN, call};
use vitrine::provider::{HttpRead, Options};

#[tokio::test]
async fn a_request_says_who_asks_and_what_it_understands() {
    let provider = Fake::json(&json!({ "data": [] })).await;
    let reader = HttpRead::new(&format!("{}/tenant/7/", provider.url()), TOKEN, Options::default()).unwrap();
    assert_eq!(reader.provider_url(), format!("{}/tenant/7", provider.url()));
    let request = RecordsRequest { stream: "m".into(), limit: Some(3), preview_chars: Some(9), ..Default::default() };
    let page = reader.records(&request).await.unwrap();
    assert!(page.data.is_empty() && !page.has_more);
    let seen = &provider.seen()[0];
    assert_eq!(seen.path_and_query, "/tenant/7/v1/streams/m/records?limit=3");
    for (name, value) in [
        ("authorization", format!("Bearer {TOKEN}").as_str()),
        ("pdpp-version", "2026-04-06"),
        ("accept", "application/json"),
        ("accept-encoding", "identity"),
    ] {
        assert_eq!(seen.header(name), value, "{name}");
    }
}

#[tokio::test]
async fn hits_are_found_under_every_name() {
    let window = json!({ "field_path": "body", "text": "the lease", "start_chars": 4, "end_chars": 13,
        "match_start_chars": 8, "match_end_chars": 13, "total_chars": 90, "complete": false });
    let invented = json!({ "field_path": "body", "text": "the <b>lease</b>", "start_chars": 4, "end_chars": 13 });
    for (place, key, evidence) in [
        ("data", "record_key", "match_windows"),
        ("results", "record_id", "evidence_excerpts"),
        ("hits", "id", "evidence_excerpts"),
    ] {
        let hit = json!({ key: "r:1", "stream": "m", "connector_instance_id": "c", evidence: [invented, window],
            "unheard_of": {} });
        let provider = Fake::json(&json!({ place: [hit], "next_cursor": "more" })).await;
        let request = SearchRequest { q: "lease".into(), ..Default::default() };
        let list = provider.reader().search(&request).await.unwrap();
        let hit = &list.data[0];
        assert_eq!((hit.connection_id.as_str(), hit.stream.as_str(), hit.record_key.as_str()), ("c", "m", "r:1"));
        assert_eq!(hit.match_windows.len(), 1, "only what is proven");
        assert_eq!((list.has_more, list.next_cursor.as_deref()), (true, Some("more")));
    }
}

#[tokio::test]
async fn a_hit_may_be_named_by_its_uri_alone() {
    // {"v":1,"kind":"record","connection_id":"c","stream":"m","record_id":"r:1"}
    let handle = "eyJ2IjoxLCJraW5kIjoicmVjb3JkIiwiY29ubmVjdGlvbl9pZCI6ImMiLCJzdHJlYW0iOiJtIiwicmVjb3JkX2lkIjoicjoxIn0";
    for uri in [format!("pdpp://record/{handle}"), "pdpp://record/c%2Fm%3Ar%3A1".to_owned()] {
        let provider = Fake::json(&json!({ "data": [{ "title": "T", "record_uri": uri }] })).await;
        let list = provider.reader().search(&SearchRequest { q: "x".into(), ..Default::default() }).await.unwrap();
        let hit = &list.data[0];
        assert_eq!((hit.connection_id.as_str(), hit.stream.as_str(), hit.record_key.as_str()), ("c", "m", "r:1"));
    }
}

#[tokio::test]
async fn a_hit_that_is_a_link_reaches_the_model_as_it_stands() {
    let url = "https://example.com/r0";
    let provider = Fake::json(&json!({ "data": [{ "id": url, "url": url, "title": "A page" }] })).await;
    let result = call(&provider, "search", json!({ "query": "page" })).await;
    let (text, shown) = (result["content"][0]["text"].as_str().unwrap(), &result["structuredContent"]);
    assert_eq!(shown["results"], json!([{ "id": url, "title": "A page", "url": url }]));
    assert!(text.contains(&format!("\"A page\" id \"{url}\" (not a record")) && !text.contains("to fetch"), "{text}");
}

#[tokio::test]
async fn streams_at_the_top_of_a_schema_are_found() {
    let provider = Fake::json(&json!({
        "streams": [
            { "name": "messages", "connector_key": "gmail", "connection_id": "w", "display_name": "Work" },
            { "name": "messages", "connector_key": "gmail", "connection_id": "w" },
            { "name": "messages", "connector_key": "slack", "connector_instance_id": "s" },
        ],
    }))
    .await;
    let document = provider.reader().schema(&SchemaRequest { compact: true, ..Default::default() }).await.unwrap();
    let keys: Vec<_> = document.connectors.iter().map(|c| (c.connector_key.as_str(), c.streams.len())).collect();
    assert_eq!(keys, [("gmail", 1), ("slack", 1)]);
    assert_eq!(document.connectors[0].granted_connections[0].display_name, "Work");
    assert_eq!((document.detail.as_str(), document.stream_count), ("compact", 2));
}

#[tokio::test]
async fn a_record_keeps_the_text_of_its_numbers() {
    let data = r#"{"a":1.10,"b":18446744073709551617,"c":1E5}"#;
    let body = format!(r#"{{"record_id":"1","connector_instance_id":"c","data":{data}}}"#);
    let provider = Fake::saying(200, "application/json", body).await;
    let request = RecordRequest { stream: "m".into(), id: "1".into(), ..Default::default() };
    let record = provider.reader().record(&request).await.unwrap();
    assert_eq!(record.data.unwrap().json(), data);
    assert_eq!((record.id.as_str(), &*record.connection_id, &*record.stream), ("1", "c", "m"));
}

#[tokio::test]
async fn the_barest_answers_are_answers() {
    let provider = Fake::json(&json!({
        "name": "m", "id": "1", "data": [], "value": 3, "window": { "text": "all", "start_chars": 0, "total_chars": 3 },
    }))
    .await;
    let reader = provider.reader();
    assert!(reader.streams(&StreamsRequest::default()).await.unwrap().data.is_empty());
    assert_eq!(reader.stream(&StreamRequest { stream: "m".into(), ..Default::default() }).await.unwrap().name, "m");
    let request = AggregateRequest { stream: "m".into(), ..Default::default() };
    assert_eq!(reader.aggregate(&request).await.unwrap().value, Some(json!(3)));
    let request =
        FieldWindowRequest { stream: "m".into(), id: "1".into(), field: Some("f".into()), ..Default::default() };
    let window = reader.field_window(&request).await.unwrap();
    assert!(window.window.complete && window.field.path == "f");
}
