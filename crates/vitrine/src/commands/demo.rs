//! `vitrine demo`: a sample person, for as long as the command runs.

mod left_behind;

use serde::Serialize;
use vitrine_server::clients::{Client, Here, recommend};
use vitrine_server::{App, Guard, Limits, router, serve};

use crate::cli::Place;
use crate::demo::{Keys, Scale, move_in};
use crate::fault::Fault;
use crate::here::here;
use crate::listening::{listen, stop_signal, url_of};
use crate::opened::Opened;
use crate::output::Output;
use crate::private;
use crate::reading::Reading;
use crate::setup::machine::Machine;

/// What the names of its stores start with.
const PREFIX: &str = "vitrine-demo-";
/// Lines about clients: together with the rest, ten.
const CLIENT_LINES: usize = 5;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Address to listen on; port 0 picks a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7663")]
    listen: String,
    /// How many of a hundred everyday records to make
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u8).range(1..=100), hide = true)]
    scale: u8,
}

/// How to connect.
#[derive(Debug, Serialize)]
struct Ready {
    url: String,
    mcp_url: String,
    access_token: String,
    owner_token: String,
    data_dir: String,
}

pub(crate) async fn run(args: Args, output: Output) -> Result<(), Fault> {
    let stop = stop_signal()?;
    tokio::pin!(stop);
    let listener = listen(&args.listen).await?;
    let directory = private::scratch(PREFIX, &std::env::temp_dir())?;
    left_behind::remove(directory.path());
    let place = Place { data_dir: Some(directory.path().to_owned()), database_url: None };
    let (opened, here) = (Opened::at(&place)?, here(&place)?);
    let keys = tokio::select! {
        keys = move_in(&opened, Scale::percent(args.scale)) => keys?,
        () = &mut stop => return Ok(()),
    };
    let url = url_of(listener.local_addr()?);
    let limits = Limits::default();
    let reading = Reading::start(&opened.store)?;
    let app = App {
        store: opened.store,
        clock: opened.clock,
        random: opened.random,
        public_url: url.as_str().into(),
        here: here.clone(),
        limits,
        guard: Guard::default(),
    };
    let records = keys.records;
    let ready = Ready::new(url, keys, directory.path().display().to_string());
    let ways = Machine::here().map(|machine| ways_in(&here, &clients_shown(&machine))).unwrap_or_default();
    output.result(&ready, || ready.words(records, &ways))?;
    serve(listener, router(app), limits, stop).await?;
    drop(reading);
    Ok(directory.close()?)
}

impl Ready {
    fn new(url: String, keys: Keys, data_dir: String) -> Self {
        let Keys { access_token, owner_token, .. } = keys;
        Self { mcp_url: format!("{url}/mcp"), url, access_token, owner_token, data_dir }
    }

    fn words(&self, records: u64, ways: &[(&str, String)]) -> String {
        let Self { url, mcp_url, access_token, .. } = self;
        let mut words = vec![
            format!("Five years of Nora Lindgren, who does not exist: {records} records, until you press Ctrl-C."),
            format!("{:16}{url}", "Server"),
            format!("{:16}{mcp_url}", "MCP"),
            format!("{:16}{access_token}", "Token"),
        ];
        words.extend(ways.iter().map(|(client, way)| format!("{client:16}{way}")));
        words.push("Then ask: what became of the lost parcel, and did the money come back?".to_owned());
        words.join("\n")
    }
}

/// Those that are here, or the commonest where none is.
fn clients_shown(machine: &Machine) -> Vec<Client> {
    let installed: Vec<Client> = Client::ALL.into_iter().filter(|client| machine.has(*client)).collect();
    if installed.is_empty() { vec![Client::ClaudeCode, Client::Codex, Client::GeminiCli] } else { installed }
}

/// What to type for each client; for those that find no room, what shows it.
fn ways_in(here: &Here, clients: &[Client]) -> Vec<(&'static str, String)> {
    let reach = here.reach(None);
    let way = |client: &Client| {
        let recommended = recommend(*client, &reach, here);
        Some((recommended.name, here.way(&recommended, &[])?))
    };
    let mut ways: Vec<(&str, String)> = clients.iter().filter_map(way).collect();
    if ways.len() > CLIENT_LINES {
        let others: Vec<&str> = ways.drain(CLIENT_LINES - 1..).map(|(name, _)| name).collect();
        ways.push(("Others", format!("`{}` shows {}", here.command(&["setup"]), others.join(", "))));
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_lines_tell_how_to_connect() {
        let here = Here { data_dir: Some("/tmp/vitrine demo".to_owned()), ..Here::default() };
        let home = tempfile::tempdir().unwrap();
        let none_installed = clients_shown(&Machine::below(home.path(), here.platform));
        for clients in [none_installed.as_slice(), &Client::ALL[..CLIENT_LINES], &Client::ALL] {
            let ways = ways_in(&here, clients);
            assert!(!ways.is_empty());
            for (client, way) in &ways {
                assert!(way.contains("--data-dir '/tmp/vitrine demo'"), "{client}: {way}");
            }
            let [url, access_token, owner_token] = ["http://127.0.0.1:7663", "vtc_a", "vto_b"].map(str::to_owned);
            let keys = Keys { access_token, owner_token, records: 7 };
            let words = Ready::new(url, keys, String::new()).words(7, &ways);
            assert!(words.lines().count() <= 10 && !words.contains("vto_b"), "{words}");
        }
    }

    #[test]
    fn clients_beyond_the_room_are_told_by_name() {
        let here = Here { typed: "/opt/vitrine".to_owned(), ..Here::default() };
        let six = &Client::ALL[..=CLIENT_LINES];
        let ways = ways_in(&here, six);
        assert_eq!(ways.len(), CLIENT_LINES);
        assert_eq!(ways[CLIENT_LINES - 1], ("Others", "`/opt/vitrine setup` shows VS Code, Cursor".to_owned()));
        let told = ways_in(&here, &six[1..]);
        assert!(told.len() == CLIENT_LINES && told.iter().all(|(client, _)| *client != "Others"), "{told:?}");
    }
}
