//! What a client's configuration file says about Vitrine.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::recommend::Reach;
use super::{Client, SERVER_NAME};

/// How a configuration file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they are names of formats")]
pub enum Format {
    Json,
    /// JSON in which people write comments and trailing commas.
    JsonWithComments,
    Toml,
    Yaml,
}

/// One server in a client's configuration: `<section>.vitrine = <value>`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// How the file is written.
    pub format: Format,
    /// The table that lists servers.
    pub section: &'static str,
    /// What stands there under [`SERVER_NAME`].
    pub value: Map<String, Value>,
}

impl Client {
    /// How its configuration file is written, and which table of it lists servers.
    pub fn file_form(self) -> Option<(Format, &'static str)> {
        Some(match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor | Self::LmStudio => (Format::Json, "mcpServers"),
            Self::GeminiCli => (Format::JsonWithComments, "mcpServers"),
            Self::VsCode => (Format::JsonWithComments, "servers"),
            Self::Zed => (Format::JsonWithComments, "context_servers"),
            Self::Codex => (Format::Toml, "mcp_servers"),
            Self::Goose => (Format::Yaml, "extensions"),
            Self::ChatGpt => return None,
        })
    }

    /// What to write for a way to reach the records, if the client can take that way from a file.
    pub fn entry(self, reach: &Reach) -> Option<Entry> {
        let (format, section) = self.file_form()?;
        let value = match (self, reach) {
            (Self::ClaudeDesktop, Reach::Url(_)) => return None,
            (Self::Goose, Reach::Command { program, args }) => json!({
                "enabled": true, "type": "stdio", "name": SERVER_NAME, "cmd": program, "args": args, "timeout": 300,
            }),
            (Self::Goose, Reach::Url(url)) => json!({
                "enabled": true, "type": "streamable_http", "name": SERVER_NAME, "uri": url, "timeout": 300,
            }),
            (Self::ClaudeCode | Self::VsCode, Reach::Command { program, args }) => {
                json!({ "type": "stdio", "command": program, "args": args })
            }
            (Self::ClaudeCode | Self::VsCode, Reach::Url(url)) => json!({ "type": "http", "url": url }),
            (Self::GeminiCli, Reach::Url(url)) => json!({ "url": url, "type": "http" }),
            (_, Reach::Command { program, args }) => json!({ "command": program, "args": args }),
            (_, Reach::Url(url)) => json!({ "url": url }),
        };
        let Value::Object(value) = value else { return None };
        Some(Entry { format, section, value })
    }
}

impl Entry {
    /// The entry as a whole file that holds nothing else.
    pub fn snippet(&self) -> String {
        // A JSON string, number or list of them is written the same in TOML and YAML.
        let lines = |indent: &str, sign: &str| {
            let lines: Vec<String> =
                self.value.iter().map(|(key, value)| format!("\n{indent}{key}{sign}{value}")).collect();
            lines.concat()
        };
        match self.format {
            Format::Json | Format::JsonWithComments => {
                format!("{:#}", json!({ self.section: { SERVER_NAME: self.value } }))
            }
            Format::Toml => format!("[{}.{SERVER_NAME}]{}", self.section, lines("", " = ")),
            Format::Yaml => format!("{}:\n  {SERVER_NAME}:{}", self.section, lines("    ", ": ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Reach {
        Reach::Command { program: "/opt/my tools/vitrine".to_owned(), args: vec!["mcp".to_owned()] }
    }

    #[test]
    fn each_format_is_written_its_way() {
        let snippet = |client: Client| client.entry(&command()).unwrap().snippet();
        assert_eq!(
            snippet(Client::Codex),
            "[mcp_servers.vitrine]\ncommand = \"/opt/my tools/vitrine\"\nargs = [\"mcp\"]"
        );
        assert_eq!(
            snippet(Client::Goose),
            "extensions:\n  vitrine:\n    enabled: true\n    type: \"stdio\"\n    name: \"vitrine\"\n    \
             cmd: \"/opt/my tools/vitrine\"\n    args: [\"mcp\"]\n    timeout: 300"
        );
        let cursor: Value = serde_json::from_str(&snippet(Client::Cursor)).unwrap();
        let expected = json!({ "mcpServers": { "vitrine": { "command": "/opt/my tools/vitrine", "args": ["mcp"] } } });
        assert_eq!(cursor, expected);
    }

    #[test]
    fn a_url_is_written_as_each_client_reads_it() {
        let url = Reach::Url("https://a.example/mcp".to_owned());
        for (client, key) in [
            (Client::ClaudeCode, Some("url")),
            (Client::ClaudeDesktop, None),
            (Client::Codex, Some("url")),
            (Client::GeminiCli, Some("url")),
            (Client::Goose, Some("uri")),
            (Client::ChatGpt, None),
        ] {
            let entry = client.entry(&url);
            assert_eq!(entry.is_some(), key.is_some(), "{client:?}");
            if let (Some(entry), Some(key)) = (entry, key) {
                assert_eq!(entry.value[key], "https://a.example/mcp");
            }
        }
    }
}
