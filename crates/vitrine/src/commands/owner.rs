//! `vitrine owner`: the owner's own credentials.

use clap::Subcommand;
use serde_json::json;

use crate::fault::Fault;
use crate::opened::Opened;
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print a fresh owner token for scripts
    Token,
}

pub(crate) async fn run(command: Command, opened: &Opened, output: Output) -> Result<(), Fault> {
    match command {
        Command::Token => {
            let token = opened.owner().issue_owner_token().await?;
            output.result(&json!({ "access_token": token }), || token.clone())?;
        }
    }
    Ok(())
}
