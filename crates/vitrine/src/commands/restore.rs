//! `vitrine restore`: a backup, or an export, back into a data directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use vitrine_contract::time;
use vitrine_engine::clock::{Clock, Random};
use vitrine_store::{Held, Store, alone};

use crate::archive::{self, DATABASE, LEDGER};
use crate::cli::Place;
use crate::export;
use crate::fault::Fault;
use crate::opened::{Opened, embedded};
use crate::output::Output;
use crate::private;

const WRITE_AHEAD_LOG: &str = "vitrine.db-wal";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A file made by `vitrine backup`, or a directory made by `vitrine export`
    from: PathBuf,
    /// Replace a store that is not empty; it is kept beside the new one
    #[arg(long)]
    force: bool,
}

pub(crate) async fn run(args: &Args, place: &Place, output: Output) -> Result<(), Fault> {
    let data_dir = embedded(place)?;
    private::directory(&data_dir)?;
    let held = alone(&data_dir.join(DATABASE))?;
    let in_the_way = Occupied::look(&data_dir, &held);
    if in_the_way == Occupied::Full && !args.force {
        let message = format!("There is a store in {} already. --force replaces it.", data_dir.display());
        return Err(Fault::declined("store_not_empty", message));
    }
    let fresh = private::scratch(".vitrine-restore-", &data_dir)?;
    let about = if args.from.is_dir() {
        let opened = Opened::at(&Place { data_dir: Some(fresh.path().to_owned()), database_url: None })?;
        json!({ "records": export::load(&args.from, &opened).await? })
    } else {
        check(&args.from, fresh.path())?
    };
    let previous = (in_the_way != Occupied::Not).then(|| set_aside(&data_dir)).transpose()?;
    move_files(fresh.path(), &data_dir, &[LEDGER, WRITE_AHEAD_LOG, DATABASE])?;
    archive::sync_directory(&data_dir)?;
    drop(held);
    let shown = data_dir.display().to_string();
    let previous = previous.map(|path| path.display().to_string());
    let mut value = json!({ "data_dir": shown, "previous": previous });
    if let (Value::Object(value), Value::Object(about)) = (&mut value, about) {
        value.extend(about);
    }
    output.result(&value, || match &previous {
        Some(previous) => format!("restored to {shown}; what was there before is in {previous}"),
        None => format!("restored to {shown}"),
    })?;
    Ok(())
}

/// Unpacks a backup and looks through all of it, before anything is replaced.
fn check(file: &Path, fresh: &Path) -> Result<Value, Fault> {
    let manifest = archive::unpack(file, fresh)?;
    let store = Store::open(&fresh.join(DATABASE), Clock::System, &Random::System)?;
    let faults = store.check()?;
    if !faults.is_empty() {
        let message = format!("{} holds a damaged store: {}", file.display(), faults.join("; "));
        return Err(Fault::declined("damaged_backup", message));
    }
    let report = store.ledger().verify(None)?;
    Ok(json!({ "made_at": manifest.made_at, "ledger": { "ok": report.ok, "entries": report.entries } }))
}

/// What stands where the store is to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occupied {
    Not,
    Empty,
    Full,
}

impl Occupied {
    fn look(data_dir: &Path, held: &Held) -> Self {
        let database = data_dir.join(DATABASE);
        match (database.exists(), data_dir.join(LEDGER).exists()) {
            (false, false) => Self::Not,
            (true, false) if held.is_empty(&database) => Self::Empty,
            _ => Self::Full,
        }
    }
}

/// Moves what is there out of the way.
fn set_aside(data_dir: &Path) -> Result<PathBuf, Fault> {
    let aside = data_dir.join(format!("replaced-{}", time::format(Clock::System.now()).replace(':', "")));
    private::directory(&aside)?;
    move_files(data_dir, &aside, &[DATABASE, WRITE_AHEAD_LOG, "vitrine.db-shm", LEDGER])?;
    Ok(aside)
}

fn move_files(from: &Path, to: &Path, names: &[&str]) -> Result<(), Fault> {
    for name in names {
        match fs::rename(from.join(name), to.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}
