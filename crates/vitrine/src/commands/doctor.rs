//! `vitrine doctor`: what is wrong, and what to do about it.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use vitrine_engine::clock::Clock;

use crate::cli::Place;
use crate::doctor::{Examined, Patient, examine};
use crate::fault::{Exit, Fault};
use crate::here::here;
use crate::listening::check_address;
use crate::opened::{Opened, directory_of};
use crate::output::Output;
use crate::provider::credential::Surroundings;
use crate::setup::machine::Machine;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the server listens
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7663")]
    listen: String,
    /// Origin under which clients reach the server
    #[arg(long, value_name = "URL", env = "VITRINE_PUBLIC_URL")]
    public_url: Option<String>,
    /// Where credentials of providers are cached
    #[arg(long, value_name = "DIR", env = "PDPP_CACHE_ROOT", default_value = ".pdpp")]
    cache_root: PathBuf,
}

pub(crate) async fn run(args: Args, place: &Place, output: Output) -> Result<ExitCode, Fault> {
    check_address(&args.listen).await?;
    let embedded = Place { database_url: None, ..place.clone() };
    let patient = Patient {
        data_dir: std::path::absolute(directory_of(place)?)?,
        // Looking must not make one.
        store: Opened::existing(&embedded).map_err(|fault| fault.to_string()),
        database_url: place.database_url.as_ref().is_some_and(|url| !url.is_empty()),
        surroundings: Surroundings::from_env(),
        machine: Machine::here(),
        program: std::env::current_exe()?,
        here: here(place)?,
        cache_root: args.cache_root,
        listen: args.listen,
        public_url: args.public_url.map(|url| url.trim_end_matches('/').to_owned()),
        clock: Clock::System,
    };
    let examined = examine(&patient).await;
    let healthy = examined.iter().all(|examined| examined.findings.is_empty());
    output.result(&json!({ "ok": healthy, "checks": examined }), || words(&examined))?;
    Ok(if healthy { ExitCode::SUCCESS } else { Exit::Failed.into() })
}

fn words(examined: &[Examined]) -> String {
    let mut lines = Vec::new();
    for Examined { check, findings, state } in examined {
        if findings.is_empty() {
            let state = state.as_ref().map_or_else(String::new, |state| format!(": {state}"));
            lines.push(format!("ok       {check}{state}"));
        }
        for finding in findings {
            lines.push(format!("problem  {check}: {}\n         {}", finding.problem, finding.fix));
        }
    }
    lines.join("\n")
}
