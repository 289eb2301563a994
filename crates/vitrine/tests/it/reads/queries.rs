use serde_json::json;

use super::RECORDS;
use crate::app::TestApp;
use crate::fixtures::{gmail, line, mail};

#[tokio::test]
async fn filters_compare_by_value_and_by_range() {
    let app = TestApp::with_mail().await;
    let mut odd = mail("odd", 10);
    odd["data"]["sender"] = "a&b=c, \"d\"".into();
    odd["data"]["starred"] = true.into();
    app.ingest("cin_work", "messages", &[odd]).await;
    let found = async |query: &str| app.ids(&app.owner, &format!("{RECORDS}?order=asc&{query}")).await;
    assert_eq!(found("filter[sender]=a%26b%3Dc,+%22d%22").await, ["odd"]);
    assert_eq!(found("filter[starred]=true").await, ["odd"]);
    assert_eq!(found("filter[size][gte]=2&filter[size][lt]=10").await, ["h1", "w2", "w3"]);
    assert_eq!(found("filter[received_at][gt]=2026-03-02T09:00:00Z").await, ["w3", "odd"]);
    assert_eq!(found("filter[received_at][lte]=2026-03-01T10:00:00%2B01:00").await, ["w1"]);
    assert_eq!(found("filter[sender]=ada@example.org&filter[size][gte]=3").await, ["w3"]);
    assert!(found("filter[sender]=nobody").await.is_empty());
    for (query, code) in [
        ("filter[size]=1", "invalid_filter"),
        ("filter[size][gt]=1", "invalid_filter"),
        ("filter[size][gte]=many", "invalid_filter"),
        ("filter[starred]=maybe", "invalid_filter"),
        ("filter[received_at][gte]=whenever", "invalid_filter"),
        ("filter[subject]=x", "invalid_filter"),
        ("filter[nope]=x", "unknown_field"),
        ("filter[]=x", "invalid_filter"),
    ] {
        assert_eq!(app.code(&app.owner, &format!("{RECORDS}?{query}")).await, code, "{query}");
    }
}

#[tokio::test]
async fn fields_and_views_narrow_the_data() {
    let app = TestApp::with_mail().await;
    let fields = async |query: &str| {
        let (_, page) = app.get(&app.owner, &format!("{RECORDS}?limit=1&{query}")).await;
        let data = page["data"][0]["data"].as_object().unwrap_or_else(|| panic!("{query}: {page}"));
        data.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(fields("fields=subject,size").await, ["subject", "size"]);
    assert_eq!(fields("fields=subject&fields=size").await, ["subject", "size"]);
    assert_eq!(fields("view=basic").await, ["id", "subject", "received_at"]);
    assert_eq!(fields("").await.len(), 8);
    assert_eq!(app.code(&app.owner, &format!("{RECORDS}?fields=id&view=basic")).await, "invalid_request");
    assert_eq!(app.code(&app.owner, &format!("{RECORDS}?fields=nope")).await, "unknown_field");
    assert_eq!(app.code(&app.owner, &format!("{RECORDS}?view=nope")).await, "invalid_request");
    assert_eq!(app.code(&app.owner, &format!("{RECORDS}?fields=")).await, "invalid_request");
}

#[tokio::test]
async fn only_declared_fields_sort() {
    let app = TestApp::start().await;
    app.source(&gmail()).await;
    app.connection("gmail", "cin_work").await;
    let sized = |id: &str, day: u32, size: u32| {
        let received = format!("2026-03-{day:02}T00:00:00Z");
        line(&json!({ "id": id, "size": size, "received_at": received }))
    };
    app.ingest("cin_work", "messages", &[sized("a", 1, 10), sized("b", 2, 9), sized("c", 3, 100)]).await;
    let sorted = async |sort: &str| app.ids(&app.owner, &format!("{RECORDS}?sort={sort}")).await;
    assert_eq!(sorted("-size").await, ["c", "a", "b"]);
    assert_eq!(sorted("%2Bsize").await, ["b", "a", "c"]);
    assert_eq!(sorted("-received_at").await, ["c", "b", "a"]);
    for field in ["subject", "-thread_id", "nope", "", "-"] {
        let code = app.code(&app.owner, &format!("{RECORDS}?sort={field}")).await;
        assert!(["invalid_sort", "unknown_field"].contains(&code.as_str()), "{field}: {code}");
    }
    assert_eq!(app.code(&app.owner, &format!("{RECORDS}?sort=subject")).await, "invalid_sort");
}

#[tokio::test]
async fn counts_are_exact_when_asked() {
    let app = TestApp::with_mail().await;
    for (query, expected) in
        [("", 4), ("&filter[size][gte]=2", 3), ("&connection_id=cin_home", 1), ("&filter[sender]=x", 0)]
    {
        let (_, page) = app.get(&app.owner, &format!("{RECORDS}?limit=1&count=exact{query}")).await;
        assert_eq!(page["meta"]["count"], json!({ "kind": "exact", "value": expected }), "{query}");
    }
    let (_, page) = app.get(&app.owner, RECORDS).await;
    assert_eq!(page["meta"]["count"], json!({ "kind": "none" }));
    let (_, page) = app.get(&app.owner, &format!("{RECORDS}?count=estimated")).await;
    assert_eq!(page["meta"]["count"]["kind"], "estimated");
}
