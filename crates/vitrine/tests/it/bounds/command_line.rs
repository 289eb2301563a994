use serde_json::Value;

use crate::binary::{Binary, fixture};
use crate::fixtures::mail;

#[test]
fn machine_output_is_one_json_value() {
    let binary = Binary::new();
    let lines = binary.file("mail.ndjson", &mail("w1", 1).to_string());
    let gmail = fixture("gmail.json");
    for command in [
        &["source", "add", &gmail][..],
        &["source", "list"],
        &["connection", "add", "--source", "gmail", "--name", "Work", "--id", "cin_work"],
        &["connection", "rename", "cin_work", "Work Gmail"],
        &["connection", "list"],
        &["ingest", "--connection", "cin_work", "--stream", "messages", &lines],
        &["grant", "create", "--client", "Desk"],
        &["grant", "list"],
        &["owner", "token"],
        &["connection", "remove", "cin_work"],
    ] {
        let value = binary.json(command);
        assert!(!value.is_null(), "{command:?}");
    }
    let failed = binary.run(&["grant", "show", "nope", "--json"]);
    assert_eq!((failed.code, failed.stdout.as_str()), (1, ""));
    let error: Value = serde_json::from_str(&failed.stderr).unwrap();
    assert_eq!(error["error"]["code"], "not_found");
    let misused = binary.run(&["grant", "nope", "--json"]);
    let error: Value = serde_json::from_str(&misused.stderr).unwrap();
    assert_eq!((misused.code, &error["error"]["code"]), (64, &Value::from("usage")));
}

#[test]
fn exit_codes_tell_who_can_help() {
    let binary = Binary::with_accounts();
    let nonsense = binary.file("nonsense.json", "{");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().map(|address| (taken, address.to_string())).unwrap();
    let half = binary.file("half.ndjson", &format!("{}\n{{\n", mail("w1", 1)));
    for (code, command) in [
        (0, &["--help"][..]),
        (0, &["--version"]),
        (0, &["grant", "create", "--help"]),
        (64, &[]),
        (64, &["nope"]),
        (64, &["serve", "--nope"]),
        (64, &["connection", "add", "--source", "gmail"]),
        (64, &["grant", "create", "--client", "Desk", "--since", "yesterday"]),
        (64, &["grant", "create", "--client", "Desk", "--since", "2026-03-02", "--until", "2026-03-01"]),
        (64, &["grant", "create", "--client", "Desk", "--stream", "messages:"]),
        (78, &["--database-url", "postgres://localhost/vitrine", "source", "list"]),
        (78, &["--data-dir", "/dev/null/nowhere", "source", "list"]),
        (78, &["serve", "--listen", "nonsense"]),
        (78, &["demo", "--listen", "nonsense"]),
        (78, &["doctor", "--listen", "nonsense"]),
        (78, &["connect", "nonsense"]),
        (78, &["mcp", "--provider-url", "nonsense"]),
        (78, &["setup", "zed", "--url", "nonsense"]),
        (78, &["serve", "--listen", "127.0.0.1:0", "--public-url", "nonsense"]),
        (1, &["serve", "--listen", &taken.1]),
        (1, &["demo", "--listen", &taken.1]),
        (1, &["source", "add", "/does/not/exist.json"]),
        (1, &["source", "add", &nonsense]),
        (1, &["connection", "add", "--source", "nope", "--name", "X"]),
        (1, &["connection", "rename", "nope", "X"]),
        (1, &["connection", "remove", "nope"]),
        (1, &["grant", "revoke", "nope"]),
        (1, &["grant", "create", "--client", "Desk", "--connection", "nope"]),
        (1, &["ingest", "--connection", "cin_work", "--stream", "messages", &half]),
        (1, &["ingest", "--connection", "nope", "--stream", "messages", &half]),
        (1, &["ingest", "--connection", "cin_work", "--stream", "nope", &half]),
    ] {
        let ran = binary.run(command);
        assert_eq!(ran.code, code, "{command:?}: {ran:?}");
        assert!(!ran.stderr.contains("postgres://"), "a URL may hold a password");
    }
}

#[test]
fn help_lists_the_commands() {
    let help = Binary::new().run(&["--help"]).stdout;
    for command in ["demo", "serve", "source", "connection", "ingest", "grant", "owner"] {
        let line = help.lines().find(|line| line.trim_start().starts_with(&format!("{command} ")));
        assert!(line.is_some_and(|line| line.split_whitespace().count() > 2), "{command}: {help}");
    }
}
