//! A glass case for a person's records: agents look in through bounded, revocable grants.

mod archive;
mod cli;
mod commands;
mod demo;
mod doctor;
mod export;
mod fault;
mod import;
mod listening;
mod opened;
mod output;
pub mod provider;
mod reading;
mod setup;

use std::process::ExitCode;

use clap::Parser;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use cli::Cli;
use fault::Fault;
use output::Output;

/// The store reads where it is asked, so a slow read needs other workers beside it.
const MIN_WORKERS: usize = 4;

/// Does what was typed, and says how it went.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return cli::explain(&error),
    };
    let output = Output::new(cli.json);
    log_to_stderr();
    match run(cli, output) {
        Ok(code) => code,
        Err(fault) => output.fault(&fault),
    }
}

fn run(cli: Cli, output: Output) -> Result<ExitCode, Fault> {
    let workers = std::thread::available_parallelism().map_or(MIN_WORKERS, |cores| cores.get().max(MIN_WORKERS));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build()?;
    runtime.block_on(commands::run(cli, output))
}

fn log_to_stderr() {
    let filter = EnvFilter::builder().with_default_directive(LevelFilter::WARN.into()).from_env_lossy();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
