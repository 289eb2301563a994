//! The real binary, run as a person or a script would.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A data directory of its own, and the binary to work on it.
pub(crate) struct Binary {
    directory: TempDir,
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A running `vitrine serve`, killed when dropped.
pub(crate) struct Served {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Ran {
    /// Standard output, which is exactly one JSON value.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Binary {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a temporary directory") }
    }

    /// With mail of `cin_work` and `cin_home` declared, and nothing loaded.
    pub(crate) fn with_accounts() -> Self {
        let binary = Self::new();
        binary.json(&["source", "add", &fixture("gmail.json")]);
        for id in ["cin_work", "cin_home"] {
            binary.json(&["connection", "add", "--source", "gmail", "--name", id, "--id", id]);
        }
        binary
    }

    pub(crate) fn data_dir(&self) -> &Path {
        self.directory.path()
    }

    /// A file beside the store.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.directory.path().join(name);
        std::fs::write(&path, text).expect("a written file");
        path.display().to_string()
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with_input(arguments, "")
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        Self::finish(&mut self.command(arguments), input)
    }

    /// Runs a command from within the data directory, so that files there go by their names.
    pub(crate) fn run_inside(&self, arguments: &[&str]) -> Ran {
        Self::finish(self.command(arguments).current_dir(self.directory.path()), "")
    }

    pub(crate) fn run_in_environment(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        Self::finish(self.command(arguments).envs(variables.iter().copied()), "")
    }

    pub(crate) fn run_talking(&self, arguments: &[&str], variables: &[(&str, &str)], input: &str) -> Ran {
        Self::finish(self.command(arguments).envs(variables.iter().copied()), input)
    }

    fn finish(command: &mut Command, input: &str) -> Ran {
        let mut child = command.spawn().expect("the binary runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A command that needs no input may be gone already.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output().expect("the binary ends");
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Runs a command that must succeed, with `--json`.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        ran.json()
    }

    pub(crate) fn owner_token(&self) -> String {
        self.json(&["owner", "token"])["access_token"].as_str().expect("a token").to_owned()
    }

    pub(crate) fn connections(&self) -> Vec<Value> {
        self.json(&["connection", "list"]).as_array().expect("a list").clone()
    }

    /// Every record, whatever it is about, in the order of its stream and id.
    pub(crate) fn record_bodies(&self) -> Vec<(String, String, String)> {
        let store = rusqlite::Connection::open(self.directory.path().join("vitrine.db")).expect("a store");
        let mut select = store
            .prepare("SELECT c.stream, r.id, r.data FROM record r JOIN cell c ON c.number = r.cell ORDER BY 1, 2")
            .expect("a query");
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).expect("rows");
        rows.map(|row| row.expect("a row")).collect()
    }

    /// Starts a command and does not wait for it.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().expect("the binary runs")
    }

    /// Starts the server and waits until it says where it is.
    pub(crate) fn serve(&self) -> Served {
        self.start(&["serve", "--listen", "127.0.0.1:0", "--json"]).0
    }

    /// The server with everything that it could log written to a file.
    pub(crate) fn serve_logging_to(&self, log: &Path) -> Served {
        let log = std::fs::File::create(log).expect("a file");
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0", "--json"]);
        Self::await_ready(command.env("RUST_LOG", "trace").stderr(log)).0
    }

    /// Starts a command that serves, and waits until it says where it is.
    pub(crate) fn start(&self, arguments: &[&str]) -> (Served, Value) {
        Self::await_ready(&mut self.command(arguments))
    }

    /// As [`Self::start`], and no file may grow longer than so many kilobytes.
    #[cfg(unix)]
    pub(crate) fn start_limited(&self, kilobytes: u32, arguments: &[&str]) -> (Served, Value) {
        Self::await_ready(&mut self.limited(kilobytes, arguments))
    }

    /// As [`Self::run`], and no file may grow longer than so many kilobytes.
    #[cfg(unix)]
    pub(crate) fn run_limited(&self, kilobytes: u32, arguments: &[&str]) -> Ran {
        Self::finish(&mut self.limited(kilobytes, arguments), "")
    }

    /// A longer file is an error to the program, as it is on a full disk, and not its end.
    #[cfg(unix)]
    fn limited(&self, kilobytes: u32, arguments: &[&str]) -> Command {
        let plain = self.command(arguments);
        let mut command = Command::new("sh");
        // The unit is 512 bytes where a shell follows POSIX to the letter.
        command.args(["-c", "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"", "sh"]);
        command.arg((2 * kilobytes).to_string()).arg(plain.get_program()).args(plain.get_args());
        for (name, value) in plain.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn await_ready(command: &mut Command) -> (Served, Value) {
        let mut child = command.spawn().expect("the binary runs");
        let mut ready = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut ready).expect("a line");
        let ready: Value = serde_json::from_str(&ready).expect("one line of JSON");
        let url = ready["url"].as_str().expect("a URL");
        let address = url.trim_start_matches("http://").parse().expect("an address");
        (Served { child, address }, ready)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vitrine"));
        command
            .args(arguments)
            .env("VITRINE_DATA_DIR", self.directory.path())
            .env("TMPDIR", self.directory.path())
            .env_remove("VITRINE_DATABASE_URL")
            .env_remove("VITRINE_PUBLIC_URL")
            .env_remove("RUST_LOG")
            .env_remove("PDPP_OWNER_TOKEN")
            .env_remove("PDPP_OWNER_SESSION_COOKIE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// A person's home directory, with the clients that a test puts there and no others.
pub(crate) struct Home {
    binary: Binary,
    directory: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { binary: Binary::new(), directory: tempfile::tempdir().expect("a temporary directory") }
    }

    /// The store of whoever lives here.
    pub(crate) fn store(&self) -> &Binary {
        &self.binary
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A file below the home directory.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a made directory");
        std::fs::write(&path, text).expect("a written file");
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a readable file")
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        Binary::finish(&mut self.command(arguments), "")
    }

    /// Runs a command where the store is, so that files there go by their names.
    pub(crate) fn run_beside_the_store(&self, arguments: &[&str]) -> Ran {
        Binary::finish(self.command(arguments).current_dir(self.binary.data_dir()), "")
    }

    /// The binary's store, and the binary at home here.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.binary.command(arguments);
        command.env("HOME", self.directory.path()).env("PATH", self.path("bin"));
        for variable in ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
            command.env_remove(variable);
        }
        command
    }

    /// Runs a command that must succeed, with `--json`.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, 0, "{arguments:?}: {ran:?}");
        ran.json()
    }
}

impl Served {
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the server without warning, as a power cut would.
    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("it runs");
        self.child.wait().expect("it ends");
    }
}

#[cfg(unix)]
impl Served {
    /// Asks the server to stop.
    pub(crate) fn terminate(&self) {
        let asked = Command::new("kill").arg(self.id().to_string()).status().expect("kill runs");
        assert!(asked.success());
    }

    /// The exit code, once the server has ended by itself.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The path of a fixture.
pub(crate) fn fixture(name: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "it", "fixtures", name].iter().collect();
    path.display().to_string()
}
