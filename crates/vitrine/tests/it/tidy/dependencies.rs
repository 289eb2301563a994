//! Which of our crates each may use. Test dependencies count too: what a crate cannot name, its tests cannot either.

const MAY_USE: &[(&str, &[&str])] = &[
    ("vitrine-contract", &[]),
    ("vitrine-embed", &[]),
    ("vitrine-engine", &["vitrine-contract"]),
    ("vitrine-import", &["vitrine-contract", "vitrine-engine"]),
    ("vitrine-store", &["vitrine-contract", "vitrine-embed", "vitrine-engine"]),
    ("vitrine-mcp", &["vitrine-contract"]),
    ("vitrine-server", &["vitrine-contract", "vitrine-engine", "vitrine-mcp"]),
    (
        "vitrine",
        &["vitrine-contract", "vitrine-engine", "vitrine-import", "vitrine-store", "vitrine-mcp", "vitrine-server"],
    ),
];

/// Reads one crate's manifest.
pub(crate) fn misses(manifest: &str) -> Vec<String> {
    let mut section = "";
    let mut name = "";
    let mut used = Vec::new();
    for line in manifest.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
        if line.starts_with('[') {
            section = line;
        }
        if section == "[package]" && name.is_empty() {
            name = line.strip_prefix("name").map_or("", |rest| rest.trim_matches([' ', '=', '"']));
        }
        if section.contains("dependencies") {
            used.extend(line.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|word| is_ours(word)));
        }
    }
    let Some((_, allowed)) = MAY_USE.iter().find(|(crate_name, _)| *crate_name == name) else {
        return vec![format!("crate {name:?} has no place in the order of crates yet")];
    };
    used.sort_unstable();
    used.dedup();
    used.iter()
        .filter(|used| !allowed.contains(used))
        .map(|used| format!("{name} depends on {used}; it may use: {}", allowed.join(", ")))
        .collect()
}

fn is_ours(word: &str) -> bool {
    word == "vitrine" || word.starts_with("vitrine-")
}

#[test]
fn a_wrong_direction_is_caught_however_it_is_written() {
    for wrong in [
        "[dependencies]\nvitrine-store.workspace = true",
        "[dependencies]\nvitrine-store = { path = \"../vitrine-store\" }",
        "[dependencies]\ndisguise = { package = \"vitrine-store\", path = \"../x\" }",
        "[dependencies.vitrine-store]\nworkspace = true",
        "[target.'cfg(unix)'.dependencies]\nvitrine-store.workspace = true",
        "[dev-dependencies]\nvitrine-store.workspace = true",
    ] {
        let manifest = format!("[package]\nname = \"vitrine-mcp\"\n[dependencies]\nvitrine-contract = \"1\"\n{wrong}");
        assert_eq!(
            misses(&manifest),
            ["vitrine-mcp depends on vitrine-store; it may use: vitrine-contract"],
            "{wrong}"
        );
    }
}

#[test]
fn a_right_direction_passes() {
    let manifest = "[package]\nname = \"vitrine-engine\"\n# vitrine-store\n[dependencies]\nvitrine-contract.workspace = true\nserde = \"1\"";
    assert_eq!(misses(manifest), Vec::<String>::new());
}

#[test]
fn an_unknown_crate_is_caught() {
    assert_eq!(misses("[package]\nname = \"vitrine-new\"").len(), 1);
}
