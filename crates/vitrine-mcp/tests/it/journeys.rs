//! Two hostile hosts, one that shows the model only `content[]`, one only `structuredContent`, through
//! whole journeys. Each acts on what it sees and nothing else.

use serde_json::{Value, json};

use crate::fake::Fake;
use crate::host::{Host, Outcome, args, none, quoted_after, written_call};

/// What a host lets its model see.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sees {
    Content,
    Structured,
}

const HOSTS: [Sees; 2] = [Sees::Content, Sees::Structured];

impl Sees {
    fn pick<T>(self, outcome: &Outcome, text: impl Fn(&str) -> T, structured: impl Fn(&Value) -> T) -> T {
        match self {
            Sees::Content => text(&outcome.text),
            Sees::Structured => structured(&outcome.structured),
        }
    }

    fn next_cursor(self, page: &Outcome) -> Option<String> {
        self.pick(
            page,
            |text| quoted_after(text, "next_cursor:"),
            |data| data["data"]["next_cursor"].as_str().map(str::to_owned),
        )
    }

    fn bookmark(self, page: &Outcome) -> Option<String> {
        self.pick(
            page,
            |text| quoted_after(text, "next_changes_since:"),
            |data| data["data"]["next_changes_since"].as_str().map(str::to_owned),
        )
    }

    /// The ids of a page, made of its parts where only those are shown.
    fn ids(self, page: &Outcome) -> Vec<String> {
        self.pick(
            page,
            |text| {
                text.lines().filter(|line| line.starts_with("- ")).filter_map(|line| quoted_after(line, "- ")).collect()
            },
            |data| {
                let rows = data["data"]["data"].as_array().unwrap();
                let part = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
                rows.iter()
                    .map(|row| format!("{}/{}:{}", part(row, "connection_id"), part(row, "stream"), part(row, "id")))
                    .collect()
            },
        )
    }
}

async fn page_to_the_end(host: &Host, sees: Sees, mut arguments: Value) -> (Vec<String>, Option<String>) {
    let mut ids = Vec::new();
    loop {
        let page = host.ok("query_records", arguments.clone()).await;
        ids.extend(sees.ids(&page));
        match sees.next_cursor(&page) {
            Some(cursor) => arguments["cursor"] = json!(cursor),
            None => return (ids, sees.bookmark(&page)),
        }
    }
}

#[tokio::test]
async fn discover_choose_filter_and_page_to_the_end() {
    for sees in HOSTS {
        let host = Host::connect(Fake::person()).await;
        let index = host.ok("schema", none()).await;
        assert!(sees.pick(
            &index,
            |text| text.contains("messages") && text.contains("cin_work"),
            |data| { data.to_string().contains("messages") && data.to_string().contains("cin_work") }
        ));
        let (ids, _) =
            page_to_the_end(&host, sees, json!({"stream": "messages", "connection_id": "cin_work", "limit": 7})).await;
        let expected: Vec<String> =
            (0..40).map(|n| format!("cin_work/messages:w{n:02}")).chain(["cin_work/messages:long".into()]).collect();
        assert_eq!(ids, expected, "nothing skipped, nothing repeated");
        let filter = json!({"received_at": {"gte": "2026-01-10", "lt": "2026-01-12"}});
        let (ids, _) =
            page_to_the_end(&host, sees, json!({"stream": "messages", "connection_id": "cin_work", "filter": filter}))
                .await;
        assert_eq!(ids.len(), 4);
    }
}

#[tokio::test]
async fn pages_that_do_not_fit_lose_nothing() {
    for sees in HOSTS {
        for foreign in [false, true] {
            let rows =
                (0..60).map(|n| json!({"id": n, "body": format!("{n} ").repeat(3_000), "other": "字".repeat(300 + n)}));
            let host = Host::connect(Fake { foreign, ..Fake::single(rows.collect()) }).await;
            let (ids, _) = page_to_the_end(&host, sees, json!({"stream": "things", "limit": 100})).await;
            let expected: Vec<String> = (0..60).map(|n| format!("cin_one/things:t{n:03}")).collect();
            assert_eq!(ids, expected);
        }
    }
}

#[tokio::test]
async fn every_hit_is_reached_by_paging() {
    for sees in HOSTS {
        for foreign in [false, true] {
            let host = Host::connect(Fake { foreign, ..Fake::person() }).await;
            let mut arguments = json!({"query": "report", "limit": 30});
            let mut seen = Vec::new();
            loop {
                let page = host.ok("search", arguments.clone()).await;
                seen.extend(sees.pick(
                    &page,
                    |text| text.lines().filter_map(|line| quoted_after(line, " id ")).collect::<Vec<_>>(),
                    |data| {
                        data["results"]
                            .as_array()
                            .unwrap()
                            .iter()
                            .map(|hit| hit["id"].as_str().unwrap().to_owned())
                            .collect()
                    },
                ));
                match sees.next_cursor(&page) {
                    Some(cursor) => arguments["cursor"] = json!(cursor),
                    None => break,
                }
            }
            assert_eq!(seen, (0..40).map(|n| format!("cin_work/messages:w{n:02}")).collect::<Vec<_>>());
        }
    }
}

#[tokio::test]
async fn from_evidence_to_the_end_of_a_long_field() {
    for sees in HOSTS {
        let host = Host::connect(Fake::person()).await;
        let hits = host.ok("search", json!({"query": "zebra", "connection_id": "cin_work"})).await;
        let mut call = sees.pick(
            &hits,
            |text| written_call(text, "read_record_field").unwrap(),
            |data| args(&data["content_ladder"]["records"][0]["field_windows"][0]["read"]).1,
        );
        let mut read = String::new();
        loop {
            let window = host.ok("read_record_field", call.clone()).await;
            read += &sees.pick(
                &window,
                |text| serde_json::from_str::<String>(text.lines().last().unwrap()).unwrap(),
                |data| data["window"]["text"].as_str().unwrap().to_owned(),
            );
            let next = sees.pick(
                &window,
                |text| text.find("next: ").and_then(|at| written_call(&text[at..], "read_record_field")),
                |data| {
                    let cursor = data["window"]["next_cursor"].as_str()?;
                    Some(json!({"id": data["record"]["id"], "field_path": data["field"]["path"], "cursor": cursor}))
                },
            );
            let Some(next) = next else { break };
            call = next;
        }
        let rows = Fake::person().rows;
        let body = rows.iter().find(|row| row.id == "long").unwrap().data["body"].as_str().unwrap().to_owned();
        assert!(read.contains("zebra") && body.ends_with(&read));
    }
}

#[tokio::test]
async fn search_then_fetch_then_aggregate() {
    for sees in HOSTS {
        let host = Host::connect(Fake::person()).await;
        let hits = host.ok("search", json!({"query": "Dinner"})).await;
        let id = sees.pick(
            &hits,
            |text| quoted_after(text, " id ").unwrap(),
            |data| data["results"][0]["id"].as_str().unwrap().to_owned(),
        );
        let document = host.ok("fetch", json!({"id": id})).await;
        let document: Value = sees.pick(&document, |text| serde_json::from_str(text).unwrap(), Value::clone);
        assert_eq!(document["text"], "Dear all, number 0 is attached.");
        let connection_id = document["metadata"]["connection_id"].clone();
        let arguments =
            json!({"stream": "messages", "metric": "count", "group_by": "sender", "connection_id": connection_id});
        let groups = host.ok("aggregate", arguments).await;
        assert!(sees.pick(
            &groups,
            |text| text.contains("- \"mum@home.example\": 3"),
            |data| { data["data"]["groups"][0] == json!({"key": "mum@home.example", "count": 3}) }
        ));
    }
}

#[tokio::test]
async fn an_ambiguous_connection_is_resolved() {
    for sees in HOSTS {
        let host = Host::connect(Fake::person()).await;
        let refused = host.call("query_records", json!({"stream": "notes"})).await;
        let connection_id = sees.pick(
            &refused,
            |text| quoted_after(text, "- connection_id").unwrap(),
            |data| data["error"]["available_connections"][0]["connection_id"].as_str().unwrap().to_owned(),
        );
        let page = host.ok("query_records", json!({"stream": "notes", "connection_id": connection_id})).await;
        assert_eq!(sees.ids(&page), ["cin_notes/notes:n1"]);
        let refused = host.call("schema", json!({"stream": "messages", "detail": "full"})).await;
        let connection_id = sees.pick(
            &refused,
            |text| quoted_after(text, "- connection_id").unwrap(),
            |data| data["error"]["available_connections"][0]["connection_id"].as_str().unwrap().to_owned(),
        );
        host.ok("schema", json!({"stream": "messages", "detail": "full", "connection_id": connection_id})).await;
    }
}

#[tokio::test]
async fn changes_are_followed_from_the_beginning() {
    for sees in HOSTS {
        for foreign in [false, true] {
            let mut fake = Fake { foreign, ..Fake::person() };
            fake.rows.iter_mut().filter(|row| row.id == "w03").for_each(|row| row.deleted = true);
            let host = Host::connect(fake).await;
            let arguments = json!({"stream": "messages", "connection_id": "cin_work", "changes_since": "beginning"});
            let (ids, bookmark) = page_to_the_end(&host, sees, arguments).await;
            assert_eq!(ids.len(), 41);
            let again = json!({"stream": "messages", "connection_id": "cin_work", "changes_since": bookmark.unwrap()});
            let (ids, bookmark) = page_to_the_end(&host, sees, again).await;
            assert!(ids.is_empty() && bookmark.is_some());
        }
    }
}

#[tokio::test]
async fn a_deletion_is_told_in_both_channels() {
    let mut fake = Fake::person();
    fake.rows.iter_mut().for_each(|row| row.deleted = row.id == "h01");
    let host = Host::connect(fake).await;
    let arguments = json!({"stream": "messages", "connection_id": "cin_home", "changes_since": "beginning"});
    let page = host.ok("query_records", arguments).await;
    assert!(page.text.contains("- \"cin_home/messages:h01\" deleted \"2026-05-02T00:00:00Z\""));
    let row = &page.structured["data"]["data"][1];
    assert_eq!((&row["deleted"], row.get("data")), (&json!(true), None));
}

#[tokio::test]
async fn a_shortened_page_of_changes_keeps_the_bookmark_of_its_session() {
    let host = Host::connect(Fake::person()).await;
    let changes =
        json!({"stream": "messages", "connection_id": "cin_work", "changes_since": "beginning", "limit": 100});
    let page = host.ok("query_records", changes).await;
    assert_eq!(page.structured["data"]["has_more"], true, "it does not fit: {}", page.text);
    assert_eq!(page.structured["data"]["next_changes_since"], "at:41");
    assert_eq!(quoted_after(&page.text, "next_changes_since:").as_deref(), Some("at:41"));
    assert!(page.text.contains("(once has_more is false, pass as changes_since next time)"));
}

#[tokio::test]
async fn each_kind_of_error_can_be_recovered_from() {
    for sees in HOSTS {
        let host = Host::connect(Fake::person()).await;
        for (tool, arguments) in [
            ("query_records", json!({"stream": "messages", "connection_id": "cin_work", "cursor": "forged"})),
            ("query_records", json!({"stream": "messages", "filter": "a=1"})),
            ("read_record_field", json!({"id": "cin_notes/notes:n1", "field_path": "nope"})),
            ("read_record_field", json!({"id": "cin_notes/notes:n1", "field_path": "title"})),
            ("read_record_field", json!({"id": "cin_notes/notes:n1", "field_path": "text", "q": "giraffe"})),
            ("fetch", json!({"id": "cin_notes/notes:gone"})),
        ] {
            let failed = host.call(tool, arguments).await;
            assert!(failed.is_error);
            let step = sees.pick(
                &failed,
                |text| text.lines().find_map(|line| line.strip_prefix("next step: ")).map(str::to_owned),
                |data| data["error"]["next_step"].as_str().map(str::to_owned),
            );
            assert!(step.is_some_and(|step| step.len() > 10), "{}", failed.text);
        }
    }
}
