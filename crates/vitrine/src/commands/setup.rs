//! `vitrine setup`: the one recommended configuration for an MCP client, shown, written or undone.

mod shown;

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use vitrine_server::clients::{Client, Entry, Reach, Recommendation, recommend, variants};

use self::shown::Shown;
use crate::cli::Place;
use crate::fault::Fault;
use crate::listening::DEFAULT_URL;
use crate::output::{Output, lines};
use crate::setup::change::Change;
use crate::setup::machine::Machine;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The client to set up [default: show those found on this machine]
    #[arg(value_name = "CLIENT", value_parser = clients())]
    client: Option<Client>,
    /// Write the configuration, after showing what changes
    #[arg(long, requires = "client", conflicts_with = "remove")]
    write: bool,
    /// Take the configuration out again
    #[arg(long, requires = "client")]
    remove: bool,
    /// Also show other ways
    #[arg(long)]
    advanced: bool,
    /// Use a running server instead of this program
    #[arg(long, value_name = "URL", help_heading = "Advanced")]
    url: Option<String>,
    /// Read under this grant when several are active
    #[arg(long, value_name = "GRANT_OR_PACKAGE", conflicts_with = "url", help_heading = "Advanced")]
    grant: Option<String>,
}

pub(crate) fn run(args: &Args, place: &Place, output: Output) -> Result<(), Fault> {
    let machine = Machine::here()
        .ok_or_else(|| Fault::configuration("There is no home directory, so there are no clients to set up."))?;
    let reach = args.reach(place, &machine)?;
    let setup = Setup { reach, machine, url: args.mcp_url()?, advanced: args.advanced };
    match args.client {
        None => {
            let shown: Vec<Shown> = Client::ALL.into_iter().map(|client| setup.show(client)).collect();
            output.result(&shown, || shown::overview(&shown))?;
        }
        Some(client) if args.write || args.remove => setup.apply(client, args.remove, output)?,
        Some(client) => {
            let shown = setup.show(client);
            output.result(&shown, || shown.words())?;
        }
    }
    Ok(())
}

/// How this program is started by a client that shares the machine.
pub(crate) fn command(machine: &Machine, data_dir: Option<&Path>, grant: Option<&str>) -> Result<Reach, Fault> {
    let program = machine.lasting_path(&std::env::current_exe()?);
    let mut args = vec!["mcp".to_owned()];
    if let Some(directory) = data_dir.filter(|directory| !directory.as_os_str().is_empty()) {
        args.extend(["--data-dir".to_owned(), text(&std::path::absolute(directory)?)?]);
    }
    if let Some(grant) = grant {
        args.extend(["--grant".to_owned(), grant.to_owned()]);
    }
    Ok(Reach::Command { program: text(&program)?, args })
}

impl Args {
    fn reach(&self, place: &Place, machine: &Machine) -> Result<Reach, Fault> {
        if self.url.is_some() {
            return Ok(Reach::Url(self.mcp_url()?));
        }
        if place.database_url.as_ref().is_some_and(|url| !url.is_empty()) {
            return Err(Fault::configuration(
                "A database URL may hold a password, which has no place in a client's configuration. Run `vitrine \
                 serve`, and give its address: `vitrine setup CLIENT --url URL`.",
            ));
        }
        command(machine, place.data_dir.as_deref(), self.grant.as_deref())
    }

    fn mcp_url(&self) -> Result<String, Fault> {
        let url = self.url.as_deref().unwrap_or(DEFAULT_URL);
        let address = crate::provider::Address::parse(url.trim_end_matches('/').trim_end_matches("/mcp"))
            .map_err(|error| Fault::usage(&error.to_string()))?;
        Ok(format!("{}/mcp", address.as_str()))
    }
}

/// How clients are to reach the records from this machine.
struct Setup {
    reach: Reach,
    machine: Machine,
    url: String,
    advanced: bool,
}

impl Setup {
    fn show(&self, client: Client) -> Shown {
        let platform = self.machine.platform;
        let others = if self.advanced { variants(client, &self.reach, &self.url, platform) } else { Vec::new() };
        let recommended = recommend(client, &self.reach, platform);
        Shown::new(recommended, self.machine.has(client), self.machine.config_file(client), others)
    }

    fn apply(&self, client: Client, removing: bool, output: Output) -> Result<(), Fault> {
        let recommended = recommend(client, &self.reach, self.machine.platform);
        let (path, entry) = self.file_of(&recommended)?;
        let change = if removing { Change::removing(path, entry) } else { Change::adding(path, entry) };
        let change = change.map_err(|error| Fault::configuration(error.to_string()))?;
        let difference = change.difference();
        output.remark(&difference)?;
        let backup = if change.is_none() {
            None
        } else {
            change.write().map_err(|error| Fault::configuration(error.to_string()))?
        };
        let applied = shown::Applied::new(client, &change, removing, backup, difference);
        output.result(&applied, || applied.words())?;
        Ok(())
    }

    fn file_of<'a>(&self, recommended: &'a Recommendation) -> Result<(PathBuf, &'a Entry), Fault> {
        match (self.machine.config_file(recommended.client), &recommended.entry) {
            (Some(path), Some(entry)) => Ok((path, entry)),
            _ => Err(Fault::configuration(format!(
                "{} is not set up by a file. {}",
                recommended.name,
                lines(&recommended.steps, Clone::clone)
            ))),
        }
    }
}

fn text(path: &Path) -> Result<String, Fault> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Fault::configuration(format!("{} is not UTF-8, so no configuration can hold it.", path.display()))
    })
}

fn clients() -> impl TypedValueParser<Value = Client> {
    let names = Client::ALL.map(|client| PossibleValue::new(client.key()).help(client.name()));
    PossibleValuesParser::new(names)
        .try_map(|typed| Client::ALL.into_iter().find(|client| client.key() == typed).ok_or("there is no such client"))
}
