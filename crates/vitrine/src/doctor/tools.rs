//! Tool lists that a client remembers. Most keep them in memory; Cursor keeps them in files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use vitrine_server::clients::SERVER_NAME;

use super::{Finding, Patient};

/// A person has fewer projects, a project fewer servers.
const MAX_ENTRIES: usize = 1_000;

pub(super) fn check(patient: &Patient) -> Vec<Finding> {
    let Some(machine) = &patient.machine else { return Vec::new() };
    let ours: BTreeSet<String> = vitrine_mcp::tool_definitions().iter().map(|tool| tool.name.to_string()).collect();
    let projects = machine.home().join(".cursor").join("projects");
    let mut findings = Vec::new();
    for project in entries(&projects) {
        for server in entries(&project.join("mcps")) {
            let is_ours = server.file_name().is_some_and(|name| name.to_string_lossy().ends_with(SERVER_NAME));
            let remembered = names(&server.join("tools"));
            if is_ours && !remembered.is_empty() && remembered != ours {
                let problem = format!("Cursor remembers other tools than Vitrine has, in {}.", server.display());
                findings.push(Finding::new(problem, "In Cursor's settings, turn the server vitrine off and on again."));
            }
        }
    }
    findings
}

fn names(directory: &Path) -> BTreeSet<String> {
    let files = entries(directory).into_iter().filter(|path| path.extension().is_some_and(|end| end == "json"));
    files.filter_map(|path| path.file_stem().map(|name| name.to_string_lossy().into_owned())).collect()
}

fn entries(directory: &Path) -> Vec<std::path::PathBuf> {
    let found = fs::read_dir(directory).into_iter().flatten().take(MAX_ENTRIES);
    found.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect()
}
