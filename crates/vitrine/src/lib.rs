//! A glass case for a person's records: agents look in through bounded, revocable grants.

mod archive;
mod cli;
mod commands;
mod demo;
mod doctor;
mod export;
mod fault;
mod grants;
mod here;
mod import;
mod listening;
mod opened;
mod output;
mod private;
pub mod provider;
mod reading;
mod setup;

use std::process::ExitCode;

use tracing::Level;
use tracing_subscriber::filter::{FilterExt as _, LevelFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use cli::Cli;
use fault::Fault;
use output::Output;

/// Does what was typed, and says how it went.
pub fn main() -> ExitCode {
    let cli = match cli::parse() {
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
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(commands::run(cli, output))
}

/// Warnings, and whatever else `RUST_LOG` asks for, except what would write down what was disclosed: below `INFO` the
/// MCP library logs whole messages.
fn log_to_stderr() {
    let asked = EnvFilter::builder().with_default_directive(LevelFilter::WARN.into()).from_env_lossy();
    let discreet = filter_fn(|event| !event.target().starts_with("rmcp") || *event.level() <= Level::INFO);
    let stderr = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    tracing_subscriber::registry().with(stderr.with_filter(asked.and(discreet))).init();
}
