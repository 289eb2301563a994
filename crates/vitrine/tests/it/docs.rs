//! The commands in the documentation, run as they stand there.

use std::path::Path;

use crate::binary::{Binary, fixture};
use crate::fixtures::mail;

/// Programs the documentation names that are not ours to run here.
pub(crate) const OTHERS: [&str; 3] = ["cargo ", "claude ", "codex "];

/// The mailbox the documentation imports.
const MBOX: &str = "From a@b Mon Mar 09 08:15:02 +0000 2026\nMessage-ID: <1@x>\nSubject: hi\n\nhello\n";

/// The commands in a document's shell blocks.
pub(crate) fn commands(document: &str) -> Vec<String> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(document)).unwrap();
    let blocks = text.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n"));
    blocks.flat_map(str::lines).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Words as a shell splits them, double quotes included.
pub(crate) fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

#[test]
fn every_command_of_the_readme_works() {
    let binary = Binary::new();
    std::fs::copy(fixture("gmail.json"), binary.data_dir().join("gmail.json")).unwrap();
    binary.file("messages.ndjson", &mail("m1", 1).to_string());
    binary.file("mail.mbox", MBOX);
    let mut ran = 0;
    for command in commands("README.md") {
        if OTHERS.iter().any(|other| command.starts_with(other)) {
            continue;
        }
        let words = words(&command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(words[0], "vitrine", "not known here: {command}");
        if words[1..] == ["serve"] {
            drop(binary.serve());
        } else {
            let result = binary.run_inside(&words[1..]);
            assert_eq!(result.code, 0, "{command}: {result:?}");
        }
        ran += 1;
    }
    assert!(ran >= 5, "the README shows how to load and grant one's own records");
}

/// `cargo run` and `cargo test` are named as CI runs them; `--help` must know every subcommand.
#[test]
fn the_readme_names_only_commands_that_exist() {
    let help = Binary::new().run(&["--help"]).stdout;
    for command in commands("README.md") {
        let words = words(&command);
        let at = words.iter().position(|word| word.ends_with("vitrine") || word == "--");
        let Some(subcommand) = at.and_then(|at| words.get(at + 1)) else { continue };
        let known = help.lines().any(|line| line.trim_start().split(' ').next() == Some(subcommand));
        assert!(known || subcommand == "--", "{command}: no `{subcommand}` in --help");
    }
}

const GUIDE: &str = "docs/importing.md";

#[test]
fn every_command_of_the_import_guide_works() {
    let binary = Binary::new();
    binary.file("mail.mbox", MBOX);
    binary.file("books.csv", "title,year\nMoby-Dick,1851\n");
    let commands = commands(GUIDE);
    assert!(!commands.is_empty());
    for command in commands {
        let words = words(&command);
        let result = binary.run_inside(&words[1..].iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(result.code, 0, "{command}: {result:?}");
    }
}

#[test]
fn the_import_guide_and_the_command_know_the_same_kinds() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(GUIDE)).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let mut guide: Vec<&str> = rows.collect();
    let help = Binary::new().run(&["import", "--help"]).stdout;
    let listed = help.lines().filter_map(|line| line.trim_start().strip_prefix("- ")?.split(':').next());
    let mut known: Vec<&str> = listed.filter(|kind| !matches!(*kind, "dmy" | "mdy" | "ymd")).collect();
    guide.sort_unstable();
    known.sort_unstable();
    assert!(known.contains(&"mbox"), "{help}");
    assert_eq!(guide, known);
}
