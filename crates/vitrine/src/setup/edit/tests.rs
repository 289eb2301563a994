use vitrine_server::clients::{Client, Reach};

use super::*;

fn entry(client: Client) -> vitrine_server::clients::Entry {
    let args = vec!["mcp".to_owned(), "--data-dir".to_owned(), "/srv/my \"data\"".to_owned()];
    client.entry(&Reach::Command { program: r"C:\Programs\vitrine.exe".to_owned(), args }).unwrap()
}

fn with_file() -> impl Iterator<Item = Client> {
    Client::ALL.into_iter().filter(|client| client.file_form().is_some())
}

fn put_for(client: Client, text: &str) -> Result<String, Broken> {
    let entry = entry(client);
    put(entry.format, text, entry.section, &entry.value)
}

fn remove_for(client: Client, text: &str) -> Result<Option<String>, Broken> {
    let entry = entry(client);
    remove(entry.format, text, entry.section)
}

#[test]
fn what_is_put_in_is_read_back_and_taken_out_again() {
    for client in with_file() {
        let entry = entry(client);
        for text in ["", "\n"] {
            let edited = put_for(client, text).unwrap();
            assert_eq!(
                get(entry.format, &edited, entry.section).unwrap(),
                Some(entry.value.clone().into()),
                "{edited}"
            );
            assert_eq!(get(entry.format, &entry.snippet(), entry.section).unwrap(), Some(entry.value.clone().into()));
            let removed = remove_for(client, &edited).unwrap().unwrap();
            assert_eq!(read(entry.format, &removed).unwrap(), Map::new(), "{client:?}: {removed:?}");
            assert_eq!(remove_for(client, &removed).unwrap(), None);
        }
    }
}

#[test]
fn comments_and_neighbours_stay_where_they_were() {
    for (client, text) in [
        (
            Client::VsCode,
            "// mine\n{\n  \"inputs\": [], // none\n  \"servers\": {\n    \"other\": { \"url\": \"http://x\" }, // keep\n  },\n}\n",
        ),
        (
            Client::Zed,
            "{\n\t/* a theme */\n\t\"theme\": \"One\",\n\t\"context_servers\": {\n\t\t\"other\": { \"command\": \"x\" }\n\t}\n}\n",
        ),
        (
            Client::ClaudeCode,
            "{\n  \"startups\": 12,\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }\n  },\n  \"big\": 12345678901234567890\n}",
        ),
        (
            Client::Codex,
            "# mine\nmodel = \"o5\" # the big one\n\n[mcp_servers.other]\ncommand = \"x\"\n\n[tui]\ntheme = 'dark'\nsince = 2026-01-01\n",
        ),
        (
            Client::Goose,
            "# mine\nGOOSE_MODEL: x # the big one\nextensions:\n  other:\n    enabled: true\n    type: builtin\n    # inside\n    args:\n    - a\nlast: 'yes'\n",
        ),
    ] {
        let edited = put_for(client, text).unwrap();
        for line in text.lines().map(str::trim).filter(|line| line.contains("mine") || line.contains("keep")) {
            assert!(edited.contains(line), "{client:?}\n{edited}");
        }
        let added: Vec<&str> = edited.lines().filter(|line| !text.lines().any(|known| known == *line)).collect();
        assert!(added.len() < 16, "{client:?} rewrote more than its entry:\n{edited}");
        let again = remove_for(client, &edited).unwrap().unwrap();
        assert_eq!(
            again,
            text.trim_end_matches('\n').to_owned() + if again.ends_with('\n') { "\n" } else { "" },
            "{client:?}"
        );
    }
}

#[test]
fn an_older_entry_is_replaced() {
    for (client, text) in [
        (Client::Cursor, r#"{ "mcpServers": { "vitrine": { "url": "http://old", "env": { "A": "b" } } } }"#),
        (Client::Codex, "[mcp_servers.vitrine]\nurl = \"http://old\"\n[mcp_servers.vitrine.env]\nA = \"b\"\n"),
        (Client::Codex, "mcp_servers = { vitrine = { url = \"http://old\" }, other = { url = \"http://x\" } }\n"),
        (Client::Goose, "extensions:\n  vitrine:\n    type: sse\n    uri: http://old\n  other: {enabled: false}\n"),
    ] {
        let edited = put_for(client, text).unwrap();
        assert!(!edited.contains("http://old"), "{edited}");
    }
}

#[test]
fn an_empty_table_is_filled() {
    for (client, text) in [
        (Client::Cursor, "{\"mcpServers\": {}}"),
        (Client::Cursor, "{\"mcpServers\": null}"),
        (Client::Codex, "[mcp_servers]\n"),
        (Client::Goose, "extensions: {}\n"),
        (Client::Goose, "extensions:\n"),
        (Client::Goose, "# only a comment\n"),
        (Client::Zed, "// only a comment\n"),
    ] {
        assert!(put_for(client, text).is_ok(), "{client:?} {text}: {:?}", put_for(client, text));
    }
}

#[test]
fn what_is_broken_is_not_touched() {
    let deep = "[".repeat(100_000);
    for (client, text) in [
        (Client::Cursor, "{\"mcpServers\": {"),
        (Client::Cursor, "// a comment\n{}"),
        (Client::Cursor, "[]"),
        (Client::Cursor, "{\"mcpServers\": []}"),
        (Client::Cursor, &deep),
        (Client::Codex, "[mcp_servers\n"),
        (Client::Codex, "mcp_servers = 1\n"),
        (Client::Codex, &format!("a = {deep}")),
        (Client::Goose, "extensions: [1, 2\n"),
        (Client::Goose, "extensions:\n\t- a\n"),
        (Client::Goose, "extensions: [1, 2]\n"),
        (Client::Goose, "- a\n- b\n"),
        (Client::Goose, "a: 1\n---\nb: 2\n"),
        (Client::Goose, &deep),
    ] {
        let start: String = text.chars().take(40).collect();
        assert!(put_for(client, text).is_err(), "{client:?} {start}: {:?}", put_for(client, text));
    }
    assert_eq!(remove_for(Client::Cursor, r#"{"mcpServers": {"other": {}}}"#), Ok(None));
    assert_eq!(get(Format::Json, "{\"mcpServers\": 1}", "mcpServers"), Ok(None));
}
