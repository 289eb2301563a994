//! What a client's entry holds of the owner's, wherever in it.

use std::path::Path;

use serde_json::Value;
use vitrine_server::clients::Client;

use super::again;
use crate::doctor::owners::is_owners;
use crate::doctor::{Finding, Patient};
use crate::provider::credential::OWNER_VARIABLES;

/// An entry has a few dozen words; what has more is looked through no further.
const MAX_WORDS: usize = 1_000;

pub(super) async fn check(patient: &Patient, client: Client, path: &Path, entry: &Value) -> Vec<Finding> {
    let words = words(entry);
    let mut problems: Vec<String> = Vec::new();
    for variable in OWNER_VARIABLES.iter().filter(|variable| words.iter().any(|word| word == *variable)) {
        problems.push(format!("{variable} for Vitrine, which does not start with it"));
    }
    for word in &words {
        if is_owners(patient, word).await {
            problems.push("a token of the owner's, which an agent must never have".to_owned());
            break;
        }
    }
    let (name, file) = (client.name(), path.display());
    let fix = format!("Take it out of {file}. To connect without it: {}", again(patient, client));
    problems.into_iter().map(|held| Finding::new(format!("{name} is set up with {held}."), fix.as_str())).collect()
}

/// Everything in an entry that could be a name or a token: keys, and what stands between other signs in its texts.
fn words(entry: &Value) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let mut words = Vec::new();
    let mut left = vec![entry];
    while let Some(value) = left.pop() {
        match value {
            Value::Object(entries) => {
                // A variable without a value is not set.
                let set = entries.iter().filter(|(_, value)| value.as_str() != Some(""));
                words.extend(set.clone().map(|(key, _)| key.clone()));
                left.extend(set.map(|(_, value)| value));
            }
            Value::Array(values) => left.extend(values),
            Value::String(text) => {
                words.extend(text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).map(str::to_owned));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        if words.len() > MAX_WORDS {
            break;
        }
    }
    words.truncate(MAX_WORDS);
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_token_is_found_wherever_it_stands() {
        for entry in [
            json!({ "headers": { "Authorization": "Bearer vto_a-b" } }),
            json!({ "args": ["--header", "Authorization:Bearer vto_a-b"] }),
            json!({ "env": { "TOKEN": "vto_a-b" } }),
            json!({ "url": "http://127.0.0.1/mcp?token=vto_a-b&x=1" }),
        ] {
            assert!(words(&entry).contains(&"vto_a-b".to_owned()), "{entry}");
        }
        let unset = json!({ "env": { "PDPP_OWNER_TOKEN": "" } });
        assert!(!words(&unset).contains(&"PDPP_OWNER_TOKEN".to_owned()));
        assert_eq!(words(&json!({ "a": "x ".repeat(10 * MAX_WORDS) })).len(), MAX_WORDS);
    }
}
