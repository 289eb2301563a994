//! `vitrine ledger`: what each client was told, and whether the account is whole.

mod verify;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use jiff::Timestamp;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use vitrine_contract::time;
use vitrine_engine::ledger::{DEFAULT_ENTRIES, Ledger as _, LedgerAsk, MAX_ENTRIES};
use vitrine_store::ledger::{Flush, LEAST_MAX_BYTES, Settings};

use crate::fault::Fault;
use crate::opened::Opened;
use crate::output::{Output, lines, unless_closed};
use crate::private;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    filters: Filters,
    /// Entries at most
    #[arg(long, default_value_t = DEFAULT_ENTRIES, value_parser = entries)]
    limit: usize,
    /// Read on where the last page ended
    #[arg(long)]
    cursor: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check every line, every signature, and that nothing is missing
    Verify(verify::Args),
    /// Print how far the ledger reaches, signed: keep it somewhere else
    Head,
    /// Write matching entries to a file, one JSON object a line, newest first
    Export {
        #[command(flatten)]
        filters: Filters,
        /// A new file; - is standard output
        file: PathBuf,
    },
    /// Show or change how long entries are kept, and when they are forced to the disk
    Settings(Changes),
}

/// Which entries.
#[derive(Debug, clap::Args)]
struct Filters {
    /// Only what this client was told
    #[arg(long, value_name = "ID")]
    client: Option<String>,
    /// Only what was read under this grant or package
    #[arg(long, value_name = "ID")]
    grant: Option<String>,
    /// Only what was read of this account
    #[arg(long, value_name = "ID")]
    connection: Option<String>,
    /// Only what was read of this stream
    #[arg(long)]
    stream: Option<String>,
    /// Only reads of this record
    #[arg(long, value_name = "ID")]
    record: Option<String>,
    /// Only from this instant on
    #[arg(long, value_name = "TIME", value_parser = instant)]
    since: Option<Timestamp>,
    /// Only before this instant
    #[arg(long, value_name = "TIME", value_parser = instant)]
    until: Option<Timestamp>,
}

#[derive(Debug, clap::Args)]
struct Changes {
    /// Bytes at most: the oldest entries are dropped
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(LEAST_MAX_BYTES..))]
    max_bytes: Option<u64>,
    /// Days to keep an entry; 0 is as long as there is room
    #[arg(long, value_name = "DAYS")]
    max_days: Option<u32>,
    /// When entries are forced to the disk
    #[arg(long, value_name = "WHEN")]
    flush: Option<When>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum When {
    /// Within a second
    EverySecond,
    /// Before the answer leaves
    EachEntry,
}

pub(crate) async fn run(args: Args, opened: &Opened, output: Output) -> Result<ExitCode, Fault> {
    match args.command {
        Some(Command::Verify(args)) => return verify::run(&args, opened, output),
        Some(Command::Head) => {
            let head = opened.store.ledger().head()?;
            output.result(&RawValue::from_string(head.clone()).map_err(io::Error::from)?, || head.clone())?;
        }
        Some(Command::Export { filters, file }) => export(filters.ask(), &file, opened, output).await?,
        Some(Command::Settings(changes)) => decide(&changes, opened, output)?,
        None => list(&args, opened, output).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(args: &Args, opened: &Opened, output: Output) -> Result<(), Fault> {
    let mut ask = LedgerAsk { limit: args.limit, ..args.filters.ask() };
    if args.cursor.as_deref().is_some_and(|cursor| !ask.resume(cursor)) {
        return Err(Fault::usage("--cursor: pass the cursor that the last page ended with"));
    }
    let page = opened.store.entries(&ask).await?;
    let next = page.next_cursor();
    let value = json!({ "object": "list", "has_more": next.is_some(), "next_cursor": next, "data": page.entries });
    output.result(&value, || {
        let more = next.as_ref().map_or_else(String::new, |cursor| format!("\nmore: --cursor {cursor}"));
        lines(&page.entries, |entry| line(entry)) + &more
    })?;
    Ok(())
}

/// An entry in one line: when, who, how, what, how much.
fn line(entry: &RawValue) -> String {
    let entry: Value = serde_json::from_str(entry.get()).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let how = entry["tool"].as_str().map_or_else(|| text(&entry["endpoint"]), str::to_owned);
    let items = entry["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    let places = items.iter().map(|item| format!("{}/{}", text(&item["connection_id"]), text(&item["stream"])));
    format!(
        "{}\t{}\t{how}\t{}\t{} records\t{} characters",
        text(&entry["at"]),
        text(&entry["client_id"]),
        places.collect::<Vec<_>>().join(", "),
        entry["records"],
        entry["characters"],
    )
}

async fn export(mut ask: LedgerAsk, file: &Path, opened: &Opened, output: Output) -> Result<(), Fault> {
    let name = file.display().to_string();
    let to_stdout = name == "-";
    let mut out: Box<dyn io::Write> = if to_stdout {
        Box::new(io::stdout().lock())
    } else {
        Box::new(io::BufWriter::new(private::file(file).map_err(|error| Fault::unreadable(&name, &error))?))
    };
    let unwritable = |error| Fault::unreadable(&name, &error);
    let mut entries = 0;
    loop {
        let page = opened.store.entries(&ask).await?;
        entries += page.entries.len();
        for entry in &page.entries {
            if !unless_closed(writeln!(out, "{}", entry.get())).map_err(unwritable)? {
                return Ok(());
            }
        }
        match page.next {
            Some(next) => ask.before = Some(next),
            None => break,
        }
    }
    unless_closed(out.flush()).map_err(unwritable)?;
    if !to_stdout {
        output.result(&json!({ "file": name, "entries": entries }), || format!("{entries} entries in {name}"))?;
    }
    Ok(())
}

fn decide(changes: &Changes, opened: &Opened, output: Output) -> Result<(), Fault> {
    let ledger = opened.store.ledger();
    let known = ledger.settings()?;
    let settings = Settings {
        max_bytes: changes.max_bytes.unwrap_or(known.max_bytes),
        max_days: changes.max_days.map_or(known.max_days, |days| (days > 0).then_some(days)),
        flush: changes.flush.map_or(known.flush, |when| match when {
            When::EverySecond => Flush::EverySecond,
            When::EachEntry => Flush::EachEntry,
        }),
    };
    if settings != known {
        ledger.decide(settings)?;
    }
    output.result(&settings, || {
        let days =
            settings.max_days.map_or_else(|| "as long as there is room".to_owned(), |days| format!("{days} days"));
        let when = match settings.flush {
            Flush::EverySecond => "within a second",
            Flush::EachEntry => "before the answer leaves",
        };
        format!("kept: {days}, at most {} bytes\nforced to the disk: {when}", settings.max_bytes)
    })?;
    Ok(())
}

impl Filters {
    fn ask(&self) -> LedgerAsk {
        LedgerAsk {
            client_id: self.client.clone(),
            grant_id: self.grant.clone(),
            connection_id: self.connection.clone(),
            stream: self.stream.clone(),
            record_id: self.record.clone(),
            since: self.since,
            until: self.until,
            limit: MAX_ENTRIES,
            before: None,
        }
    }
}

fn instant(text: &str) -> Result<Timestamp, String> {
    time::parse(text).ok_or_else(|| "write a time such as 2026-03-12T09:41:00Z, or a date".to_owned())
}

fn entries(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(limit @ 1..=MAX_ENTRIES) => Ok(limit),
        _ => Err(format!("write a number from 1 to {MAX_ENTRIES}")),
    }
}
