use std::sync::Arc;

use serde_json::{Value, json};
use vitrine_contract::{ReadApi, ReadRequest, route};
use vitrine_engine::clock::Random;
use vitrine_engine::ledger::Via;
use vitrine_engine::{Caller, Ledgered, LocalRead};
use vitrine_store::Store;

use crate::app::{PUBLIC_URL, TestApp};
use crate::binary::Binary;
use crate::fixtures::{attachment, mail};

fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

#[tokio::test]
async fn every_door_enters_a_read_before_it_answers() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    assert_eq!(app.get(&token, "/v1/streams/messages/records/w1").await.0, 200);
    let fetched = app.mcp(&token, &call("fetch", &json!({ "id": "cin_work/messages:w2" }))).await.json();
    assert_eq!(fetched["result"]["isError"], false, "{fetched}");
    let entries = app.ledger("").await;
    assert_eq!(entries.len(), 2);
    let [rest, mcp] = [&entries[0], &entries[1]];
    assert_eq!((&rest["via"], &rest["tool"]), (&json!("rest"), &Value::Null));
    assert_eq!(rest["endpoint"], "GET /v1/streams/{stream}/records/{id}");
    assert_eq!((&mcp["via"], &mcp["tool"]), (&json!("mcp"), &json!("fetch")));
    assert_eq!(mcp["items"][0]["record_ids"], json!(["w2"]));
    for entry in &entries {
        assert_eq!((&entry["client_id"], &entry["at"]), (&json!("local:desk"), &json!("2026-06-01T00:00:00Z")));
        assert!(entry["items"][0]["grant_id"].as_str().unwrap().starts_with("grt_"), "{entry}");
    }

    let binary = Binary::with_accounts();
    let file = binary.file("mail.ndjson", &mail("m1", 1).to_string());
    binary.json(&["ingest", "--connection", "cin_work", "--stream", "messages", &file]);
    binary.json(&["grant", "create", "--client", "Agent", "--connection", "cin_work"]);
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let fetch = call("fetch", &json!({ "id": "cin_work/messages:m1" }));
    let ran = binary.run_with_input(&["mcp"], &format!("{hello}\n{ready}\n{fetch}\n"));
    assert!(ran.stdout.contains("The body of m1."), "{ran:?}");
    let entry = &binary.json(&["ledger"])["data"][0];
    assert_eq!((&entry["via"], &entry["tool"]), (&json!("stdio"), &json!("fetch")));
    assert_eq!((&entry["client_id"], &entry["items"][0]["record_ids"]), (&json!("local:agent"), &json!(["m1"])));
}

#[tokio::test]
async fn each_kind_of_read_is_entered_with_what_it_disclosed() {
    let app = TestApp::with_mail().await;
    app.ingest("cin_work", "attachments", &[attachment("a1", "w1", "b1")]).await;
    let put = TestApp::request("PUT", &app.owner, "/v1/blobs/b1?connection_id=cin_work");
    assert_eq!(app.send(put.body("0123456789".into()).unwrap()).await.status, 200);
    let streams = json!([{ "name": "messages", "fields": ["subject", "size", "sender"] }, { "name": "attachments" }]);
    let token = app.grant(json!({ "source": "gmail", "streams": streams })).await;
    let messages = "/v1/streams/messages";
    let item = |connection: &str, ids: &[&str], fields: &[&str]| json!({ "connection_id": connection, "stream": "messages", "record_ids": ids, "fields": fields });
    let bare = |connection: &str, stream: &str| json!({ "connection_id": connection, "stream": stream });
    let read = async |path: &str, expected: Value| {
        let (status, body) = app.get(&token, path).await;
        assert!([200, 404].contains(&status), "{path}: {body}");
        let mut expected = expected;
        expected["via"] = "rest".into();
        assert_eq!(app.last_entry().await, expected, "{path}");
    };
    let page = format!("{messages}/records?fields=id,subject&filter[size][gte]=2&connection_id=cin_work");
    let items = [item("cin_work", &["w3", "w2"], &["id", "subject"])];
    let (_, shown) = app.get(&token, &page).await;
    let data: usize = shown["data"].as_array().unwrap().iter().map(|row| row["data"].to_string().len()).sum();
    read(
        &page,
        json!({ "endpoint": "GET /v1/streams/{stream}/records", "items": items, "filtered_by": ["size"],
                "records": 2, "characters": data }),
    )
    .await;
    read(
        &format!("{messages}/records?filter[size][gte]=999&connection_id=cin_home"),
        json!({ "endpoint": "GET /v1/streams/{stream}/records", "items": [bare("cin_home", "messages")],
                "filtered_by": ["size"], "records": 0, "characters": 0 }),
    )
    .await;
    let one = format!("{messages}/records/w1?fields=id,subject&expand=attachments&connection_id=cin_work");
    let (_, shown) = app.get(&token, &one).await;
    let data = shown["data"].to_string().len() + shown["expanded"]["attachments"]["data"][0]["data"].to_string().len();
    read(
        &one,
        json!({ "endpoint": "GET /v1/streams/{stream}/records/{id}",
                "items": [item("cin_work", &["w1"], &["id", "subject"]),
                          { "connection_id": "cin_work", "stream": "attachments", "record_ids": ["a1"],
                            "fields": ["id", "message_id", "filename", "content"] }],
                "records": 2, "characters": data }),
    )
    .await;
    read(
        &format!("{messages}/records/h1/field-window?field=subject&offset_chars=1&limit_chars=4"),
        json!({ "endpoint": "GET /v1/streams/{stream}/records/{id}/field-window",
                "items": [item("cin_home", &["h1"], &["subject"])], "records": 1, "characters": 4 }),
    )
    .await;
    read(
        &format!("{messages}/records/h1/field-window?field=subject&q=absent&connection_id=cin_home"),
        json!({ "endpoint": "GET /v1/streams/{stream}/records/{id}/field-window", "outcome": "match_not_found",
                "items": [item("cin_home", &["h1"], &["subject"])], "records": 1, "characters": 0 }),
    )
    .await;
    let both = |fields: &[&str]| {
        ["cin_home", "cin_work"].map(|id| json!({ "connection_id": id, "stream": "messages", "fields": fields }))
    };
    read(
        &format!("{messages}/aggregate?metric=sum&field=size&group_by=sender"),
        json!({ "endpoint": "GET /v1/streams/{stream}/aggregate", "items": both(&["size", "sender"]),
                "records": 0, "characters": "ada@example.org".len() + "8".len() }),
    )
    .await;
    let all = ["attachments", "messages"].map(|stream| ["cin_home", "cin_work"].map(|id| bare(id, stream)));
    let sorted = |mut items: Vec<Value>| {
        items.sort_by_key(ToString::to_string);
        items
    };
    for (path, endpoint) in [
        ("/v1/schema", "GET /v1/schema"),
        ("/v1/schema?view=compact", "GET /v1/schema"),
        ("/v1/streams", "GET /v1/streams"),
    ] {
        assert_eq!(app.get(&token, path).await.0, 200);
        let entry = app.last_entry().await;
        assert_eq!(entry["endpoint"], endpoint);
        assert_eq!(sorted(entry["items"].as_array().unwrap().clone()), sorted(all.as_flattened().to_vec()), "{path}");
    }
    assert_eq!(app.call("GET", &token, "/v1/blobs/b1").await.body, b"0123456789");
    let entry = app.last_entry().await;
    assert_eq!((&entry["bytes"], &entry["records"]), (&json!(10), &json!(1)));
    let content = json!([{ "connection_id": "cin_work", "stream": "attachments", "record_ids": ["a1"],
                           "fields": ["content"], "blob_id": "b1" }]);
    assert_eq!(entry["items"], content);
}

#[tokio::test]
async fn a_package_entry_names_the_member_grants() {
    let app = TestApp::with_mail().await;
    let issued = app.post(&app.owner, "/v1/owner/grants", &json!({ "client_name": "Desk", "package": true })).await;
    let issued = issued.json();
    let token = issued["access_token"].as_str().unwrap();
    app.get(token, "/v1/schema").await;
    let entry = app.ledger("").await.pop().unwrap();
    assert_eq!(entry["grant_package_id"], issued["grant_package_id"]);
    for grant in issued["grants"].as_array().unwrap() {
        let items = entry["items"].as_array().unwrap();
        let mut covered = items.iter().filter(|item| item["connection_id"] == grant["connection_id"]);
        assert!(covered.all(|item| item["grant_id"] == grant["grant_id"]), "{entry}");
        let query = format!("grant_id={}", grant["grant_id"].as_str().unwrap());
        assert_eq!(app.ledger(&query).await.len(), 1);
    }
    let query = format!("grant_id={}", issued["grant_package_id"].as_str().unwrap());
    assert_eq!(app.ledger(&query).await.len(), 1);
}

#[tokio::test]
async fn what_the_owner_reads_is_not_entered() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    for (token, path) in [
        (&app.owner, "/v1/streams/messages/records"),
        (&app.owner, "/v1/schema"),
        (&token, "/v1/streams/messages/records/none"),
        (&token, "/v1/streams/none/records"),
        (&token, "/v1/streams/messages/records?limit=0"),
    ] {
        app.get(token, path).await;
    }
    assert_eq!(app.ledger("").await, Vec::<Value>::new());
    assert_eq!(app.code(&token, "/v1/owner/ledger").await, "owner_token_required");
    assert_eq!(
        app.code(&token, "/v1/streams/messages/records/w1/field-window?field=body&q=zzz").await,
        "match_not_found"
    );
    assert_eq!(app.ledger("record_id=w1").await.len(), 1);
}

#[tokio::test]
async fn an_answer_that_cannot_be_entered_is_not_given() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    std::fs::write(app.directory().join("ledger"), "in the way").unwrap();
    let refused = app.call("GET", &token, "/v1/streams/messages/records").await;
    assert_eq!((refused.status, refused.code().as_str()), (500, "api_error"));
    assert!(!String::from_utf8_lossy(&refused.body).contains("Subject"));
    let refused = app.mcp(&token, &call("fetch", &json!({ "id": "cin_work/messages:w1" }))).await.json();
    assert_eq!(refused["result"]["structuredContent"]["error"]["code"], "api_error", "{refused}");
    assert_eq!(app.get(&app.owner, "/v1/streams/messages/records").await.0, 200);
    std::fs::remove_file(app.directory().join("ledger")).unwrap();
    assert_eq!(app.get(&token, "/v1/streams/messages/records").await.0, 200);
}

#[tokio::test]
async fn the_ledger_holds_no_record_content() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    for path in [
        "/v1/streams/messages/records",
        "/v1/streams/messages/records?filter[sender]=ada@example.org",
        "/v1/streams/messages/records/w1/field-window?field=body&q=body",
        "/v1/streams/messages/aggregate?metric=count&group_by=sender",
    ] {
        assert_eq!(app.get(&token, path).await.0, 200, "{path}");
    }
    app.call("DELETE", &app.owner, "/v1/streams/messages/records/w1?connection_id=cin_work").await;
    assert!(app.ledger("record_id=w1").await.len() >= 2);
    for file in std::fs::read_dir(app.directory().join("ledger")).unwrap() {
        let text = String::from_utf8_lossy(&std::fs::read(file.unwrap().path()).unwrap()).into_owned();
        for content in ["Subject", "The body", "ada@"] {
            assert!(!text.contains(content), "{content} in {text}");
        }
    }
}

#[tokio::test]
async fn the_ledger_changes_no_answer() {
    let app = TestApp::with_mail().await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    let store = Arc::new(Store::open(&app.directory().join("vitrine.db"), app.clock.clone(), &Random::System).unwrap());
    let caller = Caller::from_token(&*store, &token, app.clock.now()).await.unwrap();
    let read =
        || LocalRead::new(Arc::clone(&store), caller.clone(), app.clock.clone(), Random::System, PUBLIC_URL.into());
    let (without, with) = (read(), Ledgered::new(read(), Via::Rest));
    for path in [
        "/v1/schema",
        "/v1/streams",
        "/v1/streams/messages",
        "/v1/streams/messages/records?limit=3",
        "/v1/streams/messages/records/w2",
        "/v1/streams/messages/records/none",
        "/v1/streams/messages/records/w1/field-window?field=body",
        "/v1/streams/messages/aggregate?metric=count&group_by=sender",
        "/v1/search?q=body",
    ] {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let request = route::parse(path, query).unwrap();
        assert_eq!(bytes(&without, &request).await, bytes(&with, &request).await, "{path}");
    }
    assert!(app.ledger("").await.len() >= 7);
}

async fn bytes(reader: &impl ReadApi, request: &ReadRequest) -> String {
    macro_rules! told {
        ($answer:expr) => {
            $answer.await.map_or_else(|e| e.to_body().to_string(), |a| serde_json::to_string(&a).unwrap())
        };
    }
    match request {
        ReadRequest::Schema(request) => told!(reader.schema(request)),
        ReadRequest::Streams(request) => told!(reader.streams(request)),
        ReadRequest::Stream(request) => told!(reader.stream(request)),
        ReadRequest::Records(request) => told!(reader.records(request)),
        ReadRequest::Record(request) => told!(reader.record(request)),
        ReadRequest::FieldWindow(request) => told!(reader.field_window(request)),
        ReadRequest::Aggregate(request) => told!(reader.aggregate(request)),
        ReadRequest::Search(request) => told!(reader.search(request)),
        ReadRequest::Blob(request) => format!("{:?}", reader.blob(request).await),
    }
}
