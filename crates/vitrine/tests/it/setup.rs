//! `vitrine setup`, in a home directory of its own.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
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
    assert!(lines[1].starts_with("Cursor") && lines[1].contains("vitrine setup cursor --write"), "{shown}");
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

/// What is in a client's directory, file by file.
fn contents(home: &Home, file: &str) -> Vec<(String, Vec<u8>)> {
    let directory = home.path(file).parent().unwrap().to_owned();
    let mut contents: Vec<(String, Vec<u8>)> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
        .collect();
    contents.sort();
    contents
}

const VSCODE: &str = ".config/Code/User/mcp.json";
const CODEX: &str = ".codex/config.toml";
const GOOSE: &str = ".config/goose/config.yaml";

#[test]
fn undoing_restores_every_byte() {
    for (client, file, text) in [
        ("cursor", CURSOR, "{\"mcpServers\":{\"fs\":{\"command\":\"npx\"}},\"z\":1}"),
        ("cursor", CURSOR, "{\n  \"mcpServers\": {\n    \"fs\": {\"command\": \"npx\"}\n  }\n}"),
        ("cursor", CURSOR, "{\n  \"mcpServers\": {},\n  \"theme\": \"dark\"\n}\n"),
        ("cursor", CURSOR, "{\n  \"mcpServers\": null,\n  \"a\": 1}\n"),
        ("cursor", CURSOR, "\u{feff}{\r\n  \"mcpServers\": {}\r\n}\r\n"),
        ("cursor", CURSOR, "{}"),
        ("cursor", CURSOR, ""),
        ("cursor", CURSOR, "\n"),
        ("cursor", CURSOR, "{\"mcpServers\": {\"vitrine\": {\"command\": \"/old\", \"env\": {\"A\": \"b\"}}}}\n"),
        ("vscode", VSCODE, "{\n  \"servers\": {\n    // none yet\n  }\n}\n"),
        ("vscode", VSCODE, "// nothing\n"),
        ("codex", CODEX, "model = \"x\"\r\n\r\n[mcp_servers.fs]\r\ncommand = \"npx\"\r\n"),
        ("codex", CODEX, "# my servers\n[mcp_servers]\n# none\n\n[tui]\na=1\n"),
        ("codex", CODEX, "mcp_servers = { fs = { command = \"npx\" } }"),
        ("codex", CODEX, "[mcp_servers.vitrine]\ncommand = \"/old\"\n\n[mcp_servers.vitrine.env]\nX = \"1\"\n"),
        ("goose", GOOSE, "extensions: {}\nGOOSE_MODEL: x\n"),
        ("goose", GOOSE, "extensions:\nGOOSE_MODEL: x"),
        ("goose", GOOSE, "GOOSE_MODEL: x\r\nextensions:\r\n  developer:\r\n    enabled: true\r\n"),
    ] {
        let home = Home::new();
        home.file(file, text);
        let before = contents(&home, file);
        assert_eq!(home.json(&["setup", client, "--write"])["action"], "written", "{text:?}");
        assert_eq!(home.json(&["setup", client, "--remove"])["action"], "removed", "{text:?}");
        assert_eq!(contents(&home, file), before, "{client}: {text:?}");
    }
    for (client, file) in [("cursor", CURSOR), ("vscode", VSCODE), ("codex", CODEX), ("goose", GOOSE)] {
        let home = Home::new();
        let directory = home.path(file).parent().unwrap().to_owned();
        fs::create_dir_all(directory).unwrap();
        home.json(&["setup", client, "--write"]);
        home.json(&["setup", client, "--remove"]);
        assert_eq!(contents(&home, file), [], "{client}");
    }
}

#[test]
fn undoing_goes_back_to_before_the_first_time() {
    for text in [None, Some("{\"mcpServers\": {}}")] {
        let home = Home::new();
        if let Some(text) = text {
            home.file(CURSOR, text);
        }
        home.json(&["setup", "cursor", "--write"]);
        home.json(&["setup", "cursor", "--write", "--url", "http://127.0.0.1:7663"]);
        assert!(home.read(CURSOR).contains("7663/mcp"));
        home.json(&["setup", "cursor", "--remove"]);
        assert_eq!(home.path(CURSOR).exists().then(|| home.read(CURSOR)).as_deref(), text);
        assert_eq!(home.path(".cursor").exists(), text.is_some());
        assert!(text.is_none() || backups(&home, ".cursor").is_empty());
    }
}

#[test]
fn undoing_takes_away_what_writing_made() {
    let home = Home::new();
    let clients = [("cursor", ".cursor"), ("codex", ".codex"), ("zed", ".config"), ("gemini-cli", ".gemini")];
    let installed = |home: &Home| {
        let shown = home.json(&["setup"]);
        shown.as_array().unwrap().iter().filter(|shown| shown["installed"] == true).count()
    };
    for (client, directory) in clients {
        home.json(&["setup", client, "--write"]);
        assert!(home.path(directory).exists() && installed(&home) == 1);
        home.json(&["setup", client, "--remove"]);
        assert!(!home.path(directory).exists(), "{directory}");
        assert_eq!(installed(&home), 0, "{client}");
    }
    home.json(&["setup", "cursor", "--write"]);
    fs::remove_file(home.path(CURSOR)).unwrap();
    assert_eq!(home.json(&["setup", "cursor", "--remove"])["action"], "none");
    assert!(!home.path(".cursor").exists(), "the file was gone, what was made for it was not");

    fs::create_dir_all(home.path(".codex")).unwrap();
    home.json(&["setup", "codex", "--write"]);
    home.json(&["setup", "codex", "--remove"]);
    assert!(home.path(".codex").exists(), "it was there before");
    home.json(&["setup", "cursor", "--write"]);
    home.file(".cursor/rules.md", "mine");
    home.json(&["setup", "cursor", "--remove"]);
    let left: Vec<_> = fs::read_dir(home.path(".cursor")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["rules.md"]);
}

#[test]
fn undoing_keeps_what_was_written_since() {
    let home = Home::new();
    home.file(CODEX, "model = \"x\"\r\n");
    home.json(&["setup", "codex", "--write"]);
    let since = home.read(CODEX) + "\r\n[tui]\r\ntheme = \"dark\"\r\n";
    assert_eq!(since.matches('\n').count(), since.matches("\r\n").count(), "{since:?}");
    home.file(CODEX, &since);
    home.json(&["setup", "codex", "--remove"]);
    assert_eq!(home.read(CODEX), "model = \"x\"\r\n\r\n[tui]\r\ntheme = \"dark\"\r\n");
    assert_eq!(backups(&home, ".codex").len(), 2, "of both versions");
}

#[test]
fn a_link_that_leads_nowhere_stays_a_link() {
    let home = Home::new();
    let link = home.file(CURSOR, "");
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(home.path("settings/mcp.json"), &link).unwrap();
    let refused = home.run(&["setup", "cursor", "--write"]);
    assert!(refused.code == 78 && refused.stderr.contains("settings/mcp.json, which is not there"), "{refused:?}");
    assert_eq!(refused.stdout, "");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    home.file("settings/mcp.json", "{}");
    home.json(&["setup", "cursor", "--write"]);
    assert!(home.read("settings/mcp.json").contains("vitrine"));
    home.json(&["setup", "cursor", "--remove"]);
    assert_eq!((home.read("settings/mcp.json").as_str(), backups(&home, "settings").len()), ("{}", 0));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn a_read_only_file_is_left_alone() {
    let home = Home::new();
    let path = home.file(CURSOR, "{}");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let refused = home.run(&["setup", "cursor", "--write"]);
    assert!(refused.code == 78 && refused.stderr.contains("chmod u+w"), "{refused:?}");
    assert_eq!((home.read(CURSOR).as_str(), backups(&home, ".cursor").len()), ("{}", 0));
}

/// A home with an account to grant.
fn home_with_mail() -> Home {
    let home = Home::new();
    home.json(&["source", "add", &fixture("gmail.json")]);
    home.json(&["connection", "add", "--source", "gmail", "--name", "Work", "--id", "cin_work"]);
    home
}

#[test]
fn a_client_that_cannot_start_yet_is_given_the_next_command() {
    let empty = Home::new();
    let written = empty.json(&["setup", "vscode", "--write"]);
    let commands = written["next"]["commands"].as_array().unwrap();
    assert!(commands.len() == 2 && commands[0].as_str().unwrap().contains("vitrine import "), "{written}");
    assert!(!empty.store().data_dir().join("vitrine.db").exists(), "looking makes no store");

    let home = home_with_mail();
    for action in [&["setup", "vscode"][..], &["setup", "vscode", "--write"]] {
        let shown = home.run(action);
        assert!(shown.code == 0 && shown.stdout.contains("vitrine grant create --client 'VS Code'"), "{shown:?}");
    }
    let first = home.json(&["grant", "create", "--client", "VS Code"]);
    assert!(home.json(&["setup", "vscode", "--write"])["next"].is_null());
    home.json(&["grant", "create", "--client", "Other"]);
    let several = home.json(&["setup", "vscode", "--write"]);
    let commands = several["next"]["commands"].as_array().unwrap();
    let id = first["grants"][0]["grant_id"].as_str().unwrap();
    let choice = format!("vitrine setup vscode --write --grant {id}");
    assert!(commands.iter().any(|command| command.as_str().unwrap().contains(&choice)), "{several}");
    assert!(home.json(&["setup", "vscode", "--write", "--grant", id])["next"].is_null());
    assert!(home.json(&["setup", "vscode", "--url", "https://a.example"])["next"].is_null());
}

#[test]
fn a_grant_that_cannot_be_read_under_is_not_written() {
    let home = home_with_mail();
    let create = |client: &str| {
        let issued = home.json(&["grant", "create", "--client", client]);
        issued["grants"][0]["grant_id"].as_str().unwrap().to_owned()
    };
    let (active, ended) = (create("Cursor"), create("Old"));
    home.json(&["grant", "revoke", &ended]);
    for grant in ["grt_nonexist", &ended] {
        let refused = home.run(&["setup", "cursor", "--write", "--grant", grant]);
        assert_eq!((refused.code, refused.stdout.as_str()), (78, ""), "{refused:?}");
        assert!(refused.stderr.contains(grant) && refused.stderr.contains(&active), "{refused:?}");
        assert!(!home.path(CURSOR).exists());
    }
    assert_eq!(Home::new().run(&["setup", "cursor", "--write", "--grant", "grt_nonexist"]).code, 78);
}

#[test]
fn commands_to_type_name_a_store_of_its_own() {
    let home = home_with_mail();
    home.file(CURSOR, "{}");
    let flag = format!("--data-dir {}", home.store().data_dir().display());
    for asked in [&["setup"][..], &["setup", "cursor"], &["setup", "cursor", "--write"], &["doctor"], &["mcp"]] {
        let ran = home.run(asked);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        let commands: Vec<&str> = said.lines().filter(|line| line.contains("vitrine setup ")).collect();
        assert!(said.contains(&flag) && commands.iter().all(|line| line.contains(&flag)), "{asked:?}: {said}");
    }
    let chosen = home.run(&["setup", "cursor", "--url", "https://a.example"]).stdout;
    assert!(chosen.contains("vitrine setup cursor --write --url https://a.example"), "{chosen}");
    let usual = home.command(&["setup", "cursor"]).env_remove("VITRINE_DATA_DIR").env_remove("XDG_DATA_HOME").output();
    let usual = String::from_utf8(usual.unwrap().stdout).unwrap();
    assert!(usual.contains("vitrine setup cursor --write\n") && !usual.contains("--data-dir"), "{usual}");
}

#[test]
fn commands_to_type_start_the_program_that_said_them() {
    let home = home_with_mail();
    let program = env!("CARGO_BIN_EXE_vitrine");
    let told = |asked: &[&str]| {
        let shown = home.run(asked).stdout;
        let line = shown.lines().find(|line| line.contains("vitrine setup cursor ")).map(str::trim);
        line.unwrap_or_else(|| panic!("{shown}")).trim_start_matches("Cursor").trim().to_owned()
    };
    home.file(CURSOR, "{}");
    for asked in [&["setup"][..], &["setup", "cursor"]] {
        assert!(told(asked).starts_with(&format!("{program} setup cursor --write")), "{}", told(asked));
    }
    let other = home.file("bin/vitrine", "");
    assert!(told(&["setup"]).starts_with(program), "the shell finds another one");
    fs::remove_file(&other).unwrap();
    std::os::unix::fs::symlink(program, &other).unwrap();
    for asked in [&["setup"][..], &["setup", "cursor"]] {
        assert!(told(asked).starts_with("vitrine setup cursor --write"), "{}", told(asked));
    }
}

#[tokio::test]
async fn the_page_and_the_command_say_the_same() {
    let home = home_with_mail();
    let served = home.store().serve();
    let request = b"GET /connect HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n";
    let page = crate::wire::exchange(served.address, request).await.replace("&gt;", ">").replace("&amp;", "&");
    for shown in home.json(&["setup"]).as_array().unwrap() {
        let client = shown["client"].as_str().unwrap();
        let words = home.run(&["setup", client]).stdout;
        let way = words.lines().nth(2).unwrap().trim().trim_start_matches("1. ");
        assert!(page.contains(way), "{client}: {way} in {page}");
    }
    assert!(page.contains(&format!("http://{}/mcp", served.address)), "{page}");
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
    assert_eq!(refused.code, 78, "as from `connect`: {refused:?}");
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
