//! `vitrine man`: the manual, for packages and for reading.

use std::path::PathBuf;

use clap::CommandFactory as _;
use serde_json::json;

use crate::cli::Cli;
use crate::fault::Fault;
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write a page for every command into this directory
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, output: Output) -> Result<(), Fault> {
    let mut pages = Vec::new();
    if let Some(directory) = &args.directory {
        std::fs::create_dir_all(directory)?;
        clap_mangen::generate_to(Cli::command(), directory)?;
        output
            .result(&json!({ "directory": directory }), || format!("wrote the manual into {}", directory.display()))?;
        return Ok(());
    }
    clap_mangen::Man::new(Cli::command()).render(&mut pages)?;
    let page = String::from_utf8_lossy(&pages);
    output.result(&json!({ "page": page }), || page.trim_end().to_owned())?;
    Ok(())
}
