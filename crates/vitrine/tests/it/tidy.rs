//! Rules the compiler does not keep. Each is a pure function over text that lists all its misses; here they meet the
//! tree, and beside each stands a broken example that it must catch.

mod code;
mod dependencies;
mod rules;
mod scenarios;

use std::fs;
use std::path::{Path, PathBuf};

/// A file by its path from the root, with forward slashes.
pub(crate) struct TextFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFile {
    #[cfg(test)]
    pub(crate) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }
}

/// What is built, found by fuzzing, kept by git, or trained.
const NOT_OURS: &[&str] =
    &[".git", "target", "fuzz/artifacts", "fuzz/corpus", "fuzz/coverage", "crates/vitrine-embed/model"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate stands in crates/").to_owned()
}

fn tree() -> Vec<TextFile> {
    let root = root();
    let mut files = Vec::new();
    collect(&root, &root, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.iter().any(|file| file.path == "Cargo.toml"), "{} is not the root", root.display());
    files
}

fn collect(root: &Path, dir: &Path, files: &mut Vec<TextFile>) {
    for entry in fs::read_dir(dir).expect("a readable directory") {
        let entry = entry.expect("a readable entry");
        let path = entry.path();
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
        if NOT_OURS.contains(&name.as_str()) || name.ends_with("/target") {
            continue;
        }
        let kind = entry.file_type().expect("a file type");
        if kind.is_dir() {
            collect(root, &path, files);
        } else if kind.is_file() {
            let text = String::from_utf8_lossy(&fs::read(&path).expect("a readable file")).into_owned();
            files.push(TextFile { path: name, text });
        }
    }
}

/// Whether `path` is `crates/<crate>/<part>/…` with the given ending.
fn is_in_crates(path: &str, part: &str, ending: &str) -> bool {
    let mut segments = path.split('/');
    segments.next() == Some("crates")
        && segments.nth(1).is_some_and(|segment| segment == part)
        && segments.next().is_some()
        && path.ends_with(ending)
}

fn sources() -> Vec<TextFile> {
    tree().into_iter().filter(|file| is_in_crates(&file.path, "src", ".rs")).collect()
}

#[track_caller]
fn assert_none(rule: &str, misses: &[String]) {
    assert!(misses.is_empty(), "{rule}: {} to mend\n  {}", misses.len(), misses.join("\n  "));
}

#[test]
fn each_scenario_has_its_test_and_each_test_its_scenario() {
    let (specs, tests): (Vec<_>, Vec<_>) = tree()
        .into_iter()
        .filter(|file| file.path.starts_with("specs/") || is_in_crates(&file.path, "tests", ".rs"))
        .partition(|file| file.path.starts_with("specs/"));
    assert!(!specs.is_empty(), "no specs found");
    assert_none("scenarios and tests agree", &scenarios::misses(&specs, &tests));
}

#[test]
fn dependencies_point_one_way() {
    let manifests: Vec<_> = tree()
        .into_iter()
        .filter(|file| file.path.starts_with("crates/") && file.path.ends_with("/Cargo.toml"))
        .collect();
    assert!(manifests.len() >= 8, "only {} manifests found", manifests.len());
    let misses: Vec<_> = manifests.iter().flat_map(|manifest| dependencies::misses(&manifest.text)).collect();
    assert_none("dependencies point one way", &misses);
}

#[test]
fn files_stay_short() {
    let misses: Vec<_> = sources().iter().filter_map(rules::too_long).collect();
    assert_none("no source file is longer than 700 lines", &misses);
}

#[test]
fn the_tree_speaks_of_the_project_alone() {
    let misses: Vec<_> = tree().iter().flat_map(rules::foreign_words).collect();
    assert_none("no word names a workplace or a package host", &misses);
}

#[test]
fn only_the_gate_makes_a_read_plan() {
    let files = sources();
    let plan = files.iter().find(|file| file.path == "crates/vitrine-engine/src/gate/plan.rs");
    let misses = plan.map_or_else(|| vec!["gate/plan.rs is missing".to_owned()], |file| rules::open_plan(&file.text));
    assert_none("only the gate makes a ReadPlan", &misses);
}

#[test]
fn no_door_reads_past_the_ledger() {
    let misses: Vec<_> = sources().iter().filter_map(rules::unentered_reads).collect();
    assert_none("every reader of a door is Ledgered", &misses);
}

#[test]
fn only_dialects_ask_which_database_it_is() {
    let misses: Vec<_> = sources().iter().flat_map(rules::database_checks).collect();
    assert_none("only dialect files ask which database it is", &misses);
}

#[test]
fn only_the_command_line_prints() {
    let misses: Vec<_> = sources().iter().flat_map(rules::prints).collect();
    assert_none("only crates/vitrine prints to standard output", &misses);
}

#[test]
fn paths_are_sorted_into_crates() {
    assert!(is_in_crates("crates/vitrine/src/main.rs", "src", ".rs"));
    assert!(is_in_crates("crates/vitrine/tests/it/reads/pages.rs", "tests", ".rs"));
    assert!(!is_in_crates("crates/vitrine/tests/it/main.rs", "src", ".rs"));
    assert!(!is_in_crates("fuzz/x/src/main.rs", "src", ".rs"));
    assert!(!is_in_crates("crates/vitrine/src", "src", ""));
}
