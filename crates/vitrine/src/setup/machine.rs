//! What of the machine matters for finding clients: its platform, its directories, its search path.

use std::env;
use std::path::{Path, PathBuf};

use vitrine_server::clients::{Base, Client, Location, Platform};

/// A machine with a person on it.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    pub(crate) platform: Platform,
    home: PathBuf,
    /// `XDG_CONFIG_HOME` or `APPDATA`, where it is set.
    settings: Option<PathBuf>,
    /// Directories that a client's own variable names.
    named: Vec<(&'static str, PathBuf)>,
    /// Where programs are searched.
    search: Vec<PathBuf>,
}

/// What kind of machine this is.
pub(crate) fn platform() -> Platform {
    match env::consts::OS {
        "macos" => Platform::MacOs,
        "windows" => Platform::Windows,
        _ => Platform::Linux,
    }
}

impl Machine {
    /// This one, unless nobody has a home here.
    pub(crate) fn here() -> Option<Self> {
        let directory = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let platform = platform();
        let settings = match platform {
            Platform::Windows => directory("APPDATA"),
            Platform::Linux => directory("XDG_CONFIG_HOME"),
            Platform::MacOs => None,
        };
        let named = ["CLAUDE_CONFIG_DIR", "CODEX_HOME"].into_iter();
        Some(Self {
            platform,
            home: etcetera::home_dir().ok()?,
            settings,
            named: named.filter_map(|name| Some((name, directory(name)?))).collect(),
            search: env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default(),
        })
    }

    /// A platform's machine with everything below one directory.
    #[cfg(test)]
    pub(crate) fn below(home: &Path, platform: Platform) -> Self {
        Self { platform, home: home.to_owned(), settings: None, named: Vec::new(), search: vec![home.join("bin")] }
    }

    /// The person's own directory.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Where a client keeps the servers of its user.
    pub(crate) fn config_file(&self, client: Client) -> Option<PathBuf> {
        client.config_file(self.platform).map(|location| self.locate(location))
    }

    /// Whether a client has been installed or used here. A hosted one never is.
    pub(crate) fn has(&self, client: Client) -> bool {
        client.programs().iter().any(|program| self.program(program).is_some())
            || self.config_file(client).is_some_and(|file| file.exists())
            || client.settings_directory(self.platform).is_some_and(|directory| self.locate(directory).is_dir())
    }

    /// Where the shell finds this program, if what it finds by that name is this very one.
    pub(crate) fn on_search_path(&self, program: &Path) -> Option<PathBuf> {
        let same = |path: &PathBuf| path.canonicalize().ok() == program.canonicalize().ok();
        self.program("vitrine").filter(same)
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        let endings: &[&str] = if self.platform == Platform::Windows { &[".exe", ".cmd", ".bat"] } else { &[""] };
        let names: Vec<String> = endings.iter().map(|ending| format!("{name}{ending}")).collect();
        let absolute = self.search.iter().filter(|directory| directory.is_absolute());
        absolute.flat_map(|directory| names.iter().map(|name| directory.join(name))).find(|path| path.is_file())
    }

    fn locate(&self, location: Location) -> PathBuf {
        let home = |path: &[&str]| path.iter().fold(self.home.clone(), |base, part| base.join(part));
        let settings = |otherwise: &[&str]| self.settings.clone().unwrap_or_else(|| home(otherwise));
        let base = match (location.base, self.platform) {
            (Base::Home, _) => self.home.clone(),
            (Base::Settings | Base::DotConfig, Platform::Windows) => settings(&["AppData", "Roaming"]),
            (Base::Settings, Platform::MacOs) => home(&["Library", "Application Support"]),
            (Base::Settings | Base::DotConfig, _) => settings(&[".config"]),
            (Base::Variable { name, otherwise }, _) => {
                let named = self.named.iter().find(|(known, _)| *known == name);
                named.map_or_else(|| home(otherwise), |(_, directory)| directory.clone())
            }
        };
        location.path.iter().fold(base, |base, part| base.join(part))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_client_is_found_by_its_program_its_file_or_its_directory() {
        for platform in Platform::ALL {
            let home = tempfile::tempdir().unwrap();
            let machine = Machine::below(home.path(), platform);
            for client in Client::ALL {
                assert!(!machine.has(client), "{client:?} on {platform:?}");
            }
            fs::create_dir(home.path().join("bin")).unwrap();
            let program = if platform == Platform::Windows { "codex.cmd" } else { "codex" };
            fs::write(home.path().join("bin").join(program), "").unwrap();
            let desktop = machine.config_file(Client::ClaudeDesktop).unwrap();
            fs::create_dir_all(desktop.parent().unwrap()).unwrap();
            fs::write(home.path().join(".claude.json"), "{}").unwrap();
            let found: Vec<Client> = Client::ALL.into_iter().filter(|client| machine.has(*client)).collect();
            assert_eq!(found, [Client::ClaudeCode, Client::ClaudeDesktop, Client::Codex], "{platform:?}");
        }
    }

    #[test]
    fn each_platform_keeps_settings_elsewhere() {
        let home = Path::new("/home/nora");
        for (platform, path) in [
            (Platform::Linux, ".config/Code/User/mcp.json"),
            (Platform::MacOs, "Library/Application Support/Code/User/mcp.json"),
            (Platform::Windows, "AppData/Roaming/Code/User/mcp.json"),
        ] {
            let machine = Machine::below(home, platform);
            assert_eq!(machine.config_file(Client::VsCode), Some(home.join(path)));
        }
    }

    #[test]
    fn a_variable_moves_the_file() {
        let mut machine = Machine::below(Path::new("/home/nora"), Platform::Linux);
        assert_eq!(machine.config_file(Client::Codex), Some("/home/nora/.codex/config.toml".into()));
        machine.named.push(("CODEX_HOME", "/srv/codex".into()));
        machine.settings = Some("/srv/settings".into());
        assert_eq!(machine.config_file(Client::Codex), Some("/srv/codex/config.toml".into()));
        assert_eq!(machine.config_file(Client::Zed), Some("/srv/settings/zed/settings.json".into()));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_on_the_search_path_only_if_it_is_that_very_one() {
        let home = tempfile::tempdir().unwrap();
        let machine = Machine::below(home.path(), Platform::Linux);
        fs::create_dir(home.path().join("bin")).unwrap();
        let (real, other) = (home.path().join("vitrine-0.1"), home.path().join("vitrine-0.2"));
        fs::write(&real, "").unwrap();
        fs::write(&other, "").unwrap();
        let link = home.path().join("bin/vitrine");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(machine.on_search_path(&real), Some(link));
        assert_eq!(machine.on_search_path(&other), None);
    }
}
