//! `vitrine import`: a real export in, from a file.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use jiff::tz::TimeZone;
use serde_json::Value;
use vitrine_engine::owner::ConnectionShown;
use vitrine_engine::port::Store as _;
use vitrine_import::{DateOrder, Export, Kind, Settings};

use crate::fault::{Exit, Fault};
use crate::import::import;
use crate::opened::Opened;
use crate::output::Output;

const BAR: &str = "{bar:30} {bytes}/{total_bytes} {bytes_per_sec} {msg} ETA {eta}";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What was exported
    #[arg(value_enum)]
    kind: Kind,
    /// The export: a file, a ZIP archive or a directory
    path: PathBuf,
    /// The label of the account; the same label again brings its records up to date
    #[arg(long)]
    name: String,
    /// The account's identity [default: a fresh one]
    #[arg(long, value_name = "CONNECTION_ID")]
    id: Option<String>,
    /// The zone of times that come without one, e.g. Europe/Berlin [default: the machine's]
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<String>,
    /// The order of day and month in dates such as 03/04/2026 [default: found out]
    #[arg(long, value_name = "ORDER", value_enum)]
    date_order: Option<DateOrder>,
    /// Take the derived declaration of a CSV or JSON file without asking
    #[arg(long)]
    yes: bool,
}

pub(crate) async fn run(args: Args, opened: &Opened, output: Output) -> Result<ExitCode, Fault> {
    let Args { kind, path, name, id, time_zone, date_order, yes } = args;
    let time_zone = time_zone.map_or_else(
        || Ok(TimeZone::try_system().unwrap_or(TimeZone::UTC)),
        |zone| {
            TimeZone::get(&zone)
                .map_err(|_| Fault::usage(&format!("`{zone}` is no time zone; use e.g. Europe/Berlin.")))
        },
    )?;
    let settings = Settings { time_zone, date_order, now: opened.clock.now() };
    let mut export = Export::open(&path)?;
    kind.check(&mut export)?;
    let registered = registered(opened, kind, &name).await?;
    let prepared = kind.prepare_onto(&mut export, &settings, &name, registered.as_ref())?;
    if prepared.derived && !yes {
        confirm(&prepared.declaration, output)?;
    }
    let connection = connection(opened, &prepared.declaration, &name, id.as_deref()).await?;
    let bar = bar(export.size());
    let summary = import(&opened.store, kind, prepared, export, connection, settings, &bar).await;
    bar.finish_and_clear();
    let summary = summary?;
    output.result(&summary, || summary.words())?;
    Ok(if summary.is_whole() { ExitCode::SUCCESS } else { Exit::Failed.into() })
}

/// The declaration that earlier files of the account gave, where it is found out.
async fn registered(opened: &Opened, kind: Kind, name: &str) -> Result<Option<Value>, Fault> {
    let Some(source) = kind.derived_source(name) else { return Ok(None) };
    let catalog = opened.store.catalog().await?;
    let known = catalog.sources.iter().find(|known| known.declaration.connector_key == source);
    Ok(known.map(|known| known.declaration.document.clone()))
}

/// Shows a derived declaration, and asks the person who looks on.
fn confirm(declaration: &str, output: Output) -> Result<(), Fault> {
    let shown: Value = serde_json::from_str(declaration).map_err(io::Error::from)?;
    output.result(&shown, || declaration.to_owned())?;
    let unasked = "This is the declaration that was derived. Run the same command with --yes to import with it, or import \
                   with `vitrine source add` and `vitrine ingest` under one of your own.";
    if output.is_json() || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Fault::usage(unasked));
    }
    write!(io::stderr(), "Import with this declaration? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    if matches!(answer.trim(), "y" | "Y" | "yes") { Ok(()) } else { Err(Fault::usage("Nothing was imported.")) }
}

/// The account the records belong to: the one of this source with this id or name, or a new one.
async fn connection(
    opened: &Opened,
    declaration: &str,
    name: &str,
    id: Option<&str>,
) -> Result<ConnectionShown, Fault> {
    let owner = opened.owner();
    let source = owner.register_source(declaration).await?.connector_key;
    let mut known = owner.connections().await?;
    known.retain(|c| c.connector_key == source && id.map_or(c.display_name == name.trim(), |id| c.connection_id == id));
    match known.len() {
        0 => Ok(owner.add_connection(&source, name, id).await?),
        1 => Ok(known.remove(0)),
        _ => Err(Fault::usage(&format!("Several accounts are called `{name}`. Name one with --id."))),
    }
}

/// Drawn on standard error, and only when a person looks on.
fn bar(size: u64) -> ProgressBar {
    let bar = ProgressBar::new(size);
    match ProgressStyle::with_template(BAR) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
