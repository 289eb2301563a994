//! What holds for every command.
#![cfg(unix)]

use std::io::Read as _;

use crate::binary::Binary;

#[test]
fn a_variable_without_a_value_is_not_set() {
    let binary = Binary::with_accounts();
    let grant = binary.json(&["grant", "create", "--client", "Agent", "--connection", "cin_work"]);
    let id = grant["grants"][0]["grant_id"].as_str().unwrap();
    let empty = [("PDPP_PROVIDER_URL", ""), ("PDPP_CACHE_ROOT", ""), ("VITRINE_DATABASE_URL", "")];
    let ran = binary.run_in_environment(&["mcp", "--grant", id], &empty);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = binary.run_in_environment(&["doctor", "--listen", "127.0.0.1:1"], &[("VITRINE_PUBLIC_URL", "")]);
    assert_eq!(ran.code, 0, "{ran:?}");

    let home = binary.data_dir().join("home");
    std::fs::create_dir(&home).unwrap();
    let variables = [("VITRINE_DATA_DIR", ""), ("XDG_DATA_HOME", home.to_str().unwrap()), ("HOME", "/nowhere")];
    let ran = binary.run_in_environment(&["connection", "list", "--json"], &variables);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "[]\n"), "{ran:?}");
    assert!(home.join("vitrine/vitrine.db").exists());
    let typed = binary.run(&["connection", "list", "--data-dir", ""]);
    assert_eq!(typed.code, 64, "what was typed is a mistake: {typed:?}");
}

#[test]
fn a_reader_who_has_seen_enough_ends_it_quietly() {
    let binary = Binary::with_accounts();
    for arguments in [
        &["man"][..],
        &["completions", "bash"],
        &["connection", "list"],
        &["setup", "--json"],
        &["ledger"],
        &["ledger", "export", "-"],
        &["--help"],
    ] {
        let mut child = binary.spawn(arguments);
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""), "{arguments:?}");
    }
}
