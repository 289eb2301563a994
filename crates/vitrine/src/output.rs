//! What a command prints: for a program one JSON value, for a person a few words.

use std::io::{self, Write as _};
use std::process::ExitCode;

use serde::Serialize;

use crate::fault::Fault;

/// Where results go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether a program reads along.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Prints a result at once.
    pub(crate) fn result(self, value: &impl Serialize, words: impl FnOnce() -> String) -> io::Result<()> {
        let text = if self.json { serde_json::to_string(value)? } else { words() };
        if text.is_empty() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        unless_closed(writeln!(out, "{text}").and_then(|()| out.flush())).map(drop)
    }

    /// Says something to a person before the result. A program waits for the result.
    pub(crate) fn remark(self, words: &str) -> io::Result<()> {
        if self.json || words.is_empty() {
            return Ok(());
        }
        unless_closed(writeln!(io::stdout().lock(), "{words}")).map(drop)
    }

    /// Tells a person what to do while the command waits, whoever reads the result.
    pub(crate) fn notice(words: &str) {
        // Where nobody reads this, the command can still be served.
        let _ = writeln!(io::stderr(), "{words}");
    }

    /// Tells what went wrong, and the exit code that goes with it.
    pub(crate) fn fault(self, fault: &Fault) -> ExitCode {
        let text = if self.json { fault.to_json().to_string() } else { format!("error: {fault}") };
        // There is nobody left to tell when even this cannot be written.
        let _ = writeln!(io::stderr(), "{text}");
        fault.exit.into()
    }
}

/// Whether anyone still reads: who closed the pipe, as `head` does, has seen enough.
pub(crate) fn unless_closed(written: io::Result<()>) -> io::Result<bool> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        other => other.map(|()| true),
    }
}

/// One line an entry.
pub(crate) fn lines<T>(entries: &[T], line: impl Fn(&T) -> String) -> String {
    entries.iter().map(line).collect::<Vec<_>>().join("\n")
}
