//! What `vitrine setup` says, as JSON and in words.

use std::path::PathBuf;

use serde::Serialize;
use vitrine_server::clients::{Client, Recommendation, Variant};

use crate::output::lines;
use crate::setup::change::Change;

/// The recommendation for one client on this machine.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    installed: bool,
    #[serde(flatten)]
    recommended: Recommendation,
    /// The file that `--write` edits.
    #[serde(skip_serializing_if = "Option::is_none")]
    config_file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    advanced: Vec<Variant>,
}

/// What became of a client's configuration.
#[derive(Debug, Serialize)]
pub(super) struct Applied {
    client: Client,
    config_file: PathBuf,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
    difference: String,
}

impl Shown {
    pub(super) fn new(
        recommended: Recommendation,
        installed: bool,
        config_file: Option<PathBuf>,
        advanced: Vec<Variant>,
    ) -> Self {
        let config_file = config_file.filter(|_| recommended.entry.is_some());
        let snippet = recommended.entry.as_ref().map(vitrine_server::clients::Entry::snippet);
        Self { installed, recommended, config_file, snippet, advanced }
    }

    /// The one thing to do.
    fn way(&self) -> String {
        let Recommendation { client, command, entry, steps, .. } = &self.recommended;
        match (command, entry) {
            (Some(command), _) => command.clone(),
            (None, Some(_)) => format!("vitrine setup {} --write", client.key()),
            (None, None) => steps.join(" "),
        }
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
        backup: Option<PathBuf>,
        difference: String,
    ) -> Self {
        let action = match (change.is_none(), removing) {
            (true, _) => "none",
            (false, true) => "removed",
            (false, false) => "written",
        };
        Self { client, config_file: change.path.clone(), action, backup, difference }
    }

    pub(super) fn words(&self) -> String {
        let (name, file) = (self.client.name(), self.config_file.display());
        let kept = self.backup.as_ref().map(|path| format!(" The earlier version is {}.", path.display()));
        let kept = kept.unwrap_or_default();
        match self.action {
            "written" => format!("Wrote {file}.{kept} Restart {name} to see it."),
            "removed" => format!("Took Vitrine out of {file}.{kept} Restart {name} to see it."),
            _ => format!("Nothing to do: {file} is as it should be."),
        }
    }
}

/// One line for each client that is here, and the names of the others.
pub(super) fn overview(shown: &[Shown]) -> String {
    let (here, others): (Vec<&Shown>, Vec<&Shown>) = shown.iter().partition(|shown| shown.installed);
    let others: Vec<&str> = others.iter().map(|shown| shown.recommended.client.key()).collect();
    let mut words = vec![lines(&here, |shown| format!("{:16}{}", shown.recommended.name, shown.way()))];
    if here.is_empty() {
        words = vec!["None of the clients that Vitrine knows was found on this machine.".to_owned()];
    }
    if !others.is_empty() {
        words.push(format!("`vitrine setup CLIENT` shows the others: {}", others.join(", ")));
    }
    words.join("\n")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}
