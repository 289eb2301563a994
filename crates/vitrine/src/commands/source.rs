//! `vitrine source`: the kinds of places records come from.

use std::path::PathBuf;

use clap::Subcommand;

use crate::fault::Fault;
use crate::opened::Opened;
use crate::output::{Output, lines};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Register a declaration, or replace the one its source has
    Add {
        /// The declaration, a JSON file
        file: PathBuf,
    },
    /// List the registered sources
    List,
}

pub(crate) async fn run(command: Command, opened: &Opened, output: Output) -> Result<(), Fault> {
    match command {
        Command::Add { file } => {
            let text = std::fs::read_to_string(&file)
                .map_err(|error| Fault::unreadable(&file.display().to_string(), &error))?;
            let added = opened.owner().register_source(&text).await?;
            output
                .result(&added, || format!("{} has the streams {}", added.connector_key, added.streams.join(", ")))?;
        }
        Command::List => {
            let sources = opened.owner().sources().await?;
            output.result(&sources, || {
                lines(&sources, |source| {
                    format!("{}\t{}\t{}", source.connector_key, source.source_id, source.streams.join(", "))
                })
            })?;
        }
    }
    Ok(())
}
