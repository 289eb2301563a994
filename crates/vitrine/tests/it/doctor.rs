//! `vitrine doctor`, each time with one fault put in.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::{Value, json};

use crate::binary::{Home, Ran, fixture};

const PROGRAM: &str = env!("CARGO_BIN_EXE_vitrine");

/// A home with a store, one connection and one grant.
fn home() -> Home {
    let home = Home::new();
    home.json(&["source", "add", &fixture("gmail.json")]);
    home.json(&["connection", "add", "--source", "gmail", "--name", "Work", "--id", "cin_work"]);
    home.json(&["grant", "create", "--client", "Cursor"]);
    home
}

fn doctor(home: &Home, arguments: &[&str]) -> Ran {
    let cache = home.path("cache").display().to_string();
    let nowhere: &[&str] = if arguments.contains(&"--listen") { &[] } else { &["--listen", "127.0.0.1:1"] };
    home.run(&[&["doctor", "--json", "--cache-root", &cache], nowhere, arguments].concat())
}

/// The problems a check found, with what to do; the other checks found none.
fn findings(ran: &Ran, check: &str) -> Vec<String> {
    assert_eq!(ran.code, 1, "{ran:?}");
    let report = ran.json();
    assert_eq!(report["ok"], false);
    let mut found = Vec::new();
    for examined in report["checks"].as_array().unwrap() {
        for finding in examined["findings"].as_array().unwrap() {
            assert_eq!(examined["check"], check, "{report}");
            assert!(!finding["fix"].as_str().unwrap().is_empty());
            found.push(format!("{} {}", finding["problem"].as_str().unwrap(), finding["fix"].as_str().unwrap()));
        }
    }
    found
}

#[track_caller]
fn one(ran: &Ran, check: &str, words: &[&str]) {
    let found = findings(ran, check);
    assert_eq!(found.len(), 1, "{found:?}");
    for word in words {
        assert!(found[0].contains(word), "{word} in {found:?}");
    }
}

/// Something that answers every request with the same words.
fn another_program() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello");
        }
    });
    address
}

fn cursor(home: &Home, entry: &Value) {
    home.file(".cursor/mcp.json", &json!({ "mcpServers": { "vitrine": entry } }).to_string());
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn a_sound_machine_has_no_findings() {
    let home = home();
    home.json(&["setup", "cursor", "--write"]);
    let served = home.store().serve();
    let (listen, url) = (served.address.to_string(), format!("http://{}", served.address));
    let ran = doctor(&home, &["--listen", &listen, "--public-url", &url]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let report = ran.json();
    assert_eq!((&report["ok"], report["checks"].as_array().unwrap().len()), (&json!(true), 11));
    let words = home.run(&["doctor", "--listen", "127.0.0.1:1"]);
    assert!(words.code == 0 && words.stdout.lines().all(|line| line.starts_with("ok ")), "{words:?}");
}

#[test]
fn how_much_can_be_found_by_meaning_is_told() {
    let home = Home::new();
    let mail = "From a Mon Mar 09 08:15:02 2026\nMessage-ID: <1@b>\nSubject: Boiler\n\nIt broke down again.\n";
    std::fs::write(home.path("mail.mbox"), mail).unwrap();
    home.json(&["import", "mbox", &home.path("mail.mbox").display().to_string(), "--name", "Mail", "--yes"]);
    let ran = doctor(&home, &[]);
    let report = ran.json();
    let checks = report["checks"].as_array().unwrap();
    let told = checks.iter().find(|examined| examined["check"] == "search by meaning").unwrap();
    assert!(told["state"].as_str().unwrap().starts_with("0 of 2 texts were read"), "{told}");
    assert_eq!((ran.code, &told["findings"]), (0, &json!([])), "{report}");
}

#[test]
fn looking_makes_no_store() {
    let home = Home::new();
    one(&doctor(&home, &[]), "store", &["There is no store", "--data-dir"]);
    assert!(!home.store().data_dir().join("vitrine.db").exists());
}

#[test]
fn a_file_that_is_no_store_is_found() {
    let home = Home::new();
    home.store().file("vitrine.db", &"not a database ".repeat(100));
    one(&doctor(&home, &[]), "store", &["does not open", "not a Vitrine store", "backup"]);
}

#[test]
fn an_index_that_disagrees_with_its_records_is_found() {
    let home = home();
    let mail = home.store().file("mail.ndjson", &crate::fixtures::mail("m1", 1).to_string());
    home.json(&["ingest", "--connection", "cin_work", "--stream", "messages", &mail]);
    let database = rusqlite::Connection::open(home.store().data_dir().join("vitrine.db")).unwrap();
    assert_eq!(database.execute("UPDATE cell SET records = records + 1 WHERE records > 0", []).unwrap(), 1);
    one(&doctor(&home, &[]), "store", &["cells whose count is wrong: 1", "backup"]);
}

#[tokio::test]
async fn a_tampered_ledger_is_found() {
    let home = home();
    let token = text(&home.json(&["grant", "create", "--client", "Zed"])["access_token"]).to_owned();
    let served = home.store().serve();
    assert_eq!(crate::wire::request(served.address, "GET", "/v1/schema", &token, "").await.0, 200);
    drop(served);
    assert_eq!(doctor(&home, &[]).code, 0);
    let log = home.store().data_dir().join("ledger/00000001.log");
    let lines = fs::read_to_string(&log).unwrap();
    let edited = lines.replace("\"endpoint\":\"GET /v1/schema\"", "\"endpoint\":\"GET /v1/search\"");
    assert_ne!(lines, edited);
    fs::write(&log, edited).unwrap();
    one(&doctor(&home, &[]), "ledger", &["segment 1: line", "edited", "vitrine ledger verify", "backup"]);
}

#[test]
fn a_store_that_others_can_read_is_found() {
    let home = home();
    let file = home.store().data_dir().join("vitrine.db");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    one(&doctor(&home, &[]), "store", &["Others on this machine", "chmod 600"]);
}

#[test]
fn an_owner_credential_in_the_environment_is_found() {
    let home = home();
    for name in ["PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE"] {
        let mut command = home.command(&["doctor", "--json", "--listen", "127.0.0.1:1"]);
        let output = command.env(name, "vto_secret").output().unwrap();
        let report = String::from_utf8(output.stdout).unwrap();
        assert!(report.contains(name) && !report.contains("vto_secret"), "{report}");
        assert_eq!(output.status.code(), Some(1));
    }
    let look = |variables: &[(&str, &str)]| {
        let mut command = home.command(&["doctor", "--json", "--listen", "127.0.0.1:1"]);
        let output = command.envs(variables.iter().copied()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let both = look(&[("PDPP_OWNER_TOKEN", "a"), ("PDPP_OWNER_SESSION_COOKIE", "b")]);
    assert!(both.contains("PDPP_OWNER_TOKEN is set") && both.contains("PDPP_OWNER_SESSION_COOKIE is set"), "{both}");
    let token = home.store().owner_token();
    let other = look(&[("PDPP_ACCESS_TOKEN", &token)]);
    assert!(other.contains("PDPP_ACCESS_TOKEN holds") && !other.contains(&token), "{other}");
    let granted = home.json(&["grant", "create", "--client", "Zed"]);
    assert!(look(&[("PDPP_ACCESS_TOKEN", text(&granted["access_token"]))]).contains("\"ok\":true"));
}

#[test]
fn a_database_url_is_found() {
    let home = home();
    let ran = doctor(&home, &["--database-url", "postgres://nora:secret@db/records"]);
    one(&ran, "environment", &["embedded store only", "--database-url", "VITRINE_DATABASE_URL"]);
    assert!(!ran.stdout.contains("secret"), "{ran:?}");
}

#[test]
fn a_server_of_another_store_is_found() {
    let (here, other) = (home(), home());
    let served = other.store().serve();
    let listen = served.address.to_string();
    one(&doctor(&here, &["--listen", &listen]), "server", &[&listen, "another store", "vitrine serve --data-dir"]);
}

#[test]
fn an_address_that_no_server_takes_is_refused() {
    let home = home();
    for listen in ["nope", "127.0.0.1", "127.0.0.1:99999"] {
        let (looked, served) =
            (doctor(&home, &["--listen", listen]), home.run(&["serve", "--listen", listen, "--json"]));
        assert_eq!((looked.code, looked.stdout.as_str()), (78, ""), "{looked:?}");
        assert_eq!((served.code, &served.stderr), (78, &looked.stderr));
    }
}

#[test]
fn a_taken_port_is_found() {
    let home = home();
    let taken = another_program().to_string();
    one(&doctor(&home, &["--listen", &taken]), "server", &[&taken, "Another program", "--listen"]);
}

#[test]
fn a_public_address_that_does_not_work_is_found() {
    let home = home();
    let look = |url: &str| doctor(&home, &["--public-url", url]);
    one(&look("http://127.0.0.1:1"), "public address", &["cannot be reached", "proxy"]);
    one(&look("records.example.org"), "public address", &["not a web address"]);
    let other = another_program();
    one(&look(&format!("http://{other}")), "public address", &["not as Vitrine", "proxy"]);
    one(&look(&format!("https://{other}")), "public address", &["cannot be reached", "certificate"]);
    let open = findings(&look("http://0.0.0.0:1"), "public address");
    assert!(open.len() == 2 && open[0].contains("not https"), "{open:?}");
}

#[test]
fn discovery_documents_of_another_name_are_found() {
    let home = home();
    let served = home.store().serve();
    let url = format!("http://localhost:{}", served.address.port());
    let found = findings(&doctor(&home, &["--public-url", &url]), "public address");
    assert_eq!(found.len(), 4, "{found:?}");
    for finding in found {
        assert!(finding.contains(&format!("--public-url {url}")), "{finding}");
    }
}

#[test]
fn a_client_that_cannot_start_vitrine_is_found() {
    let home = home();
    let start = |command: &str, args: &[&str]| json!({ "command": command, "args": args });
    let copy = home.file("bin/vitrine-copy", "");
    let nowhere = home.path("nowhere").display().to_string();
    for (entry, words) in [
        (start("vitrine", &["mcp"]), ["`vitrine`", "do not search"]),
        (start("/opt/gone/vitrine", &["mcp"]), ["/opt/gone/vitrine", "not there"]),
        (start(copy.to_str().unwrap(), &["mcp"]), ["vitrine-copy", "another copy"]),
        (start(PROGRAM, &["mcp", "--data-dir", &nowhere]), ["nowhere", "no store"]),
        (start(PROGRAM, &["--data-dir", &nowhere, "mcp"]), ["nowhere", "no store"]),
        (start(PROGRAM, &["serve"]), ["other arguments", "`mcp`"]),
        (start(PROGRAM, &["mcp", "--grnat", "grt_1"]), ["other arguments", "`mcp`"]),
        (start(PROGRAM, &[]), ["other arguments", "`mcp`"]),
        (json!({ "command": PROGRAM }), ["other arguments", "`mcp`"]),
    ] {
        cursor(&home, &entry);
        one(&doctor(&home, &[]), "clients", &[words[0], words[1], "Cursor", "vitrine setup cursor --write"]);
    }
    let grant = home.json(&["grant", "create", "--client", "Zed"]);
    let id = text(&grant["grants"][0]["grant_id"]).to_owned();
    cursor(&home, &start(PROGRAM, &["mcp", "--grant", &id]));
    assert_eq!(doctor(&home, &[]).code, 0);
    home.json(&["grant", "revoke", &id]);
    one(&doctor(&home, &[]), "clients", &[&id, "--grant GRANT"]);
    home.file(".cursor/mcp.json", "{");
    one(&doctor(&home, &[]), "clients", &["Cursor", ".cursor/mcp.json", "not valid JSON"]);
    let link = home.path("bin/vitrine");
    symlink(PROGRAM, &link).unwrap();
    cursor(&home, &start(link.to_str().unwrap(), &["mcp"]));
    assert_eq!(doctor(&home, &[]).code, 0, "a link to this program is this program");
}

#[test]
fn a_client_that_calls_where_nobody_answers_is_found() {
    let home = home();
    cursor(&home, &json!({ "url": "http://127.0.0.1:1/mcp" }));
    let words = ["Cursor", "http://127.0.0.1:1/mcp", "nobody answers", "vitrine serve", "vitrine setup cursor --write"];
    one(&doctor(&home, &[]), "clients", &words);
    let served = home.store().serve();
    cursor(&home, &json!({ "url": format!("http://{}/mcp", served.address) }));
    assert_eq!(doctor(&home, &[]).code, 0);
}

#[test]
fn an_owner_credential_in_a_client_is_found() {
    let home = home();
    let served = home.store().serve();
    let (token, url) = (home.store().owner_token(), format!("http://{}/mcp", served.address));
    let start = |env: Value| json!({ "command": PROGRAM, "args": ["mcp"], "env": env });
    for (entry, word) in [
        (json!({ "url": url, "headers": { "Authorization": format!("Bearer {token}") } }), "token of the owner's"),
        (start(json!({ "PDPP_ACCESS_TOKEN": token })), "token of the owner's"),
        (start(json!({ "PDPP_OWNER_TOKEN": "anything" })), "PDPP_OWNER_TOKEN"),
        (start(json!({ "PDPP_OWNER_SESSION_COOKIE": "anything" })), "PDPP_OWNER_SESSION_COOKIE"),
    ] {
        cursor(&home, &entry);
        let ran = doctor(&home, &[]);
        one(&ran, "clients", &["Cursor", word, ".cursor/mcp.json", "vitrine setup cursor --write"]);
        assert!(!ran.stdout.contains(&token), "{ran:?}");
    }
    let granted = text(&home.json(&["grant", "create", "--client", "Zed"])["access_token"]).to_owned();
    cursor(&home, &json!({ "url": url, "headers": { "Authorization": format!("Bearer {granted}") } }));
    assert_eq!(doctor(&home, &[]).code, 0);
}

#[test]
fn several_grants_and_none_named_are_found() {
    let home = home();
    home.json(&["setup", "goose", "--write"]);
    assert_eq!(doctor(&home, &[]).code, 0);
    home.json(&["grant", "create", "--client", "Zed"]);
    one(&doctor(&home, &[]), "clients", &["Goose", "2 grants", "vitrine setup goose --write --grant"]);
    for grant in home.json(&["grant", "list"]).as_array().unwrap() {
        home.json(&["grant", "revoke", text(&grant["grant_id"])]);
    }
    one(&doctor(&home, &[]), "clients", &["Goose", "no grant", "vitrine grant create --client Goose"]);
}

#[test]
fn a_stale_tool_list_is_found() {
    let home = home();
    let directory = ".cursor/projects/home-nora/mcps/user-vitrine/tools";
    for tool in ["schema", "query_records", "aggregate", "search", "fetch"] {
        home.file(&format!("{directory}/{tool}.json"), "{}");
    }
    one(&doctor(&home, &[]), "tool lists", &["Cursor remembers", "user-vitrine", "off and on"]);
    home.file(&format!("{directory}/read_record_field.json"), "{}");
    assert_eq!(doctor(&home, &[]).code, 0);
}

#[test]
fn a_cached_credential_that_is_open_broken_or_ended_is_found() {
    let home = home();
    let keep = |credential: Value| {
        let kept =
            json!({ "provider_url": "https://a.example", "client": { "client_id": "c" }, "credential": credential });
        let file = home.file("cache/clients/a.example.json", &kept.to_string());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        file
    };
    let ended = json!({ "access_token": "tok_x", "expires_at": "2026-01-01T00:00:00Z" });
    keep(ended.clone());
    one(&doctor(&home, &[]), "cached credentials", &["has ended", "vitrine connect https://a.example"]);
    let mut renewable = ended;
    renewable["refresh_token"] = json!("ref_x");
    let file = keep(renewable);
    assert_eq!(doctor(&home, &[]).code, 0);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    one(&doctor(&home, &[]), "cached credentials", &["Others on this machine", "chmod 600"]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&file, "tok_x").unwrap();
    let ran = doctor(&home, &[]);
    one(&ran, "cached credentials", &["not a cached credential"]);
    assert!(!ran.stdout.contains("tok_x"));
}

#[test]
fn a_cached_credential_of_the_owner_is_found() {
    let home = home();
    let token = home.store().owner_token();
    for credential in [json!({ "access_token": "tok_x", "pdpp_token_kind": "owner" }), json!({ "access_token": token })]
    {
        let kept =
            json!({ "provider_url": "https://a.example", "client": { "client_id": "c" }, "credential": credential });
        let file = home.file("cache/clients/a.example.json", &kept.to_string());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let ran = doctor(&home, &[]);
        one(&ran, "cached credentials", &["a.example.json", "owner's", "Remove", "vitrine connect https://a.example"]);
        assert!(!ran.stdout.contains(&token) && !ran.stdout.contains("tok_x"), "{ran:?}");
    }
}
