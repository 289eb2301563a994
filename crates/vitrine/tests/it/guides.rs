//! The guides: their commands are run as they stand there, and what they name exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::binary::{Home, fixture};
use crate::docs::{OTHERS, commands, words};
use crate::fixtures::{gone, mail};

const GUIDES: [&str; 5] = ["README.md", "docs/owners.md", "docs/operators.md", "docs/sources.md", "docs/security.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(document: &str) -> String {
    std::fs::read_to_string(root().join(document)).unwrap()
}

/// The blocks of a document in one language.
fn blocks(document: &str, language: &str) -> Vec<String> {
    let start = format!("{language}\n");
    let text = text(document);
    let blocks = text.split("```").skip(1).step_by(2);
    blocks.filter_map(|block| block.strip_prefix(&start)).map(str::to_owned).collect()
}

/// Runs a document's commands in order, in a home of their own with these files, and counts them.
fn run(document: &str, files: &[(&str, String)]) -> usize {
    let home = Home::new();
    std::fs::copy(fixture("gmail.json"), home.store().data_dir().join("gmail.json")).unwrap();
    for (name, text) in files {
        home.store().file(name, text);
    }
    let mut ran = 0;
    for command in commands(document) {
        if OTHERS.iter().any(|other| command.starts_with(other)) {
            continue;
        }
        let command = if command.contains("$GRANT") {
            let grants = home.json(&["grant", "list"]);
            command.replace("$GRANT", grants[0]["grant_id"].as_str().expect("a grant"))
        } else {
            command
        };
        let words = words(&command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(words[0], "vitrine", "not known here: {command}");
        if words[1] == "serve" {
            drop(home.store().start(&[&words[1..], &["--listen", "127.0.0.1:0", "--json"]].concat()));
        } else {
            let result = home.run_beside_the_store(&words[1..]);
            assert_eq!(result.code, 0, "{document}: {command}: {result:?}");
        }
        ran += 1;
    }
    ran
}

#[test]
fn every_command_of_the_owners_guide_works() {
    let files = [("messages.ndjson", mail("m1", 1).to_string()), ("deletions.ndjson", gone("m1").to_string())];
    assert!(run("docs/owners.md", &files) >= 10);
}

#[test]
fn every_command_of_the_operators_guide_works() {
    assert!(run("docs/operators.md", &[]) >= 5);
}

#[test]
fn the_example_of_a_source_works() {
    let examples = blocks("docs/sources.md", "json");
    let files = [("books.json", examples[0].clone()), ("loans.ndjson", examples[1].clone())];
    assert_eq!(run("docs/sources.md", &files), 3);
}

#[test]
fn the_unit_names_only_flags_and_variables_that_exist() {
    let unit = text("docs/vitrine.service");
    let help = Home::new().run(&["serve", "--help"]).stdout;
    let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    let flags: Vec<&str> = line.split(' ').filter(|word| word.starts_with("--")).collect();
    let variables = unit.lines().filter_map(|line| line.strip_prefix("Environment=")?.split('=').next());
    for named in flags.into_iter().chain(variables) {
        assert!(help.contains(named), "{named} is not in `vitrine serve --help`");
    }
}

#[test]
fn every_link_leads_somewhere() {
    for document in GUIDES {
        let text = text(document);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let is_elsewhere = link.starts_with("https://") || link.starts_with('#');
            let place = root().join(document).parent().unwrap().join(link);
            assert!(is_elsewhere || place.exists(), "{document}: {link}");
        }
    }
}

#[test]
fn the_guides_name_only_commands_that_exist() {
    let help = Home::new().run(&["--help"]).stdout;
    for command in GUIDES.iter().flat_map(|document| commands(document)) {
        let words = words(&command);
        let at = words.iter().position(|word| word.ends_with("vitrine") || word == "--");
        let Some(subcommand) = at.and_then(|at| words.get(at + 1)) else { continue };
        let known = help.lines().any(|line| line.trim_start().split(' ').next() == Some(subcommand));
        assert!(known || subcommand == "--", "{command}: no `{subcommand}` in --help");
    }
}

/// Every flag of a command and of those below it, by its help.
fn flags(home: &Home, command: &[&str], found: &mut BTreeSet<String>) {
    let help = home.run(&[command, &["--help"]].concat()).stdout;
    let is_flag = |word: &&str| word.starts_with("--");
    let options = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let words = options.flat_map(|line| line.split([' ', ',']).take_while(|word| word.starts_with('-')));
    found.extend(words.filter(is_flag).map(str::to_owned));
    let below = help.split("\nCommands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap_or_default();
    for name in below.lines().filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        flags(home, &[command, &[name]].concat(), found);
    }
}

#[test]
fn every_flag_is_in_the_guides() {
    let mut found = BTreeSet::new();
    flags(&Home::new(), &[], &mut found);
    assert!(found.contains("--data-dir") && found.contains("--max-bytes") && found.len() > 30, "{found:?}");
    let everything: String = GUIDES.iter().chain(&["docs/importing.md"]).map(|document| text(document)).collect();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let named: BTreeSet<&str> = everything.split(|c| !is_part(c)).collect();
    let known_to_all = ["--help", "--version"];
    let missing: Vec<&String> =
        found.iter().filter(|flag| !named.contains(flag.as_str()) && !known_to_all.contains(&flag.as_str())).collect();
    assert!(missing.is_empty(), "no guide says what these are for: {missing:?}");
}
