//! `vitrine setup`, in a home directory of its own.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::binary::{Home, fixture};

const CURSOR: &str = ".cursor/mcp.json";

fn backups(home: &Home, directory: &str) -> Vec<String> {
    let names = fs::read_dir(home.path(directory)).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).filter(|name| name.contains("backup")).collect()
}

#[test]
fn only_clients_that_are_here_are_proposed() {
    let home = Home::new();
    home.file(".codex/config.toml", "");
    home.file("bin/cursor", "");
    let shown = home.run(&["setup"]).stdout;
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 3, "{shown}");
    assert!(lines[0].starts_with("Codex") && lines[0].contains("codex mcp add vitrine -- /"), "{shown}");
    assert!(lines[1].starts_with("Cursor") && lines[1].ends_with("vitrine setup cursor --write"), "{shown}");
    assert!(lines[2].contains("claude-code, claude-desktop, gemini-cli, vscode, zed, goose, lm-studio, chatgpt"));
}

#[test]
fn written_used_and_undone() {
    let home = Home::new();
    home.json(&["source", "add", &fixture("gmail.json")]);
    home.json(&["connection", "add", "--source", "gmail", "--name", "Work", "--id", "cin_work"]);
    home.json(&["grant", "create", "--client", "Cursor"]);
    let before = "{\n  \"mcpServers\": {\n    \"other\": { \"url\": \"http://x\" }\n  }\n}\n";
    home.file(CURSOR, before);
    let written = home.run(&["setup", "cursor", "--write"]);
    assert_eq!(written.code, 0, "{written:?}");
    assert!(written.stdout.contains("+    \"vitrine\": {"), "{written:?}");

    let entry: Value = serde_json::from_str(&home.read(CURSOR)).unwrap();
    let entry = &entry["mcpServers"]["vitrine"];
    let program = entry["command"].as_str().unwrap();
    assert!(program.starts_with('/'), "{entry}");
    let arguments: Vec<&str> = entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    // As a client does it: nothing of the shell's environment is there.
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "cursor", "version": "1" } } });
    child.stdin.take().unwrap().write_all(format!("{hello}\n").as_bytes()).unwrap();
    let answer = child.wait_with_output().unwrap().stdout;
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["result"]["serverInfo"]["name"], "vitrine");

    assert_eq!(home.json(&["setup", "cursor", "--remove"])["action"], "removed");
    assert_eq!(home.read(CURSOR), before);
    assert_eq!(home.json(&["setup", "cursor", "--remove"])["action"], "none");
}

#[test]
fn a_second_run_changes_nothing() {
    let home = Home::new();
    home.file(".config/goose/config.yaml", "GOOSE_MODEL: m\n");
    let first = home.json(&["setup", "goose", "--write"]);
    assert_eq!(first["action"], "written");
    let text = home.read(".config/goose/config.yaml");
    let second = home.json(&["setup", "goose", "--write"]);
    assert_eq!((&second["action"], &second["difference"]), (&json!("none"), &json!("")));
    assert_eq!(home.read(".config/goose/config.yaml"), text);
    assert_eq!(backups(&home, ".config/goose").len(), 1);
}

#[test]
fn the_earlier_version_is_kept() {
    let home = Home::new();
    let before = "# my own\nmodel = \"m\" # the good one\n\n[mcp_servers.other]\ncommand = \"/bin/other\"\n";
    home.file(".codex/config.toml", before);
    let written = home.json(&["setup", "codex", "--write"]);
    let backup = written["backup"].as_str().unwrap();
    assert_eq!(fs::read_to_string(backup).unwrap(), before);
    let text = home.read(".codex/config.toml");
    assert!(text.starts_with(before) && text.contains("\n[mcp_servers.vitrine]\ncommand = \"/"), "{text}");
}

#[test]
fn a_broken_file_is_refused_by_name() {
    let home = Home::new();
    for (client, file, text) in [
        ("cursor", CURSOR, "{ \"mcpServers\": "),
        ("vscode", ".config/Code/User/mcp.json", "{ \"servers\": [] }"),
        ("codex", ".codex/config.toml", "[mcp_servers"),
        ("goose", ".config/goose/config.yaml", "extensions: [\n"),
    ] {
        let path = home.file(file, text);
        for action in ["--write", "--remove"] {
            let ran = home.run(&["setup", client, action]);
            let unharmed = client == "vscode" && action == "--remove";
            assert_eq!(ran.code, if unharmed { 0 } else { 78 }, "{ran:?}");
            assert!(unharmed || ran.stderr.contains(path.to_str().unwrap()), "{ran:?}");
        }
        assert_eq!(home.read(file), text);
        assert!(backups(&home, file.rsplit_once('/').unwrap().0).is_empty());
    }
}

#[test]
fn a_server_elsewhere_is_reached_by_its_address() {
    let home = Home::new();
    for url in ["https://records.example.org", "https://records.example.org/mcp", "https://records.example.org/"] {
        let shown = home.json(&["setup", "zed", "--url", url]);
        assert_eq!(shown["entry"]["value"], json!({ "url": "https://records.example.org/mcp" }));
    }
    let refused = home.run(&["setup", "zed", "--url", "records.example.org"]);
    assert_eq!(refused.code, 64, "{refused:?}");
}

#[test]
fn a_hosted_client_is_told_what_to_do() {
    let home = Home::new();
    let shown = home.run(&["setup", "chatgpt", "--url", "https://records.example.org"]);
    assert!(shown.stdout.contains("https://records.example.org/mcp"), "{shown:?}");
    let refused = home.run(&["setup", "chatgpt", "--write"]);
    assert!(refused.code == 78 && refused.stderr.contains("public https address"), "{refused:?}");
    assert_eq!(home.run(&["setup", "netscape"]).code, 64);
    assert_eq!(home.run(&["setup", "--write"]).code, 64);
}
