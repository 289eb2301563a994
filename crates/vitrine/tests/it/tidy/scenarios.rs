//! Each `### Scenario:` heading has one test of its name, and each test of such a module has a heading.

use std::collections::BTreeMap;

use super::TextFile;
use super::code;

/// Compares the files under `specs/` with those under `crates/*/tests/`.
pub(crate) fn misses(specs: &[TextFile], tests: &[TextFile]) -> Vec<String> {
    specs.iter().flat_map(|spec| spec_misses(spec, tests)).collect()
}

fn spec_misses(spec: &TextFile, tests: &[TextFile]) -> Vec<String> {
    let module = module_of_spec(&spec.path);
    let (headings, mut misses) = headings(spec);
    if headings.is_empty() {
        misses.push(format!("{}: no scenario", spec.path));
    }

    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in tests.iter().filter(|file| module_of_test(&file.path) == Some(&module)) {
        for test in tests_in(&file.text) {
            if test.ignored {
                misses.push(format!("{}: test `{}` is ignored", file.path, test.name));
            }
            found.entry(test.name).or_default().push(file.path.clone());
        }
    }

    for (name, title) in &headings {
        match found.get(name).map_or(0, Vec::len) {
            0 => misses.push(format!("{}: no test `{module}::{name}` for \"{title}\"", spec.path)),
            1 => {}
            several => misses.push(format!("{}: {several} tests named `{name}`", spec.path)),
        }
    }
    for (name, paths) in found.iter().filter(|(name, _)| !headings.contains_key(*name)) {
        misses.push(format!("{}: test `{name}` has no scenario in {}", paths.join(", "), spec.path));
    }
    misses
}

/// The scenarios by their tests' names, and what is wrong with the headings themselves.
fn headings(spec: &TextFile) -> (BTreeMap<String, String>, Vec<String>) {
    let mut headings = BTreeMap::new();
    let mut misses = Vec::new();
    for line in spec.text.lines() {
        let Some(title) = line.trim_start_matches(['#', ' ']).strip_prefix("Scenario:") else { continue };
        if !line.starts_with("### Scenario: ") {
            misses.push(format!("{}: `{line}` is not written as `### Scenario: <name>`", spec.path));
        }
        let title = title.trim();
        if headings.insert(snake_case(title), title.to_owned()).is_some() {
            misses.push(format!("{}: \"{title}\" stands there twice", spec.path));
        }
    }
    (headings, misses)
}

struct Test {
    name: String,
    ignored: bool,
}

fn tests_in(source: &str) -> Vec<Test> {
    let mut found = Vec::new();
    let (mut is_test, mut ignored) = (false, false);
    for line in code::only(source).lines().map(str::trim) {
        is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
        ignored |= line.starts_with("#[ignore");
        let mut words = code::words(line).skip_while(|word| *word != "fn");
        if words.next().is_some() {
            if let Some(name) = words.next().filter(|_| is_test) {
                found.push(Test { name: name.to_owned(), ignored });
            }
            (is_test, ignored) = (false, false);
        }
    }
    found
}

fn snake_case(title: &str) -> String {
    title
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect::<Vec<_>>()
        .join("_")
}

fn module_of_spec(path: &str) -> String {
    path.trim_start_matches("specs/").trim_end_matches(".md").replace('-', "_")
}

fn module_of_test(path: &str) -> Option<&str> {
    let (_, rest) = path.split_once("/tests/it/")?;
    rest.split('/').next().map(|first| first.trim_end_matches(".rs"))
}

#[cfg(test)]
fn check(spec: &str, test: &str) -> Vec<String> {
    misses(
        &[TextFile::new("specs/mcp-tools.md", spec)],
        &[
            TextFile::new("crates/vitrine/tests/it/mcp_tools/list.rs", test),
            TextFile::new("crates/vitrine/tests/it/other.rs", "#[test]\nfn elsewhere() {}"),
        ],
    )
}

#[test]
fn agreement_passes() {
    let spec = "# Tools\n\n### Scenario: A self-contained `id`\n\ntext\n\n### Scenario: B\n";
    let test = "#[tokio::test(flavor = \"multi_thread\")]\nasync fn a_self_contained_id() {}\nfn helper() {}\nproptest! {\n#[test]\nfn b(x in 0..1) {}\n}";
    assert_eq!(check(spec, test), Vec::<String>::new());
}

#[test]
fn all_misses_are_told_at_once() {
    let spec = "### Scenario: A\n### Scenario: Elsewhere\n";
    let test =
        "// #[test]\n/* \n#[test]\nfn a() {}\n*/\nconst S: &str = \"\n#[test]\nfn a() {}\n\";\n#[test]\nfn c() {}";
    assert_eq!(
        check(spec, test),
        [
            "specs/mcp-tools.md: no test `mcp_tools::a` for \"A\"",
            "specs/mcp-tools.md: no test `mcp_tools::elsewhere` for \"Elsewhere\"",
            "crates/vitrine/tests/it/mcp_tools/list.rs: test `c` has no scenario in specs/mcp-tools.md",
        ]
    );
}

#[test]
fn a_test_must_run_and_stand_alone() {
    let spec = "### Scenario: A\n";
    assert!(check(spec, "#[ignore = \"slow\"]\n#[test]\nfn a() {}")[0].contains("ignored"));
    assert!(check(spec, "mod x {\n#[test]\nfn a() {}\n}\nmod y {\n#[test]\nfn a() {}\n}")[0].contains("2 tests"));
}

#[test]
fn headings_must_be_well_formed() {
    let test = "#[test]\nfn a() {}";
    assert_eq!(check("### Scenario: A\n", test), Vec::<String>::new());
    assert!(check("## Scenario: A\n", test)[0].contains("not written as"));
    assert!(check("### Scenario: A\n### Scenario: a\n", test)[0].contains("twice"));
    assert!(check("# Nothing\n", "")[0].contains("no scenario"));
}
