use serde_json::json;

use crate::app::TestApp;
use crate::fixtures::attachment;

#[tokio::test]
async fn a_blob_is_read_through_its_record() {
    let app = TestApp::with_mail().await;
    for blob in ["shown", "loose"] {
        let path = format!("/v1/blobs/{blob}?connection_id=cin_work");
        let request = TestApp::request("PUT", &app.owner, &path).header("content-type", "text/html");
        assert_eq!(app.send(request.body("0123456789".into()).unwrap()).await.status, 200);
    }
    app.ingest("cin_work", "attachments", &[attachment("a1", "w1", "shown")]).await;
    let token = app.grant(json!({ "connections": ["cin_work"] })).await;
    let read = async |token: &str, method: &str, headers: &[(&str, &str)]| {
        let request = TestApp::request(method, token, "/v1/blobs/shown");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        app.send(request.body("".into()).unwrap()).await
    };

    let whole = read(&token, "GET", &[]).await;
    assert_eq!((whole.status, whole.body.as_slice()), (200, b"0123456789".as_slice()));
    for (name, value) in [
        ("content-type", "text/html"),
        ("content-disposition", "attachment"),
        ("x-content-type-options", "nosniff"),
        ("accept-ranges", "bytes"),
        ("content-length", "10"),
    ] {
        assert_eq!(whole.header(name), value, "{name}");
    }
    let etag = whole.header("etag").to_owned();
    let described = read(&token, "HEAD", &[("range", "bytes=0-1")]).await;
    assert_eq!((described.status, described.header("content-length"), described.body.len()), (200, "10", 0));
    assert_eq!(described.header("etag"), etag);

    for (range, bytes, content_range) in [
        ("bytes=2-4", "234", "bytes 2-4/10"),
        ("bytes=7-", "789", "bytes 7-9/10"),
        ("bytes=-2", "89", "bytes 8-9/10"),
        ("bytes=8-99", "89", "bytes 8-9/10"),
    ] {
        let part = read(&token, "GET", &[("range", range)]).await;
        assert_eq!((part.status, part.body.as_slice()), (206, bytes.as_bytes()), "{range}");
        assert_eq!(part.header("content-range"), content_range);
        assert_eq!(part.header("content-length"), bytes.len().to_string());
    }
    let beyond = read(&token, "GET", &[("range", "bytes=10-")]).await;
    assert_eq!((beyond.status, beyond.code().as_str()), (416, "range_not_satisfiable"));
    assert_eq!(beyond.header("content-range"), "bytes */10");
    assert_eq!(read(&token, "GET", &[("range", "bytes=0-1,4-5")]).await.status, 200, "several ranges are not served");
    assert_eq!(read(&token, "GET", &[("range", "bytes=0-1"), ("if-range", &etag)]).await.status, 206);
    assert_eq!(read(&token, "GET", &[("range", "bytes=0-1"), ("if-range", "\"other\"")]).await.status, 200);

    let without_content = json!([{ "name": "attachments", "fields": ["id", "filename"] }]);
    let narrow = app.grant(json!({ "connections": ["cin_work"], "streams": without_content })).await;
    let elsewhere = app.grant(json!({ "connections": ["cin_home"] })).await;
    for (token, blob) in [(&narrow, "shown"), (&elsewhere, "shown"), (&token, "loose"), (&token, "nope")] {
        for method in ["GET", "HEAD"] {
            let answer = app.call(method, token, &format!("/v1/blobs/{blob}")).await;
            assert_eq!(answer.status, 404, "{method} {blob}");
            assert!(method == "HEAD" || answer.code() == "blob_not_found");
        }
    }
}

#[tokio::test]
async fn two_blobs_of_one_name_are_told_apart() {
    let app = TestApp::with_mail().await;
    let put = async |connection: &str, blob: &str, bytes: &'static str| {
        let path = format!("/v1/blobs/{blob}?connection_id={connection}");
        let request = TestApp::request("PUT", &app.owner, &path).header("content-type", "text/plain");
        assert_eq!(app.send(request.body(bytes.into()).unwrap()).await.status, 200);
    };
    for (connection, message, bytes) in [("cin_work", "w1", "of work"), ("cin_home", "h1", "of home")] {
        put(connection, "same", "equal").await;
        put(connection, "other", bytes).await;
        let attached = [attachment("a1", message, "same"), attachment("a2", message, "other")];
        app.ingest(connection, "attachments", &attached).await;
    }
    let streams = json!([{ "name": "attachments" }]);
    let token = app.grant(json!({ "source": "gmail", "streams": streams })).await;
    assert_eq!(app.call("GET", &token, "/v1/blobs/same").await.body, b"equal");
    let asked = app.call("GET", &token, "/v1/blobs/other").await;
    assert_eq!((asked.status, asked.code().as_str()), (409, "ambiguous_connection"));
    assert_eq!(app.call("GET", &token, "/v1/blobs/other?connection_id=cin_home").await.body, b"of home");
}
