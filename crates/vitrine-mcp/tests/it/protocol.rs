//! The protocol itself: every revision, both transports, and what is not offered.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use vitrine_contract::{ApiError, ErrorCode};
use vitrine_mcp::{FixedReader, INSTRUCTIONS, ReaderSource, http_service, serve_pipes};

use crate::fake::{Calls, Fake};
use crate::host::Host;

/// A client that writes the lines itself.
struct Wire(BufReader<DuplexStream>);

impl Wire {
    fn open(fake: Fake) -> Self {
        let (near, far) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(far);
        tokio::spawn(serve_pipes(FixedReader::new(fake, || "req_test".to_owned()), read, write));
        Self(BufReader::new(near))
    }

    async fn send(&mut self, line: &str) {
        self.0.get_mut().write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, message: Value) -> Value {
        self.send(&message.to_string()).await;
        self.answer().await
    }

    async fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.0.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

fn initialize(revision: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
}

/// A request of the stateless revision, which carries everything in `_meta`.
fn stateless(id: u32, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

#[tokio::test]
async fn every_earlier_revision_initializes() {
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut wire = Wire::open(Fake::person());
        let result = wire.ask(initialize(revision)).await["result"].clone();
        assert_eq!(result["protocolVersion"], revision);
        assert_eq!(result["serverInfo"]["name"], "vitrine");
        assert_eq!(result["instructions"], INSTRUCTIONS);
        let mut capabilities: Vec<&String> = result["capabilities"].as_object().unwrap().keys().collect();
        capabilities.sort();
        assert_eq!(capabilities, ["resources", "tools"]);
        wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string()).await;
        let tools = wire.ask(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).await;
        assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 6);
        assert!(tools["result"].get("resultType").is_none());
        let completion = json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "x", "value": ""}});
        for (method, params) in [("prompts/list", json!({})), ("completion/complete", completion)] {
            let absent = wire.ask(json!({"jsonrpc": "2.0", "id": 3, "method": method, "params": params})).await;
            assert_eq!(absent["error"]["code"], -32601, "{method}");
        }
        let call = json!({"name": "schema", "arguments": {}});
        let call = wire.ask(json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": call})).await;
        assert_eq!(call["result"]["isError"], false);
        let missing = json!({"uri": "pdpp://record/cin_notes%2Fnotes%3Anope"});
        let missing = wire.ask(json!({"jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": missing})).await;
        assert_eq!(missing["error"]["code"], -32002);
    }
}

#[tokio::test]
async fn the_stateless_revision_needs_no_handshake() {
    let mut wire = Wire::open(Fake::person());
    let discovered = wire.ask(stateless(1, "server/discover", json!({}))).await["result"].clone();
    assert_eq!(discovered["instructions"], INSTRUCTIONS);
    assert_eq!(discovered["cacheScope"], "private");
    let revisions = json!(["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]);
    assert_eq!(discovered["supportedVersions"], revisions);
    for (id, method) in [(2, "tools/list"), (3, "resources/list"), (4, "resources/templates/list")] {
        let listed = wire.ask(stateless(id, method, json!({}))).await["result"].clone();
        assert_eq!(listed["cacheScope"], "private", "{method}");
        assert_eq!(listed["resultType"], "complete", "{method}");
        assert!(listed["ttlMs"].is_u64(), "{method}");
    }
    let call = stateless(5, "tools/call", json!({"name": "search", "arguments": {"query": "zebra"}}));
    let call = wire.ask(call).await["result"].clone();
    assert_eq!(call["structuredContent"]["results"].as_array().unwrap().len(), 2);
    let read = stateless(6, "resources/read", json!({"uri": "pdpp://record/cin_notes%2Fnotes%3An1"}));
    assert_eq!(wire.ask(read).await["result"]["cacheScope"], "private");
    let missing = stateless(7, "resources/read", json!({"uri": "pdpp://record/cin_notes%2Fnotes%3Anope"}));
    assert_eq!(wire.ask(missing).await["error"]["code"], -32602);
}

#[tokio::test]
async fn an_unknown_tool_or_uri_is_a_protocol_error() {
    let mut wire = Wire::open(Fake::person());
    let call = wire.ask(stateless(1, "tools/call", json!({"name": "list_streams", "arguments": {}}))).await;
    assert_eq!(call["error"]["code"], -32602);
    assert!(call["error"]["message"].as_str().unwrap().contains("query_records"));
    for uri in ["file:///etc/passwd", "pdpp://field-window/xx", "pdpp://stream/../x", "pdpp://record/"] {
        let read = wire.ask(stateless(2, "resources/read", json!({"uri": uri}))).await;
        assert_eq!(read["error"]["code"], -32602, "{uri}");
        assert!(read["error"]["data"]["code"].is_string());
        assert_eq!(read["error"]["data"]["uri"], uri);
    }
}

#[tokio::test]
async fn a_malformed_line_does_not_end_the_session() {
    let mut wire = Wire::open(Fake::person());
    wire.ask(initialize("2025-06-18")).await;
    wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string()).await;
    wire.send("this is not json").await;
    let mut last = Value::Null;
    for id in 2..5 {
        last = wire.ask(json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"})).await;
        if last["result"].is_object() {
            break;
        }
    }
    assert_eq!(last["result"]["tools"].as_array().unwrap().len(), 6);
}

#[tokio::test]
async fn a_line_that_is_no_message_is_answered() {
    let mut wire = Wire::open(Fake::person());
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let lines: [(&[u8], i32); 8] = [
        (b"this is not json", -32_700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,", -32_700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", -32_700),
        (br#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, -32_700),
        (deep.as_bytes(), -32_700),
        (b"{}", -32_600),
        (b"7", -32_600),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32_600),
    ];
    for introduced in [false, true] {
        if introduced {
            assert!(wire.ask(initialize("2025-06-18")).await["result"].is_object());
        }
        for (line, code) in lines {
            wire.0.get_mut().write_all(&[line, b"\r\n"].concat()).await.unwrap();
            let answer = wire.answer().await;
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)), "{answer}");
        }
    }
    let tools = wire.ask(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).await;
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 6);
}

#[tokio::test]
async fn what_nobody_waits_for_does_not_end_the_server() {
    let strays = [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}),
        json!({"jsonrpc": "2.0", "id": 9, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 9, "error": {"code": -1, "message": "no"}}),
    ];
    let mut wire = Wire::open(Fake::person());
    for ping in 0..2 {
        for stray in &strays {
            wire.send(&stray.to_string()).await;
        }
        assert_eq!(wire.ask(json!({"jsonrpc": "2.0", "id": ping, "method": "ping"})).await["result"], json!({}));
    }
    assert!(wire.ask(initialize("2025-06-18")).await["result"].is_object());
}

#[tokio::test]
async fn a_call_without_the_form_of_one_is_told_how_to_make_it() {
    let call = |params: Value| json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    let mut wire = Wire::open(Fake::person());
    wire.ask(initialize("2025-06-18")).await;
    for arguments in [json!([]), json!("{}"), json!(5), json!(true)] {
        let asked = call(json!({"name": "search", "arguments": arguments}));
        let over_stdio = wire.ask(asked.clone()).await;
        let request = post(&asked).header("mcp-protocol-version", "2025-06-18").header("authorization", "Bearer x");
        let (_, _, over_http) = answer(request, &asked).await;
        for answered in [over_stdio, over_http] {
            let result = &answered["result"];
            assert_eq!((&result["isError"], &answered["id"]), (&json!(true), &json!(2)), "{answered}");
            assert_eq!(result["structuredContent"]["error"]["code"], "invalid_request");
            assert!(result["content"][0]["text"].as_str().unwrap().contains("search({\"query\""), "{result}");
            assert!(result.get("resultType").is_none(), "{result}");
        }
    }
    let mut stateless_wire = Wire::open(Fake::person());
    let told = stateless_wire.ask(stateless(1, "tools/call", json!({"name": "schema", "arguments": []}))).await;
    assert_eq!((&told["result"]["isError"], &told["result"]["resultType"]), (&json!(true), &json!("complete")));
    for params in [json!({"name": "list_streams", "arguments": []}), json!({"arguments": {}})] {
        assert_eq!(wire.ask(call(params)).await["error"]["code"], -32_602);
    }
    let bare = wire.ask(json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call"})).await;
    assert_eq!(bare["error"]["code"], -32_602);
    let unknown = wire.ask(json!({"jsonrpc": "2.0", "id": 3, "method": "tools/uncall"})).await;
    assert_eq!(unknown["error"]["code"], -32_601);
}

/// Over HTTP the caller stands in the request; here its header decides.
struct PerRequest(Calls);

impl ReaderSource for PerRequest {
    type Reader = Fake;

    async fn reader(&self, context: &RequestContext<RoleServer>, _: &'static str) -> Result<Arc<Fake>, ApiError> {
        let parts = context.extensions.get::<http::request::Parts>().ok_or_else(ApiError::internal)?;
        if parts.headers.contains_key("authorization") {
            return Ok(Arc::new(Fake { calls: self.0.clone(), ..Fake::person() }));
        }
        Err(ApiError::new(ErrorCode::AuthenticationError, "Send a token."))
    }

    fn request_id(&self, _: &RequestContext<RoleServer>) -> String {
        "req_http".to_owned()
    }
}

fn post(message: &Value) -> http::request::Builder {
    let builder = Request::post("http://vitrine.example/mcp")
        .header("host", "vitrine.example")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-method", message["method"].as_str().unwrap());
    match message["params"]["name"].as_str() {
        Some(name) => builder.header("mcp-name", name),
        None => builder,
    }
}

async fn answer(request: http::request::Builder, body: &Value) -> (StatusCode, String, Value) {
    answer_to_text(request, body.to_string()).await
}

async fn answer_to_text(request: http::request::Builder, body: String) -> (StatusCode, String, Value) {
    let service = http_service(PerRequest(Calls::default()), ["vitrine.example".to_owned()], Vec::<String>::new());
    let response = service.handle(request.body(Full::new(Bytes::from(body))).unwrap()).await;
    let status = response.status();
    let kind = response.headers().get("content-type").map_or(String::new(), |v| v.to_str().unwrap().to_owned());
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, kind, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
}

#[tokio::test]
async fn what_is_no_message_is_an_error_of_the_protocol() {
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    for (body, code) in [
        ("{\"jsonrpc\":".to_owned(), -32_700),
        ("not json".to_owned(), -32_700),
        (String::new(), -32_700),
        ("7".to_owned(), -32_600),
        ("{}".to_owned(), -32_600),
        (json!({ "jsonrpc": "2.0", "id": { "a": 1 }, "method": "tools/list" }).to_string(), -32_600),
        (json!([]).to_string(), -32_600),
        (json!([list]).to_string(), -32_600),
    ] {
        let request = post(&list).header("mcp-protocol-version", "2025-06-18");
        let (status, kind, answer) = answer_to_text(request, body.clone()).await;
        assert_eq!((status, kind.as_str()), (StatusCode::BAD_REQUEST, "application/json"), "{body}");
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)), "{body}: {answer}");
    }
}

#[tokio::test]
async fn the_first_revision_takes_several_messages_in_one_body() {
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let call = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "schema", "arguments": {}}});
    let broken = json!({"jsonrpc": "2.0", "id": 7, "method": 7});
    let several = json!([call(1), told, {"jsonrpc": "2.0", "id": "two", "method": "ping"}, broken, call(3)]);
    let signed = || post(&call(1)).header("authorization", "Bearer x");
    for request in [signed(), signed().header("mcp-protocol-version", "2025-03-26")] {
        let (status, kind, answers) = answer(request, &several).await;
        assert_eq!((status, kind.as_str()), (StatusCode::OK, "application/json"), "{answers}");
        let ids: Vec<_> = answers.as_array().unwrap().iter().map(|answer| answer["id"].clone()).collect();
        assert_eq!(ids, [json!(1), json!("two"), json!(7), json!(3)]);
        for at in [0, 3] {
            assert_eq!(answers[at]["result"]["structuredContent"]["data"]["object"], "schema", "{answers}");
        }
        assert_eq!(answers[2]["error"]["code"], -32_600);
    }
    let (status, _, nothing) = answer(signed(), &json!([told, told])).await;
    assert_eq!((status, nothing), (StatusCode::ACCEPTED, Value::Null));
    let many: Vec<_> = (0..100).map(call).collect();
    let (status, _, refused) = answer(signed(), &json!(many)).await;
    assert_eq!((status, &refused["error"]["code"]), (StatusCode::BAD_REQUEST, &json!(-32_600)));
}

#[tokio::test]
async fn a_request_that_cannot_be_read_is_answered_under_its_id() {
    let mut wire = Wire::open(Fake::person());
    wire.ask(initialize("2025-06-18")).await;
    for (message, code) in [
        (json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": []}), -32_602),
        (json!({"jsonrpc": "2.0", "id": "nine", "method": "tools/list", "params": "x"}), -32_602),
        (json!({"jsonrpc": "2.0", "id": 9, "method": 7}), -32_600),
        (json!({"jsonrpc": "1.0", "id": 9, "method": "tools/list"}), -32_600),
        (json!({"id": 9, "method": "tools/list"}), -32_600),
    ] {
        let over_stdio = wire.ask(message.clone()).await;
        let request = post(&initialize("2025-06-18")).header("mcp-protocol-version", "2025-06-18");
        let (status, _, over_http) = answer(request, &message).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{message}");
        for answered in [over_stdio, over_http] {
            assert_eq!((&answered["id"], &answered["error"]["code"]), (&message["id"], &json!(code)), "{message}");
        }
    }
    // An error under the id of an answer would pass for the answer to a request of the client's own.
    let answered = wire.ask(json!({"jsonrpc": "2.0", "id": 9, "error": "no"})).await;
    assert_eq!((&answered["id"], &answered["error"]["code"]), (&Value::Null, &json!(-32_600)));
}

#[tokio::test]
async fn both_transports_offer_one_tool_set() {
    let host = Host::connect(Fake::person()).await;
    let list = stateless(1, "tools/list", json!({}));
    let (_, _, over_http) = answer(post(&list).header("mcp-protocol-version", "2026-07-28"), &list).await;
    assert_eq!(over_http["result"]["tools"], json!(host.tools));
}

#[tokio::test]
async fn http_answers_are_json_and_sessionless_in_every_revision() {
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let hello = initialize(revision);
        let (status, kind, body) = answer(post(&hello), &hello).await;
        assert_eq!((status, kind.as_str()), (StatusCode::OK, "application/json"));
        assert_eq!(body["result"]["protocolVersion"], revision);
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "search", "arguments": {"query": "zebra"}}});
        let request = post(&call).header("mcp-protocol-version", revision).header("authorization", "Bearer x");
        let (status, _, body) = answer(request, &call).await;
        assert_eq!(status, StatusCode::OK);
        assert_eq!(body["result"]["structuredContent"]["request_id"], "req_http");
    }
    let call = stateless(3, "tools/call", json!({"name": "schema", "arguments": {}}));
    let (status, _, body) = answer(post(&call).header("mcp-protocol-version", "2026-07-28"), &call).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(body["result"]["structuredContent"]["error"]["code"], "authentication_error", "no caller, no read");
}

#[tokio::test]
async fn whoever_accepts_anything_accepts_an_answer() {
    let hello = initialize("2025-06-18");
    for (accept, status) in [
        ("*/*", StatusCode::OK),
        ("text/html, */*;q=0.8", StatusCode::OK),
        ("application/*, text/*", StatusCode::OK),
        ("application/json", StatusCode::NOT_ACCEPTABLE),
        ("text/html", StatusCode::NOT_ACCEPTABLE),
    ] {
        let mut request = post(&hello);
        request.headers_mut().unwrap().insert("accept", accept.parse().unwrap());
        assert_eq!(answer(request, &hello).await.0, status, "{accept}");
    }
}

#[tokio::test]
async fn other_hosts_and_origins_are_refused() {
    let hello = initialize("2025-06-18");
    for (name, value) in [("host", "evil.example"), ("origin", "https://evil.example")] {
        let mut request = post(&hello);
        request.headers_mut().unwrap().insert(name, value.parse().unwrap());
        let (status, ..) = answer(request, &hello).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{name}");
    }
    let (status, ..) = answer(post(&hello), &json!({"method": "x".repeat(300_000)})).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}
