use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};
use vitrine_contract::read_api::Answer;
use vitrine_contract::request::ReadRequest;
use vitrine_contract::{ReadApi, route};
use vitrine_engine::clock::Random;
use vitrine_engine::{Caller, LocalRead};
use vitrine_store::Store;

use crate::app::{PUBLIC_URL, TestApp};
use crate::fixtures::attachment;

fn shown<T: Serialize>(answer: Answer<T>) -> Value {
    match answer {
        Ok(answer) => serde_json::to_value(answer).unwrap(),
        Err(error) => error.to_body(),
    }
}

async fn read_locally(reader: &LocalRead<Store>, path: &str) -> Value {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    match route::parse(path, query) {
        Err(error) => error.to_body(),
        Ok(ReadRequest::Schema(request)) => shown(reader.schema(&request).await),
        Ok(ReadRequest::Streams(request)) => shown(reader.streams(&request).await),
        Ok(ReadRequest::Stream(request)) => shown(reader.stream(&request).await),
        Ok(ReadRequest::Records(request)) => shown(reader.records(&request).await),
        Ok(ReadRequest::Record(request)) => shown(reader.record(&request).await),
        Ok(ReadRequest::FieldWindow(request)) => shown(reader.field_window(&request).await),
        Ok(ReadRequest::Aggregate(request)) => shown(reader.aggregate(&request).await),
        Ok(ReadRequest::Search(request)) => shown(reader.search(&request).await),
        Ok(ReadRequest::Blob(request)) => shown(reader.blob(&request).await.map(|blob| blob.info)),
    }
}

/// What differs between two answers to one question: seals and request ids.
fn settle(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("request_id");
            for name in ["next_cursor", "next_changes_since", "next"] {
                if map.get(name).is_some_and(Value::is_string) {
                    map.insert(name.to_owned(), "…".into());
                }
            }
            map.values_mut().for_each(settle);
        }
        Value::Array(values) => values.iter_mut().for_each(settle),
        _ => {}
    }
}

#[tokio::test]
async fn the_router_and_the_local_read_agree() {
    let app = TestApp::with_mail().await;
    app.ingest("cin_work", "attachments", &[attachment("a1", "w1", "b")]).await;
    let streams = json!([
        { "name": "messages", "fields": ["id", "subject", "body", "size", "sender", "received_at"],
          "time_range": { "since": "2026-03-01T00:00:00Z" } },
        { "name": "attachments" },
    ]);
    let one = app.grant(json!({ "source": "gmail", "streams": streams })).await;
    let package = app.grant(json!({ "package": true })).await;
    let store = Arc::new(Store::open(&app.directory().join("vitrine.db"), app.clock.clone(), &Random::System).unwrap());
    for token in [&one, &package, &app.owner] {
        let caller = Caller::from_token(&*store, token, app.clock.now()).await.unwrap();
        let reader = LocalRead::new(Arc::clone(&store), caller, app.clock.clone(), Random::System, PUBLIC_URL.into());
        for path in [
            "/v1/schema",
            "/v1/schema?view=compact",
            "/v1/schema?stream=messages&connection_id=cin_work",
            "/v1/streams",
            "/v1/streams/messages",
            "/v1/streams/nope",
            "/v1/streams/messages/records",
            "/v1/streams/messages/records?limit=2&order=asc&count=exact&fields=id,subject",
            "/v1/streams/messages/records?connection_id=cin_work&expand=attachments",
            "/v1/streams/messages/records?connection_id=cin_work&limit=1000&sort=-size&filter[size][gte]=2",
            "/v1/streams/messages/records?connection_id=cin_work&changes_since=beginning",
            "/v1/streams/messages/records?cursor=nope",
            "/v1/streams/messages/records?nope=1",
            "/v1/streams/messages/records/w1",
            "/v1/streams/messages/records/w1?connection_id=cin_work&expand=attachments",
            "/v1/streams/messages/records/nope?connection_id=cin_work",
            "/v1/streams/messages/records/w1/field-window?field=body&q=BODY&connection_id=cin_work",
            "/v1/streams/messages/records/w1/field-window?field=starred&connection_id=cin_work",
            "/v1/streams/messages/aggregate?metric=sum&field=size&group_by=sender&connection_id=cin_work",
            "/v1/streams/messages/aggregate?metric=count&group_by_time=received_at&granularity=month&time_zone=Asia/Tokyo",
            "/v1/search?q=body",
            "/v1/blobs/b",
            "/v1/nothing",
        ] {
            let (_, mut remote) = app.get(token, path).await;
            let mut local = read_locally(&reader, path).await;
            settle(&mut remote);
            settle(&mut local);
            assert_eq!(remote, local, "{path}");
        }
    }
}
