//! The configuration of each client: whether it can be read, whether what it starts or calls is there, and that it holds
//! nothing of the owner's.

mod secrets;

use std::path::Path;

use serde_json::Value;
use vitrine_engine::Caller;
use vitrine_server::clients::Client;

use super::fetch::Fetch;
use super::{Finding, Patient};
use crate::archive::DATABASE;
use crate::cli::{Cli, Command, read_arguments};
use crate::setup::change::present;

pub(super) async fn check(patient: &Patient) -> Vec<Finding> {
    let Some(machine) = &patient.machine else { return Vec::new() };
    let mut findings = Vec::new();
    for client in Client::ALL {
        let (Some(path), Some(form)) = (machine.config_file(client), client.file_form()) else { continue };
        match present(&path, form) {
            Ok(None) => {}
            Ok(Some(entry)) => {
                findings.extend(secrets::check(patient, client, &path, &entry).await);
                findings.extend(start_finding(patient, client, &entry).await);
                findings.extend(call_finding(patient, client, &entry).await);
            }
            Err(error) => findings.push(Finding::new(
                format!("{}: {error}", client.name()),
                "Mend the file, or put its last backup back.",
            )),
        }
    }
    findings
}

/// What is wrong with the server that a client calls.
async fn call_finding(patient: &Patient, client: Client, entry: &Value) -> Option<Finding> {
    let url = ["url", "uri", "httpUrl", "serverUrl"].iter().find_map(|key| entry.get(key)?.as_str())?;
    let why = match Fetch::get(url).await {
        Ok(answer) if answer.status < 500 => return None,
        Ok(answer) => format!("status {}", answer.status),
        Err(why) => why,
    };
    let name = client.name();
    let (serve, again) = (patient.here.command(&["serve"]), again(patient, client));
    Some(Finding::new(
        format!("{name} calls {url}, where nobody answers: {why}"),
        format!("Start that server ({serve}), or let {name} start Vitrine by itself: {again}"),
    ))
}

fn again(patient: &Patient, client: Client) -> String {
    patient.here.command(&["setup", client.key(), "--write"])
}

/// What is wrong with how a client starts Vitrine.
async fn start_finding(patient: &Patient, client: Client, entry: &Value) -> Option<Finding> {
    let name = client.name();
    let again = again(patient, client);
    let command = entry.get("command").or(entry.get("cmd"))?.as_str()?;
    let path = Path::new(command);
    if !path.is_absolute() {
        let problem =
            format!("{name} starts `{command}`, which it may not find: clients do not search as a shell does.");
        return Some(Finding::new(problem, again));
    }
    if !path.is_file() {
        return Some(Finding::new(format!("{name} starts {command}, which is not there any more."), again));
    }
    if path.canonicalize().ok() != patient.program.canonicalize().ok() {
        let problem = format!("{name} starts {command}, another copy than this one ({}).", patient.program.display());
        return Some(Finding::new(problem, again));
    }
    let args: Vec<&str> =
        entry.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let Ok(Cli { place, command: Command::Mcp(asked), .. }) = read_arguments(&args) else {
        // They are not repeated: one of them may be a token.
        let problem = format!("{name} starts Vitrine with other arguments than `mcp` and its own: no agent is served.");
        return Some(Finding::new(problem, again));
    };
    let directory = place.data_dir.as_ref();
    if let Some(directory) = directory.filter(|directory| !directory.join(DATABASE).is_file()) {
        let problem = format!("{name} reads from {}, where there is no store.", directory.display());
        return Some(Finding::new(problem, again));
    }
    if asked.provider_url.is_some() || directory.is_some_and(|directory| *directory != patient.data_dir) {
        return None;
    }
    grant_finding(patient, client, asked.grant.as_deref()).await
}

async fn grant_finding(patient: &Patient, client: Client, named: Option<&str>) -> Option<Finding> {
    let opened = patient.store.as_ref().ok()?.as_ref()?;
    let name = client.name();
    if let Some(grant) = named {
        let ended = Caller::from_grant_or_package(&*opened.store, grant, patient.clock.now()).await.err()?;
        let fix = choose(patient, client);
        return Some(Finding::new(format!("{name} reads under {grant}. {}", ended.message), fix));
    }
    let active = opened.active_grants().await.ok()?;
    match active.as_slice() {
        [_] => None,
        [] => Some(Finding::new(
            format!("{name} is set up, but there is no grant it could read under."),
            patient.here.command(&["grant", "create", "--client", name]),
        )),
        several => Some(Finding::new(
            format!("{name} does not say under which of {} grants it reads, so it cannot start.", several.len()),
            choose(patient, client),
        )),
    }
}

fn choose(patient: &Patient, client: Client) -> String {
    let setup = patient.here.command(&["setup", client.key(), "--write", "--grant", "GRANT"]);
    format!("{setup}, with one of `{}`", patient.here.command(&["grant", "list"]))
}
