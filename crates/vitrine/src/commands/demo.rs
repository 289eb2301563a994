//! `vitrine demo`: a sample person, for as long as the command runs.

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

/// Together with the rest, ten lines.
const CLIENTS_SHOWN: usize = 5;

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
    let directory = private::scratch("vitrine-demo-", &std::env::temp_dir())?;
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
    let ways = ways_in(&here);
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

/// What to type for each client that is here, or for the commonest where none is.
fn ways_in(here: &Here) -> Vec<(&'static str, String)> {
    let Some(machine) = Machine::here() else { return Vec::new() };
    let reach = here.reach(None);
    let way = |client: &Client| {
        let recommended = recommend(*client, &reach, here);
        Some((recommended.name, here.way(&recommended, &[])?))
    };
    let installed: Vec<Client> = Client::ALL.into_iter().filter(|client| machine.has(*client)).collect();
    let commonest = [Client::ClaudeCode, Client::Codex, Client::GeminiCli];
    let shown = if installed.is_empty() { commonest.as_slice() } else { installed.as_slice() };
    shown.iter().filter_map(way).take(CLIENTS_SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_lines_tell_how_to_connect() {
        let here = Here { data_dir: Some("/tmp/vitrine demo".to_owned()), ..Here::default() };
        let ways = ways_in(&here);
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
