//! Evidence of a provider that speaks in URIs.

use serde_json::json;

use crate::provider::fake::{Fake, call};

#[tokio::test]
async fn rest_record_uri_is_normalized_before_ordinary_model_display() {
    // {"v":1,"kind":"record","connection_id":"cin_work","stream":"messages","record_id":"u1"}
    let encoded = "pdpp://record/eyJ2IjoxLCJraW5kIjoicmVjb3JkIiwiY29ubmVjdGlvbl9pZCI6ImNpbl93b3JrIiwic3RyZWFtIjoibWVzc2FnZXMiLCJyZWNvcmRfaWQiOiJ1MSJ9";
    let window = json!({ "field_path": "body", "text": "the lease", "start_chars": 4, "end_chars": 13,
        "match_start_chars": 8, "match_end_chars": 13, "total_chars": 90, "complete": false });
    for uri in [encoded, "pdpp://record/cin_work%2Fmessages%3Au1"] {
        for name in ["record_uri", "uri", "id"] {
            let hit = json!({ name: uri, "url": uri, "record_url": uri, "match_windows": [window] });
            let provider = Fake::json(&json!({ "data": [hit], "has_more": false })).await;
            let result = call(&provider, "search", json!({ "query": "lease" })).await;
            let (text, shown) = (result["content"][0]["text"].as_str().unwrap(), &result["structuredContent"]);
            assert!(!text.contains("pdpp://") && !shown.to_string().contains("pdpp://"), "{text} {shown}");
            let id = "cin_work/messages:u1";
            assert_eq!(
                (&shown["results"][0]["id"], &shown["results"][0]["connection_id"]),
                (&json!(id), &json!("cin_work"))
            );
            let read =
                json!({ "tool": "read_record_field", "args": { "id": id, "field_path": "body", "offset_chars": 4 } });
            assert_eq!(shown["results"][0]["read"], read);
            assert_eq!(shown["content_ladder"]["records"][0]["id"], id);
            assert_eq!(shown["content_ladder"]["records"][0]["field_windows"][0]["read"], read);
            assert!(text.contains(&format!("read_record_field({})", read["args"])), "{text}");
            assert!(shown["results"][0]["url"].as_str().unwrap().contains("/v1/streams/messages/records/u1"));
        }
    }
}
