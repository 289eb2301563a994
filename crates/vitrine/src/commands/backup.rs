//! `vitrine backup`: a copy of a live store, in one file.

use std::path::PathBuf;

use serde_json::json;

use crate::archive;
use crate::fault::Fault;
use crate::opened::Opened;
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file to write; it must not be there yet
    file: PathBuf,
}

pub(crate) fn run(args: &Args, opened: &Opened, output: Output) -> Result<(), Fault> {
    let bytes = archive::write(&opened.store, &opened.clock, &args.file)?;
    let file = args.file.display().to_string();
    output.result(&json!({ "file": file, "bytes": bytes }), || format!("{bytes} bytes in {file}"))?;
    Ok(())
}
