//! `vitrine owner`: the owner's own credentials.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _};

use clap::Subcommand;
use serde_json::json;
use vitrine_engine::oauth::password;

use crate::fault::Fault;
use crate::opened::Opened;
use crate::output::Output;

/// More than any password.
const MAX_INPUT: u64 = 8 * 1024;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print a fresh owner token for scripts
    Token,
    /// Set the password of the owner's pages, typed or on standard input
    Password,
}

pub(crate) async fn run(command: Command, opened: &Opened, output: Output) -> Result<(), Fault> {
    match command {
        Command::Token => {
            let token = opened.owner().issue_owner_token().await?;
            output.result(&json!({ "access_token": token }), || token.clone())?;
        }
        Command::Password => {
            let hash = password::hash(&typed_password()?, &opened.random)?;
            password::keep(&*opened.store, &hash).await?;
            let words = "The password is set. Every browser is signed out.";
            output.result(&json!({ "password": "set" }), || words.to_owned())?;
        }
    }
    Ok(())
}

/// Asks twice at a terminal, without showing what is typed; otherwise the first line that is piped in.
fn typed_password() -> Result<String, Fault> {
    let unreadable = |error: &io::Error| Fault::unreadable("standard input", error);
    let mut input = io::stdin().lock();
    if !input.is_terminal() {
        let mut line = String::new();
        input.by_ref().take(MAX_INPUT).read_line(&mut line).map_err(|error| unreadable(&error))?;
        return Ok(line.trim_end_matches(['\r', '\n']).to_owned());
    }
    drop(input);
    let ask = |words: &str| rpassword::prompt_password(words).map_err(|error| unreadable(&error));
    let password = ask("New password: ")?;
    if ask("The same again: ")? == password { Ok(password) } else { Err(Fault::usage("The two are not the same.")) }
}
