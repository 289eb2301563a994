//! The command line: what can be typed.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::commands::{
    backup, completions, connect, connection, demo, doctor, export, grant, import, ingest, ledger, man, mcp, owner,
    restore, serve, setup, source,
};
use crate::fault::Fault;
use crate::output::Output;

/// Keeps a person's records, and lets agents read them under grants.
#[derive(Debug, Parser)]
#[command(name = "vitrine", version, propagate_version = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Print the result as one JSON value
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Where the records are.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Place {
    /// Directory of the embedded store [default: the platform's data directory]
    #[arg(long, global = true, value_name = "DIR", env = "VITRINE_DATA_DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// A database server instead of the embedded store
    #[arg(long, global = true, value_name = "URL", env = "VITRINE_DATABASE_URL", hide_env_values = true)]
    pub(crate) database_url: Option<String>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve a sample person from a store that is removed at the end
    Demo(demo::Args),
    /// Serve the store over HTTP
    Serve(serve::Args),
    /// Serve an agent on standard input and output, under a grant
    Mcp(mcp::Args),
    /// Get a credential for a provider, by the owner's consent
    Connect(connect::Args),
    /// Show or write the configuration of an MCP client
    Setup(setup::Args),
    /// Check the store, the server and the clients, and say what to mend
    Doctor(doctor::Args),
    /// Register and list sources
    #[command(subcommand)]
    Source(source::Command),
    /// Configure accounts of a source
    #[command(subcommand)]
    Connection(connection::Command),
    /// Load records, one JSON object a line
    Ingest(ingest::Args),
    /// Load a real export: mail, chats, calendars, bank statements and more
    Import(import::Args),
    /// Give, show and end grants
    #[command(subcommand)]
    Grant(grant::Command),
    /// See what each client was told, and check that the account is whole
    Ledger(Box<ledger::Args>),
    /// Copy the store, ledger included, into one file, while it is in use
    Backup(backup::Args),
    /// Put a backup or an export back
    Restore(restore::Args),
    /// Write everything as NDJSON with declarations and blobs
    Export(export::Args),
    /// The owner's own credentials
    #[command(subcommand)]
    Owner(owner::Command),
    /// Print the manual
    Man(man::Args),
    /// Print what a shell needs to complete commands
    Completions(completions::Args),
}

/// Reads what was typed, and the environment: a variable without a value is not set.
pub(crate) fn parse() -> Result<Cli, clap::Error> {
    let mut command = without_empty_variables(Cli::command());
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Reads what another program would start this one with, whose environment is not known.
pub(crate) fn read_arguments(arguments: &[&str]) -> Result<Cli, clap::Error> {
    let mut command = without_variables(Cli::command(), |_| true);
    let words = ["vitrine"].iter().chain(arguments);
    Cli::from_arg_matches(&command.try_get_matches_from_mut(words)?)
}

fn without_empty_variables(command: clap::Command) -> clap::Command {
    without_variables(command, |name| std::env::var_os(name).is_some_and(|value| value.is_empty()))
}

fn without_variables(command: clap::Command, ignored: fn(&OsStr) -> bool) -> clap::Command {
    let args = command.mut_args(|arg| match arg.get_env() {
        Some(name) if ignored(name) => arg.env(None::<&'static str>),
        _ => arg,
    });
    args.mut_subcommands(|inner| without_variables(inner, ignored))
}

/// Shows help and version where they were asked for, and what is wrong otherwise.
pub(crate) fn explain(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // A reader who closed the pipe has seen enough.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let fault = Fault::usage(error.render().to_string().trim());
    if std::env::args_os().any(|argument| argument == "--json") {
        return Output::new(true).fault(&fault);
    }
    let _ = error.print();
    fault.exit.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
