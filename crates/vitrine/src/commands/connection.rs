//! `vitrine connection`: the configured accounts.

use clap::Subcommand;
use serde_json::json;
use vitrine_engine::owner::ConnectionShown;

use crate::fault::Fault;
use crate::opened::Opened;
use crate::output::{Output, lines};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Configure an account
    Add {
        /// The source's short name
        #[arg(long, value_name = "KEY")]
        source: String,
        /// The label you know it by
        #[arg(long)]
        name: String,
        /// Its identity [default: a fresh one]
        #[arg(long)]
        id: Option<String>,
    },
    /// List the accounts
    List,
    /// Change an account's label
    Rename {
        /// The account's id
        id: String,
        /// The new label
        name: String,
    },
    /// Remove an account with all its records
    Remove {
        /// The account's id
        id: String,
    },
}

pub(crate) async fn run(command: Command, opened: &Opened, output: Output) -> Result<(), Fault> {
    let owner = opened.owner();
    match command {
        Command::Add { source, name, id } => {
            let added = owner.add_connection(&source, &name, id.as_deref()).await?;
            output.result(&added, || line(&added))?;
        }
        Command::List => {
            let connections = owner.connections().await?;
            output.result(&connections, || lines(&connections, line))?;
        }
        Command::Rename { id, name } => {
            let renamed = owner.rename_connection(&id, &name).await?;
            output.result(&renamed, || line(&renamed))?;
        }
        Command::Remove { id } => {
            owner.remove_connection(&id).await?;
            output.result(&json!({ "connection_id": id, "removed": true }), || format!("removed {id}"))?;
        }
    }
    Ok(())
}

fn line(connection: &ConnectionShown) -> String {
    format!("{}\t{}\t{}", connection.connection_id, connection.connector_key, connection.display_name)
}
