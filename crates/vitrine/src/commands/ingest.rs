//! `vitrine ingest`: records in from a file or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use vitrine_engine::ingest::{IngestResult, IngestSession};
use vitrine_engine::keeping::Target;

use crate::fault::{Exit, Fault};
use crate::opened::Opened;
use crate::output::Output;

const READ_BYTES: usize = 256 * 1024;
const MEASURED: &str = "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {msg} ETA {eta}";
const UNMEASURED: &str = "{spinner} {bytes} {bytes_per_sec} {msg} {elapsed}";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The account the records belong to
    #[arg(long, value_name = "ID")]
    connection: String,
    /// The stream they go to
    #[arg(long)]
    stream: String,
    /// A file with one JSON object a line; - is standard input
    file: PathBuf,
}

pub(crate) async fn run(args: Args, opened: &Opened, output: Output) -> Result<ExitCode, Fault> {
    let target = Target { connection_id: args.connection, stream: args.stream };
    let session = IngestSession::start(&*opened.store, target).await?;
    let name = args.file.display().to_string();
    let unreadable = |error: io::Error| Fault::unreadable(&name, &error);
    let (source, size): (Box<dyn Read + Send>, Option<u64>) = if name == "-" {
        (Box::new(io::stdin()), None)
    } else {
        let file = File::open(&args.file).map_err(unreadable)?;
        let about = file.metadata().map_err(unreadable)?;
        (Box::new(file), about.is_file().then_some(about.len()))
    };
    let bar = bar(size);
    let result = load(session, source, &bar).await.map_err(|fault| match fault {
        LoadFault::Source(error) => unreadable(error),
        LoadFault::Session(fault) => fault,
    });
    bar.finish_and_clear();
    let result = result?;
    output.result(&result, || words(&result))?;
    Ok(if result.records_rejected == 0 { ExitCode::SUCCESS } else { Exit::Failed.into() })
}

enum LoadFault {
    Source(io::Error),
    Session(Fault),
}

async fn load(
    mut session: IngestSession<'_, vitrine_store::Store>,
    mut source: Box<dyn Read + Send>,
    bar: &ProgressBar,
) -> Result<IngestResult, LoadFault> {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let read = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(LoadFault::Source(error)),
        };
        session.push(&buffer[..read]).await.map_err(|error| LoadFault::Session(error.into()))?;
        bar.inc(read as u64);
        bar.set_message(format!("{} lines", session.lines()));
    }
    session.finish().await.map_err(|error| LoadFault::Session(error.into()))
}

/// Drawn on standard error, and only when a person looks on.
fn bar(size: Option<u64>) -> ProgressBar {
    let (bar, template) = match size {
        Some(size) => (ProgressBar::new(size), MEASURED),
        None => (ProgressBar::new_spinner(), UNMEASURED),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn words(result: &IngestResult) -> String {
    let mut words = vec![format!(
        "{} lines: {} accepted, {} unchanged, {} rejected",
        result.records_attempted, result.records_accepted, result.records_unchanged, result.records_rejected
    )];
    words.extend(
        result.rejections.iter().map(|line| format!("line {}: {} ({})", line.input_index, line.message, line.code)),
    );
    words.join("\n")
}
