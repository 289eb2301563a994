//! The MCP clients Vitrine knows, and the one recommended way to connect each of them.
//!
//! Pure data and text: the command line writes it into files, the page `/connect` shows it.

mod entry;
mod here;
mod place;
mod recommend;
mod shell;

use serde::Serialize;

pub use entry::{Entry, Format};
pub use here::Here;
pub use place::{Base, Location, Platform};
pub use recommend::{Reach, Recommendation, Variant, recommend, variants};
pub use shell::command_line;

/// The name under which every client knows Vitrine.
pub const SERVER_NAME: &str = "vitrine";

/// A program that speaks MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "they are names of products")]
pub enum Client {
    ClaudeCode,
    ClaudeDesktop,
    Codex,
    GeminiCli,
    #[serde(rename = "vscode")]
    VsCode,
    Cursor,
    Zed,
    Goose,
    #[serde(rename = "lm-studio")]
    LmStudio,
    #[serde(rename = "chatgpt")]
    ChatGpt,
}

impl Client {
    /// Every one, the commonest first.
    pub const ALL: [Self; 10] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Codex,
        Self::GeminiCli,
        Self::VsCode,
        Self::Cursor,
        Self::Zed,
        Self::Goose,
        Self::LmStudio,
        Self::ChatGpt,
    ];

    /// What is typed on the command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::VsCode => "vscode",
            Self::Cursor => "cursor",
            Self::Zed => "zed",
            Self::Goose => "goose",
            Self::LmStudio => "lm-studio",
            Self::ChatGpt => "chatgpt",
        }
    }

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Codex => "Codex",
            Self::GeminiCli => "Gemini CLI",
            Self::VsCode => "VS Code",
            Self::Cursor => "Cursor",
            Self::Zed => "Zed",
            Self::Goose => "Goose",
            Self::LmStudio => "LM Studio",
            Self::ChatGpt => "ChatGPT",
        }
    }

    /// Programs that are on the search path where it is installed.
    pub fn programs(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["claude"],
            Self::Codex => &["codex"],
            Self::GeminiCli => &["gemini"],
            Self::VsCode => &["code"],
            Self::Cursor => &["cursor"],
            Self::Zed => &["zed", "zeditor"],
            Self::Goose => &["goose"],
            Self::LmStudio => &["lms"],
            Self::ClaudeDesktop | Self::ChatGpt => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_also_how_it_is_written_in_json() {
        for client in Client::ALL {
            assert_eq!(serde_json::to_value(client).unwrap(), client.key());
        }
    }
}
