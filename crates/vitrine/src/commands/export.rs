//! `vitrine export`: everything as plain files.

use std::path::PathBuf;

use serde_json::json;

use crate::export::{self, Written};
use crate::fault::Fault;
use crate::opened::Opened;
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The directory to make; it must not be there yet
    directory: PathBuf,
}

pub(crate) async fn run(args: &Args, opened: &Opened, output: Output) -> Result<(), Fault> {
    let Written { connections, records, blobs } = export::write(opened, &args.directory).await?;
    let directory = args.directory.display().to_string();
    let value = json!({ "directory": directory, "connections": connections, "records": records, "blobs": blobs });
    output.result(&value, || {
        format!("{records} records and {blobs} blobs of {connections} connections in {directory}")
    })?;
    Ok(())
}
