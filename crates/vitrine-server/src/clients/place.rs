//! Where each client keeps its configuration, by platform.

use super::Client;

/// A kind of machine. Passed in, so that all three are tested on each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are names of systems")]
pub enum Platform {
    Linux,
    MacOs,
    Windows,
}

/// Where a path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The home directory.
    Home,
    /// Where programs keep their settings: `~/.config`, `~/Library/Application Support` or `%APPDATA%`.
    Settings,
    /// `~/.config`, on a Mac too.
    DotConfig,
    /// The directory an environment variable names, else one below the home directory.
    Variable {
        /// The variable.
        name: &'static str,
        /// Below the home directory, where the variable is not set.
        otherwise: &'static [&'static str],
    },
}

/// A path below a base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// Where it starts.
    pub base: Base,
    /// How it goes on from there.
    pub path: &'static [&'static str],
}

impl Platform {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Linux, Self::MacOs, Self::Windows];

    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linux => "Linux",
            Self::MacOs => "macOS",
            Self::Windows => "Windows",
        }
    }
}

impl Location {
    const fn new(base: Base, path: &'static [&'static str]) -> Self {
        Self { base, path }
    }

    /// The path as a person would write it.
    pub fn shown(self, platform: Platform) -> String {
        let windows = platform == Platform::Windows;
        let home = if windows { "%USERPROFILE%" } else { "~" };
        let start = match self.base {
            Base::Home => vec![home],
            Base::Variable { otherwise, .. } => [&[home], otherwise].concat(),
            Base::Settings | Base::DotConfig if windows => vec!["%APPDATA%"],
            Base::Settings if platform == Platform::MacOs => vec!["~/Library/Application Support"],
            Base::Settings | Base::DotConfig => vec!["~/.config"],
        };
        [&start, self.path].concat().join(if windows { "\\" } else { "/" })
    }
}

impl Client {
    /// The file in which a person's own servers are listed. Hosted clients have none.
    pub fn config_file(self, platform: Platform) -> Option<Location> {
        use Base::{DotConfig, Home, Settings, Variable};
        let windows = platform == Platform::Windows;
        Some(match self {
            Self::ClaudeCode => {
                Location::new(Variable { name: "CLAUDE_CONFIG_DIR", otherwise: &[] }, &[".claude.json"])
            }
            Self::ClaudeDesktop => Location::new(Settings, &["Claude", "claude_desktop_config.json"]),
            Self::Codex => Location::new(Variable { name: "CODEX_HOME", otherwise: &[".codex"] }, &["config.toml"]),
            Self::GeminiCli => Location::new(Home, &[".gemini", "settings.json"]),
            Self::VsCode => Location::new(Settings, &["Code", "User", "mcp.json"]),
            Self::Cursor => Location::new(Home, &[".cursor", "mcp.json"]),
            Self::Zed if windows => Location::new(Settings, &["Zed", "settings.json"]),
            Self::Zed => Location::new(DotConfig, &["zed", "settings.json"]),
            Self::Goose if windows => Location::new(Settings, &["Block", "goose", "config", "config.yaml"]),
            Self::Goose => Location::new(DotConfig, &["goose", "config.yaml"]),
            Self::LmStudio => Location::new(Home, &[".lmstudio", "mcp.json"]),
            Self::ChatGpt => return None,
        })
    }

    /// The directory that is there once the client has been used.
    pub fn settings_directory(self, platform: Platform) -> Option<Location> {
        if self == Self::ClaudeCode {
            return Some(Location::new(Base::Home, &[".claude"]));
        }
        let file = self.config_file(platform)?;
        let (_, directory) = file.path.split_last()?;
        Some(Location { path: directory, ..file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_platform_has_its_own_places() {
        let shown = |client: Client, platform| client.config_file(platform).unwrap().shown(platform);
        for (client, linux, mac, windows) in [
            (Client::ClaudeCode, "~/.claude.json", "~/.claude.json", "%USERPROFILE%\\.claude.json"),
            (
                Client::ClaudeDesktop,
                "~/.config/Claude/claude_desktop_config.json",
                "~/Library/Application Support/Claude/claude_desktop_config.json",
                "%APPDATA%\\Claude\\claude_desktop_config.json",
            ),
            (
                Client::VsCode,
                "~/.config/Code/User/mcp.json",
                "~/Library/Application Support/Code/User/mcp.json",
                "%APPDATA%\\Code\\User\\mcp.json",
            ),
            (
                Client::Zed,
                "~/.config/zed/settings.json",
                "~/.config/zed/settings.json",
                "%APPDATA%\\Zed\\settings.json",
            ),
            (
                Client::Goose,
                "~/.config/goose/config.yaml",
                "~/.config/goose/config.yaml",
                "%APPDATA%\\Block\\goose\\config\\config.yaml",
            ),
        ] {
            assert_eq!(shown(client, Platform::Linux), linux);
            assert_eq!(shown(client, Platform::MacOs), mac);
            assert_eq!(shown(client, Platform::Windows), windows);
        }
        assert_eq!(Client::ChatGpt.config_file(Platform::MacOs), None);
    }
}
