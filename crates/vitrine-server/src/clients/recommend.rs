//! The one recommended way to connect a client, and the others for those who ask.

use serde::Serialize;

use super::{Client, Entry, Here, Platform, SERVER_NAME, command_line};

/// How a client gets at the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// It starts Vitrine on the same machine and talks to it on standard input and output.
    Command {
        /// Where the program is, absolutely: clients do not search for it.
        program: String,
        /// What it is started with.
        args: Vec<String>,
    },
    /// It calls the MCP endpoint of a server, and the owner consents in the browser.
    Url(String),
}

/// What to do to connect a client: a command to type, or an entry in its file, or steps to take.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendation {
    /// Which client.
    pub client: Client,
    /// What people call it.
    pub name: &'static str,
    /// What to type, where the client has a command of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What its configuration file then says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<Entry>,
    /// What to do by hand, where there is neither.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
}

/// Another way, for those who asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Variant {
    /// When one would want it.
    pub when: &'static str,
    /// What to type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What the file would say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

/// The one recommended way.
pub fn recommend(client: Client, reach: &Reach, here: &Here) -> Recommendation {
    let (command, entry) = (own_command(client, reach, here.platform), client.entry(reach));
    let steps = if entry.is_none() { steps(client, reach, here) } else { Vec::new() };
    Recommendation { client, name: client.name(), command, entry, steps }
}

/// The other ways: over HTTP where a program is recommended, and a file for one project only.
pub fn variants(client: Client, reach: &Reach, mcp_url: &str, here: &Here) -> Vec<Variant> {
    let mut variants = Vec::new();
    if matches!(reach, Reach::Command { .. }) {
        let over_http = recommend(client, &Reach::Url(mcp_url.to_owned()), here);
        if over_http.entry.is_some() {
            variants.push(Variant {
                when: "Through a running server, with consent in the browser",
                snippet: over_http.command.is_none().then(|| over_http.entry.map(|entry| entry.snippet())).flatten(),
                command: over_http.command,
            });
        }
    }
    let project_file = match client {
        Client::ClaudeCode => Some("For one project only: .mcp.json in its directory"),
        Client::VsCode => Some("For one project only: .vscode/mcp.json in its directory"),
        Client::Cursor => Some("For one project only: .cursor/mcp.json in its directory"),
        Client::GeminiCli => Some("For one project only: .gemini/settings.json in its directory"),
        _ => None,
    };
    if let (Some(when), Some(entry)) = (project_file, client.entry(reach)) {
        variants.push(Variant { when, command: None, snippet: Some(entry.snippet()) });
    }
    variants
}

/// The client's own command for adding a server to every project.
fn own_command(client: Client, reach: &Reach, platform: Platform) -> Option<String> {
    let start: &[&str] = match (client, reach) {
        (Client::ClaudeCode, Reach::Command { .. }) => &["claude", "mcp", "add", "--scope", "user", SERVER_NAME, "--"],
        (Client::ClaudeCode, Reach::Url(_)) => {
            &["claude", "mcp", "add", "--scope", "user", "--transport", "http", SERVER_NAME]
        }
        (Client::Codex, Reach::Command { .. }) => &["codex", "mcp", "add", SERVER_NAME, "--"],
        (Client::Codex, Reach::Url(_)) => &["codex", "mcp", "add", SERVER_NAME, "--url"],
        (Client::GeminiCli, Reach::Command { .. }) => &["gemini", "mcp", "add", "--scope", "user", SERVER_NAME],
        (Client::GeminiCli, Reach::Url(_)) => {
            &["gemini", "mcp", "add", "--scope", "user", "--transport", "http", SERVER_NAME]
        }
        _ => return None,
    };
    let mut words: Vec<&str> = start.to_vec();
    match reach {
        Reach::Url(url) => words.push(url),
        Reach::Command { program, args } => {
            words.push(program);
            // Gemini CLI takes arguments with dashes for its own unless they are set apart.
            if client == Client::GeminiCli {
                words.push("--");
            }
            words.extend(args.iter().map(String::as_str));
        }
    }
    Some(command_line(&words, platform))
}

fn steps(client: Client, reach: &Reach, here: &Here) -> Vec<String> {
    let public = match reach {
        Reach::Url(url) if url.starts_with("https://") => Some(url),
        _ => None,
    };
    let steps: &[String] = match (client, public) {
        (Client::ChatGpt, Some(url)) => &[
            "Open Settings, then Apps & Connectors, then Advanced settings, and turn on Developer mode.".to_owned(),
            format!("Choose Create, name it Vitrine, and give {url} as the MCP server URL, with OAuth."),
            "Sign in on the page that opens, and choose what ChatGPT may read.".to_owned(),
        ],
        (Client::ChatGpt, None) => &[
            format!(
                "ChatGPT calls from outside, so it needs a public https address: put `{}` behind a proxy.",
                here.command(&["serve", "--public-url", "https://records.example.org"])
            ),
            format!(
                "Then `{}` shows the rest.",
                here.command(&["setup", client.key(), "--url", "https://records.example.org"])
            ),
        ],
        (_, Some(url)) => &[
            "Open Settings, then Connectors, and choose Add custom connector.".to_owned(),
            format!("Name it Vitrine and give {url} as its URL."),
            "Choose Connect, and sign in on the page that opens.".to_owned(),
        ],
        (_, None) => &[format!(
            "{} takes no plain http address. Run `{}` on the machine it runs on.",
            client.name(),
            here.command(&["setup", client.key(), "--write"])
        )],
    };
    steps.to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Reach {
        Reach::Command { program: "/usr/bin/vitrine".to_owned(), args: vec!["mcp".to_owned()] }
    }

    fn url(url: &str) -> Reach {
        Reach::Url(url.to_owned())
    }

    #[test]
    fn clients_with_a_command_of_their_own_are_given_it() {
        let command = |client, reach: &Reach| recommend(client, reach, &Here::default()).command.unwrap();
        let http = url("http://127.0.0.1:7663/mcp");
        assert_eq!(
            command(Client::ClaudeCode, &program()),
            "claude mcp add --scope user vitrine -- /usr/bin/vitrine mcp"
        );
        assert_eq!(
            command(Client::ClaudeCode, &http),
            "claude mcp add --scope user --transport http vitrine http://127.0.0.1:7663/mcp"
        );
        assert_eq!(command(Client::Codex, &program()), "codex mcp add vitrine -- /usr/bin/vitrine mcp");
        assert_eq!(command(Client::Codex, &http), "codex mcp add vitrine --url http://127.0.0.1:7663/mcp");
        assert_eq!(
            command(Client::GeminiCli, &program()),
            "gemini mcp add --scope user vitrine /usr/bin/vitrine -- mcp"
        );
    }

    #[test]
    fn every_client_has_a_way_for_every_reach() {
        for reach in [program(), url("http://127.0.0.1:7663/mcp"), url("https://a.example/mcp")] {
            for client in Client::ALL {
                let way = recommend(client, &reach, &Here { platform: Platform::Windows, ..Here::default() });
                assert_eq!(way.entry.is_some(), way.steps.is_empty(), "{way:?}");
                assert!(way.command.is_none() || way.entry.is_some(), "{way:?}");
            }
        }
    }

    #[test]
    fn what_calls_from_outside_is_given_only_public_addresses() {
        let told = |reach: &Reach| recommend(Client::ChatGpt, reach, &Here::default()).steps.join(" ");
        assert!(told(&url("https://a.example/mcp")).contains("https://a.example/mcp"));
        assert!(!told(&url("http://127.0.0.1:7663/mcp")).contains("127.0.0.1"));
    }
}
