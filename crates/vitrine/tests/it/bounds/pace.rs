use serde_json::json;
use vitrine_server::Limits;

use crate::app::{Answer, TestApp};
use crate::fixtures::gmail;
use crate::wire;

const BURST: usize = 60;

async fn app() -> TestApp {
    let app =
        TestApp::start_with(Limits { requests_per_second: 1, refusals_per_second: 1, ..Limits::default() }, None).await;
    app.source(&gmail()).await;
    app.connection("gmail", "cin_work").await;
    app
}

fn assert_limited(answer: &Answer, seconds: &str) {
    assert_eq!((answer.status, answer.code().as_str()), (429, "rate_limit_exceeded"));
    assert_eq!(answer.header("retry-after"), seconds);
    let error = &answer.json()["error"];
    assert_eq!(error["type"], "rate_limit_error");
    assert_eq!(error["request_id"], answer.header("request-id"));
    assert!(error["message"].as_str().is_some_and(|message| message.contains("Wait 1 s")), "{error}");
}

#[tokio::test]
async fn a_token_that_calls_too_fast_is_told_to_wait() {
    let app = app().await;
    let [fast, other] = [app.grant(json!({ "source": "gmail" })).await, app.grant(json!({ "source": "gmail" })).await];
    for _ in 0..BURST {
        assert_eq!(app.get(&fast, "/v1/schema").await.0, 200);
    }
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    assert_limited(&app.call("GET", &fast, "/v1/schema").await, "1");
    assert_limited(&app.mcp(&fast, &ping).await, "1");
    assert_eq!(app.get(&other, "/v1/schema").await.0, 200);
    assert_eq!(app.mcp(&other, &ping).await.status, 200);
    app.clock.advance(1);
    assert_eq!(app.mcp(&fast, &ping).await.status, 200);
    assert_limited(&app.call("GET", &fast, "/v1/schema").await, "1");
    app.clock.advance(3600);
    for _ in 0..BURST {
        assert_eq!(app.get(&fast, "/v1/schema").await.0, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn guessing_tokens_is_slowed_down() {
    let app = app().await;
    let address = app.listen().await;
    for guess in 0..BURST {
        let path = if guess % 2 == 0 { "/v1/schema" } else { "/mcp" };
        let token = if guess % 3 == 0 { String::new() } else { format!("vtc_{guess}") };
        assert_eq!(wire::request(address, "GET", path, &token, "").await.0, 401);
    }
    let (status, body) = wire::request(address, "GET", "/v1/schema", "vtc_another", "").await;
    assert_eq!((status, &body["error"]["code"]), (429, &json!("rate_limit_exceeded")));
    assert_eq!(wire::request(address, "GET", "/v1/schema", &app.owner, "").await.0, 200);
    assert_eq!(app.call("GET", "vtc_from_elsewhere", "/v1/schema").await.status, 401);
    app.clock.advance(1);
    assert_eq!(wire::request(address, "GET", "/v1/schema", "vtc_another", "").await.0, 401);
}
