use std::sync::Arc;

use serde::Serialize;
use serde_json::json;
use vitrine::provider::{HttpRead, Options};
use vitrine_contract::read_api::Answer;
use vitrine_contract::request::{BlobRequest, ByteRange, ReadRequest, RecordsRequest};
use vitrine_contract::{List, ReadApi, route};
use vitrine_engine::clock::Random;
use vitrine_engine::{Caller, LocalRead};
use vitrine_store::Store;

use crate::app::{PUBLIC_URL, TestApp};
use crate::fixtures::{attachment, gone, label};

const READS: &[&str] = &[
    "/v1/schema",
    "/v1/schema?view=compact",
    "/v1/schema?stream=messages&connection_id=cin_work",
    "/v1/schema?stream=nope",
    "/v1/streams",
    "/v1/streams?connection_id=cin_home",
    "/v1/streams/messages",
    "/v1/streams/messages?connection_id=cin_work",
    "/v1/streams/nope",
    "/v1/streams/messages/records",
    "/v1/streams/messages/records?limit=2&order=asc&count=exact&fields=id,subject",
    "/v1/streams/messages/records?connection_id=cin_work&expand=attachments&expand_limit[attachments]=1",
    "/v1/streams/messages/records?connection_id=cin_work&limit=1000&sort=-size&filter[size][gte]=2",
    "/v1/streams/messages/records?connection_id=cin_work&view=basic&count=estimated",
    "/v1/streams/messages/records?connection_id=cin_work&filter[sender]=ada@example.org&sort=%2Bsize",
    "/v1/streams/labels/records?connection_id=cin_work&changes_since=beginning",
    "/v1/streams/attachments/records?connection_id=cin_work&expand=message",
    "/v1/streams/messages/records?connection_id=cin_work&expand=nope",
    "/v1/streams/messages/records?connection_id=cin_work&cursor=nope",
    "/v1/streams/messages/records?connection_id=cin_nope",
    "/v1/streams/messages/records/w1",
    "/v1/streams/messages/records/odd?connection_id=cin_work",
    "/v1/streams/messages/records/w1?connection_id=cin_work&expand=attachments",
    "/v1/streams/messages/records/nope?connection_id=cin_work",
    "/v1/streams/messages/records/w1/field-window?field=body&q=BODY&connection_id=cin_work",
    "/v1/streams/messages/records/w1/field-window?field=body&offset_chars=4&limit_chars=3&connection_id=cin_work",
    "/v1/streams/messages/records/w1/field-window?field=body&offset_chars=400&connection_id=cin_work",
    "/v1/streams/messages/records/odd/field-window?field=headers&connection_id=cin_work",
    "/v1/streams/messages/records/w1/field-window?field=starred&connection_id=cin_work",
    "/v1/streams/messages/records/nope/field-window?field=body&connection_id=cin_work",
    "/v1/streams/messages/aggregate?metric=count",
    "/v1/streams/messages/aggregate?metric=sum&field=size&group_by=sender&connection_id=cin_work",
    "/v1/streams/messages/aggregate?metric=min&field=size&filter[sender]=nobody&connection_id=cin_work",
    "/v1/streams/messages/aggregate?metric=count&group_by=sender&limit=1000&connection_id=cin_work",
    "/v1/streams/messages/aggregate?metric=count&group_by_time=received_at&granularity=month&time_zone=Asia/Tokyo",
    "/v1/search?q=body",
    "/v1/search/hybrid?q=body&streams=messages&limit=3",
];

/// An answer as its JSON text, or an error as its status and body.
fn shown<T: Serialize>(answer: Answer<T>) -> String {
    match answer {
        Ok(answer) => serde_json::to_string(&answer).unwrap(),
        Err(mut error) => {
            error.request_id = None;
            format!("{} {}", error.status, error.to_body())
        }
    }
}

/// A list without its seals, which are never the same twice.
fn unsealed<T, M>(mut list: List<T, M>) -> List<T, M> {
    for seal in [&mut list.next_cursor, &mut list.next_changes_since, &mut list.links.next].into_iter().flatten() {
        "…".clone_into(seal);
    }
    list
}

async fn read(reader: &impl ReadApi, request: &ReadRequest) -> String {
    match request {
        ReadRequest::Schema(request) => shown(reader.schema(request).await),
        ReadRequest::Streams(request) => shown(reader.streams(request).await.map(unsealed)),
        ReadRequest::Stream(request) => shown(reader.stream(request).await),
        ReadRequest::Records(request) => shown(reader.records(request).await.map(unsealed)),
        ReadRequest::Record(request) => shown(reader.record(request).await),
        ReadRequest::FieldWindow(request) => shown(reader.field_window(request).await),
        ReadRequest::Aggregate(request) => shown(reader.aggregate(request).await),
        ReadRequest::Search(request) => shown(reader.search(request).await.map(unsealed)),
        ReadRequest::Blob(request) => {
            let mut answer = reader.blob(request).await;
            match &mut answer {
                // Who refers to the bytes is for the ledger of whoever keeps them.
                Ok(blob) => blob.origin = None,
                Err(error) => error.request_id = None,
            }
            format!("{answer:?}")
        }
    }
}

async fn app_with_everything() -> TestApp {
    let app = TestApp::with_mail().await;
    app.ingest("cin_work", "labels", &[label("l1", "Inbox"), label("l2", "Done")]).await;
    app.ingest("cin_work", "labels", &[gone("l2")]).await;
    let odd = r#"{"key":"odd","emitted_at":"2026-03-01T00:00:00Z","data":{"id":"odd","received_at":"2026-03-04T00:00:00Z",
        "headers":{"a":1.10,"b":18446744073709551617,"c":1E5,"d":-0.0,"e":"é\n","f":[0.1,0.30000000000000004]}}}"#;
    app.ingest_text("cin_work", "messages", odd.replace('\n', "")).await;
    let blob = TestApp::request("PUT", &app.owner, "/v1/blobs/b?connection_id=cin_work");
    app.send(blob.header("content-type", "text/html").body("0123456789".into()).unwrap()).await;
    let attached: Vec<_> = ["a1", "a2", "a3"].iter().map(|id| attachment(id, "w1", "b")).collect();
    app.ingest("cin_work", "attachments", &attached).await;
    app
}

/// One caller's reads, over HTTP and in process.
struct Pair {
    far: HttpRead,
    near: LocalRead<Store>,
}

impl Pair {
    async fn of(app: &TestApp, base: &str, token: &str) -> Self {
        let store = Store::open(&app.directory().join("vitrine.db"), app.clock.clone(), &Random::System).unwrap();
        let caller = Caller::from_token(&store, token, app.clock.now()).await.unwrap();
        let near = LocalRead::new(Arc::new(store), caller, app.clock.clone(), Random::System, PUBLIC_URL.into());
        Self { far: HttpRead::new(base, token, Options::default()).unwrap(), near }
    }

    async fn agree_on(&self, request: &ReadRequest) {
        assert_eq!(read(&self.far, request).await, read(&self.near, request).await, "{request:?}");
    }
}

#[tokio::test]
async fn every_read_of_our_own_server_is_the_local_one_byte_for_byte() {
    let app = app_with_everything().await;
    let base = format!("http://{}", app.listen().await);
    let streams = json!([
        { "name": "messages", "fields": ["id", "subject", "body", "size", "sender", "headers", "received_at"],
          "time_range": { "since": "2026-03-01T00:00:00Z" } },
        { "name": "attachments" },
        { "name": "labels" },
    ]);
    let one = app.grant(json!({ "source": "gmail", "streams": streams })).await;
    let package = app.grant(json!({ "package": true })).await;
    for token in [&one, &package, &app.owner] {
        let pair = Pair::of(&app, &base, token).await;
        for url in READS {
            let (path, query) = url.split_once('?').unwrap_or((url, ""));
            pair.agree_on(&route::parse(path, query).unwrap()).await;
        }
        for range in [
            None,
            Some(ByteRange::From(2, Some(4))),
            Some(ByteRange::From(7, None)),
            Some(ByteRange::Last(3)),
            Some(ByteRange::Nothing),
        ] {
            for blob_id in ["b", "nope"] {
                // A description has no body to explain its absence with.
                if range == Some(ByteRange::Nothing) && blob_id == "nope" {
                    continue;
                }
                let request = BlobRequest { blob_id: blob_id.to_owned(), range, connection_id: None };
                pair.agree_on(&ReadRequest::Blob(request)).await;
            }
        }
    }
}

#[tokio::test]
async fn a_cursor_that_came_over_http_continues_everywhere() {
    let app = app_with_everything().await;
    let base = format!("http://{}/", app.listen().await);
    let token = app.grant(json!({ "source": "gmail" })).await;
    let pair = Pair::of(&app, &base, &token).await;
    assert_eq!(format!("{}/", pair.far.provider_url()), base);
    let mut request = RecordsRequest { stream: "messages".into(), limit: Some(2), ..Default::default() };
    let mut rows = 0;
    loop {
        // A preview is for readers in process: the provider is not asked for it.
        let asked = RecordsRequest { preview_chars: Some(1), ..request.clone() };
        let page = pair.far.records(&asked).await.unwrap();
        pair.agree_on(&ReadRequest::Records(request.clone())).await;
        assert!(page.resume.is_none() && page.data.iter().all(|row| row.cut.is_empty()));
        rows += page.data.len();
        match page.next_cursor {
            Some(cursor) => request.cursor = Some(cursor),
            None => break,
        }
    }
    assert_eq!(rows, 5);
}
