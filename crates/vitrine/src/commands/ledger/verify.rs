//! `vitrine ledger verify`.

use std::process::ExitCode;

use vitrine_store::ledger::{Head, HeadCheck, Report};

use crate::fault::{Exit, Fault};
use crate::opened::Opened;
use crate::output::{Output, lines};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What `vitrine ledger head` printed earlier, or a file that holds it: finds a cut-off end
    #[arg(long, value_name = "FILE|STRING")]
    head: Option<String>,
}

pub(super) fn run(args: &Args, opened: &Opened, output: Output) -> Result<ExitCode, Fault> {
    let head = args.head.as_deref().map(exported).transpose()?;
    let report = opened.store.ledger().verify(head.as_ref())?;
    output.result(&report, || words(&report))?;
    Ok(if report.ok { ExitCode::SUCCESS } else { Exit::Failed.into() })
}

fn exported(given: &str) -> Result<Head, Fault> {
    let text = if given.trim_start().starts_with('{') {
        given.to_owned()
    } else {
        std::fs::read_to_string(given).map_err(|error| Fault::unreadable(given, &error))?
    };
    let wrong = "--head: this is not what `vitrine ledger head` printed, or it was changed since";
    Head::parse(&text).ok_or_else(|| Fault::configuration(wrong))
}

fn words(report: &Report) -> String {
    let mut words = vec![if report.ok {
        format!("the ledger is whole: {} entries in {} segments", report.entries, report.segments)
    } else {
        format!("the ledger is not whole: {} faults", report.faults.len())
    }];
    if report.dropped_segments > 0 {
        words.push(format!("dropped by retention: {} segments", report.dropped_segments));
    }
    match report.head {
        HeadCheck::NotGiven => {}
        HeadCheck::Matches => words.push("it still holds everything up to the exported head".to_owned()),
        HeadCheck::Differs => words.push("it does not hold what the exported head says".to_owned()),
        HeadCheck::Dropped => words.push("the exported head is older than what retention has kept".to_owned()),
    }
    if !report.faults.is_empty() {
        words.push(lines(&report.faults, ToString::to_string));
    }
    words.join("\n")
}
