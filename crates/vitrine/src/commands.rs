//! One file a command.

pub(crate) mod backup;
pub(crate) mod completions;
pub(crate) mod connect;
pub(crate) mod connection;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod grant;
pub(crate) mod import;
pub(crate) mod ingest;
pub(crate) mod ledger;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod owner;
pub(crate) mod restore;
pub(crate) mod serve;
pub(crate) mod setup;
pub(crate) mod source;

use std::process::ExitCode;

use crate::cli::{Cli, Command};
use crate::fault::Fault;
use crate::opened::Opened;
use crate::output::Output;

/// Does what was typed.
pub(crate) async fn run(cli: Cli, output: Output) -> Result<ExitCode, Fault> {
    let Cli { place, command, .. } = cli;
    let opened = || Opened::at(&place);
    let there = || Opened::there(&place);
    match command {
        Command::Demo(args) => demo::run(args, output).await?,
        Command::Serve(args) => serve::run(args, &place, output).await?,
        Command::Mcp(args) => mcp::run(args, &place).await?,
        Command::Doctor(args) => return doctor::run(args, &place, output).await,
        Command::Connect(args) => connect::run(args, output).await?,
        Command::Man(args) => man::run(&args, output)?,
        Command::Completions(args) => completions::run(&args, output)?,
        Command::Setup(args) => setup::run(&args, &place, output).await?,
        Command::Source(command) => source::run(command, &opened()?, output).await?,
        Command::Connection(command) => connection::run(command, &opened()?, output).await?,
        Command::Ingest(args) => return ingest::run(args, &opened()?, output).await,
        Command::Import(args) => return import::run(args, &opened()?, output).await,
        Command::Grant(command) => grant::run(command, &opened()?, output).await?,
        Command::Ledger(args) => return ledger::run(*args, &Opened::with_ledger(&place)?, output).await,
        Command::Backup(args) => backup::run(&args, &there()?, output)?,
        Command::Restore(args) => restore::run(&args, &place, output).await?,
        Command::Export(args) => export::run(&args, &there()?, output).await?,
        Command::Owner(command) => owner::run(command, &opened()?, output).await?,
    }
    Ok(ExitCode::SUCCESS)
}
