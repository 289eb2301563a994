use serde_json::json;

use super::RECORDS;
use crate::app::ids;
use crate::binary::Binary;
use crate::fixtures::mail;
use crate::wire;

fn with_mail() -> Binary {
    let binary = Binary::with_accounts();
    for (connection, id) in [("cin_work", "w"), ("cin_home", "h")] {
        let lines: Vec<String> = (1..=3).map(|day| mail(&format!("{id}{day}"), day).to_string()).collect();
        let file = binary.file("mail.ndjson", &lines.join("\n"));
        binary.json(&["ingest", "--connection", connection, "--stream", "messages", &file]);
    }
    binary
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_creates_and_shows_grants() {
    let binary = with_mail();
    let served = binary.serve();
    let given = binary.json(&[
        "grant",
        "create",
        "--client",
        "Desk",
        "--connection",
        "cin_work",
        "--stream",
        "messages:id,subject",
        "--since",
        "2026-03-02",
        "--until",
        "2026-03-03T00:00:00Z",
    ]);
    assert!(given.get("grant_package_id").is_none(), "{given}");
    assert_eq!(given["grants"][0]["connection_id"], "cin_work");
    assert_eq!(given["grants"][0]["connector_key"], "gmail");
    let (id, token) = (given["grants"][0]["grant_id"].as_str().unwrap(), given["access_token"].as_str().unwrap());
    let (_, page) = wire::request(served.address, "GET", RECORDS, token, "").await;
    assert_eq!(ids(&page), ["w2"]);
    let shown = binary.json(&["grant", "show", id]);
    assert_eq!(shown["streams"][0]["fields"], json!(["id", "received_at", "subject"]));
    assert_eq!(shown["streams"][0]["time_constraint"]["since"], "2026-03-02T00:00:00Z");
    let list = binary.json(&["grant", "list"]);
    assert_eq!(list[0]["grant_id"], json!(id));
    let told = [binary.run(&["grant", "list"]).stdout, binary.run(&["grant", "show", id]).stdout].concat();
    assert!(told.contains(id) && told.contains("Desk"), "{told}");
    for text in [list.to_string(), shown.to_string(), told] {
        assert!(!text.contains(token), "a token is shown only once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn several_connections_make_a_package() {
    let binary = with_mail();
    let served = binary.serve();
    let given =
        binary.json(&["grant", "create", "--client", "Desk", "--connection", "cin_work", "--connection", "cin_home"]);
    let package = given["grant_package_id"].as_str().unwrap();
    assert_eq!(given["grants"].as_array().map(Vec::len), Some(2));
    let token = given["access_token"].as_str().unwrap();
    for (connection, expected) in [("cin_work", ["w3", "w2", "w1"]), ("cin_home", ["h3", "h2", "h1"])] {
        let path = format!("{RECORDS}?connection_id={connection}");
        let (_, page) = wire::request(served.address, "GET", &path, token, "").await;
        assert_eq!(ids(&page), expected);
    }
    let shown = binary.json(&["grant", "show", package]);
    assert_eq!(shown["grants"].as_array().map(Vec::len), Some(2));
    binary.json(&["grant", "revoke", package]);
    let (_, body) = wire::request(served.address, "GET", "/v1/schema", token, "").await;
    assert_eq!(body["error"]["code"], "grant_revoked");
}
