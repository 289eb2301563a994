//! The sample person, served by the real binary with a fiftieth of her everyday records.

use std::net::TcpListener;
use std::path::Path;

use serde_json::Value;

use crate::binary::Binary;
use crate::wire;

const ARGUMENTS: [&str; 6] = ["demo", "--listen", "127.0.0.1:0", "--scale", "2", "--json"];

fn text<'a>(ready: &'a Value, key: &str) -> &'a str {
    ready[key].as_str().unwrap_or_else(|| panic!("{key} in {ready}"))
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn one_line_tells_how_to_connect_and_nothing_is_left_behind() {
    let binary = Binary::new();
    let (mut served, ready) = binary.start(&ARGUMENTS);
    let keys: Vec<&String> = ready.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["url", "mcp_url", "access_token", "owner_token", "data_dir"]);
    assert_eq!(text(&ready, "mcp_url"), format!("{}/mcp", text(&ready, "url")));

    let (status, schema) = wire::request(served.address, "GET", "/v1/schema", text(&ready, "access_token"), "").await;
    assert_eq!((status, &schema["bearer"]["token_kind"]), (200, &"mcp_package".into()));
    assert_eq!(schema["connector_count"], 7);
    let (status, connections) =
        wire::request(served.address, "GET", "/v1/owner/connections", text(&ready, "owner_token"), "").await;
    assert_eq!((status, connections["data"].as_array().unwrap().len()), (200, 8));

    let directory = Path::new(text(&ready, "data_dir"));
    assert!(directory.exists() && directory != binary.data_dir());
    assert!(!binary.data_dir().join("vitrine.db").exists(), "the owner's own store is not touched");
    served.terminate();
    assert_eq!(served.wait(), Some(0));
    assert!(!directory.exists());
}

#[cfg(unix)]
#[test]
fn what_a_killed_demo_left_behind_goes_with_the_next() {
    let binary = Binary::new();
    let (mut killed, left) = binary.start(&ARGUMENTS);
    let (_running, used) = binary.start(&ARGUMENTS);
    killed.kill();
    let [left, used] = [&left, &used].map(|ready| Path::new(text(ready, "data_dir")).to_owned());
    let other = binary.data_dir().join("vitrine-demo-of-mine");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("vitrine.db"), "").unwrap();
    assert!(left.exists());
    let (_next, next) = binary.start(&ARGUMENTS);
    assert!(!left.exists(), "nobody uses it");
    assert!(used.join("vitrine.db").exists() && Path::new(text(&next, "data_dir")).exists());
    assert!(other.exists(), "one that others can look into is not a demo's");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_can_expand_filter_and_add_up() {
    let binary = Binary::new();
    let (served, ready) = binary.start(&ARGUMENTS);
    let token = text(&ready, "access_token");
    let get = async |path: &str| {
        let (status, body) = wire::request(served.address, "GET", path, token, "").await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    };
    let mails = "/v1/streams/messages/records?connection_id=gmail-personal&filter[thread_id]=thread-parcel-shop";
    let mails = get(&format!("{mails}&expand=attachments&order=asc")).await;
    let files = &mails["data"][1]["expanded"]["attachments"]["data"];
    assert_eq!(files[0]["data"]["filename"], "claim-form.pdf");
    let sum = "/v1/streams/transactions/aggregate?connection_id=bank-elbe&metric=sum&field=amount";
    let parcel = get(&format!("{sum}&filter[merchant]=Sternwarte+Optik")).await;
    assert_eq!(parcel["value"].as_f64(), Some(-289.0), "bought, refunded, paid again");
}

#[tokio::test(flavor = "multi_thread")]
async fn some_files_can_be_opened_and_the_others_are_not_there() {
    let binary = Binary::new();
    let (served, ready) = binary.start(&ARGUMENTS);
    let token = text(&ready, "access_token");
    let get = async |path: &str| wire::request(served.address, "GET", path, token, "").await;
    for (account, stream, filter, status) in [
        ("photos", "photos", "png", 200),
        ("photos", "photos", "jpg", 404),
        ("gmail-personal", "attachments", "pdf", 200),
        ("gmail-personal", "attachments", "jpg", 404),
    ] {
        let (_, page) = get(&format!("/v1/streams/{stream}/records?connection_id={account}&limit=100")).await;
        let named = |record: &&Value| record["data"]["filename"].as_str().unwrap().ends_with(filter);
        let record = page["data"].as_array().unwrap().iter().find(named).unwrap_or_else(|| panic!("no {filter}"));
        let id = record["data"]["blob_ref"]["blob_id"].as_str().unwrap();
        let (answered, body) = get(&format!("/v1/blobs/{id}?connection_id={account}")).await;
        assert_eq!(answered, status, "{account} {filter}: {body}");
        if status == 404 {
            assert_eq!(body["error"]["code"], "blob_not_found");
        }
    }
}

#[test]
fn a_taken_port_is_told() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ran = Binary::new().run(&["demo", "--listen", &address]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains(&format!("{address} is taken by another program")), "{ran:?}");
}
