use axum::response::{IntoResponse, Redirect};
use serde_json::json;
use vitrine_contract::ReadApi;
use vitrine_contract::request::{SchemaRequest, StreamsRequest};

use super::fake::{Fake, TOKEN, response};

#[tokio::test]
async fn a_token_is_not_taken_to_another_origin() {
    let elsewhere = Fake::json(&json!({ "connectors": [] })).await;
    let target = format!("{}/v1/schema?stolen=yes", elsewhere.url());
    let provider = Fake::answering(move |_| std::future::ready(Redirect::temporary(&target).into_response())).await;
    let error = provider.reader().schema(&SchemaRequest::default()).await.unwrap_err();
    assert_eq!((error.code.as_str(), error.status), ("provider_response_invalid", 502));
    assert!(error.message.contains(&elsewhere.url()) && !error.message.contains("stolen"), "{}", error.message);
    assert_eq!((provider.seen().len(), elsewhere.seen().len()), (1, 0));
}

#[tokio::test]
async fn a_redirect_within_the_origin_is_followed_with_the_token() {
    let provider = Fake::answering(async |path: String| match path.as_str() {
        "/v1/streams" => Redirect::permanent("/new/v1/streams").into_response(),
        _ => response(200, "application/json", r#"{"data":[{"name":"m"}]}"#),
    })
    .await;
    let streams = provider.reader().streams(&StreamsRequest::default()).await.unwrap();
    assert_eq!(streams.data[0].name, "m");
    let seen = provider.seen();
    assert_eq!(seen[1].path_and_query, "/new/v1/streams");
    assert_eq!(seen[1].header("authorization"), format!("Bearer {TOKEN}"));
}

#[tokio::test]
async fn a_redirect_in_a_circle_ends() {
    let provider = Fake::answering(async |path: String| Redirect::temporary(&path).into_response()).await;
    let error = provider.reader().streams(&StreamsRequest::default()).await.unwrap_err();
    assert_eq!(error.code.as_str(), "provider_response_invalid");
    assert!(provider.seen().len() <= 10);
}
