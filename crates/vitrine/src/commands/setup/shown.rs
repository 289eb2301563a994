//! What `vitrine setup` says, as JSON and in words.

use std::path::PathBuf;

use serde::Serialize;
use vitrine_server::clients::{Client, Entry, Here, Recommendation, Variant};

use super::next::Next;
use crate::output::lines;
use crate::setup::change::Change;

/// The recommendation for one client on this machine.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    installed: bool,
    #[serde(flatten)]
    recommended: Recommendation,
    /// What to type, unless it takes more than typing.
    #[serde(skip)]
    way: Option<String>,
    /// The file that `--write` edits.
    #[serde(skip_serializing_if = "Option::is_none")]
    config_file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
    /// What is left to do before the client can read.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    advanced: Vec<Variant>,
}

/// What became of a client's configuration.
#[derive(Debug, Serialize)]
pub(super) struct Applied {
    client: Client,
    config_file: PathBuf,
    action: &'static str,
    /// Whether everything is as it was before Vitrine was written.
    #[serde(skip)]
    restored: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
    /// What is left to do before the client can read.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
    difference: String,
}

impl Shown {
    pub(super) fn new(
        recommended: Recommendation,
        way: Option<String>,
        (installed, config_file): (bool, Option<PathBuf>),
        next: Option<Next>,
        advanced: Vec<Variant>,
    ) -> Self {
        let config_file = config_file.filter(|_| recommended.entry.is_some());
        let snippet = recommended.entry.as_ref().map(Entry::snippet);
        Self { installed, recommended, way, config_file, snippet, next, advanced }
    }

    /// The one thing to do.
    fn way(&self) -> String {
        self.way.clone().unwrap_or_else(|| self.recommended.steps.join(" "))
    }

    pub(super) fn words(&self) -> String {
        let mut words = vec![format!("{}:\n", self.recommended.name)];
        if self.recommended.entry.is_some() {
            words.push(format!("  {}", self.way()));
        } else {
            words.extend(self.recommended.steps.iter().enumerate().map(|(n, step)| format!("  {}. {step}", n + 1)));
        }
        if let (None, Some(file), Some(snippet)) = (&self.recommended.command, &self.config_file, &self.snippet) {
            words.push(format!("\nwhich puts this into {}:\n\n{}", file.display(), indented(snippet)));
        }
        words.extend(self.next.iter().map(|next| format!("\n{}", next.words())));
        for Variant { when, command, snippet } in &self.advanced {
            let way = command.as_deref().or(snippet.as_deref()).unwrap_or_default();
            words.push(format!("\n{when}:\n\n{}", indented(way)));
        }
        words.join("\n")
    }
}

impl Applied {
    pub(super) fn new(
        client: Client,
        change: &Change,
        removing: bool,
        next: Option<Next>,
        (backup, difference): (Option<PathBuf>, String),
    ) -> Self {
        let action = match (change.is_none(), removing) {
            (true, _) => "none",
            (false, true) => "removed",
            (false, false) => "written",
        };
        Self { client, config_file: change.path.clone(), action, restored: change.restores(), backup, next, difference }
    }

    pub(super) fn words(&self) -> String {
        let (name, file) = (self.client.name(), self.config_file.display());
        let kept = self.backup.as_ref().map(|path| format!(" The earlier version is {}.", path.display()));
        let kept = kept.unwrap_or_default();
        let done = match self.action {
            "written" => format!("Wrote {file}.{kept} Restart {name} to see it."),
            "removed" if self.restored => {
                format!("Took Vitrine out: {file} is as it was before. Restart {name} to see it.")
            }
            "removed" => format!("Took Vitrine out of {file}.{kept} Restart {name} to see it."),
            _ => format!("Nothing to do: {file} is as it should be."),
        };
        let next = self.next.as_ref().map(|next| format!("\n{}", next.words())).unwrap_or_default();
        done + &next
    }
}

/// One line for each client that is here, and the names of the others.
pub(super) fn overview(shown: &[Shown], here: &Here) -> String {
    let (installed, others): (Vec<&Shown>, Vec<&Shown>) = shown.iter().partition(|shown| shown.installed);
    let others: Vec<&str> = others.iter().map(|shown| shown.recommended.client.key()).collect();
    let mut words = vec![lines(&installed, |shown| format!("{:16}{}", shown.recommended.name, shown.way()))];
    if installed.is_empty() {
        words = vec!["None of the clients that Vitrine knows was found on this machine.".to_owned()];
    }
    if !others.is_empty() {
        let each = here.command(&["setup", "CLIENT"]);
        words.push(format!("`{each}` shows the others: {}", others.join(", ")));
    }
    words.join("\n")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
