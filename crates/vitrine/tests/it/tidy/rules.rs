//! Rules over one file at a time.

use super::TextFile;
use super::code;

const MAX_LINES: usize = 700;

/// Written in pieces, so that this file does not hold them.
const FOREIGN: &[&[&str]] = &[
    &["arti", "factory"],
    &["j", "frog"],
    &["index.crates", ".io"],
    &["static.crates", ".io"],
    &["registry.npm", "js"],
    &["pypi", ".org"],
    &["python", "hosted"],
    &["proxy.golang", ".org"],
    &["/work", "/shared"],
    &["/work", "/main"],
    &["/work", "/wt"],
    &["/root", "/."],
    &["users.no", "reply"],
    &["co-authored", "-by"],
    &["issues ", "show"],
];

const DATABASES: &[&str] = &["postgres", "postgresql", "sqlite"];

/// A source file past its length.
pub(crate) fn too_long(file: &TextFile) -> Option<String> {
    let lines = file.text.lines().count();
    (lines > MAX_LINES).then(|| format!("{}: {lines} lines", file.path))
}

/// Lines that name a package host or the place where this was written.
pub(crate) fn foreign_words(file: &TextFile) -> Vec<String> {
    let foreign: Vec<String> = FOREIGN.iter().map(|pieces| pieces.concat()).collect();
    lines_where(&file.path, &file.text.to_lowercase(), |line| foreign.iter().any(|word| line.contains(word)))
}

/// How code outside the gate could make a `ReadPlan`, read from the file that defines it.
pub(crate) fn open_plan(source: &str) -> Vec<String> {
    let code = code::only(source);
    let is_whole = |after: &str| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let Some((start, name)) =
        code.match_indices("struct ReadPlan").find(|(at, name)| is_whole(&code[at + name.len()..]))
    else {
        return vec!["gate/plan.rs defines no struct ReadPlan".to_owned()];
    };
    let mut misses = Vec::new();
    let (before, after) = (&code[..start], &code[start + name.len()..]);
    let body_end = match after.find(['{', ';']) {
        Some(open) if after[open..].starts_with('{') => after.find('}'),
        semicolon => semicolon,
    }
    .unwrap_or(after.len());
    let fields = after[..body_end].replace("pub(super)", "");
    if code::words(&fields).any(|word| word == "pub") {
        misses.push("a field of ReadPlan is visible outside the gate".to_owned());
    }
    let attributes = &before[before.rfind(['}', ';']).map_or(0, |end| end + 1)..];
    let implemented: Vec<&str> = code
        .split("impl")
        .skip(1)
        .filter_map(|rest| rest.split('{').next())
        .filter(|head| head.contains(" for ReadPlan"))
        .collect();
    for trait_name in ["Default", "Deserialize"] {
        let derived = code::words(attributes).any(|word| word == trait_name);
        if derived || implemented.iter().any(|head| code::words(head).any(|word| word == trait_name)) {
            misses.push(format!("ReadPlan is {trait_name}"));
        }
    }
    misses
}

/// A file of a door that makes more readers than it enters in the ledger or keeps for the owner.
pub(crate) fn unentered_reads(file: &TextFile) -> Option<String> {
    let door = ["crates/vitrine-server/src/", "crates/vitrine/src/"].iter().any(|door| file.path.starts_with(door));
    let code = code::only(&file.text);
    let count = |call: &str| code.matches(call).count();
    let entered = count("Ledgered::new(") + count("Caller::preview(") + count("Caller::owner(");
    (door && count("LocalRead::new(") > entered).then(|| format!("{}: a LocalRead without Ledgered", file.path))
}

/// Lines outside the dialect files that ask which database it is.
pub(crate) fn database_checks(file: &TextFile) -> Vec<String> {
    if file.path.starts_with("crates/vitrine-store/src/") && file.path.contains("dialect") {
        return Vec::new();
    }
    lines_where(&file.path, &code::only(&file.text), |line| {
        let words: Vec<String> = code::words(line).map(str::to_lowercase).collect();
        let asks =
            line.contains("==") || line.contains("!=") || words.iter().any(|word| word == "if" || word == "matches");
        words.iter().any(|word| word.strip_prefix("is_").map_or(asks && is_database(word), is_database))
    })
}

fn is_database(word: &str) -> bool {
    DATABASES.contains(&word)
}

/// Lines that print to standard output outside the command line's crate.
pub(crate) fn prints(file: &TextFile) -> Vec<String> {
    if file.path.starts_with("crates/vitrine/src/") {
        return Vec::new();
    }
    lines_where(&file.path, &code::only(&file.text), |line| {
        ["print", "println"]
            .iter()
            .any(|name| code::words(line).any(|word| word == *name) && line.contains(&format!("{name}!")))
    })
}

fn lines_where(path: &str, text: &str, is_miss: impl Fn(&str) -> bool) -> Vec<String> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| is_miss(line))
        .map(|(index, line)| format!("{path}:{}: {}", index + 1, line.trim()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(text: &str) -> TextFile {
        TextFile::new("crates/vitrine-store/src/lib.rs", text)
    }

    #[test]
    fn a_long_file_is_caught() {
        assert!(too_long(&store(&"x\n".repeat(700))).is_none());
        assert!(too_long(&store(&"x\n".repeat(701))).is_some());
    }

    #[test]
    fn foreign_words_are_caught_in_any_case() {
        for pieces in FOREIGN {
            let text = format!("fine\nhttps://{}/x", pieces.concat().to_uppercase());
            assert_eq!(foreign_words(&store(&text)).len(), 1, "{text}");
        }
        assert!(foreign_words(&store("registry+https://github.com/rust-lang/crates.io-index")).is_empty());
    }

    #[test]
    fn a_door_that_forgets_the_ledger_is_caught() {
        let door = |text| TextFile::new("crates/vitrine-server/src/app.rs", text);
        assert!(unentered_reads(&door("LocalRead::new(store)")).is_some());
        assert!(unentered_reads(&door("Ledgered::new(LocalRead::new(a), b); LocalRead::new(c)")).is_some());
        assert!(unentered_reads(&door("Ledgered::new(LocalRead::new(a), b) // LocalRead::new(")).is_none());
        assert!(unentered_reads(&store("LocalRead::new(store)")).is_none());
    }

    #[test]
    fn a_closed_plan_passes() {
        let plan = "pub struct ReadPlanner(pub u8);\n\n/// Default\n#[derive(Debug, Clone)]\npub struct ReadPlan {\n    stream: String, // pub\n}\n\n#[derive(Default)]\npub struct ReadPlans {\n    pub a: u8,\n}\n\nimpl ReadPlan {\n    pub fn stream(&self) -> &str { &self.stream }\n}\n";
        assert_eq!(open_plan(plan), Vec::<String>::new());
    }

    #[test]
    fn an_open_plan_is_caught() {
        for (source, miss) in [
            ("pub struct ReadPlan {\n    pub stream: String,\n}", "a field of ReadPlan is visible outside the gate"),
            (
                "pub struct ReadPlan {\n    pub(crate) stream: String,\n}",
                "a field of ReadPlan is visible outside the gate",
            ),
            ("pub struct ReadPlan(pub String);", "a field of ReadPlan is visible outside the gate"),
            ("#[derive(\n    Debug,\n    Default,\n)]\npub struct ReadPlan {\n    a: u8,\n}", "ReadPlan is Default"),
            ("#[derive(serde::Deserialize)]\npub struct ReadPlan {\n    a: u8,\n}", "ReadPlan is Deserialize"),
            ("struct ReadPlan {\n    a: u8,\n}\nimpl Default for ReadPlan {\n}", "ReadPlan is Default"),
            (
                "struct ReadPlan {\n    a: u8,\n}\nimpl<'de> Deserialize<'de> for ReadPlan {\n}",
                "ReadPlan is Deserialize",
            ),
            ("// struct ReadPlan", "gate/plan.rs defines no struct ReadPlan"),
        ] {
            assert_eq!(open_plan(source), [miss], "{source}");
        }
    }

    #[test]
    fn asking_for_the_database_is_caught() {
        for wrong in [
            "if self.dialect == Dialect::Postgres {",
            "if let Backend::Postgres(pool) = backend {",
            "let quoted = matches!(kind, Kind::Sqlite);",
            "return self.is_postgres();",
            "let x = kind != Kind::PostgreSQL;",
        ] {
            assert_eq!(database_checks(&store(wrong)).len(), 1, "{wrong}");
        }
        for right in [
            "// if postgres",
            "Store::Postgres(store) => store.read(plan),",
            "if url.starts_with(\"postgres://\") {",
            "if let Err(rusqlite::Error::QueryReturnedNoRows) = row {",
        ] {
            assert!(database_checks(&store(right)).is_empty(), "{right}");
        }
        let dialect = TextFile::new("crates/vitrine-store/src/dialect/postgres.rs", "if is_postgres() {");
        assert!(database_checks(&dialect).is_empty());
    }

    #[test]
    fn printing_is_caught() {
        assert_eq!(
            prints(&store("fn a() {\n    println!(\"x\");\n}")),
            ["crates/vitrine-store/src/lib.rs:2: println!(\"\");"]
        );
        assert_eq!(prints(&store("std::print!(\"x\")")).len(), 1);
        assert!(prints(&store("eprintln!(\"x\"); // println!\nlet s = \"print!\";")).is_empty());
        assert!(prints(&TextFile::new("crates/vitrine/src/main.rs", "println!(\"x\");")).is_empty());
    }
}
