//! `vitrine setup`: the one recommended configuration for an MCP client, shown, written or undone.

mod next;
mod shown;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use vitrine_server::clients::{Client, Entry, Here, Reach, Recommendation, recommend, variants};

use self::next::{Next, next};
use self::shown::Shown;
use crate::cli::Place;
use crate::fault::Fault;
use crate::here::here;
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

pub(crate) async fn run(args: &Args, place: &Place, output: Output) -> Result<(), Fault> {
    let machine = Machine::here()
        .ok_or_else(|| Fault::configuration("There is no home directory, so there are no clients to set up."))?;
    let here = here(place)?;
    let reach = args.reach(place, &here)?;
    let setup = Setup { here, reach, machine, args, url: args.mcp_url()? };
    match args.client {
        None => {
            let shown: Vec<Shown> = Client::ALL.into_iter().map(|client| setup.show(client, None)).collect();
            output.result(&shown, || shown::overview(&shown, &setup.here))?;
        }
        Some(client) if args.remove => setup.apply(client, Action::Remove, output)?,
        Some(client) => {
            let starts = matches!(setup.reach, Reach::Command { .. }) && client.file_form().is_some();
            let next =
                if starts { next(client, args.grant.as_deref(), place, &setup.here, args.write).await? } else { None };
            if args.write {
                setup.apply(client, Action::Write { next }, output)?;
            } else {
                let shown = setup.show(client, next);
                output.result(&shown, || shown.words())?;
            }
        }
    }
    Ok(())
}

impl Args {
    fn reach(&self, place: &Place, here: &Here) -> Result<Reach, Fault> {
        if self.url.is_some() {
            return Ok(Reach::Url(self.mcp_url()?));
        }
        if place.database_url.as_ref().is_some_and(|url| !url.is_empty()) {
            return Err(Fault::configuration(
                "A database URL may hold a password, which has no place in a client's configuration. Run `vitrine \
                 serve`, and give its address: `vitrine setup CLIENT --url URL`.",
            ));
        }
        for path in [Some(&here.program), here.data_dir.as_ref()].into_iter().flatten() {
            if path.contains(char::REPLACEMENT_CHARACTER) {
                let message = format!("{path} is not UTF-8, so no configuration can hold it.");
                return Err(Fault::configuration(message));
            }
        }
        Ok(here.reach(self.grant.as_deref()))
    }

    fn mcp_url(&self) -> Result<String, Fault> {
        let url = self.url.as_deref().unwrap_or(DEFAULT_URL);
        let address = crate::provider::Address::parse(url.trim_end_matches('/').trim_end_matches("/mcp"))
            .map_err(|error| Fault::configuration(error.to_string()))?;
        Ok(format!("{}/mcp", address.as_str()))
    }
}

/// What to do with a client's file.
enum Action {
    Write {
        /// What is left to do before the client can read.
        next: Option<Next>,
    },
    Remove,
}

/// How clients are to reach the records from this machine.
struct Setup<'a> {
    here: Here,
    reach: Reach,
    machine: Machine,
    args: &'a Args,
    url: String,
}

impl Setup<'_> {
    fn show(&self, client: Client, next: Option<Next>) -> Shown {
        let others = if self.args.advanced { variants(client, &self.reach, &self.url, &self.here) } else { Vec::new() };
        let recommended = recommend(client, &self.reach, &self.here);
        let chosen = [("--url", &self.args.url), ("--grant", &self.args.grant)];
        let chosen = chosen.iter().filter_map(|(flag, value)| value.as_deref().map(|value| [*flag, value]));
        let way = self.here.way(&recommended, &chosen.flatten().collect::<Vec<_>>());
        let found = (self.machine.has(client), self.machine.config_file(client));
        Shown::new(recommended, way, found, next, others)
    }

    fn apply(&self, client: Client, action: Action, output: Output) -> Result<(), Fault> {
        let recommended = recommend(client, &self.reach, &self.here);
        let (path, entry) = self.file_of(&recommended)?;
        let removing = matches!(action, Action::Remove);
        let (change, next) = match action {
            Action::Write { next } => (Change::adding(path, client, entry), next),
            Action::Remove => (Change::removing(path, client, entry), None),
        };
        let change = change.map_err(|error| Fault::configuration(error.to_string()))?;
        let difference = change.difference();
        output.remark(&difference)?;
        let backup = if change.is_none() {
            None
        } else {
            change.write().map_err(|error| Fault::configuration(error.to_string()))?
        };
        if removing {
            change.clear_up().map_err(|error| Fault::configuration(error.to_string()))?;
        }
        let applied = shown::Applied::new(client, &change, removing, next, (backup, difference));
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

fn clients() -> impl TypedValueParser<Value = Client> {
    let names = Client::ALL.map(|client| PossibleValue::new(client.key()).help(client.name()));
    PossibleValuesParser::new(names)
        .try_map(|typed| Client::ALL.into_iter().find(|client| client.key() == typed).ok_or("there is no such client"))
}
