//! `vitrine completions`: what a shell needs to complete commands.

use clap::CommandFactory as _;
use clap_complete::Shell;
use serde_json::json;

use crate::cli::Cli;
use crate::fault::Fault;
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(args: &Args, output: Output) -> Result<(), Fault> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "vitrine", &mut script);
    let script = String::from_utf8_lossy(&script);
    output.result(&json!({ "script": script }), || script.trim_end().to_owned())?;
    Ok(())
}
